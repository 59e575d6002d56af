#include "knead/geometry/weave/sheet.h"

#include <algorithm>
#include <cmath>

#include "knead/base/check.h"
#include "knead/base/random.h"

namespace knead {

namespace {

// A grid of columns x rows quads; place(i, j) is where vertex i, j starts.
template <class Place>
ThinBody quads(int columns, int rows, const Place& place) {
    ThinBody body;
    const auto index = [&](int i, int j) { return j * (columns + 1) + i; };
    for (int j = 0; j <= rows; ++j)
        for (int i = 0; i <= columns; ++i) {
            const int v = body.add(place(i, j));
            const bool ends = i == 0 || i == columns, sides = j == 0 || j == rows;
            if (i == 0) body.groups["start"].push_back(v);
            if (i == columns) body.groups["end"].push_back(v);
            if (j == 0) body.groups["left"].push_back(v);
            if (j == rows) body.groups["right"].push_back(v);
            if (ends || sides) body.groups["border"].push_back(v);
            if (ends && sides) body.groups["corners"].push_back(v);
        }
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i) {
            const int a = index(i, j), b = index(i + 1, j), c = index(i + 1, j + 1),
                      d = index(i, j + 1);
            if ((i + j) % 2 == 0) {
                body.triangles.push_back({a, b, c});
                body.triangles.push_back({a, c, d});
            } else {
                body.triangles.push_back({a, b, d});
                body.triangles.push_back({b, c, d});
            }
        }
    // u along the columns, v along the rows, 0 to 1
    for (const auto& t : body.triangles) {
        std::array<float, 6> uv{};
        for (std::size_t k = 0; k < 3; ++k) {
            uv[2 * k] = static_cast<float>(t[k] % (columns + 1)) / static_cast<float>(columns);
            uv[2 * k + 1] = static_cast<float>(t[k] / (columns + 1)) / static_cast<float>(rows);
        }
        body.uv.push_back(uv);
    }
    return body;
}

int parts(double length, double edge) { return std::max(1, static_cast<int>(length / edge + 0.5)); }

}  // namespace

ThinBody sheet(const SheetPlan& plan) {
    CHECK(plan.edge > 0);
    const int columns = parts(length(plan.along), plan.edge);
    const int rows = parts(length(plan.across), plan.edge);
    const auto shift = [&](int i, int j, std::uint64_t axis, int last, int at) {
        if (plan.jitter == 0 || at == 0 || at == last) return 0.0;
        return plan.jitter * (2 * random_unit(plan.seed, static_cast<std::uint64_t>(i),
                                              static_cast<std::uint64_t>(j), axis) -
                              1);
    };
    return quads(columns, rows, [&](int i, int j) {
        const double u = (i + shift(i, j, 0, columns, i)) / columns;
        const double v = (j + shift(i, j, 1, rows, j)) / rows;
        return plan.corner + u * plan.along + v * plan.across;
    });
}

ThinBody curtain(const CurtainPlan& plan) {
    CHECK(plan.edge > 0 && plan.width > 0 && plan.folds >= 0);
    // length of the folded line up to each of many places along x
    const double wave = 2 * M_PI * plan.folds / plan.width;
    const int fine = 2000 * std::max(1, plan.folds);
    std::vector<double> covered(static_cast<std::size_t>(fine) + 1, 0.0);
    for (int k = 0; k < fine; ++k) {
        const double slope = plan.depth * wave * std::cos(wave * plan.width * (k + 0.5) / fine);
        covered[static_cast<std::size_t>(k) + 1] =
            covered[static_cast<std::size_t>(k)] + plan.width / fine * std::sqrt(1 + slope * slope);
    }
    const double flat = covered.back();
    const int columns = parts(flat, plan.edge), rows = parts(plan.height, plan.edge);
    const auto x_of = [&](int i) {
        const double s = flat * i / columns;
        const auto above = std::upper_bound(covered.begin() + 1, covered.end() - 1, s);
        const double low = *(above - 1), part = (s - low) / (*above - low);
        return plan.width * (static_cast<double>(above - 1 - covered.begin()) + part) / fine;
    };
    ThinBody body = quads(columns, rows, [&](int i, int j) {
        const double x = x_of(i);
        return plan.corner + Vec3d{x, -plan.height * j / rows, plan.depth * std::sin(wave * x)};
    });
    for (int j = 0; j <= rows; ++j)
        for (int i = 0; i <= columns; ++i)
            body.rest.push_back(plan.corner +
                                Vec3d{flat * i / columns, -plan.height * j / rows, 0});
    for (const int v : body.groups["left"]) {
        const int near = plan.ring_every > 0 ? (v + 1) % plan.ring_every : 0;
        if (near < 3) body.groups["top"].push_back(v);
    }
    return body;
}

}  // namespace knead
