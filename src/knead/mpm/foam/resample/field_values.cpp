#include "knead/mpm/foam/resample/field_values.h"

#include "knead/math/bspline.h"
#include "knead/mpm/foam/cubic_kernel.h"
#include "knead/mpm/foam/resample/fields.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

// The 4 x 4 x 4 nodes around a point and their weights.
struct CubicSupport {
    Vec3i first;
    double w[3][4];

    CubicSupport(const Vec3d& x, double dx) {
        for (int a = 0; a < 3; ++a) {
            const double u = x[a] / dx;
            first[a] = static_cast<int>(std::floor(u)) - 1;
            double slope[4];
            bspline_weights<3>(u - first[a], w[a], slope);
        }
    }
    template <class Visit>
    void for_each_node(Visit&& visit) const {
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                for (int k = 0; k < 4; ++k)
                    visit(first + Vec3i{i, j, k}, w[0][i] * w[1][j] * w[2][k]);
    }
};

// Mass-weighted sum over the particles of one phase around a node.
template <class Real>
FieldSum gather_node(const Particles<Real>& p, std::uint32_t phase, const PointGrid& points,
                     const Vec3i& node, double dx) {
    FieldSum sum;
    const Vec3d x_i = dx * static_cast<Vec3d>(node);
    const Vec3i cell = 2 * node;  // two cells of the point grid to a node
    points.for_each_run(cell - splat(4), cell + splat(3), [&](auto begin, auto end) {
        for (auto i = begin; i < end; ++i) {
            if (points.ref(i).phase != phase) continue;
            const double w = cubic_weight((points.point(i) - x_i) / dx);
            const std::size_t row = points.ref(i).row;
            if (w > 0) add_fields(p, row, w * static_cast<double>(p.mass.at(row)), sum);
        }
    });
    return sum;
}

template <class Real>
void interpolate_phase(Particles<Real>& p, std::uint32_t phase, const PointGrid& points, double dx,
                       const std::vector<Birth>& births, const std::vector<std::size_t>& rows) {
    CellMap nodes;
    for (const Birth& birth : births)
        if (birth.nearest.phase == phase)
            CubicSupport(birth.x, dx).for_each_node([&](const Vec3i& i, double) {
                nodes.insert(i);
            });
    std::vector<FieldSum> sums(nodes.size());
    for_each(nodes.size(), 16,
             [&](std::size_t i) { sums[i] = gather_node(p, phase, points, nodes.cell(i), dx); });
    for_each(births.size(), 64, [&](std::size_t b) {
        if (births[b].nearest.phase != phase) return;
        FieldSum mean;
        CubicSupport(births[b].x, dx).for_each_node([&](const Vec3i& i, double w) {
            const FieldSum& node = sums[nodes.find(i)];
            if (!(node.weight > 0)) return;  // an empty node
            for (std::size_t k = 0; k < max_fields; ++k)
                mean.value[k] += w / node.weight * node.value[k];
            mean.weight += w;
        });
        set_fields(p, rows[b], mean, births[b].nearest.row);
    });
}

}  // namespace

template <class Real>
void interpolate_fields(std::vector<Phase<Real>>& phases, const PointGrid& points, double dx,
                        const std::vector<Birth>& births, const std::vector<std::size_t>& rows) {
    for (std::uint32_t phase = 0; phase < phases.size(); ++phase)
        interpolate_phase(phases[phase].particles, phase, points, dx, births, rows);
}

template void interpolate_fields(std::vector<Phase<float>>&, const PointGrid&, double,
                                 const std::vector<Birth>&, const std::vector<std::size_t>&);
template void interpolate_fields(std::vector<Phase<double>>&, const PointGrid&, double,
                                 const std::vector<Birth>&, const std::vector<std::size_t>&);

}  // namespace knead
