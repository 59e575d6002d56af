// Blocks of a box, numbered in (x, y, z) order; a table over such a box tells which of them there
// are.
#pragma once

#include "knead/cuda/runtime.h"
#include "knead/mpm/cuda/device_block.h"

namespace knead {

struct BlockBox {
    Vec3i lo{0, 0, 0}, extent{0, 0, 0};

    CPU_GPU long long size() const {
        return static_cast<long long>(extent.x) * extent.y * extent.z;
    }
    CPU_GPU int number(const Vec3i& b) const {
        return ((b.x - lo.x) * extent.y + (b.y - lo.y)) * extent.z + (b.z - lo.z);
    }
    CPU_GPU Vec3i block(int n) const {
        const int z = n % extent.z, y = n / extent.z % extent.y;
        return {lo.x + n / extent.z / extent.y, lo.y + y, lo.z + z};
    }
    CPU_GPU bool holds(const Vec3i& b) const {
        const Vec3i at = b - lo;
        return at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < extent.x && at.y < extent.y &&
               at.z < extent.z;
    }
    // Whether it holds a block with all that its particles reach.
    CPU_GPU bool holds_reached(const Vec3i& b) const {
        const Vec3i at = b - lo;
        return at.x >= 1 && at.y >= 1 && at.z >= 1 && at.x < extent.x - 1 && at.y < extent.y - 2 &&
               at.z < extent.z - 1;
    }
    int bits() const {
        int bits = 1;
        while (size() >> bits) ++bits;
        return bits;
    }
};

// What a table over a box holds: there[n] is 1 where block n is there, and then it is the
// index[n]-th of them.
struct BlockTableView {
    BlockBox box;
    const int* there;
    const int* index;

    __device__ int find(const Vec3i& b) const {
        if (!box.holds(b)) return -1;
        const int n = box.number(b);
        return there[n] ? index[n] : -1;
    }
};

}  // namespace knead
