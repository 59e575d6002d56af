// knead bench: how fast this machine kneads, beside what its memory allows.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench_cloth_implicit.h"
#include "bench_embedded.h"
#include "bench_foam.h"
#include "bench_implicit.h"
#include "command.h"
#include "knead/base/error.h"
#include "knead/cuda/gpu.h"
#include "knead/parallel/exec.h"
#include "point_workloads.h"
#include "thin_workloads.h"
#include "workloads.h"

namespace knead::cli {

namespace {

struct Options {
    std::string backend = "cpu";
    int particles = 0;
    int threads = 0;
    int settle = 0;
    std::vector<std::string> only;
    bool json = false;

    bool wants(const std::string& workload) const {
        return only.empty() || std::find(only.begin(), only.end(), workload) != only.end();
    }
    int settled_after(int usual) const { return settle > 0 ? settle : usual; }
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
constexpr int thin_particles = 131072;
// Steps until a block has landed, and until cloth and yarn lie on the ground.
constexpr int block_settle = 350;
constexpr int thin_settle = 1800;
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
            describe_gpu().c_str(), 1e-9 * bandwidth, o.settled_after(block_settle), "", "",
            "particles", "first ms", "ms", "G/s", "B/step", "share", "memory");
    std::vector<int> sizes = gpu_particles;
    if (o.particles > 0) sizes = {o.particles};
    for (const int n : sizes)
        for (const bench::Workload& w : bench::gpu_workloads()) {
            if (!o.wants(w.name)) continue;
            const bench::GpuTiming t = bench::run_on_gpu(w, n, o.settled_after(block_settle));
            rows.push_back(to_json(t, w, bandwidth));
            if (o.json) continue;
            const double rate = 1e-6 * static_cast<double>(t.particles) / t.developed_ms;
            std::printf("%-6s %-42s %10lld %9.3f %9.3f %7.2f %6.0f %5.1f%% %5.1f GB ",
                        w.name.c_str(), w.detail.c_str(), static_cast<long long>(t.particles),
                        t.first_ms, t.developed_ms, rate, t.bytes,
                        100 * 1e9 * rate * t.bytes / bandwidth, 1e-9 * t.memory);
            for (const auto& [stage, share] : t.stages)
                std::printf(" %s %.0f%%", stage.c_str(), 100 * share);
            std::printf("\n");
            std::fflush(stdout);
        }
    if (o.json) std::printf("%s\n", rows.dump(2).c_str());
    return 0;
}

// Tables of their own.
int run_alone(const std::string& workload, const Options& o) {
    if (workload == "foam-features") return bench_foam_features(o.threads, o.particles, o.json);
    if (workload == "embedded") return bench_embedded(o.threads, o.particles, o.json);
    if (workload == "cloth-implicit") return bench_cloth_implicit(o.threads, o.json);
    return bench_implicit(o.threads, o.particles, o.json);
}
const std::vector<std::string> alone{"embedded", "implicit", "cloth-implicit", "foam-features"};

void print_head(const std::vector<bench::Machine>& machines, const Options& o) {
    for (const bench::Machine& m : machines)
        std::printf("copy bandwidth, %d threads: %.1f GB/s\n", m.threads, 1e-9 * m.bandwidth);
    std::printf(
        "million particle-steps a second; first: steps 3-5, developed: %d steps in, cloth and "
        "fibre %d; all in turns\n%-6s %-33s %7s %9s %9s %6s %8s %7s %6s %8s %7s  %s\n",
        o.settled_after(block_settle), o.settled_after(thin_settle), "", "", "threads", "first",
        "developed", "ratio", "speed-up", "target", "B/step", "bound", "share", "hash");
}

int run_on_cpu(const Options& o) {
    const int cores = o.threads > 0 ? o.threads : thread_count();
    std::vector<bench::Machine> machines{{1, bench::copy_bandwidth(1)}};
    if (cores > 1) machines.push_back({cores, bench::copy_bandwidth(cores)});
    nlohmann::json rows = nlohmann::json::array();
    if (!o.json) print_head(machines, o);
    const auto time = [&](const std::vector<bench::Workload>& list, const auto& runner,
                          int particles, int settle) {
        for (const bench::Workload& w : list) {
            if (!o.wants(w.name)) continue;
            for (const bench::Timing& t :
                 runner(w, machines, o.particles > 0 ? o.particles : particles,
                        o.settled_after(settle))) {
                rows.push_back(to_json(t, w));
                if (!o.json) print_row(t, w);
            }
        }
    };
    time(bench::workloads(), bench::run_workload, cpu_particles, block_settle);
    time(bench::thin_workloads(), bench::run_thin_workload, thin_particles, thin_settle);
    time(bench::point_workloads(), bench::run_point_workload, point_particles, block_settle);
    if (o.json) std::printf("%s\n", rows.dump(2).c_str());
    return 0;
}

int run(const Options& o) {
    for (const std::string& name : alone)
        if (o.only.size() > 1 && o.wants(name))
            throw InputError(Place{"--only " + name}, "makes a table of its own",
                             "run it without the others");
    if (o.only.size() == 1 && std::find(alone.begin(), alone.end(), o.only[0]) != alone.end())
        return run_alone(o.only[0], o);
    return o.backend == "cuda" ? run_on_gpu(o) : run_on_cpu(o);
}

}  // namespace

Command command_bench() {
    auto o = std::make_shared<Options>();
    return {
        "bench", "the benchmark table, on this machine",
        "knead bench\nknead bench --only jelly --threads 1\nknead bench --backend cuda "
        "--particles 8000000\nknead bench --json > bench.json\n"
        "knead bench --only cloth,fibre     sheets and yarn draped on a ball\n"
        "knead bench --only foam-features   what tearing and resampling cost\n"
        "knead bench --only embedded        the embedded method from 5 to 500 thousand particles\n"
        "knead bench --only implicit        the implicit method, its solve and the bandwidth\n"
        "knead bench --only cloth-implicit  implicit steps of stiff cloth and yarn, beside "
        "explicit",
        [o](Arguments& a) {
            a.choice("--backend", {"cpu", "cuda"}, o->backend, "where to run");
            a.option(
                "--particles", "N", o->particles,
                "particles; 0: 262144 on the CPU, 131072 of cloth and fibre, 40000 points, 1048576 "
                "for foam-features, 1 to "
                "100 million on a GPU");
            a.option("--threads", "N", o->threads, "most threads to use; 0: all cores");
            a.option("--settle", "N", o->settle,
                     "steps before the developed timing; 0: 350, of cloth and fibre 1800");
            a.choices("--only",
                      {"jelly", "sand", "fluid", "foam", "cloth", "fibre", "points", "embedded",
                       "implicit", "cloth-implicit", "foam-features"},
                      o->only, "these workloads, with commas between; the last four alone");
            a.flag("--json", o->json, "print JSON");
        },
        [o] { return run(*o); }};
}

}  // namespace knead::cli
