#include "knead/mpm/codimensional/update_elements.h"

#include <algorithm>

#include "knead/mpm/codimensional/element_frame.h"
#include "knead/mpm/outside_block.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

template <class Real>
void place_at_vertices(Particles<Real>& p, const Column<double, 3>& vertices,
                       const VertexRows& rows, std::int64_t corners, std::size_t begin,
                       std::size_t end) {
    for (int a = 0; a < 3; ++a) {
        const double* from = vertices.plane(a);
        double* to = p.x.plane(a);
        if (corners == 3)
            for (std::size_t e = begin; e < end; ++e)
                to[e] =
                    (from[rows.corner[0][e]] + from[rows.corner[1][e]] + from[rows.corner[2][e]]) *
                    (1.0 / 3.0);
        else
            for (std::size_t e = begin; e < end; ++e)
                to[e] = 0.5 * (from[rows.corner[0][e]] + from[rows.corner[1][e]]);
    }
}

// The frame after contact: tangent columns of d, normal ones as the law returns them.
template <class Real, class P>
Mat3<P> with_normals(const Mat3<P>& d, const typename SheetLaw<Real>::template Returned<P>& r) {
    return from_columns(d.column(0), d.column(1), r.normal);
}
template <class Real, class P>
Mat3<P> with_normals(const Mat3<P>& d, const typename FibreLaw<Real>::template Returned<P>& r) {
    return from_columns(d.column(0), r.second, r.third);
}

// Stress-free normals.
template <class Real, class P>
Mat3<P> with_own_normals(const Mat3<P>& d, const Qr3<P>& f, const SheetLaw<Real>&) {
    return from_columns(d.column(0), d.column(1), f.Q.column(2));
}
template <class Real, class P>
Mat3<P> with_own_normals(const Mat3<P>& d, const Qr3<P>& f, const FibreLaw<Real>&) {
    return from_columns(d.column(0), f.Q.column(1), f.Q.column(2));
}

template <class Real, class Law>
void return_rows(const Law& law, Phase<Real>& phase, const Column<double, 3>& vertices,
                 const VertexRows& rows, ThinModel model, std::size_t begin, std::size_t end,
                 ElementReport& report) {
    using P = Pack<Real>;
    constexpr int along = tangents(Law{}), lanes = pack_lanes<Real>;
    Particles<Real>& p = phase.particles;
    for (std::size_t row = begin; row < end; row += lanes) {
        const int count = static_cast<int>(std::min<std::size_t>(lanes, end - row));
        Mat3<P> d;
        if (model == ThinModel::standard_mpm)
            load_column<Real>(p.d, row, count, d);
        else
            d = element_frame<along, Real>(phase, vertices, rows, row, count);
        const Qr3<P> f = qr(d);
        P state(Real(0));
        if (model == ThinModel::lagrangian_only) {
            d = with_own_normals(d, f, law);
        } else if (model != ThinModel::no_plasticity) {
            const auto returned = law.return_map(f);
            d = with_normals<Real>(d, returned);
            state = returned.state;
        }
        store_column<Real>(p.d, row, count, d);
        store_column<Real>(p.r11, row, count, f.R.xx);
        store_column<Real>(p.r33, row, count, f.R.zz);
        store_column<Real>(p.slip, row, count, state);
        for (int i = 0; i < count; ++i)
            report.least_normal = std::min(report.least_normal, static_cast<double>(f.R.zz[i]));
    }
}

}  // namespace

