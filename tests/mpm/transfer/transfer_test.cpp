// The fast transfers against the plain ones, part by part, and as the operator of a solve.
#include <gtest/gtest.h>

#include <cmath>

#include "knead/geometry/sdf_build.h"
#include "knead/mpm/sort_particles.h"
#include "knead/mpm/transfer/gather_block.h"
#include "knead/mpm/transfer/loaders.h"
#include "knead/mpm/transfer/plain.h"
#include "knead/mpm/update_grid.h"
#include "mpm/blocks.h"
#include "support/tolerance.h"

namespace knead {
namespace {

constexpr double dx = 0.1;

double wave(double a) { return std::sin(1.7 * a + 0.3); }

// A lump of particles off the lattice, with a number in every column that a transfer reads.
template <class Real, int Order>
struct Lump {
    std::vector<Phase<Real>> phases{testing::cube_body<Real>(dx, 5, 1000)};
    BlockGrid grid;
    Column<Real, 3> f;  // forces of vertices
    Column<Real, 9> A;  // and of elements

    Lump() {
        Particles<Real>& p = this->p();
        const std::size_t n = p.size();
        p.C.create(n), p.stress.create(n), f.create(n), A.create(n);
        double k = 0;
        for (std::size_t i = 0; i < n; ++i) {
            for (int a = 0; a < 3; ++a) {
                p.x.at(i, a) += 0.02 * wave(k += 1) - 0.25;
                p.v.at(i, a) = static_cast<Real>(wave(k += 1));
                f.at(i, a) = static_cast<Real>(wave(k += 1));
            }
            for (int a = 0; a < 9; ++a) p.C.at(i, a) = static_cast<Real>(3 * wave(k += 1));
            for (int a = 0; a < 9; ++a) A.at(i, a) = static_cast<Real>(0.1 * wave(k += 1));
            for (int a = 0; a < 6; ++a) p.stress.at(i, a) = static_cast<Real>(900 * wave(k += 1));
            p.mass.at(i) *= static_cast<Real>(1.5 + wave(k += 1));
        }
        sort_particles(phases, dx, support_offset<Order>, 0.0);
        grid.build(phases);
    }
    Particles<Real>& p() { return phases[0].particles; }

