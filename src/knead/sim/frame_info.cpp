#include "knead/sim/frame_info.h"

namespace knead {

namespace {

// Where the colliders stand that move, or that matter pushes.
std::vector<ColliderPose> moving_colliders(const Model& model, double time,
                                           const std::vector<RigidState>& rigid) {
    std::vector<ColliderPose> poses;
    for (std::size_t c = 0; c < model.colliders.size(); ++c) {
        const Collider& collider = model.colliders[c];
        if (collider.motion.still() && !(collider.rigid.mass > 0)) continue;
        poses.push_back(
            {collider.name, c < rigid.size() ? rigid[c].pose : collider.motion.pose(time)});
    }
    return poses;
}

}  // namespace

template <class Real>
FrameInfo frame_info(const Model& model, const State<Real>& state) {
    FrameInfo info{state.frame, state.time, {}, {}};
    for (const BodyInfo& body : model.bodies) info.pscale_of_body.push_back(body.spacing / 2);
    info.colliders = moving_colliders(model, state.time, state.rigid);
    return info;
}

template FrameInfo frame_info(const Model&, const State<float>&);
template FrameInfo frame_info(const Model&, const State<double>&);

}  // namespace knead
