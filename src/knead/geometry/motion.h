// Rigid motion of a body or an obstacle: where it is at time t, and how fast, exactly.
#pragma once

#include <vector>

#include "knead/math/mat.h"

namespace knead {

// Rest point X goes to position + rotation * (X - pivot); `pivot` is the motion's own centre, and
// position is where that centre is now.
struct Pose {
    Vec3d position{0, 0, 0};
    Mat3d rotation = identity3<double>();
};

// Linear and angular velocity of that pose; a point at x moves with v + omega x (x - position).
struct Twist {
    Vec3d linear{0, 0, 0};
    Vec3d angular{0, 0, 0};
};

// A keyframe: the pose at a time, moved to linearly (position) and at constant rate (rotation).
// Keys that turn about one axis may be more than half a turn apart; between other orientations the
// shortest way is taken. The first key holds before its time, the last one after.
struct MotionKey {
    double time = 0;          // since the motion's start [s]; increasing from key to key
    Vec3d position{0, 0, 0};  // away from the rest pose [m]
    Vec3d rotation{0, 0, 0};  // axis times angle [rad]
};

// A surface that runs without moving, as a conveyor belt does.
struct Belt {
    Vec3d velocity{0, 0, 0};        // in the rest pose [m/s]
    double start = 0, stop = 1e30;  // [s]
    bool held = false;              // it stands still for now
};

// With s = t - start, held at 0 before and at stop - start after:
//   position(t) = pivot + velocity s + path(s) + amplitude r(s) sin(2 pi frequency s + phase),
//   rotation(t) = exp(angular_velocity s) * path rotation(s),
// where r grows smoothly from 0 to 1 over `ramp`. Everything adds, so one type serves every motion.
struct Motion {
    Vec3d pivot{0, 0, 0};             // centre of rotation, in the rest pose [m]
    Vec3d velocity{0, 0, 0};          // [m/s]
    Vec3d angular_velocity{0, 0, 0};  // axis times rate [rad/s]
    Vec3d amplitude{0, 0, 0};         // of the oscillation [m]
    double frequency = 0;             // [1/s]
    double phase = 0;                 // [rad]
    double ramp = 0;                  // time over which the amplitude grows from 0 [s]
    bool smooth_path = false;         // Catmull-Rom through the keys in place of straight lines;
                                      // the path then starts and ends at rest
    std::vector<MotionKey> keys;
    double start = 0;  // the motion begins here and is at rest before [s]
    double stop = 0;   // and ends here when above start; at rest after [s]

    Belt belt;  // beside all that

    bool still() const;  // the pose never changes, and no belt runs
    Pose pose(double t) const;
    // The exact time derivative of pose, and the belt; from the right where the motion has a kink.
    Twist twist(double t) const;
    // A bound over [t0, t1] on the speed of any point within `radius` of the pivot.
    double max_speed(double t0, double t1, double radius) const;

private:
    Twist pose_rate(double t) const;
};

// Where a rest point is under a pose, and back.
CPU_GPU inline Vec3d from_rest(const Pose& pose, const Vec3d& pivot, const Vec3d& rest) {
    return pose.position + pose.rotation * (rest - pivot);
}
CPU_GPU inline Vec3d to_rest(const Pose& pose, const Vec3d& pivot, const Vec3d& x) {
    const Vec3d q = x - pose.position;
    const Mat3d& r = pose.rotation;
    return pivot + Vec3d{r.xx * q.x + r.yx * q.y + r.zx * q.z, r.xy * q.x + r.yy * q.y + r.zy * q.z,
                         r.xz * q.x + r.yz * q.y + r.zz * q.z};
}
CPU_GPU inline Vec3d velocity_at(const Twist& twist, const Pose& pose, const Vec3d& x) {
    return twist.linear + cross(twist.angular, x - pose.position);
}

}  // namespace knead
