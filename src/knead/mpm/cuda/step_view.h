// What the kernels of a step read and write besides the particles.
#pragma once

#include "knead/cuda/runtime.h"

#include "knead/mpm/cuda/block_box.h"
#include "knead/mpm/cuda/collider_view.h"
#include "knead/mpm/cuda/device_block.h"
#include "knead/mpm/grid/block_key.h"
#include "knead/mpm/settings.h"

namespace knead {

// A tile on the GPU: the nodes that particles of one block can reach. It spans the block's nodes,
// one more on the low side and Order + 1 more on the high side, so that particles may stand a cell
// outside. Eight lanes that stand in neighbouring columns along x are in eight different banks,
// whatever layers they are in.
template <int Order>
struct DeviceTile {
    CPU_GPU static constexpr int width(int axis) { return DeviceBlock::width(axis) + Order + 2; }
    static constexpr int row = width(0);                        // from z to z + 1
    static constexpr int layer = (row * width(2) + 7) / 8 * 8;  // from y to y + 1
    static constexpr int nodes = width(1) * layer;
    CPU_GPU static constexpr int index(int x, int y, int z) { return y * layer + z * row + x; }
};

// Four numbers of a node lie together; FLIP has two such groups, APIC one.
template <Transfer transfer>
inline constexpr int node_groups = transfer == Transfer::apic ? 1 : 2;

// Rows [begin, end) of a phase, all in one grid block; work of one CUDA block.
struct Source {
    int begin, end, block;
};
// What may touch a source's particles in a batch: nothing, one half-space such as a floor, or
// anything. Each has a kernel of its own, which keeps the ones with less to do lean.
enum Touch : int { touch_none = 0, touch_face = 1, touch_any = 2, touch_kinds = 3 };
// Sources that one kernel works on, by number.
struct SourceList {
    const int* numbers = nullptr;
    int count = 0;
};
// A phase's sources, by Touch.
struct SourceLists {
    SourceList by[touch_kinds];
};
// Sources [first, first + count) hold a phase's particles of a block.
struct SourceSpan {
    int first, count;
};

// With sticky walls at their surface: to which free node one is bound, by which share of its
// velocity, and the velocities of the wall at both [m/s]. [mpm/wall_nodes.h]
enum : int { not_bound = -2, bound_to_wall = -1 };
struct BoundNode {
    int free;  // its number, or one of these
    float share;
    Vec3f wall, wall_there;
};
struct WallsView {
    BlockTableView targets;
    BoundNode* bound = nullptr;  // one a node; null: walls hold nodes
    unsigned* folds = nullptr;   // and the nodes that are bound to it, a bit each
};

struct GridView {
    const Source* sources;
    const Vec3i* blocks;       // coordinates
    const int* block_targets;  // DeviceBlock::neighbours a block
    const int* seen_targets;   // where particles read: block_targets, or after a sort the targets
    const float4* seen_nodes;  // and nodes of the grid before it; -1: nothing was there
    const Vec3i* targets;      // coordinates
    const int* target_blocks;  // and a target; -1 where there is none
    const SourceSpan* spans;   // phase by phase, one a block
    int phases, block_count, target_count;
    const DeviceNearColliders* block_near;   // what may come near in this batch, one a block
    const DeviceNearColliders* target_near;  // and one a target
    float4* tiles;                           // [source][group][node]
    float4* nodes;                           // [target][group][64]
    WallsView walls;
};

// Room that a tile gives particles beyond their block: one cell each way. `used` is 1 where a
// particle stands a cell outside, 0 where it is within its block.
inline constexpr float room_allowed = 0.999f;

// A step that pauses leaves velocities, by which particles are sorted; one that ends leaves all
// that the host or another step length needs. All that are taken leave their tiles.
enum StepState : int { step_skipped = 0, step_goes_on = 1, step_pauses = 2, step_ends = 3 };

// How a step of a batch went.
struct StepSlot {
    int state;               // StepState
    unsigned used_bits;      // most that a particle has used of the room its tile gives it, as bits
    unsigned move_bits;      // largest displacement along an axis [cells], as bits
    unsigned strain_bits;    // largest squared norm of the strain
    unsigned speed_bits;     // largest squared speed [m2/s2], as bits
    unsigned long long bad;  // ~(phase << 32 | row) of a particle that is no longer finite; 0: none
};

struct StepView {
    StepSlot* slots;
    int step;                      // of the batch; -1 for the scatter that begins it
    const int* ahead;              // added to `step` where a graph is started again
    int steps;                     // of the batch
    bool ends;                     // with its last step; otherwise more of the same follow
    float first_used, first_move;  // before the batch; what its first step may move [cells]
    float move_allowed;            // larger steps end the batch [cells]
    double dx, dt;
    double sticky_reach;  // [cells]
    float flip_fraction, damping;
    const float* heal_dt;  // step by step; 0: no healing in it
    bool wants_strain;     // for when to resample
    Vec3d gravity;
    const ColliderView* colliders;  // step by step
    int collider_count;

    // What a kernel finds by its number in the batch.
    __device__ int number() const { return step + *ahead; }
    __device__ const ColliderView* colliders_at(int number) const {
        return colliders + number * collider_count;
    }
};

}  // namespace knead
