#include "knead/mpm/cuda/device_colliders.h"

#include <algorithm>

namespace knead {

template <class T>
const T* DeviceColliders::keep(const std::vector<T>& values) {
    const std::size_t bytes = std::max<std::size_t>(values.size() * sizeof(T), 1);
    memory_.emplace_back();
    char* to = memory_.back().need(bytes);
    check_cuda(cudaMemcpy(to, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
               "copying colliders to it");
    return reinterpret_cast<const T*>(to);
}

DeviceColliders::DeviceColliders(const std::vector<Collider>& colliders) : colliders_(colliders) {
    for (const Collider& c : colliders) {
        const SdfProgram* program = c.shape.program();
        if (!program) throw RunError("collider " + c.name + " has no shape");
        std::vector<SdfGridView<double>> grids = program->grid_views;
        for (std::size_t g = 0; g < grids.size(); ++g)
            grids[g].values = keep(program->grids[g]->values);
        ColliderView view{};
        view.program = {keep(program->ops), static_cast<int>(program->ops.size()),
                        keep(program->numbers), keep(grids)};
        const Box3 box = program->bounds;
        view.probe = box.bounded() && !box.empty() ? 1e-3 * length(box.size()) : 1e-3;
        view.pivot = c.motion.pivot;
        view.kind = c.contact;
        view.mu = c.friction;
        view.sticks = c.adhesion;
        view.is_half_space = program->ops.size() == 1 && program->ops[0].code == SdfCode::plane;
        views_.push_back(view);
    }
}

DeviceColliders::~DeviceColliders() { cudaFreeHost(staging_); }

const double* DeviceColliders::reach(double from, double to, cudaStream_t stream) {
    reach_now_.clear();
    for (const Collider& c : colliders_) {
        const Box3 box = c.shape.bounds();
        const double radius =
            std::min(0.5 * length(box.size()) + length(box.center() - c.motion.pivot), 1e6);
        reach_now_.push_back(c.motion.still() ? 0.0
                                              : (to - from) * c.motion.max_speed(from, to, radius));
    }
    if (reach_now_.empty()) return nullptr;
    check_cuda(cudaMemcpyAsync(reach_.need(reach_now_.size()), reach_now_.data(),
                               reach_now_.size() * sizeof(double), cudaMemcpyHostToDevice, stream),
               "copying colliders to it");
    return reach_.data();
}

const ColliderView* DeviceColliders::freeze(const std::vector<double>& times, cudaStream_t stream) {
    const std::size_t n = views_.size() * times.size();
    if (n == 0) return nullptr;
    if (n > staged_) {
        cudaFreeHost(staging_);
        check_cuda(cudaMallocHost(reinterpret_cast<void**>(&staging_), n * sizeof(ColliderView)),
                   "taking memory of the host");
        staged_ = n;
    }
    ColliderView* to = staging_;
    for (const double time : times)
        for (std::size_t c = 0; c < views_.size(); ++c, ++to) {
            *to = views_[c];
            to->pose = colliders_[c].motion.pose(time);
            to->twist = colliders_[c].motion.twist(time);
            if (!to->is_half_space) continue;
            // n . to_rest(x) - n[3], with the pose worked in
            const double* n = colliders_[c].shape.program()->numbers.data();
            const Vec3d normal{n[0], n[1], n[2]};
            to->face_normal = to->pose.rotation * normal;
            to->face_at = n[3] + dot(to->face_normal, to->pose.position) - dot(normal, to->pivot);
        }
    check_cuda(cudaMemcpyAsync(frozen_.need(n), staging_, n * sizeof(ColliderView),
                               cudaMemcpyHostToDevice, stream),
               "copying colliders to it");
    return frozen_.data();
}

}  // namespace knead
