// Removal and resampling on the GPU against the host's, on the same particles.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <thread>

#include "knead/base/random.h"
#include "knead/materials/presets.h"
#include "knead/mpm/cuda/device_solver.h"
#include "knead/mpm/foam/heal.h"
#include "knead/mpm/mpm_solver.h"
#include "knead/mpm/stable_dt.h"
#include "needs_gpu.h"

namespace knead {

namespace {

constexpr double dx = 3e-3, r = dx / 2;

// A jittered lattice of spacing r, stretched along x so that voids open, sheared and turning, with
// pairs of particles that have met, every tenth.
Phase<float> stretched_block(int rows, double stretch, double corner, int material,
                             std::int64_t first_id) {
    Phase<float> phase;
    phase.material = material;
    Particles<float>& p = phase.particles;
    const auto n = static_cast<std::size_t>(rows * rows * rows);
    p.id.create(n), p.parent.create(n, -1), p.body.create(n), p.x.create(n), p.v.create(n);
    p.mass.create(n), p.volume.create(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<int>(i);
        const auto draw = [&](std::uint64_t a) { return random_unit(5, i, a) - 0.5; };
        Vec3d cell{k / rows / rows + 0.3 * draw(0), k / rows % rows + 0.3 * draw(1),
                   k % rows + 0.3 * draw(2)};
        if (k % 10 == 1) cell = p.x.vec(i - 1) / r - splat(corner / r) + splat(0.01 * draw(3));
        if (k % 10 == 1) cell.x /= stretch;
        const Vec3d x{stretch * r * cell.x, r * cell.y, r * cell.z};
        p.id.at(i) = first_id + k;
        p.body.at(i) = material;
        p.x.set(i, splat(corner) + x);
        p.v.set(i, static_cast<Vec3f>(Vec3d{30 * x.y, -20 * x.z, 10 * x.x}));
        p.mass.at(i) = static_cast<float>(1e-7 * (1 + 0.2 * draw(4)));
        p.volume.at(i) = static_cast<float>(r * r * r * (1 + 0.2 * draw(5)));
    }
    return phase;
}

struct FoamPair {
    MpmSettings settings;
    std::vector<Material> materials{*find_preset("shaving-cream"), *find_preset("jelly")};
    std::unique_ptr<MpmSolver<float>> host;
    std::unique_ptr<DeviceSolver> device;
    std::vector<Phase<float>> cpu, gpu;
    StepMemory memory;

