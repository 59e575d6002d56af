// What the paper's pictures of draped bodies show, in small [Jones 2014, Fig. 6 and 7].
#include <gtest/gtest.h>

#include "knead/geometry/sdf_build.h"
#include "points/embedded_bodies.h"

namespace knead {
namespace {

using namespace embedded_test;

double volume(const Particles<double>& p) {
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += p.volume.at(i);
    return sum;
}

// Height of the underside in a column about (x, z).
double underside(const Column<double, 3>& place, double x, double z, double radius) {
    double low = 1e9;
    for (std::size_t i = 0; i < place.size(); ++i) {
        const Vec3d q = place.vec(i);
        if (std::hypot(q.x - x, q.z - z) < radius) low = std::min(low, q.y);
    }
    return low;
}

struct Heights {
    double lo = 1e9, hi = -1e9;
};
Heights heights(const Column<double, 3>& place) {
    Heights h;
    for (std::size_t i = 0; i < place.size(); ++i)
        h = {std::min(h.lo, place.at(i, 1)), std::max(h.hi, place.at(i, 1))};
    return h;
}

// A slab dropped on an obstacle, with nothing below it.
struct Draped {
    Collider obstacle;
    Course run;
    double start, least = 1, most = 1, deepest = 0;

    Draped(const SdfShape& shape, const Material& material, const Block& block)
        : obstacle(make(shape)),
          run(settings(), material, block, {obstacle}, {0, -9.81, 0}),
          start(volume(run.p())) {}

    bool go(double until) {
        while (run.time < until) {
            if (!run.take(run.allowed(1e-3)).ok) return false;
            const double now = volume(run.p()) / start;
            least = std::min(least, now), most = std::max(most, now);
        }
        for (std::size_t i = 0; i < run.p().size(); ++i)
            deepest = std::min(deepest, obstacle.shape.distance(run.p().x.vec(i)));
        return true;
    }

private:
    static Collider make(const SdfShape& shape) {
        Collider c;
        c.shape = shape;
        c.friction = 0.5;
        return c;
    }
    static EmbeddedSettings settings() {
        EmbeddedSettings s;
        s.integrator = EmbeddedIntegrator::semi_implicit;
        s.viscosity = 30;
        return s;
    }
};

Material clay() { return creeping(1e5, 0.35, 600, 0.1); }

// In embedded space the fold is not there: what the linear embedding shows is flow, not rotation.
TEST(EmbeddedFigures, AClaySlabFoldsOverABarAndAnElasticOneDoesNot) {
    const double bar_top = 0.03;
    const SdfShape bar = sdf::box({0.12, 0, 0.05}, {0.03, bar_top, 0.3}, 0.01);
    const Block slab{13, 4, 6, 0.02, 0.05, {0, 0.06, 0}};
    Draped clay_slab(bar, clay(), slab), elastic_slab(bar, solid(1e5, 0.35), slab);
    for (Draped* d : {&clay_slab, &elastic_slab}) {
        ASSERT_TRUE(d->go(0.5));
        EXPECT_GE(d->deepest, -1e-9);  // nothing is in the bar
        EXPECT_GT(d->least, 0.97);
        EXPECT_LT(d->most, 1.03);
    }
    // the slab reaches 12 cm to each side
    const Particles<double>& p = clay_slab.run.p();
    EXPECT_LT(heights(p.x).lo, bar_top - 0.1);  // measured: 0.139 below the bar's top
    EXPECT_GT(heights(elastic_slab.run.p().x).lo, bar_top - 0.03);
    const Heights embedded = heights(p.e);
    EXPECT_GT(embedded.lo, 0.06 - 0.01);
    EXPECT_LT(embedded.hi, 0.12 + 0.01);
}

// Clay sinks in between them, and the print is in embedded space too.
TEST(EmbeddedFigures, AClaySlabTakesThePrintOfSpheres) {
    std::vector<SdfShape> balls;
    for (const double x : {0.03, 0.13})
        for (const double z : {0.03, 0.13}) balls.push_back(sdf::sphere({x, 0, z}, 0.03));
    const Block slab{9, 5, 9, 0.02, 0.05, {0, 0.06, 0}};
    for (const bool plastic : {true, false}) {
        Draped d(sdf::unite(balls), plastic ? clay() : solid(1e5, 0.35), slab);
        ASSERT_TRUE(d.go(0.4));
        EXPECT_GE(d.deepest, -1e-9);
        EXPECT_GT(d.least, 0.97);
        EXPECT_LT(d.most, 1.03);
        // how much higher the underside is over a sphere than between them
        const auto print = [&](const Column<double, 3>& place) {
            return underside(place, 0.03, 0.03, 0.015) - underside(place, 0.08, 0.08, 0.02);
        };
        const double world = print(d.run.p().x), embedded = print(d.run.p().e);
        if (plastic) {
            EXPECT_GT(world, 0.03);  // measured: 0.045 and 0.040
            EXPECT_GT(embedded, 0.03);
        } else {
            EXPECT_LT(world, 2e-3);  // measured: 1e-4 and 4e-4
            EXPECT_LT(embedded, 2e-3);
        }
    }
}

}  // namespace
}  // namespace knead
