#include "knead/particles/edit_rows.h"

#include "knead/base/check.h"

namespace knead {

template <class Real>
void remove_rows(Particles<Real>& particles, const std::vector<char>& gone) {
    const std::size_t n = particles.size();
    CHECK(gone.size() == n, "%zu rows, %zu marks", n, gone.size());
    std::size_t kept = 0;
    particles.for_each_column([&](const ColumnInfo&, auto& column) {
        if (!column.present()) return;
        for (int k = 0; k < column.planes; ++k) {
            auto* plane = column.plane(k);
            kept = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (!gone[i]) plane[kept++] = plane[i];
        }
    });
    particles.resize(kept);
}

template <class Real>
std::size_t append_rows(Particles<Real>& particles, std::size_t n) {
    const std::size_t first = particles.size();
    particles.resize(first + n);
    return first;
}

template void remove_rows(Particles<float>&, const std::vector<char>&);
template void remove_rows(Particles<double>&, const std::vector<char>&);
template std::size_t append_rows(Particles<float>&, std::size_t);
template std::size_t append_rows(Particles<double>&, std::size_t);

}  // namespace knead
