#include "knead/mpm/volume_statistics.h"

#include <algorithm>

#include "knead/parallel/exec.h"

namespace knead {

namespace {

struct Volumes {
    double least = 1e30, most = -1e30, sum = 0, weak = 0;
};

Volumes join(const Volumes& a, const Volumes& b) {
    return {std::min(a.least, b.least), std::max(a.most, b.most), a.sum + b.sum, a.weak + b.weak};
}

template <class Real>
Volumes of_particle(const Particles<Real>& p, std::size_t i) {
    double J = 1;
    if (p.dilation.present())
        J = 1 + static_cast<double>(p.dilation.at(i));
    else if (p.F.present())
        J = determinant(static_cast<Mat3d>(p.F.mat(i)));
    return {J, J, J, p.weak.present() ? static_cast<double>(p.weak.at(i)) : 0.0};
}

}  // namespace

template <class Real>
std::vector<std::pair<std::string, double>> volume_statistics(
    const std::vector<Phase<Real>>& phases) {
    Volumes all;
    double count = 0;
    for (const auto& phase : phases) {
        const auto& p = phase.particles;
        if (!phase.is_volume()) continue;
        all = join(
            all, reduce(
                     p.size(), Volumes{}, [&](std::size_t i) { return of_particle(p, i); }, join));
        count += static_cast<double>(p.size());
    }
    if (count == 0) all = {1, 1, 0, 0};
    return {{"min_J", all.least},
            {"mean_J", count > 0 ? all.sum / count : 1.0},
            {"max_J", all.most},
            {"weak", all.weak}};
}

template std::vector<std::pair<std::string, double>> volume_statistics(
    const std::vector<Phase<float>>&);
template std::vector<std::pair<std::string, double>> volume_statistics(
    const std::vector<Phase<double>>&);

}  // namespace knead
