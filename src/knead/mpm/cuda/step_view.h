// What the kernels of a step read and write besides the particles.
#pragma once

#include <cuda_runtime.h>

#include "knead/mpm/cuda/collider_view.h"
#include "knead/mpm/grid/block_key.h"
#include "knead/mpm/settings.h"

namespace knead {

// A tile on the GPU: the nodes that particles of one block can reach, as in transfer/tile.h.
template <int Order>
struct DeviceTile {
    static constexpr int width = block_width + Order + 2;
    static constexpr int depth = 9;  // odd, against bank conflicts
    static constexpr int nodes = width * width * depth;
};

// Four numbers of a node lie together; FLIP has two such groups, APIC one.
template <Transfer transfer>
inline constexpr int node_groups = transfer == Transfer::apic ? 1 : 2;

// Rows [begin, end) of a phase, all in one grid block; work of one CUDA block.
struct Source {
    int begin, end, block;
};
// Sources [first, first + count) hold a phase's particles of a block.
struct SourceSpan {
    int first, count;
};

struct GridView {
    const Source* sources;
    const Vec3i* blocks;       // coordinates
    const int* block_targets;  // 27 a block
    const Vec3i* targets;      // coordinates
    const int* target_blocks;  // 27 a target; -1 where there is none
    const SourceSpan* spans;   // phase by phase, one a block
    int phases, block_count, target_count;
    float4* tiles;  // [source][group][node]
    float4* nodes;  // [target][group][64]
};

enum StepState : int { step_skipped = 0, step_goes_on = 1, step_is_last = 2 };

// How a step of a batch went.
struct StepSlot {
    float drift;             // cells that particles may have moved before this step since the sort
    int state;               // StepState
    unsigned move_bits;      // largest displacement along an axis [cells], as bits
    unsigned speed_bits;     // largest squared speed [m2/s2], as bits
    unsigned long long bad;  // ~id of the first particle that is no longer finite; 0: none
};

struct StepView {
    StepSlot* slots;
    int step;                       // of the batch; -1 for the scatter that begins it
    int steps;                      // of the batch
    float first_drift, first_move;  // before the batch; what its first step may move [cells]
    float drift_allowed, move_allowed;
    double dx, dt;
    float flip_fraction, damping;
    float heal_dt;  // 0: no healing in this step
    Vec3d gravity;
    const ColliderView* colliders;
    int collider_count;
};

}  // namespace knead
