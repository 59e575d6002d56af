// knead bench: how fast this machine kneads, beside what its memory allows.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench_embedded.h"
#include "bench_foam.h"
#include "bench_implicit.h"
#include "command.h"
#include "knead/base/error.h"
#include "knead/cuda/gpu.h"
#include "knead/parallel/exec.h"
#include "point_workloads.h"
#include "workloads.h"

namespace knead::cli {

namespace {

struct Options {
    std::string backend = "cpu";
    int particles = 0;
    int threads = 0;
    int settle = 350;
    std::string only;
    bool json = false;
};

nlohmann::json to_json(const bench::Timing& t, const bench::Workload& w) {
    nlohmann::json stages = nlohmann::json::object();
    for (const auto& [stage, share] : t.stages) stages[stage] = share;
    return {{"workload", t.workload},
            {"detail", w.detail},
            {"threads", t.threads},
            {"particles", t.particles},
            {"first_rate", t.first_rate},
            {"developed_rate", t.developed_rate},
            {"first_over_developed", t.lead},
            {"target_rate_a_core", w.target},
            {"bytes_a_particle_step", t.bytes},
            {"speedup", t.speedup},
            {"bandwidth", t.bandwidth},
            {"bandwidth_bound_rate", t.bound_rate()},
            {"share_of_bound", t.developed_rate / t.bound_rate()},
            {"stages", stages},
            {"hash", t.hash}};
}

void print_row(const bench::Timing& t, const bench::Workload& w) {
    std::printf("%-6s %-33s %7d %9.2f %9.2f %6.2f %7.2fx %7.1f %6.0f %8.1f %6.1f%%  %016llx\n",
                w.name.c_str(), w.detail.c_str(), t.threads, t.first_rate, t.developed_rate, t.lead,
                t.speedup, w.target * t.threads, t.bytes, t.bound_rate(),
                100 * t.developed_rate / t.bound_rate(), static_cast<unsigned long long>(t.hash));
    std::fflush(stdout);
}

// Sizes of the block where none is named.
constexpr int cpu_particles = 262144;
constexpr int point_particles = 40000;
const std::vector<int> gpu_particles{1000000, 8000000, 30000000, 100000000};

nlohmann::json to_json(const bench::GpuTiming& t, const bench::Workload& w, double bandwidth) {
    nlohmann::json stages = nlohmann::json::object();
    for (const auto& [stage, share] : t.stages) stages[stage] = share;
    return {{"workload", t.workload},
            {"detail", w.detail},
            {"particles", t.particles},
            {"first_ms", t.first_ms},
            {"developed_ms", t.developed_ms},
            {"bytes_a_particle_step", t.bytes},
            {"bandwidth", bandwidth},
            {"share_of_bandwidth",
             static_cast<double>(t.particles) * t.bytes / (1e-3 * t.developed_ms) / bandwidth},
            {"memory", t.memory},
            {"stages", stages}};
}

int run_on_gpu(const Options& o) {
    const std::string why = why_no_gpu();
    if (!why.empty())
        throw InputError(Place{"--backend cuda"}, "there is no GPU to run on: " + why,
                         "run with --backend cpu");
    const double bandwidth = gpu_copy_bandwidth();
    nlohmann::json rows = nlohmann::json::array();
    if (!o.json)
        std::printf(
            "%s; a copy moves %.0f GB/s\nms a step and billion particle-steps a second; "
            "first: steps 9-128, developed: %d steps in\n%-6s %-42s %10s %9s %9s %7s %6s "
            "%6s %9s\n",
            describe_gpu().c_str(), 1e-9 * bandwidth, o.settle, "", "", "particles", "first ms",
            "ms", "G/s", "B/step", "share", "memory");
    std::vector<int> sizes = gpu_particles;
    if (o.particles > 0) sizes = {o.particles};
    for (const int n : sizes)
        for (const bench::Workload& w : bench::gpu_workloads()) {
            if (!o.only.empty() && o.only != w.name) continue;
            const bench::GpuTiming t = bench::run_on_gpu(w, n, o.settle);
            rows.push_back(to_json(t, w, bandwidth));
            if (o.json) continue;
            const double rate = 1e-6 * static_cast<double>(t.particles) / t.developed_ms;
            std::printf("%-6s %-42s %10lld %9.3f %9.3f %7.2f %6.0f %5.1f%% %5.1f GiB ",
                        w.name.c_str(), w.detail.c_str(), static_cast<long long>(t.particles),
                        t.first_ms, t.developed_ms, rate, t.bytes,
                        100 * 1e9 * rate * t.bytes / bandwidth, t.memory / 0x1p30);
            for (const auto& [stage, share] : t.stages)
                std::printf(" %s %.0f%%", stage.c_str(), 100 * share);
            std::printf("\n");
            std::fflush(stdout);
        }
    if (o.json) std::printf("%s\n", rows.dump(2).c_str());
    return 0;
}

int run(const Options& o) {
    if (o.only == "foam-features") return bench_foam_features(o.threads, o.particles, o.json);
    if (o.only == "embedded") return bench_embedded(o.threads, o.particles, o.json);
    if (o.only == "implicit") return bench_implicit(o.threads, o.particles, o.json);
    if (o.backend == "cuda") return run_on_gpu(o);
    const int particles = o.particles > 0 ? o.particles : cpu_particles;
    const int cores = o.threads > 0 ? o.threads : thread_count();
    std::vector<bench::Machine> machines{{1, bench::copy_bandwidth(1)}};
    if (cores > 1) machines.push_back({cores, bench::copy_bandwidth(cores)});
    nlohmann::json rows = nlohmann::json::array();
    if (!o.json) {
        for (const bench::Machine& m : machines)
            std::printf("copy bandwidth, %d threads: %.1f GB/s\n", m.threads, 1e-9 * m.bandwidth);
        std::printf(
            "million particle-steps a second; first: steps 3-5, developed: %d steps in; all in "
            "turns\n%-6s %-33s %7s %9s %9s %6s %8s %7s %6s %8s %7s  %s\n",
            o.settle, "", "", "threads", "first", "developed", "ratio", "speed-up", "target",
            "B/step", "bound", "share", "hash");
    }
    const auto report = [&](const bench::Workload& w, const std::vector<bench::Timing>& timings) {
        for (const bench::Timing& t : timings) {
            rows.push_back(to_json(t, w));
            if (!o.json) print_row(t, w);
        }
    };
    const auto wanted = [&](const bench::Workload& w) {
        return o.only.empty() || o.only == w.name;
    };
    for (const bench::Workload& w : bench::workloads())
        if (wanted(w)) report(w, bench::run_workload(w, machines, particles, o.settle));
    for (const bench::Workload& w : bench::point_workloads())
        if (wanted(w))
            report(w, bench::run_point_workload(
                          w, machines, o.particles > 0 ? o.particles : point_particles, o.settle));
    if (o.json) std::printf("%s\n", rows.dump(2).c_str());
    return 0;
}

}  // namespace

Command command_bench() {
    auto o = std::make_shared<Options>();
    return {
        "bench", "the benchmark table, on this machine",
        "knead bench\nknead bench --only jelly --threads 1\nknead bench --backend cuda "
        "--particles 8000000\nknead bench --json > bench.json\n"
        "knead bench --only foam-features   what tearing and resampling cost\n"
        "knead bench --only embedded        the embedded method from 5 to 500 thousand particles\n"
        "knead bench --only implicit        the implicit method, its solve and the bandwidth",
        [o](Arguments& a) {
            a.choice("--backend", {"cpu", "cuda"}, o->backend, "where to run");
            a.option("--particles", "N", o->particles,
                     "particles in the block; 0: 262144 on the CPU, 40000 for points, 1048576 "
                     "for foam-features, 1 to "
                     "100 million on a GPU");
            a.option("--threads", "N", o->threads, "most threads to use; 0: all cores");
            a.option("--settle", "N", o->settle, "steps before the developed timing");
            a.choice("--only",
                     {"jelly", "sand", "fluid", "foam", "points", "embedded", "implicit",
                      "foam-features"},
                     o->only, "one workload");
            a.flag("--json", o->json, "print JSON");
        },
        [o] { return run(*o); }};
}

}  // namespace knead::cli