template <class Real>
void prepare_elements(std::vector<Phase<Real>>& phases, std::size_t index) {
    Phase<Real>& phase = phases[index];
    Particles<Real>& p = phase.particles;
    const std::size_t n = p.size();
    p.C.create(n), p.d.create(n), p.r11.create(n, 1), p.r33.create(n, 1), p.slip.create(n);
    if (n == 0) return;
    const VertexRows rows = find_vertex_rows(phases, phase);
    const auto& vertices =
        phases[static_cast<std::size_t>(phase.elements.vertex_phase)].particles.x;
    place_at_vertices(p, vertices, rows, phase.elements.corners, 0, n);
    for (std::size_t e = 0; e < n; ++e) {
        p.d.set(e, identity3<Real>());
        Mat3<Pack<Real>> d = phase.elements.corners == 3
                                 ? element_frame<2, Real>(phase, vertices, rows, e, 1)
                                 : element_frame<1, Real>(phase, vertices, rows, e, 1);
        // what the tangents leave of the identity may lie along them: any normals will do
        if (phase.elements.corners == 2) {
            const auto across = qr_detail::any_across(d.column(0) / length(d.column(0)));
            d = from_columns(d.column(0), across, d.column(2));
        }
        const Qr3<Pack<Real>> f = qr(d);
        d = phase.elements.corners == 3 ? with_own_normals(d, f, SheetLaw<Real>{})
                                        : with_own_normals(d, f, FibreLaw<Real>{});
        store_column<Real>(p.d, e, 1, d);
        p.r11.at(e) = f.R.xx[0];
    }
}

template <class Real>
void advance_frames(Particles<Real>& p, std::size_t begin, int n, const Gathered<Real>& g,
                    double dt) {
    using P = Pack<Real>;
    constexpr int lanes = pack_lanes<Real>;
    for (int k = 0; k < n; k += lanes) {
        const int count = std::min(lanes, n - k);
        const std::size_t row = begin + static_cast<std::size_t>(k);
        Mat3<P> L, d;
        P skip;
        for (int a = 0; a < 3; ++a)
            deinterleave4(g.gradient[a] + 4 * k, skip, L[a], L[3 + a], L[6 + a]);
        load_column<Real>(p.d, row, count, d);
        store_column<Real>(p.d, row, count, d + P(static_cast<Real>(dt)) * (L * d));
    }
}

template <class Real>
ElementReport update_elements(std::vector<Phase<Real>>& phases, std::span<const Material> materials,
                              ThinModel model, const BlockGrid& grid,
                              const ThinWorkspace<Real>& work, double dx, double offset) {
    std::vector<ElementReport> reports(grid.sources().size());
    for (std::size_t p = 0; p < phases.size(); ++p) {
        Phase<Real>& phase = phases[p];
        if (phase.kind != PhaseKind::elements) continue;
        const auto& vertices =
            phases[static_cast<std::size_t>(phase.elements.vertex_phase)].particles.x;
        const Material& m = materials[static_cast<std::size_t>(phase.material)];
        with_thin_law<Real>(m, model, phase.elements.corners, [&](const auto& law) {
            for_each(grid.sources().size(), 4, [&](std::size_t s) {
                const RowRange range = grid.rows(p, s);
                if (range.begin == range.end) return;
                const auto begin = static_cast<std::size_t>(range.begin),
                           end = static_cast<std::size_t>(range.end);
                const VertexRows& rows = work.phases[p].rows;
                if (model != ThinModel::standard_mpm)
                    place_at_vertices(phase.particles, vertices, rows, phase.elements.corners,
                                      begin, end);
                return_rows(law, phase, vertices, rows, model, begin, end, reports[s]);
                reports[s].outside =
                    std::max(reports[s].outside,
                             outside_block(phase.particles, begin, static_cast<int>(end - begin),
                                           grid.sources()[s].coordinates, offset, dx));
            });
        });
    }
    ElementReport all;
    for (const ElementReport& r : reports) {
        all.outside = std::max(all.outside, r.outside);
        all.least_normal = std::min(all.least_normal, r.least_normal);
    }
    return all;
}

#define INSTANTIATE(Real)                                                                        \
    template void prepare_elements(std::vector<Phase<Real>>&, std::size_t);                      \
    template void advance_frames(Particles<Real>&, std::size_t, int, const Gathered<Real>&,      \
                                 double);                                                        \
    template ElementReport update_elements(std::vector<Phase<Real>>&, std::span<const Material>, \
                                           ThinModel, const BlockGrid&,                          \
                                           const ThinWorkspace<Real>&, double, double);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
