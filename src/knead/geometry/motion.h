// Rigid motion of a body or an obstacle: where it is at time t, and how fast, exactly.
#pragma once

#include <vector>

#include "knead/math/mat.h"

namespace knead {

// Rest point X goes to position + rotation * (X - pivot); `pivot` is the motion's own centre.
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
struct MotionKey {
    double time = 0;          // [s]
    Vec3d position{0, 0, 0};  // [m]
    Vec3d rotation{0, 0, 0};  // axis times angle [rad]
};

// position(t) = start + velocity t + path(t) + amplitude ramp(t) sin(2 pi frequency t + phase);
// rotation(t) = spin(t) * path rotation(t). Everything adds, so one type serves every motion.
struct Motion {
    Vec3d pivot{0, 0, 0};             // centre of rotation, in the rest pose [m]
    Vec3d velocity{0, 0, 0};          // [m/s]
    Vec3d angular_velocity{0, 0, 0};  // axis times rate [rad/s]
    Vec3d amplitude{0, 0, 0};         // of the oscillation [m]
    double frequency = 0;             // [1/s]
    double phase = 0;                 // [rad]
    double ramp = 0;                  // time over which the amplitude grows from 0 [s]
    bool smooth_path = false;         // Catmull-Rom through the keys in place of straight lines
    std::vector<MotionKey> keys;
    double start = 0;  // the motion begins here and is at rest before [s]
    double stop = 0;   // and ends here when above start; at rest after [s]

    bool still() const;
    Pose pose(double t) const;
    Twist twist(double t) const;  // the exact time derivative of pose
    double max_speed(double t0, double t1, double radius) const;  // bound over the interval
};

}  // namespace knead
