// knead bench: how fast this machine kneads, beside what its memory allows.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "knead/parallel/exec.h"
#include "workloads.h"

namespace knead::cli {

namespace {

struct Options {
    int particles = 262144;
    int threads = 0;
    int settle = 350;
    std::string only;
    bool json = false;
};

nlohmann::json to_json(const bench::Timing& t, const bench::Workload& w, double bandwidth) {
    nlohmann::json stages = nlohmann::json::object();
    for (const auto& [stage, share] : t.stages) stages[stage] = share;
    return {{"workload", t.workload},
            {"detail", w.detail},
            {"threads", t.threads},
            {"particles", t.particles},
            {"first_rate", t.first_rate},
            {"developed_rate", t.developed_rate},
            {"target_rate_a_core", w.target},
            {"bytes_a_particle_step", t.bytes},
            {"bandwidth", bandwidth},
            {"bandwidth_bound_rate", t.bound_rate},
            {"share_of_bound", t.developed_rate / t.bound_rate},
            {"stages", stages},
            {"hash", t.hash}};
}

void print_row(const bench::Timing& t, const bench::Workload& w) {
    std::printf("%-6s %-33s %7d %9.2f %9.2f %7.1f %6.0f %8.1f %6.1f%%  %016llx\n", w.name.c_str(),
                w.detail.c_str(), t.threads, t.first_rate, t.developed_rate, w.target * t.threads,
                t.bytes, t.bound_rate, 100 * t.developed_rate / t.bound_rate,
                static_cast<unsigned long long>(t.hash));
    std::fflush(stdout);
}

int run(const Options& o) {
    const int cores = o.threads > 0 ? o.threads : thread_count();
    std::vector<int> counts{1};
    if (cores > 1) counts.push_back(cores);
    nlohmann::json rows = nlohmann::json::array();
    if (!o.json)
        std::printf(
            "million particle-steps a second; first: steps 3-17, developed: %d steps in\n"
            "%-6s %-33s %7s %9s %9s %7s %6s %8s %7s  %s\n",
            o.settle, "", "", "threads", "first", "developed", "target", "B/step", "bound", "share",
            "hash");
    for (const int threads : counts) {
        const double bandwidth = bench::copy_bandwidth(threads);
        for (const bench::Workload& w : bench::workloads()) {
            if (!o.only.empty() && o.only != w.name) continue;
            const auto t = bench::run_workload(w, threads, o.particles, o.settle, bandwidth);
            rows.push_back(to_json(t, w, bandwidth));
            if (!o.json) print_row(t, w);
        }
        if (!o.json)
            std::printf("copy bandwidth, %d threads: %.1f GB/s\n", threads, 1e-9 * bandwidth);
    }
    if (o.json) std::printf("%s\n", rows.dump(2).c_str());
    return 0;
}

}  // namespace

Command command_bench() {
    auto o = std::make_shared<Options>();
    return {"bench", "the benchmark table, on this machine",
            "knead bench\nknead bench --only jelly --threads 1\nknead bench --json > bench.json",
            [o](Arguments& a) {
                a.option("--particles", "N", o->particles, "particles in the block");
                a.option("--threads", "N", o->threads, "most threads to use; 0: all cores");
                a.option("--settle", "N", o->settle, "steps before the developed timing");
                a.choice("--only", {"jelly", "sand", "foam"}, o->only, "one workload");
                a.flag("--json", o->json, "print JSON");
            },
            [o] { return run(*o); }};
}

}  // namespace knead::cli
