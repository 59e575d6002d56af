#include "knead/particles/edit_rows.h"

#include <algorithm>
#include <functional>

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

}  // namespace

template <class Real>
void remove_rows(Particles<Real>& particles, const std::vector<char>& gone) {
    const std::size_t n = particles.size();
    CHECK(gone.size() == n, "%zu rows, %zu marks", n, gone.size());
    const std::vector<std::size_t> rows = marked_rows(gone);
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

template <class Real>
void remove_sorted_rows(Phase<Real>& phase, const std::vector<char>& gone) {
    remove_rows(phase.particles, gone);
    const std::vector<std::size_t> rows = marked_rows(gone);
    const auto before = [&](std::int64_t row) {  // of the removed rows
        const auto at = std::lower_bound(rows.begin(), rows.end(), static_cast<std::size_t>(row));
        return static_cast<std::int64_t>(at - rows.begin());
    };
    for (BlockRange& block : phase.blocks) {
        block.begin -= before(block.begin);
        block.end -= before(block.end);
    }
    std::erase_if(phase.blocks, [](const BlockRange& b) { return b.begin == b.end; });
}

template <class Real>
std::size_t append_rows(Particles<Real>& particles, std::size_t n) {
    const std::size_t first = particles.size();
    particles.resize(first + n);
    return first;
}

template void remove_rows(Particles<float>&, const std::vector<char>&);
template void remove_rows(Particles<double>&, const std::vector<char>&);
template void remove_sorted_rows(Phase<float>&, const std::vector<char>&);
template void remove_sorted_rows(Phase<double>&, const std::vector<char>&);
template std::size_t append_rows(Particles<float>&, std::size_t);
template std::size_t append_rows(Particles<double>&, std::size_t);

}  // namespace knead
