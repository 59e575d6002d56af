#include "knead/mpm/cuda/device_phase.h"

#include <cstring>

namespace knead {

namespace {

constexpr int most_planes = 40;

// Where the view keeps plane k of a column; null for columns no kernel looks at.
void** slot_of(ParticleView& view, const char* name, int k) {
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    const auto as_slot = [](auto& pointer) { return reinterpret_cast<void**>(&pointer); };
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

DevicePhase::Kind DevicePhase::kind_of(const char* name, Transfer transfer) {
    ParticleView scratch;
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    if (!slot_of(scratch, name, 0)) return Kind::resting;
    if (is("C") || is("stress")) return Kind::passing;
    if (is("v") && transfer == Transfer::apic) return Kind::passing;
    return Kind::lasting;
}

void DevicePhase::upload(const Particles<float>& p, int phase, Transfer transfer,
                         PinnedCopies& copies, cudaStream_t stream) {
    size_ = static_cast<int>(p.size());
    view_ = {};
    view_.phase = phase;
    transfer_ = transfer;
    rows_are_moved_ = false;
    std::size_t used = 0;
    p.for_each_column([&](const ColumnInfo& info, const auto& column) {
        const Kind kind = kind_of(info.name, transfer);
        if (!column.present() || kind == Kind::resting) return;
        constexpr int width = sizeof(typename std::remove_cvref_t<decltype(column)>::Scalar);
        static_assert(width == 4 || width == 8);
        for (int k = 0; k < column.planes; ++k, ++used) {
            if (used == planes_.size()) planes_.emplace_back();
            Plane& plane = planes_[used];
            const std::size_t bytes = p.size() * width;
            plane.width = width;
            plane.lasting = kind == Kind::lasting;
            plane.slot = slot_of(view_, info.name, k);
            if (plane.lasting) plane.spare.need(bytes);
            copies.to_device(plane.now.need(bytes), column.plane(k), bytes, stream);
        }
    });
    if (used > most_planes) throw RunError("a phase has more columns than the GPU code takes");
    planes_.resize(used);
    point_view();
    check_cuda(cudaStreamSynchronize(stream), "copying particles to it");
}

void DevicePhase::download(Particles<float>& p, PinnedCopies& copies, cudaStream_t stream) {
    std::vector<unsigned> rows;
    if (rows_are_moved_) {
        rows.resize(p.size());
        check_cuda(cudaMemcpyAsync(rows.data(), rows_.data(), p.size() * sizeof(unsigned),
                                   cudaMemcpyDeviceToHost, stream),
                   "copying particles from it");
        check_cuda(cudaStreamSynchronize(stream), "copying particles from it");
    }
    std::size_t used = 0;
    p.for_each_column([&](const ColumnInfo& info, auto& column) {
        if (!column.present()) return;
        const bool rests = kind_of(info.name, transfer_) == Kind::resting;
        for (int k = 0; k < column.planes; ++k) {
            if (rests) {
                using S = typename std::remove_cvref_t<decltype(column)>::Scalar;
                if (rows.empty()) continue;
                const std::vector<S> old(column.plane(k), column.plane(k) + p.size());
                for_each(rows.size(), 65536,
                         [&](std::size_t i) { column.at(i, k) = old[rows[i]]; });
            } else {
                const Plane& plane = planes_.at(used++);
                copies.to_host(column.plane(k), plane.now.data(),
                               p.size() * static_cast<std::size_t>(plane.width), stream);
            }
        }
    });
    copies.finish();
    rows_are_moved_ = false;
}

void DevicePhase::point_view() {
    for (Plane& plane : planes_) *plane.slot = plane.now.data();
}

void DevicePhase::reorder(const unsigned* order, cudaStream_t stream) {
    if (size_ == 0) return;
    const auto n = static_cast<std::size_t>(size_);
    Moves moves{};
    const auto move = [&moves](const void* from, void* to, int width) {
        moves.from[moves.count] = from;
        moves.to[moves.count] = to;
        moves.width[moves.count++] = width;
    };
    for (Plane& plane : planes_) {
        if (!plane.lasting) continue;
        move(plane.now.data(), plane.spare.data(), plane.width);
        plane.now.swap(plane.spare);
    }
    rows_.need(n), spare_rows_.need(n);
    if (rows_are_moved_) {
        move(rows_.data(), spare_rows_.data(), 4);
        rows_.swap(spare_rows_);
    } else {
        check_cuda(cudaMemcpyAsync(rows_.data(), order, n * sizeof(unsigned),
                                   cudaMemcpyDeviceToDevice, stream),
                   "moving particles");
        rows_are_moved_ = true;
    }
    gather_rows<<<(size_ + 255) / 256, 256, 0, stream>>>(moves, order, size_);
    check_cuda(cudaGetLastError(), "moving particles");
    point_view();
    view_.order = order;
}

unsigned DevicePhase::host_row(unsigned row, cudaStream_t stream) const {
    if (!rows_are_moved_) return row;
    unsigned host = 0;
    check_cuda(
        cudaMemcpyAsync(&host, rows_.data() + row, sizeof(host), cudaMemcpyDeviceToHost, stream),
        "finding a particle");
    check_cuda(cudaStreamSynchronize(stream), "finding a particle");
    return host;
}

std::size_t DevicePhase::bytes() const {
    std::size_t sum = rows_.bytes() + spare_rows_.bytes();
    for (const Plane& plane : planes_) sum += plane.now.bytes() + plane.spare.bytes();
    return sum;
}

}  // namespace knead
