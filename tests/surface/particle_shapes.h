// Particles in simple shapes, for tests of what is made from frames.
#pragma once

#include <functional>

#include "knead/base/random.h"
#include "knead/io/frame.h"

namespace knead {

// Lattice points (i + 1/2) spacing with inside(x) > 0, moved by up to jitter * spacing.
inline Frame lattice_frame(const std::function<bool(const Vec3d&)>& inside, double half,
                           double spacing, double jitter = 0) {
    std::vector<float> x, y, z;
    std::vector<std::int32_t> body;
    const int n = static_cast<int>(half / spacing) + 1;
    std::uint64_t draw = 0;
    for (int i = -n; i < n; ++i)
        for (int j = -n; j < n; ++j)
            for (int k = -n; k < n; ++k) {
                Vec3d p{(i + 0.5) * spacing, (j + 0.5) * spacing, (k + 0.5) * spacing};
                if (!inside(p)) continue;
                for (int a = 0; a < 3; ++a)
                    p[a] += jitter * spacing * (2 * random_unit(1, draw++) - 1);
                x.push_back(static_cast<float>(p.x));
                y.push_back(static_cast<float>(p.y));
                z.push_back(static_cast<float>(p.z));
                body.push_back(p.x > 0 ? 1 : 0);
            }
    Frame frame;
    frame.count = x.size();
    std::vector<std::int32_t> id(frame.count);
    for (std::size_t i = 0; i < frame.count; ++i) id[i] = static_cast<std::int32_t>(i);
    std::vector<float> radius(frame.count, static_cast<float>(spacing / 2));
    std::vector<float> speed = y;
    frame.columns = {{"x", x},  {"y", y},   {"z", z},           {"vx", speed},  {"vy", speed},
                     {"vz", z}, {"id", id}, {"pscale", radius}, {"body", body}, {"heat", y}};
    return frame;
}

inline Frame ball_frame(double radius, double spacing, double jitter = 0) {
    return lattice_frame([=](const Vec3d& p) { return dot(p, p) < radius * radius; }, radius,
                         spacing, jitter);
}

}  // namespace knead
