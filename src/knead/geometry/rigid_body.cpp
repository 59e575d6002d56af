#include "knead/geometry/rigid_body.h"

#include <cmath>

#include "knead/geometry/rotation.h"

namespace knead {

namespace {

Mat3d inertia_now(const RigidBody& body, const Pose& pose) {
    return pose.rotation * body.inertia * transpose(pose.rotation);
}

bool is_guided(const Vec3d& guide) { return dot(guide, guide) > 0; }

// Gaussian elimination for a symmetric positive matrix, which needs no pivoting.
void solve6(double A[6][6], double b[6]) {
    for (int k = 0; k < 6; ++k)
        for (int i = k + 1; i < 6; ++i) {
            const double f = A[i][k] / A[k][k];
            for (int j = k; j < 6; ++j) A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    for (int k = 5; k >= 0; --k) {
        for (int j = k + 1; j < 6; ++j) b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
}

}  // namespace

Pose moved(const Pose& pose, const Twist& twist, double dt) {
    return {pose.position + dt * twist.linear, rotation_of(dt * twist.angular) * pose.rotation};
}

Twist pushed(const RigidBody& body, const RigidState& state, const Impulse& impulse) {
    if (is_guided(body.guide)) {
        const Vec3d g = normalized(body.guide);
        return {dot(state.twist.linear + impulse.linear / body.mass, g) * g, {0, 0, 0}};
    }
    return {state.twist.linear + impulse.linear / body.mass,
            state.twist.angular + inverse(inertia_now(body, state.pose)) * impulse.angular};
}

InelasticContact::InelasticContact(const RigidBody& body, const RigidState& state)
    : center_(state.pose.position), guide_(body.guide) {
    const Mat3d inertia = inertia_now(body, state.pose);
    const Vec3d momentum = body.mass * state.twist.linear;
    const Vec3d spin = inertia * state.twist.angular;
    for (int k = 0; k < 3; ++k) {
        A_[k][k] = body.mass;
        b_[k] = momentum[k];
        b_[3 + k] = spin[k];
        for (int j = 0; j < 3; ++j) A_[3 + k][3 + j] = inertia(k, j);
    }
}

InelasticContact InelasticContact::empty() const {
    InelasticContact none = *this;
    for (int i = 0; i < 6; ++i) {
        none.b_[i] = 0;
        for (int j = 0; j < 6; ++j) none.A_[i][j] = 0;
    }
    return none;
}

void InelasticContact::add(double m, const Vec3d& x, const Vec3d& n, const Vec3d& v) {
    const Vec3d arm = cross(x - center_, n);
    const double J[6] = {n.x, n.y, n.z, arm.x, arm.y, arm.z};  // n . velocity at x = J . twist
    for (int i = 0; i < 6; ++i) {
        b_[i] += m * J[i] * dot(n, v);
        for (int j = 0; j < 6; ++j) A_[i][j] += m * J[i] * J[j];
    }
}

void InelasticContact::add(const InelasticContact& other) {
    for (int i = 0; i < 6; ++i) {
        b_[i] += other.b_[i];
        for (int j = 0; j < 6; ++j) A_[i][j] += other.A_[i][j];
    }
}

Twist InelasticContact::solve() const {
    if (is_guided(guide_)) {
        const Vec3d g = normalized(guide_);
        double mass = 0, momentum = 0;
        for (int i = 0; i < 3; ++i) {
            momentum += g[i] * b_[i];
            for (int j = 0; j < 3; ++j) mass += g[i] * A_[i][j] * g[j];
        }
        return {(momentum / mass) * g, {0, 0, 0}};
    }
    double A[6][6], b[6];
    for (int i = 0; i < 6; ++i) {
        b[i] = b_[i];
        for (int j = 0; j < 6; ++j) A[i][j] = A_[i][j];
    }
    solve6(A, b);
    return {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
}

}  // namespace knead
