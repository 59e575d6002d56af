#include "knead/particles/edit_rows.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "knead/base/check.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

std::vector<std::size_t> marked_rows(const std::vector<char>& marks) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (marks[i]) rows.push_back(i);
    return rows;
}

template <class Real>
void reorder_columns(Particles<Real>& particles, const std::vector<std::uint32_t>& order) {
    // One spare plane a type: each plane moves into it and leaves its own memory as the next spare.
    std::tuple<Array<Real>, Array<std::conditional_t<sizeof(Real) == 4, double, float>>,
               Array<std::int64_t>, Array<std::int32_t>>
        spare;
    particles.for_each_column([&](const ColumnInfo&, auto& column) {
        if (!column.present()) return;
        using Scalar = typename std::remove_reference_t<decltype(column)>::Scalar;
        auto& moved = std::get<Array<Scalar>>(spare);
        moved.resize(order.size());
        for (int k = 0; k < column.planes; ++k) {
            const Scalar* from = column.plane(k);
            for_each(order.size(), 1 << 14, [&](std::size_t i) { moved[i] = from[order[i]]; });
            column.swap_plane(k, moved);
        }
    });
}

template <class Real>
void remove_from_columns(Particles<Real>& particles, const std::vector<std::size_t>& rows) {
    const std::size_t n = particles.size();
    std::vector<std::function<void()>> planes;
    particles.for_each_column([&](const ColumnInfo&, auto& column) {
        for (int k = 0; column.present() && k < column.planes; ++k)
            planes.push_back([&rows, n, plane = column.plane(k)] {
                // what stands between one row and the next moves up as a whole
                for (std::size_t r = 0; r < rows.size(); ++r)
                    std::copy(plane + rows[r] + 1, plane + (r + 1 < rows.size() ? rows[r + 1] : n),
                              plane + rows[r] - r);
            });
    });
    for_each(planes.size(), 1, [&](std::size_t k) { planes[k](); });
    particles.resize(n - rows.size());
}

void remove_from_blocks(std::vector<BlockRange>& blocks, const std::vector<std::size_t>& rows) {
    const auto before = [&](std::int64_t row) {  // of the removed rows
        const auto at = std::lower_bound(rows.begin(), rows.end(), static_cast<std::size_t>(row));
        return static_cast<std::int64_t>(at - rows.begin());
    };
    for (BlockRange& block : blocks) {
        block.begin -= before(block.begin);
        block.end -= before(block.end);
    }
    std::erase_if(blocks, [](const BlockRange& b) { return b.begin == b.end; });
}

}  // namespace

template <class Real>
void reorder(Phase<Real>& phase, const std::vector<std::uint32_t>& order) {
    const std::size_t n = phase.particles.size();
    CHECK(order.size() == n, "%zu rows, order of %zu", n, order.size());
    reorder_columns(phase.particles, order);
    if (phase.links.present()) reorder_links(phase.links, order);
    if (phase.elements.present()) reorder_elements(phase.elements, order);
    phase.blocks.clear();
}

template <class Real>
void remove_rows(Phase<Real>& phase, const std::vector<char>& gone) {
    const std::size_t n = phase.particles.size();
    CHECK(gone.size() == n, "%zu rows, %zu marks", n, gone.size());
    CHECK(phase.is_volume(), "rows of kind %d hang together", static_cast<int>(phase.kind));
    const std::vector<std::size_t> rows = marked_rows(gone);
    remove_from_columns(phase.particles, rows);
    remove_from_blocks(phase.blocks, rows);
    if (!phase.links.present()) return;
    std::vector<std::uint32_t> kept;
    for (std::size_t i = 0; i < n; ++i)
        if (!gone[i]) kept.push_back(static_cast<std::uint32_t>(i));
    reorder_links(phase.links, kept);
}

template <class Real>
std::size_t append_rows(Phase<Real>& phase, std::size_t n) {
    const std::size_t first = phase.particles.size();
    if (n == 0) return first;
    phase.particles.resize(first + n);
    if (phase.links.present()) phase.links.resize(first + n);
    if (phase.elements.present()) phase.elements.resize(first + n);
    phase.blocks.clear();
    return first;
}

#define INSTANTIATE(Real)                                                   \
    template void reorder(Phase<Real>&, const std::vector<std::uint32_t>&); \
    template void remove_rows(Phase<Real>&, const std::vector<char>&);      \
    template std::size_t append_rows(Phase<Real>&, std::size_t);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