    explicit FoamPair(Transfer transfer, double stretch = 1.25) {
        settings.dx = dx;
        settings.kernel = 3;
        settings.transfer = transfer;
        host = std::make_unique<MpmSolver<float>>(settings, materials, std::vector<Collider>{},
                                                  Vec3d{0, 0, 0});
        device = std::make_unique<DeviceSolver>(settings, std::vector<Collider>{}, Vec3d{0, 0, 0},
                                                host->laws());
        cpu.push_back(stretched_block(14, stretch, 0, 0, 0));
        cpu.push_back(stretched_block(12, stretch, 0.5, 1, 100000));
        host->prepare(cpu, memory);
        for (Phase<float>& phase : cpu) deform(phase.particles);
        gpu = cpu;
    }
    // Fields that vary from place to place.
    static void deform(Particles<float>& p) {
        for (std::size_t i = 0; i < p.size(); ++i) {
            const auto wave = [&](int k) {
                return static_cast<float>(0.05 * std::sin(900 * p.x.at(i, k % 3) + k));
            };
            for (int k = 0; k < 9 && p.F.present(); ++k) p.F.at(i, k) += wave(k);
            for (int k = 0; k < 9 && p.C.present(); ++k) p.C.at(i, k) = 10 * wave(k);
            if (p.b.present()) {
                for (int k = 0; k < 6; ++k) p.b.at(i, k) += wave(k);
                const float scale = 1 / std::cbrt(determinant(p.b.sym(i)));
                for (int k = 0; k < 6; ++k) p.b.at(i, k) *= scale;
            }
            if (p.dilation.present()) p.dilation.at(i) = wave(2);
        }
    }
};

std::map<std::int64_t, std::size_t> rows_by_id(const Particles<float>& p) {
    std::map<std::int64_t, std::size_t> rows;
    for (std::size_t i = 0; i < p.size(); ++i) rows[p.id.at(i)] = i;
    return rows;
}

// Particles with the same ids agree in every column, up to a share of its largest number.
void expect_same_matter(const Particles<float>& a, const Particles<float>& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    const auto rows = rows_by_id(b);
    ASSERT_EQ(rows.size(), b.size());
    const auto compare = [&](const char* name, const auto& ca, const auto& cb) {
        ASSERT_EQ(ca.present(), cb.present());
        double worst = 0, largest = 0;
        for (std::size_t i = 0; i < a.size() && ca.present(); ++i)
            for (int k = 0; k < ca.planes; ++k) {
                const auto row = rows.find(a.id.at(i));
                ASSERT_NE(row, rows.end()) << "particle " << a.id.at(i);
                const auto va = static_cast<double>(ca.at(i, k));
                worst = std::max(worst, std::abs(va - static_cast<double>(cb.at(row->second, k))));
                largest = std::max(largest, std::abs(va));
            }
        EXPECT_LE(worst, tolerance * largest) << name;
    };
    compare("parent", a.parent, b.parent), compare("body", a.body, b.body);
    compare("x", a.x, b.x), compare("v", a.v, b.v), compare("C", a.C, b.C), compare("F", a.F, b.F);
    compare("b", a.b, b.b), compare("dilation", a.dilation, b.dilation);
    compare("mass", a.mass, b.mass), compare("volume", a.volume, b.volume);
    compare("weak", a.weak, b.weak);
}

void advance(DeviceSolver& device, int steps) {
    for (int done = 0; done < steps;) {
        const std::vector<double> heal(static_cast<std::size_t>(steps - done), 0.0);
        const BatchReport batch = device.advance(0, 1e-6, 5, heal);
        ASSERT_LT(batch.bad_id, 0);
        done += batch.taken;
    }
}

// Every number of every column, row by row.
std::vector<std::string> bytes_of(const std::vector<Phase<float>>& phases) {
    std::vector<std::string> all;
    for (const Phase<float>& phase : phases)
        phase.particles.for_each_column([&](const ColumnInfo&, const auto& column) {
            using C = std::decay_t<decltype(column)>;
            for (int k = 0; k < C::planes && column.present(); ++k)
                all.emplace_back(reinterpret_cast<const char*>(column.plane(k)),
                                 column.size() * sizeof(typename C::Scalar));
        });
    return all;
}

}  // namespace

TEST(GpuFoam, ResamplesAsTheCpuDoes) {
    NEEDS_GPU();
    for (const Transfer transfer : {Transfer::flip, Transfer::apic}) {
        FoamPair foam(transfer);
        std::int64_t next_cpu = 1000000, next_gpu = 1000000;
        const ResampleReport on_cpu = avoid_a_void(foam.cpu, dx, 7, 42, next_cpu);
        for (Phase<float>& phase : foam.cpu)
            refresh_stress(foam.host->laws()[static_cast<std::size_t>(phase.material)],
                           phase.particles);
        foam.device->upload(foam.gpu);
        const ResampleReport on_gpu = foam.device->resample(7, 42, next_gpu);
        foam.device->download(foam.gpu);

        EXPECT_GT(on_cpu.inserted, 100);
        EXPECT_GT(on_cpu.merged, 100);
        EXPECT_EQ(on_gpu.inserted, on_cpu.inserted);
        EXPECT_EQ(on_gpu.merged, on_cpu.merged);
        EXPECT_EQ(next_gpu, next_cpu);
        for (std::size_t f = 0; f < foam.cpu.size(); ++f)
            expect_same_matter(foam.cpu[f].particles, foam.gpu[f].particles, 1e-5);
        EXPECT_NEAR(on_gpu.after.mass, on_cpu.after.mass, 1e-12 * on_cpu.after.mass);
        EXPECT_NEAR(on_gpu.before.volume, on_cpu.before.volume, 1e-12 * on_cpu.before.volume);
        EXPECT_LT(length(on_gpu.after.angular - on_cpu.after.angular),
                  1e-6 * length(on_cpu.before.angular));
    }
}

// Between steps, more than once, with the new particles' ids and parents known at the end.
TEST(GpuFoam, GoesOnWithTheParticlesItAdded) {
    NEEDS_GPU();
    FoamPair foam(Transfer::flip, 1.2);
    std::int64_t next_id = 1000000, inserted = 0, merged = 0;
    const std::size_t before = foam.gpu[0].particles.size() + foam.gpu[1].particles.size();
    foam.device->upload(foam.gpu);
    for (int round = 0; round < 3; ++round) {
        advance(*foam.device, 5);
        const ResampleReport report = foam.device->resample(7, round, next_id);
        inserted += report.inserted, merged += report.merged;
        EXPECT_NEAR(report.after.mass, report.before.mass, 1e-7 * report.before.mass);
    }
    foam.device->download(foam.gpu);
    EXPECT_EQ(next_id, 1000000 + inserted);
    std::size_t after = 0, new_ones = 0;
    for (const Phase<float>& phase : foam.gpu) {
        const Particles<float>& p = phase.particles;
        after += p.size();
        EXPECT_EQ(rows_by_id(p).size(), p.size());
        for (std::size_t i = 0; i < p.size(); ++i) {
            EXPECT_TRUE(std::isfinite(p.x.at(i, 0) + p.v.at(i, 1) + p.F.at(i, 2)));
            EXPECT_EQ(p.body.at(i), phase.material);
            new_ones += p.parent.at(i) >= 0;
            EXPECT_EQ(p.parent.at(i) >= 0, p.id.at(i) >= 1000000);
        }
    }
    EXPECT_EQ(after + static_cast<std::size_t>(merged),
              before + static_cast<std::size_t>(inserted));
    EXPECT_GT(new_ones, 100u);
}

// Read while further steps and resamplings go on, and after several of them.
TEST(GpuFoam, ASnapshotIsWhatADownloadWouldHaveBrought) {
    NEEDS_GPU();
    FoamPair fetched(Transfer::flip, 1.2), remembered(Transfer::flip, 1.2);
    std::int64_t next_a = 1000000, next_b = 1000000;
    fetched.device->upload(fetched.gpu);
    remembered.device->upload(remembered.gpu);
    advance(*fetched.device, 5), advance(*remembered.device, 5);
    std::vector<Phase<float>> read;
    for (int round = 0; round < 3; ++round) {
        fetched.device->resample(7, round, next_a);
        fetched.device->download(fetched.gpu);
        remembered.device->resample(7, round, next_b);
        ASSERT_TRUE(remembered.device->take_snapshot());
        EXPECT_EQ(remembered.device->max_specific_volumes(), max_specific_volumes(fetched.gpu));

        std::thread reader([&] { remembered.device->read_snapshot(remembered.gpu, read); });
        advance(*remembered.device, 5);
        reader.join();
        EXPECT_TRUE(bytes_of(read) == bytes_of(fetched.gpu)) << "round " << round;
        advance(*fetched.device, 5);
    }
    fetched.device->download(fetched.gpu);
    remembered.device->download(remembered.gpu);
    EXPECT_TRUE(bytes_of(remembered.gpu) == bytes_of(fetched.gpu));
}

TEST(GpuFoam, RemovesTheSliversThatTheCpuRemoves) {
    NEEDS_GPU();
    FoamPair foam(Transfer::flip);
    // A torn wall of the block, and torn particles on their own, in a line and in a plane.
    for (auto* phases : {&foam.cpu, &foam.gpu}) {
        Particles<float>& p = (*phases)[0].particles;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const auto k = static_cast<int>(i);
            if (k < 2000) p.weak.at(i) = 1;
            if (k < 40) p.x.set(i, {-0.1 - 10 * dx * k, 0, 0});
            if (k >= 40 && k < 80) p.x.set(i, {-0.1, 0.3 + 0.3 * dx * k, 0});
            if (k >= 80 && k < 180)
                p.x.set(i, {-0.1, 1 + 0.4 * dx * (k % 10), 0.4 * dx * (k / 10)});
        }
    }
    const RemovalReport on_cpu = remove_subgrid(foam.cpu, dx);
    foam.device->upload(foam.gpu);
    const RemovalReport on_gpu = foam.device->remove_slivers();
    foam.device->download(foam.gpu);
    EXPECT_GE(on_cpu.removed, 180);
    EXPECT_LT(on_cpu.removed, 400);
    EXPECT_EQ(on_gpu.removed, on_cpu.removed);
    EXPECT_NEAR(on_gpu.mass, on_cpu.mass, 1e-9 * on_cpu.mass);
    expect_same_matter(foam.cpu[0].particles, foam.gpu[0].particles, 0);
}

}  // namespace knead
