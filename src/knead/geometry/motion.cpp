#include "knead/geometry/motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knead/geometry/rotation.h"

namespace knead {

namespace {

using std::numbers::pi;

// Along the keys at one time: pose away from rest, and its derivative.
struct PathPoint {
    Vec3d position{0, 0, 0};
    Vec3d velocity{0, 0, 0};
    Mat3d rotation = identity3<double>();
    Vec3d angular{0, 0, 0};
};

// A cubic from p0 to p1 over dt seconds with the given end velocities. [Hermite]
struct Cubic {
    Vec3d p0, p1, v0, v1;
    double dt;

    Vec3d at(double u) const {
        const double u2 = u * u, u3 = u2 * u;
        return (2 * u3 - 3 * u2 + 1) * p0 + (3 * u2 - 2 * u3) * p1 +
               dt * ((u3 - 2 * u2 + u) * v0 + (u3 - u2) * v1);
    }
    Vec3d velocity(double u) const {
        const double u2 = u * u;
        return (6 * (u - u2) / dt) * (p1 - p0) + (3 * u2 - 4 * u + 1) * v0 + (3 * u2 - 2 * u) * v1;
    }
    // The velocity is a Bezier curve over v0, middle, v1, and stays within their hull.
    double max_speed() const {
        const Vec3d middle = (3 / dt) * (p1 - p0) - v0 - v1;
        return std::max({length(v0), length(middle), length(v1)});
    }
};

struct Path {
    const std::vector<MotionKey>& keys;
    bool smooth;

    // Velocity through key k: that of the chord between its neighbours; none at the ends.
    Vec3d tangent(std::size_t k) const {
        if (k == 0 || k + 1 == keys.size()) return {0, 0, 0};
        const MotionKey &a = keys[k - 1], &b = keys[k + 1];
        return (b.position - a.position) / (b.time - a.time);
    }
    Cubic cubic(std::size_t k) const {
        const MotionKey &a = keys[k], &b = keys[k + 1];
        const double dt = b.time - a.time;
        if (smooth) return {a.position, b.position, tangent(k), tangent(k + 1), dt};
        const Vec3d v = (b.position - a.position) / dt;
        return {a.position, b.position, v, v, dt};
    }
    // The rotation of segment k: how it starts, and its constant rate.
    Mat3d turn(std::size_t k, double s, Vec3d& rate) const {
        const MotionKey &a = keys[k], &b = keys[k + 1];
        const double dt = b.time - a.time;
        const double size = length(a.rotation) * length(b.rotation);
        if (length(cross(a.rotation, b.rotation)) <= 1e-12 * size) {
            rate = (b.rotation - a.rotation) / dt;
            return rotation_of(a.rotation + s * rate);
        }
        const Mat3d first = rotation_of(a.rotation);
        rate = rotation_vector(rotation_of(b.rotation) * transpose(first)) / dt;
        return rotation_of(s * rate) * first;
    }
    // The segment that s is in; keys.size() when it is outside them all.
    std::size_t segment(double s) const {
        if (keys.empty() || s < keys.front().time || s >= keys.back().time) return keys.size();
        const auto after = std::upper_bound(
            keys.begin(), keys.end(), s, [](double v, const MotionKey& k) { return v < k.time; });
        return static_cast<std::size_t>(after - keys.begin()) - 1;
    }
    PathPoint at(double s) const {
        PathPoint p;
        if (keys.empty()) return p;
        const std::size_t k = segment(s);
        if (k == keys.size()) {
            const MotionKey& end = s < keys.front().time ? keys.front() : keys.back();
            p.position = end.position;
            p.rotation = rotation_of(end.rotation);
            return p;
        }
        const Cubic c = cubic(k);
        const double u = (s - keys[k].time) / c.dt;
        p.position = c.at(u);
        p.velocity = c.velocity(u);
        p.rotation = turn(k, s - keys[k].time, p.angular);
        return p;
    }
};

// 3 u^2 - 2 u^3, from 0 to 1.
double ramp_at(double s, double ramp) {
    if (s >= ramp) return 1;
    const double u = s / ramp;
    return u * u * (3 - 2 * u);
}
double ramp_rate(double s, double ramp) {
    if (s >= ramp) return 0;
    const double u = s / ramp;
    return 6 * u * (1 - u) / ramp;
}

double local_time(const Motion& m, double t) {
    const double end = m.stop > m.start ? std::min(t, m.stop) : t;
    return std::max(0., end - m.start);
}

}  // namespace

bool Motion::still() const {
    const Vec3d none{0, 0, 0};
    for (const MotionKey& k : keys)
        if (k.position != keys[0].position || k.rotation != keys[0].rotation) return false;
    return velocity == none && angular_velocity == none && amplitude == none &&
           belt.velocity == none;
}

Pose Motion::pose(double t) const {
    const double s = local_time(*this, t);
    const PathPoint path = Path{keys, smooth_path}.at(s);
    const double swing = ramp_at(s, ramp) * std::sin(2 * pi * frequency * s + phase);
    return {pivot + s * velocity + path.position + swing * amplitude,
            rotation_of(s * angular_velocity) * path.rotation};
}

Twist Motion::twist(double t) const {
    Twist all = pose_rate(t);
    if (t >= belt.start && t < belt.stop && !belt.held)
        all.linear += pose(t).rotation * belt.velocity;
    return all;
}

Twist Motion::pose_rate(double t) const {
    if (t < start || (stop > start && t >= stop)) return {};
    const double s = local_time(*this, t);
    const PathPoint path = Path{keys, smooth_path}.at(s);
    const double rate = 2 * pi * frequency, angle = rate * s + phase;
    const double swing =
        ramp_at(s, ramp) * rate * std::cos(angle) + ramp_rate(s, ramp) * std::sin(angle);
    return {velocity + path.velocity + swing * amplitude,
            angular_velocity + rotation_of(s * angular_velocity) * path.angular};
}

double Motion::max_speed(double t0, double t1, double radius) const {
    const bool rests = t1 < belt.start || t0 >= belt.stop || belt.held;
    const double running = rests ? 0 : length(belt.velocity);
    if (t1 < start || (stop > start && t0 >= stop)) return running;
    const double s0 = local_time(*this, t0), s1 = local_time(*this, t1);
    // |d/ds (r sin)| <= r rate + r', with r at its largest and r' at its largest.
    const double steepest = s0 >= ramp ? 0 : 1.5 / ramp;
    const double swing = 2 * pi * std::fabs(frequency) * ramp_at(s1, ramp) + steepest;
    double path = 0, turn = 0;
    const Path p{keys, smooth_path};
    for (std::size_t k = 0; k + 1 < keys.size(); ++k) {
        if (keys[k].time > s1 || keys[k + 1].time <= s0) continue;
        Vec3d rate;
        p.turn(k, 0, rate);
        path = std::max(path, p.cubic(k).max_speed());
        turn = std::max(turn, length(rate));
    }
    return running + length(velocity) + swing * length(amplitude) + path +
           radius * (length(angular_velocity) + turn);
}

}  // namespace knead
