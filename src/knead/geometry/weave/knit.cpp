#include "knead/geometry/weave/knit.h"

#include <algorithm>
#include <cmath>

#include "knead/base/check.h"
#include "knead/base/error.h"
#include "knead/geometry/sample_curve.h"
#include "knead/geometry/weave/plies.h"

namespace knead {

namespace {

constexpr double turn = 2 * M_PI;

// The sign of a row at t: that of its column, blended across the feet between columns.
double sign_at(KnitPattern pattern, int row, double t) {
    const double place = (t + M_PI) / turn;
    const int column = static_cast<int>(std::floor(place));
    const double blend = stitch_shape(pattern).blend;
    const int foot = static_cast<int>(std::lround(place));  // between columns foot - 1 and foot
    const double x = (t + M_PI - turn * foot) / blend;
    if (std::abs(x) >= 1) return stitch_sign(pattern, row, column);
    const double before = stitch_sign(pattern, row, foot - 1);
    const double after = stitch_sign(pattern, row, foot);
    return 0.5 * (before + after) + 0.5 * (after - before) * (1.5 * x - 0.5 * x * x * x);
}

void check_interlock(const KnitPlan& plan) {
    for (int row = 0; row + 1 < std::min(plan.rows, 4); ++row)
        for (int column = 0; column < std::min(plan.columns, 4); ++column) {
            const int s = stitch_sign(plan.pattern, row + 1, column);
            if (crossing_signs(plan.pattern, row, column) != std::vector<int>{-s, s, s, -s})
                throw RunError("rows " + std::to_string(row) + " and " + std::to_string(row + 1) +
                               " of the knit do not hold each other");
        }
}

// t of sample k of a row: from the first foot to the last.
double sample_t(const KnitPlan& plan, int k) { return -M_PI + turn * k / plan.samples; }

// The turn from the end of a row to that of the next, beside the fabric: half an ellipse.
std::vector<Vec3d> turn_around(const Vec3d& from, const Vec3d& to, double side, double pitch,
                               double spacing) {
    std::vector<Vec3d> line;
    const int n = std::max(4, static_cast<int>(M_PI * pitch / 2 / spacing));
    for (int k = 1; k < n; ++k) {
        const double a = M_PI * k / n, share = 0.5 * (1 - std::cos(a));
        line.push_back(from + share * (to - from) + Vec3d{side * 0.5 * pitch * std::sin(a), 0, 0});
    }
    return line;
}

// Closures are welded to every loop: in a row of so many stitches there is a head each, and a foot
// on both sides of each.
void check_closures(const KnitPlan& plan, const ThinBody& body, int feet) {
    const auto count = [&](const char* name) {
        return static_cast<int>(body.groups.at(name).size());
    };
    CHECK(count("heads") == plan.columns && count("feet") == feet, "%d heads, %d feet",
          count("heads"), count("feet"));
}

// A slack yarn through `held`, hanging away from the fabric by as much as its loops are apart.
void close_row(ThinBody& body, const std::vector<int>& held, double side, double spacing) {
    for (std::size_t i = 1; i < held.size(); ++i) {
        const Vec3d a = body.vertex(held[i - 1]), b = body.vertex(held[i]);
        const double sag = length(b - a);
        std::vector<Vec3d> parabola;
        for (int k = 0; k <= 200; ++k) {
            const double s = k / 200.0;
            parabola.push_back(a + s * (b - a) + Vec3d{0, side * 4 * sag * s * (1 - s), 0});
        }
        const std::vector<Vec3d> places = sample_curve(parabola, spacing);
        std::vector<int> line{held[i - 1]};
        for (std::size_t k = 1; k + 1 < places.size(); ++k) line.push_back(body.add(places[k]));
        line.push_back(held[i]);
        body.join(line);
    }
}

struct Rows {
    ThinBody body;
    std::vector<std::vector<int>> rows;  // vertices of each, from left to right
};

Rows flat_rows(const KnitPlan& plan) {
    Rows made;
    const int last = plan.samples * plan.columns;
    for (int row = 0; row < plan.rows; ++row) {
        auto& line = made.rows.emplace_back();
        for (int k = 0; k <= last; ++k)
            line.push_back(made.body.add(yarn_at(plan.pattern, row, sample_t(plan, k))));
        made.body.join(line);
        made.body.groups["left"].push_back(line.front());
        made.body.groups["right"].push_back(line.back());
    }
    return made;
}

void join_rows(const KnitPlan& plan, Rows& made) {
    const double pitch = stitch_shape(plan.pattern).pitch, spacing = 24.7 / plan.samples;
    for (std::size_t row = 0; row + 1 < made.rows.size(); ++row) {
        const bool right = row % 2 == 0;
        const auto& a = made.rows[row];
        const auto& b = made.rows[row + 1];
        const int from = right ? a.back() : a.front(), to = right ? b.back() : b.front();
        std::vector<int> line{from};
        for (const Vec3d& x : turn_around(made.body.vertex(from), made.body.vertex(to),
                                          right ? 1 : -1, pitch, spacing))
            line.push_back(made.body.add(x));
        line.push_back(to);
        made.body.join(line);
    }
}

void note_loops(const KnitPlan& plan, Rows& made) {
    const int n = plan.samples;
    for (int c = 0; c <= plan.columns; ++c)
        made.body.groups["feet"].push_back(made.rows.front()[static_cast<std::size_t>(n * c)]);
    for (int c = 0; c < plan.columns; ++c)
        made.body.groups["heads"].push_back(
            made.rows.back()[static_cast<std::size_t>(n * c + n / 2)]);
}

void check(const KnitPlan& plan) {
    CHECK(plan.rows > 0 && plan.columns > 0 && plan.yarn > 0 && plan.plies > 0);
    CHECK(plan.samples >= 8 && plan.samples % 2 == 0, "%d samples", plan.samples);
    check_interlock(plan);
}

// From yarn diameters around the origin to metres around the centre.
void place(const KnitPlan& plan, ThinBody& body) {
    const StitchShape shape = stitch_shape(plan.pattern);
    const Vec3d middle{0.5 * turn * plan.columns - M_PI, 0.5 * shape.pitch * (plan.rows - 1), 0};
    for (Vec3d& x : body.vertices) x = plan.center + plan.yarn * (x - middle);
}

}  // namespace

int stitch_sign(KnitPattern pattern, int row, int column) {
    const auto odd = [](int n) { return (n % 2 + 2) % 2 == 1; };
    const auto half = [](int n) { return n >= 0 ? n / 2 : -((1 - n) / 2); };
    switch (pattern) {
        case KnitPattern::stockinette:
            return 1;
        case KnitPattern::rib1:
            return odd(column) ? -1 : 1;
        case KnitPattern::rib2:
            return odd(half(column)) ? -1 : 1;
        case KnitPattern::garter:
            return odd(row) ? -1 : 1;
        case KnitPattern::seed:
            return odd(row + column) ? -1 : 1;
    }
    return 1;
}

StitchShape stitch_shape(KnitPattern pattern) {
    StitchShape shape;
    if (pattern == KnitPattern::garter || pattern == KnitPattern::seed)
        shape.depth = 1.3, shape.pitch = 5;
    if (pattern == KnitPattern::seed) shape.blend = 0.4;
    return shape;
}

// How a stitch hangs in the row below is told by its own sign, how the row above holds it by that
// row's: cos(2t) where both agree, cos(3t) where they differ.
Vec3d yarn_at(KnitPattern pattern, int row, double t) {
    const StitchShape s = stitch_shape(pattern);
    const double both = std::cos(2 * t), other = std::cos(3 * t);
    const double z =
        0.5 * s.depth *
        (sign_at(pattern, row, t) * (both - other) + sign_at(pattern, row + 1, t) * (both + other));
    return {t + s.bulge * std::sin(2 * t), s.height * std::cos(t) + s.pitch * row, z};
}

std::vector<int> crossing_signs(KnitPattern pattern, int row, int column) {
    const int n = 256;
    const double start = turn * column - M_PI;
    const auto curve = [&](int r, double t0, int count) {
        std::vector<Vec3d> line;
        for (int k = 0; k <= count; ++k) line.push_back(yarn_at(pattern, r, t0 + turn * k / n));
        return line;
    };
    const std::vector<Vec3d> here = curve(row, start, n);
    const std::vector<Vec3d> above = curve(row + 1, start - M_PI, 2 * n);
    std::vector<int> signs;
    for (std::size_t i = 1; i < here.size(); ++i)
        for (std::size_t j = 1; j < above.size(); ++j) {
            const Vec3d a = here[i - 1], c = above[j - 1];
            const Vec3d u = here[i] - a, v = above[j] - c, w = c - a;
            const double det = u.x * v.y - u.y * v.x;
            if (det == 0) continue;
            const double p = (w.x * v.y - w.y * v.x) / det, q = (w.x * u.y - w.y * u.x) / det;
            if (p < 0 || p >= 1 || q < 0 || q >= 1) continue;
            signs.push_back(a.z + p * u.z > c.z + q * v.z ? 1 : -1);
        }
    return signs;
}

ThinBody knit(const KnitPlan& plan) {
    check(plan);
    Rows made = flat_rows(plan);
    note_loops(plan, made);
    check_closures(plan, made.body, plan.columns + 1);
    if (plan.continuous) join_rows(plan, made);
    if (plan.closures) {
        const double spacing = 24.7 / plan.samples;
        close_row(made.body, made.body.groups["heads"], 1, spacing);
        close_row(made.body, made.body.groups["feet"], -1, spacing);
    }
    place(plan, made.body);
    return plan.plies == 1 ? made.body
                           : with_plies(made.body, plan.plies, plan.yarn * plan.ply_radius);
}

double natural_radius(const KnitPlan& plan) { return plan.yarn * plan.columns; }

ThinBody knit_in_the_round(const KnitPlan& plan,
                           const std::function<double(double, double)>& radius) {
    check(plan);
    const StitchShape shape = stitch_shape(plan.pattern);
    const int all = plan.samples * plan.columns * plan.rows;
    const double round = turn * plan.columns;
    ThinBody body;
    std::vector<int> line;
    for (int k = 0; k <= all; ++k) {
        // the row rises by one pitch each time around, and so meets its own continuation
        const int row = std::min(k / (plan.samples * plan.columns), plan.rows - 1);
        const double t = sample_t(plan, k - row * plan.samples * plan.columns);
        Vec3d x = yarn_at(plan.pattern, row, t);
        x.y += shape.pitch * (t + M_PI) / round;
        const double y = plan.yarn * (x.y + shape.height);
        const double angle = x.x / plan.columns, r = radius(y, angle) + plan.yarn * x.z;
        line.push_back(body.add(plan.center + Vec3d{r * std::cos(angle), y, -r * std::sin(angle)}));
    }
    body.join(line);
    const auto at = [&](int k) { return line[static_cast<std::size_t>(k)]; };
    for (int c = 0; c < plan.columns; ++c) {
        body.groups["feet"].push_back(at(c * plan.samples));
        body.groups["heads"].push_back(
            at(all - plan.columns * plan.samples + c * plan.samples + plan.samples / 2));
    }
    check_closures(plan, body, plan.columns);
    if (plan.closures) {
        const double spacing = plan.yarn * 24.7 / plan.samples;
        for (const auto& [loops, side] : {std::pair{"heads", 1.0}, {"feet", -1.0}}) {
            std::vector<int> ring = body.groups[loops];
            ring.push_back(ring.front());
            close_row(body, ring, side, spacing);
        }
    }
    return plan.plies == 1 ? body : with_plies(body, plan.plies, plan.yarn * plan.ply_radius);
}

}  // namespace knead
