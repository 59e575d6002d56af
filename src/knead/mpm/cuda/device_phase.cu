#include <cstring>

#include "knead/mpm/cuda/device_phase.h"

namespace knead {

namespace {

constexpr int most_planes = 64;

// Where the view keeps plane k of a column; null for columns no kernel looks at.
void** slot_of(ParticleView& view, const char* name, int k) {
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    const auto as_slot = [](auto& pointer) { return reinterpret_cast<void**>(&pointer); };
    if (is("id")) return as_slot(view.id);
    if (is("x")) return as_slot(view.x[k]);
    if (is("v")) return as_slot(view.v[k]);
    if (is("mass")) return as_slot(view.mass);
    if (is("volume")) return as_slot(view.volume);
    if (is("C")) return as_slot(view.C[k]);
    if (is("F")) return as_slot(view.F[k]);
    if (is("b")) return as_slot(view.b[k]);
    if (is("dilation")) return as_slot(view.dilation);
    if (is("hardening")) return as_slot(view.hardening);
    if (is("volume_correction")) return as_slot(view.volume_correction);
    if (is("weak")) return as_slot(view.weak);
    if (is("stress")) return as_slot(view.stress[k]);
    return nullptr;
}

struct Moves {
    const void* from[most_planes];
    void* to[most_planes];
    int width[most_planes];
    int count;
};

__global__ void gather_rows(const __grid_constant__ Moves moves, const unsigned* order, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const unsigned row = order[i];
    for (int p = 0; p < moves.count; ++p) {
        if (moves.width[p] == 4)
            static_cast<float*>(moves.to[p])[i] = static_cast<const float*>(moves.from[p])[row];
        else
            static_cast<double*>(moves.to[p])[i] = static_cast<const double*>(moves.from[p])[row];
    }
}

}  // namespace

void DevicePhase::upload(const Particles<float>& p, cudaStream_t stream) {
    size_ = static_cast<int>(p.size());
    view_ = {};
    std::size_t used = 0;
    p.for_each_column([&](const ColumnInfo& info, const auto& column) {
        if (!column.present()) return;
        constexpr int width = sizeof(typename std::remove_cvref_t<decltype(column)>::Scalar);
        static_assert(width == 4 || width == 8);
        for (int k = 0; k < column.planes; ++k, ++used) {
            if (used == planes_.size()) planes_.emplace_back();
            Plane& plane = planes_[used];
            const std::size_t bytes = p.size() * width;
            plane.width = width;
            plane.slot = slot_of(view_, info.name, k);
            plane.spare.need(bytes);
            check_cuda(cudaMemcpyAsync(plane.now.need(bytes), column.plane(k), bytes,
                                       cudaMemcpyHostToDevice, stream),
                       "copying particles to it");
        }
    });
    if (used > most_planes) throw RunError("a phase has more columns than the GPU code takes");
    planes_.resize(used);
    point_view();
    check_cuda(cudaStreamSynchronize(stream), "copying particles to it");
}

void DevicePhase::download(Particles<float>& p, cudaStream_t stream) const {
    std::size_t used = 0;
    p.for_each_column([&](const ColumnInfo&, auto& column) {
        if (!column.present()) return;
        for (int k = 0; k < column.planes; ++k, ++used) {
            const Plane& plane = planes_.at(used);
            check_cuda(cudaMemcpyAsync(column.plane(k), plane.now.data(),
                                       p.size() * static_cast<std::size_t>(plane.width),
                                       cudaMemcpyDeviceToHost, stream),
                       "copying particles from it");
        }
    });
    check_cuda(cudaStreamSynchronize(stream), "copying particles from it");
}

void DevicePhase::point_view() {
    for (Plane& plane : planes_)
        if (plane.slot) *plane.slot = plane.now.data();
}

void DevicePhase::reorder(const unsigned* order, cudaStream_t stream) {
    if (size_ == 0) return;
    Moves moves{};
    for (Plane& plane : planes_) {
        const int k = moves.count++;
        moves.from[k] = plane.now.data();
        moves.to[k] = plane.spare.data();
        moves.width[k] = plane.width;
        plane.now.swap(plane.spare);
    }
    gather_rows<<<(size_ + 255) / 256, 256, 0, stream>>>(moves, order, size_);
    check_cuda(cudaGetLastError(), "moving particles");
    point_view();
}

std::size_t DevicePhase::bytes() const {
    std::size_t sum = 0;
    for (const Plane& plane : planes_) sum += plane.now.bytes() + plane.spare.bytes();
    return sum;
}

}  // namespace knead
