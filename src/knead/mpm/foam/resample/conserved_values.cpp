#include "knead/mpm/foam/resample/conserved_values.h"

namespace knead {

namespace {

// Each of the N donors keeps N / (N + 1). What is handed on is what is missing after rounding, so
// that only the new particle's own rounding is lost.
template <class Real>
Real take_share(Column<Real, 1>& column, const std::vector<std::uint32_t>& donors) {
    const double n = static_cast<double>(donors.size());
    double taken = 0;
    for (const std::uint32_t q : donors) {
        const double before = static_cast<double>(column.at(q));
        column.at(q) = static_cast<Real>(before * (n / (n + 1)));
        taken += before - static_cast<double>(column.at(q));
    }
    return static_cast<Real>(taken);
}

}  // namespace

template <class Real>
std::vector<ConservedValues<Real>> take_conserved_values(std::vector<Phase<Real>>& phases,
                                                         const std::vector<Birth>& births) {
    std::vector<ConservedValues<Real>> values;
    values.reserve(births.size());
    for (const Birth& birth : births) {
        Particles<Real>& p = phases[birth.nearest.phase].particles;
        const Real mass = take_share(p.mass, birth.donors);
        values.push_back({mass, take_share(p.volume, birth.donors)});
    }
    return values;
}

template std::vector<ConservedValues<float>> take_conserved_values(std::vector<Phase<float>>&,
                                                                   const std::vector<Birth>&);
template std::vector<ConservedValues<double>> take_conserved_values(std::vector<Phase<double>>&,
                                                                    const std::vector<Birth>&);

}  // namespace knead