    // Tiles of all blocks, filled through a loader, and what they add up to at the nodes.
    template <Transfer transfer, class Load>
    Array<Real> scatter(const Load& load) {
        constexpr std::size_t size = Tile<Order, node_channels<transfer>>::size;
        Array<Real> tiles(grid.sources().size() * size), nodes;
        for (std::size_t s = 0; s < grid.sources().size(); ++s)
            scatter_rows<Real, Order, transfer>(p(), grid.rows(0, s), grid.sources()[s].coordinates,
                                                dx, load, tiles.data() + s * size);
        sum_tiles<Real, Order, transfer>(grid, tiles, nodes);
        return nodes;
    }
    PlainParticle plain(std::size_t i) {
        return {p().x.vec(i),
                static_cast<double>(p().mass.at(i)),
                static_cast<Vec3d>(p().v.vec(i)),
                static_cast<Mat3d>(p().C.mat(i)),
                {},
                {}};
    }
    Mat3d stress_force(std::size_t i) {
        return -static_cast<double>(p().volume.at(i)) *
               static_cast<Mat3d>(static_cast<Mat3<Real>>(p().stress.sym(i)));
    }
};

// visit(node's coordinates, its numbers) for every node of the grid.
template <int channels, class Real, class Visit>
void for_each_node(const BlockGrid& grid, const Array<Real>& nodes, const Visit& visit) {
    for (std::size_t t = 0; t < grid.targets().size(); ++t)
        for (int n = 0; n < block_nodes; ++n) {
            const Vec3i at =
                block_width * grid.targets()[t].coordinates + Vec3i{n / 16, n / 4 % 4, n % 4};
            visit(std::array<int, 3>{at.x, at.y, at.z},
                  nodes.data() + (t * block_nodes + static_cast<std::size_t>(n)) * channels);
        }
}

// Every node of the fast grid holds what the plain one does, and the other way round. The force is
// part of the momentum in APIC, times dt.
template <Transfer transfer, class Real>
void expect_equal(const BlockGrid& grid, const Array<Real>& nodes, const PlainGrid& plain,
                  double dt) {
    double largest[3] = {0, 0, 0};
    for (const auto& [at, node] : plain) {
        largest[0] = std::max(largest[0], node.mass);
        largest[1] = std::max(largest[1], length(node.momentum + dt * node.force));
        largest[2] = std::max(largest[2], length(node.force));
    }
    const double share = (sizeof(Real) == 4 ? 4e-6 : 1e-13) * tolerance::scale();
    std::size_t found = 0;
    for_each_node<node_channels<transfer>>(grid, nodes, [&](const auto& at, const Real* node) {
        const auto it = plain.find(at);
        const PlainNode expected = it == plain.end() ? PlainNode{} : it->second;
        found += it != plain.end();
        ASSERT_NEAR(static_cast<double>(node[0]), expected.mass, share * largest[0] + 1e-300);
        for (int a = 0; a < 3; ++a) {
            const bool apic = transfer == Transfer::apic;
            ASSERT_NEAR(static_cast<double>(node[1 + a]),
                        expected.momentum[a] + (apic ? dt * expected.force[a] : 0.0),
                        share * largest[1]);
            if (!apic) {
                ASSERT_NEAR(static_cast<double>(node[4 + a]), expected.force[a],
                            share * largest[2]);
            }
        }
    });
    EXPECT_EQ(found, plain.size());
}

template <class Real, int Order, Transfer transfer>
void check_volume_scatter() {
    Lump<Real, Order> lump;
    const double dt = 1e-3;
    PlainGrid plain;
    for (std::size_t i = 0; i < lump.p().size(); ++i) {
        PlainParticle one = lump.plain(i);
        one.A = lump.stress_force(i);
        if (transfer == Transfer::flip) one.C = {};
        plain_scatter<Order>(one, dx, plain);
    }
    const VolumeLoader<Real, transfer> load{lump.p(), static_cast<Real>(dt)};
    expect_equal<transfer>(lump.grid, lump.template scatter<transfer>(load), plain, dt);
}

TEST(Transfer, VolumesScatterAsThePlainFormulasSay) {
    check_volume_scatter<float, 2, Transfer::apic>();
    check_volume_scatter<float, 3, Transfer::apic>();
    check_volume_scatter<float, 2, Transfer::flip>();
    check_volume_scatter<float, 3, Transfer::flip>();
    check_volume_scatter<double, 2, Transfer::apic>();
    check_volume_scatter<double, 3, Transfer::flip>();
    check_volume_scatter<float, 2, Transfer::aflip>();
    check_volume_scatter<double, 3, Transfer::aflip>();
}

template <class Real, int Order>
void check_codimensional_scatter() {
    Lump<Real, Order> lump;
    const double dt = 0.01;
    PlainGrid vertices, elements;
    for (std::size_t i = 0; i < lump.p().size(); ++i) {
        PlainParticle one = lump.plain(i);
        one.f = static_cast<Vec3d>(lump.f.vec(i));
        plain_scatter<Order>(one, dx, vertices);
        one.f = {0, 0, 0};
        one.A = static_cast<Mat3d>(lump.A.mat(i));
        plain_scatter<Order>(one, dx, elements);
    }
    constexpr Transfer apic = Transfer::apic;
    const VertexLoader<Real> vertex{lump.p(), lump.f, static_cast<Real>(dt)};
    expect_equal<apic>(lump.grid, lump.template scatter<apic>(vertex), vertices, dt);
    const ElementLoader<Real> element{lump.p(), lump.A, static_cast<Real>(dt)};
    expect_equal<apic>(lump.grid, lump.template scatter<apic>(element), elements, dt);
}

TEST(Transfer, VerticesPushByTheirWeightsAndElementsByAnyMatrix) {
    check_codimensional_scatter<float, 2>();
    check_codimensional_scatter<double, 2>();
    check_codimensional_scatter<double, 3>();
}

// A vector at every node, the same for any grid.
Vec3d node_vector(const std::array<int, 3>& at) {
    const double k = at[0] + 5.3 * at[1] + 11.1 * at[2];
    return {wave(k), wave(k + 1), wave(k + 2)};
}

template <int channels, class Real>
Array<Real> vectors_at_nodes(const BlockGrid& grid) {
    Array<Real> nodes(grid.targets().size() * block_nodes * channels);
    for_each_node<channels>(grid, nodes, [&](const auto& at, const Real* node) {
        Real* to = nodes.data() + (node - nodes.data());
        const Vec3d v = node_vector(at);
        for (int a = 0; a < 3; ++a) {
            to[1 + a] = static_cast<Real>(v[a]);
            if (channels == 8) to[4 + a] = static_cast<Real>(2 * v[a]);
        }
    });
    return nodes;
}

template <class Real, int Order, Transfer transfer>
void check_gather() {
    Lump<Real, Order> lump;
    const auto nodes = vectors_at_nodes<node_channels<transfer>, Real>(lump.grid);
    const double eps = (sizeof(Real) == 4 ? 2e-6 : 1e-14) * tolerance::scale();
    std::size_t seen = 0;
    const auto check = [&](std::size_t, std::size_t begin, int n, const Gathered<Real>& g) {
        for (int i = 0; i < n; ++i, ++seen) {
            const Vec3d x = lump.p().x.vec(begin + static_cast<std::size_t>(i));
            const PlainGathered plain = plain_gather<Order>(x, dx, node_vector);
            for (int a = 0; a < 3; ++a) {
                EXPECT_NEAR(static_cast<double>(g.velocity[4 * i + 1 + a]), plain.value[a], eps);
                if (keeps_own(transfer)) {
                    EXPECT_NEAR(static_cast<double>(g.change[4 * i + a]), 2 * plain.value[a],
                                2 * eps);
                }
                for (int b = 0; b < 3; ++b) {
                    EXPECT_NEAR(static_cast<double>(g.gradient[b][4 * i + 1 + a]),
                                plain.gradient(a, b), 3 * eps / dx);
                    if (is_affine(transfer)) {
                        EXPECT_NEAR(static_cast<double>(g.affine[b][4 * i + 1 + a]),
                                    plain.moment(a, b), eps * dx);
                    }
                }
            }
        }
    };
    for (std::size_t s = 0; s < lump.grid.sources().size(); ++s)
        gather_block<Real, Order, transfer>(lump.phases, lump.grid, s, nodes, dx, check);
    EXPECT_EQ(seen, lump.p().size());
}

TEST(Transfer, ParticlesGatherAsThePlainFormulasSay) {
    check_gather<float, 2, Transfer::apic>();
    check_gather<float, 3, Transfer::apic>();
    check_gather<float, 2, Transfer::flip>();
    check_gather<double, 2, Transfer::apic>();
    check_gather<double, 3, Transfer::flip>();
    check_gather<float, 2, Transfer::aflip>();
    check_gather<double, 3, Transfer::aflip>();
}

// The operator of an implicit step on its own: gather the gradient of node displacements, take a
// linear law's differential, scatter the force alone. Its matrix is symmetric and positive, as the
// law is:  a . K b = b . K a,  a . K a > 0.
TEST(Transfer, GatherDifferentialScatterIsASymmetricOperator) {
    constexpr Transfer apic = Transfer::apic;
    Lump<double, 2> lump;
    const auto apply = [&](const Array<double>& u) {
        const auto push = [&](std::size_t, std::size_t begin, int n, const Gathered<double>& g) {
            for (int i = 0; i < n; ++i) {
                Mat3d H;
                for (int a = 0; a < 3; ++a)
                    for (int b = 0; b < 3; ++b) H(a, b) = g.gradient[b][4 * i + 1 + a];
                // 2 mu sym(H) + lambda tr(H), mu = 3, lambda = 5
                lump.A.set(begin + static_cast<std::size_t>(i),
                           3.0 * (H + transpose(H)) + 5 * trace(H) * identity3<double>());
            }
        };
        for (std::size_t s = 0; s < lump.grid.sources().size(); ++s)
            gather_block<double, 2, apic>(lump.phases, lump.grid, s, u, dx, push);
        return lump.scatter<apic>([&](std::size_t row, int count, ScatterPack<double>& pack) {
            load_no_motion(pack);
            load_matrix(lump.A, row, count, 1.0, pack);
        });
    };
    const Array<double> a = vectors_at_nodes<4, double>(lump.grid);
    Array<double> b = a;
    for (std::size_t k = 0; k < b.size(); ++k)
        b[k] = k % 4 == 0 ? 0 : wave(0.37 * static_cast<double>(k));
    const auto dot = [](const Array<double>& x, const Array<double>& y) {
        double sum = 0;
        for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
        return sum;
    };
    const Array<double> Ka = apply(a), Kb = apply(b);
    EXPECT_GT(dot(a, Ka), 0);
    EXPECT_NEAR(dot(b, Ka), dot(a, Kb), 1e-12 * dot(a, Ka) * tolerance::scale());
}

// Sum, velocity and contact in one pass, and one after another: the same bits.
template <class Real, int Order, Transfer transfer>
void check_parts_of_update() {
    Lump<Real, Order> lump;
    Collider floor;
    floor.shape = sdf::plane({0, 0.02, 0}, {0, 1, 0});
    const std::vector<ColliderAt> at{{floor, 0.0}};
    const double dt = 1e-3;
    const Vec3d gravity{0, -9.81, 0};
    constexpr std::size_t size = Tile<Order, node_channels<transfer>>::size;
    Array<Real> tiles(lump.grid.sources().size() * size), whole, parts;
    const VolumeLoader<Real, transfer> load{lump.p(), static_cast<Real>(dt)};
    for (std::size_t s = 0; s < lump.grid.sources().size(); ++s)
        scatter_rows<Real, Order, transfer>(lump.p(), lump.grid.rows(0, s),
                                            lump.grid.sources()[s].coordinates, dx, load,
                                            tiles.data() + s * size);
    update_grid<Real, Order, transfer>(lump.grid, tiles, dx, dt, gravity, at, whole);
    sum_tiles<Real, Order, transfer>(lump.grid, tiles, parts);
    update_velocities<Real, transfer>(lump.grid, dt, gravity, parts);
    const Array<Real> without_contact = parts;
    collide_grid<Real, transfer>(lump.grid, dx, at, parts);
    EXPECT_EQ(whole, parts);
    EXPECT_NE(parts, without_contact);
}

TEST(Transfer, ThePartsOfTheGridUpdateGiveTheSameBitsAsTheWhole) {
    check_parts_of_update<float, 2, Transfer::apic>();
    check_parts_of_update<float, 3, Transfer::flip>();
    check_parts_of_update<double, 2, Transfer::flip>();
    check_parts_of_update<double, 3, Transfer::aflip>();
}

}  // namespace
}  // namespace knead
