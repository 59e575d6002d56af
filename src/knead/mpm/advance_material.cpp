#include <algorithm>

#include "knead/mpm/advance_particles.h"
#include "knead/mpm/pack_columns.h"
#include "knead/mpm/strain.h"

namespace knead {

namespace {

// Notes the first bad lane among the `count` in use.
template <class Real>
void note_bad(const Particles<Real>& p, std::size_t row, int count, const Pack<Real>& value,
              AdvanceReport& report) {
    if (all(is_finite(value))) return;
    for (int i = 0; i < count; ++i) {
        if (is_finite(value[i])) continue;
        const std::int64_t id = p.id.at(row + static_cast<std::size_t>(i));
        report.bad_id = report.bad_id < 0 ? id : std::min(report.bad_id, id);
    }
}

// The largest strain of the `count` lanes in use, squared.
template <class Real>
void note_strain(const Mat3<Pack<Real>>& dt_L, int count, AdvanceReport& report) {
    using P = Pack<Real>;
    const P squared = strain_squared<Real>(dt_L);
    if (!any(squared > P(static_cast<Real>(report.max_strain)))) return;
    for (int i = 0; i < count; ++i)
        report.max_strain = std::max(report.max_strain, static_cast<double>(squared[i]));
}

template <class Real, class L>
void advance_packs(const L& law, Particles<Real>& p, std::size_t begin, int n,
                   const Gathered<Real>& g, const AdvanceSettings& settings,
                   AdvanceReport& report) {
    const auto dt = static_cast<Real>(settings.dt);
    using P = Pack<Real>;
    constexpr int lanes = pack_lanes<Real>;
    for (int k = 0; k < n; k += lanes) {
        const int count = std::min(lanes, n - k);
        const std::size_t row = begin + static_cast<std::size_t>(k);
        Mat3<P> L_p;
        P skip;
        for (int a = 0; a < 3; ++a)
            deinterleave4(g.gradient[a] + 4 * k, skip, L_p[a], L_p[3 + a], L_p[6 + a]);

        const Mat3<P> dt_L = P(dt) * L_p;
        if (settings.wants_strain) note_strain<Real>(dt_L, count, report);
        auto state = load_state<L::columns>(p, row, count);
        const Sym3<P> tau = law.advance(state, dt_L, dt);
        store_state<L::columns>(p, row, count, state);
        store_column<Real>(p.stress, row, count, tau);
        note_bad(p, row, count, trace(tau) + tau.xy + tau.xz + tau.yz, report);
    }
}

}  // namespace

template <class Real>
void advance_material(const Law<Real>& law, Particles<Real>& p, std::size_t begin, int n,
                      const Gathered<Real>& g, const AdvanceSettings& settings,
                      AdvanceReport& report) {
    std::visit([&](const auto& one) { advance_packs(one, p, begin, n, g, settings, report); }, law);
}

template void advance_material(const Law<float>&, Particles<float>&, std::size_t, int,
                               const Gathered<float>&, const AdvanceSettings&, AdvanceReport&);
template void advance_material(const Law<double>&, Particles<double>&, std::size_t, int,
                               const Gathered<double>&, const AdvanceSettings&, AdvanceReport&);

}  // namespace knead
