// Included by the sources that compile step_particles for their laws.
#pragma once

#include "knead/mpm/cuda/step_particles.h"
#include "knead/mpm/transfer/kernels.h"

namespace knead {

// Those that take longest go first, and the others begin beside them. Laws that share a kernel have
// none for half-spaces alone.
template <class L, int Order, Transfer transfer>
void launch_step_kernels(const L& law, const ParticleView& p, const GridView& grid,
                         const StepView& step, const SourceLists& sources, cudaStream_t stream) {
    constexpr std::size_t bytes = step_shared_bytes<Order, transfer>;
    bool is_first = true;
    const auto start = [&]<Touch kernel_for>(const SourceList& list) {
        if (list.count == 0) return;
        constexpr auto kernel = step_particles<L, Order, transfer, kernel_for>;
        allow_shared_bytes<kernel>(bytes);
        launch_overlapping<kernel>({list.count, step_threads, bytes}, stream, p, law, grid, step,
                                   list.numbers, is_first);
        is_first = false;
    };
    constexpr Touch for_faces = std::is_same_v<L, AnyLaw> ? touch_any : touch_face;
    start.template operator()<touch_any>(sources.by[touch_any]);
    start.template operator()<for_faces>(sources.by[touch_face]);
    start.template operator()<touch_none>(sources.by[touch_none]);
}

}  // namespace knead
