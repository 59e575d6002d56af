#include "knead/geometry/sample_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knead/base/error.h"

namespace knead {

std::vector<Vec3d> sample_curve(const std::vector<Vec3d>& line, double spacing) {
    if (line.size() < 2 || !(spacing > 0))
        throw InputError(Place{},
                         fmt::format("the line has {} points and is to be sampled every {} m",
                                     line.size(), spacing),
                         "give two points or more, and a spacing above 0");
    std::vector<double> along{0};  // arc length at each corner
    for (std::size_t i = 1; i < line.size(); ++i)
        along.push_back(along.back() + length(line[i] - line[i - 1]));
    const double total = along.back();
    if (!(total > 0 && total / spacing < 1e9))
        throw InputError(Place{}, fmt::format("the line is {} m long", total),
                         "give a line that the spacing suits");
    const auto pieces = static_cast<std::size_t>(std::max(1., std::round(total / spacing)));
    std::vector<Vec3d> points;
    std::size_t k = 1;
    for (std::size_t i = 0; i <= pieces; ++i) {
        const double s = total * static_cast<double>(i) / static_cast<double>(pieces);
        while (k + 1 < line.size() && along[k] < s) ++k;
        const double piece = along[k] - along[k - 1];
        const double u = piece > 0 ? std::min((s - along[k - 1]) / piece, 1.) : 0;
        points.push_back((1 - u) * line[k - 1] + u * line[k]);
    }
    return points;
}

}  // namespace knead
