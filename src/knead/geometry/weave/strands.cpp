#include "knead/geometry/weave/strands.h"

#include <algorithm>
#include <cmath>

#include "knead/base/check.h"
#include "knead/base/random.h"
#include "knead/geometry/weave/sheet.h"
#include "knead/math/qr.h"

namespace knead {

namespace {

constexpr double degree = M_PI / 180;

// Two unit vectors across a direction.
struct Across {
    Vec3d u, v;
};
Across across(const Vec3d& direction) {
    const Vec3d along = normalized(direction);
    const Vec3d u = normalized(qr_detail::any_across(along));
    return {u, cross(along, u)};
}

std::vector<int> straight(ThinBody& body, const Vec3d& from, const Vec3d& to, int segments) {
    std::vector<int> line;
    for (int k = 0; k <= segments; ++k)
        line.push_back(body.add(from + (static_cast<double>(k) / segments) * (to - from)));
    body.join(line);
    return line;
}

struct Chance {
    std::uint64_t seed;
    double operator()(int strand, std::uint64_t what) const {
        return random_unit(seed, static_cast<std::uint64_t>(strand), what);
    }
};

}  // namespace

ThinBody hair_tube(const HairTubePlan& plan) {
    CHECK(plan.strands > 0 && plan.segments > 0 && plan.outer > plan.inner);
    ThinBody body;
    const auto [u, v] = across(plan.axis);
    const double golden = M_PI * (3 - std::sqrt(5.0));
    for (int s = 0; s < plan.strands; ++s) {
        const double share = (s + 0.5) / plan.strands;
        const double r = std::sqrt(plan.inner * plan.inner +
                                   share * (plan.outer * plan.outer - plan.inner * plan.inner));
        const Vec3d root = plan.root + r * (std::cos(golden * s) * u + std::sin(golden * s) * v);
        const auto line = straight(body, root, root + plan.axis, plan.segments);
        body.groups["roots"].push_back(line.front());
        body.groups["tips"].push_back(line.back());
    }
    return body;
}

ThinBody fibre_bundle(const FibreBundlePlan& plan) {
    CHECK(plan.strands > 0 && plan.segments > 0 && plan.strand > 0);
    ThinBody body;
    const Chance chance{plan.seed};
    const auto [u, v] = across(plan.axis);
    const Vec3d along = normalized(plan.axis);
    const double whole = length(plan.axis);
    for (int s = 0; s < plan.strands; ++s) {
        const double r = plan.radius * std::sqrt(chance(s, 0)), a = 2 * M_PI * chance(s, 1);
        const double low = std::cos(plan.spread * degree);
        const double c = low + (1 - low) * chance(s, 2), si = std::sqrt(1 - c * c);
        const double b = 2 * M_PI * chance(s, 3);
        const Vec3d direction = c * along + si * (std::cos(b) * u + std::sin(b) * v);
        const Vec3d middle =
            plan.start + whole * chance(s, 4) * along + r * (std::cos(a) * u + std::sin(a) * v);
        const Vec3d half = 0.5 * plan.strand * direction;
        for (const int i : straight(body, middle - half, middle + half, plan.segments)) {
            const double place = dot(body.vertex(i) - plan.start, along);
            if (place < plan.grip) body.groups["start"].push_back(i);
            if (place > whole - plan.grip) body.groups["end"].push_back(i);
        }
    }
    return body;
}

ThinBody pile(const PilePlan& plan) {
    CHECK(plan.layers > 0 && plan.fibres > 0 && plan.edge > 0);
    ThinBody body;
    const int segments = std::max(1, static_cast<int>(plan.length / plan.edge + 0.5));
    for (int layer = 0; layer < plan.layers; ++layer)
        for (int f = 0; f < plan.fibres; ++f) {
            const bool turned = plan.crossed && layer % 2 == 1;
            const Vec3d along = turned ? Vec3d{0, 0, 1} : Vec3d{1, 0, 0};
            const Vec3d aside = turned ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1};
            const Vec3d middle = plan.center + Vec3d{0, plan.gap * layer, 0} +
                                 plan.spacing * (f - 0.5 * (plan.fibres - 1)) * aside;
            const Vec3d half = 0.5 * plan.length * along;
            straight(body, middle - half, middle + half, segments);
        }
    return body;
}

ThinBody carpet(const CarpetPlan& plan) {
    CHECK(plan.segments > 0 && plan.spacing > 0);
    ThinBody body = sheet({plan.corner, plan.along, plan.across, plan.edge, 0, plan.seed});
    const auto& start = body.groups["start"];
    const int rows = static_cast<int>(start.size()) - 1;
    const int columns = static_cast<int>(body.vertices.size()) / (rows + 1) - 1;
    const double wanted = std::min(plan.spacing / plan.edge + 0.5, 1e9);
    const int every = std::max(1, static_cast<int>(wanted));
    const Vec3d up = normalized(cross(plan.along, plan.across));
    const auto [u, v] = across(up);
    const Chance chance{plan.seed};
    const int backing = static_cast<int>(body.vertices.size());
    std::vector<int> roots;
    for (int j = every / 2; j <= rows; j += every)
        for (int i = every / 2; i <= columns; i += every) {
            // jittered by at most half a spacing, so that no two tufts share a root
            const int tuft = j * (columns + 1) + i;
            const auto near = [&](int at, int last, std::uint64_t what) {
                const int shift = static_cast<int>((chance(tuft, what) - 0.5) * (every - 1));
                return std::clamp(at + shift, 0, last);
            };
            const int root = near(j, rows, 0) * (columns + 1) + near(i, columns, 1);
            const double tilt = plan.tilt * degree * chance(tuft, 2);
            const double way = 2 * M_PI * chance(tuft, 3), bend = plan.curl * degree;
            const Vec3d side = std::cos(way) * u + std::sin(way) * v;
            std::vector<int> line{root};
            Vec3d x = body.vertex(root);
            for (int k = 0; k < plan.segments; ++k) {
                const double a = tilt + bend * (k + 0.5) / plan.segments;
                x += (plan.length / plan.segments) * (std::cos(a) * up + std::sin(a) * side);
                line.push_back(body.add(x));
            }
            body.join(line);
            body.groups["tips"].push_back(line.back());
            roots.push_back(root);
        }
    std::sort(roots.begin(), roots.end());
    CHECK(std::adjacent_find(roots.begin(), roots.end()) == roots.end(), "tufts share a root");
    CHECK(roots.empty() || roots.back() < backing, "a tuft is not on the backing");
    return body;
}

}  // namespace knead
