#include "bench_cloth_implicit.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cloth_implicit.h"
#include "knead/parallel/exec.h"

namespace knead::cli {

int bench_cloth_implicit(int threads, bool json) {
    const int used = threads > 0 ? threads : thread_count();
    const auto list = bench::cloth_implicit(used, 10);
    if (json) {
        nlohmann::json all = nlohmann::json::array();
        for (const bench::ClothImplicit& t : list)
            all.push_back({{"scene", t.scene},
                           {"integrator", t.implicit ? "implicit" : "explicit"},
                           {"threads", used},
                           {"particles", t.particles},
                           {"dt", t.dt},
                           {"seconds_a_simulated_second", t.seconds},
                           {"step_rate", t.step_rate},
                           {"newton_a_step", t.newton},
                           {"minres_a_step", t.minres},
                           {"limits", t.limits}});
        std::printf("%s\n", all.dump(2).c_str());
        return 0;
    }
    std::printf(
        "implicit at ten times the explicit step; %d threads; M/s: million particle-steps "
        "a second\n%-17s %-9s %9s %10s %14s %8s %7s %7s %7s\n",
        used, "", "", "particles", "dt", "s a simulated s", "M/s", "Newton", "MINRES", "limits");
    for (const bench::ClothImplicit& t : list)
        std::printf("%-17s %-9s %9lld %10.3g %14.2f %8.2f %7.2f %7.1f %7.0f\n", t.scene.c_str(),
                    t.implicit ? "implicit" : "explicit", static_cast<long long>(t.particles), t.dt,
                    t.seconds, t.step_rate, t.newton, t.minres, t.limits);
    return 0;
}

}  // namespace knead::cli
