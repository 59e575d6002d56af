// The closed list of transfer kernels: precision, B-spline order and transfer. Stages are compiled
// once for each, in their own source file.
#pragma once

#include "knead/mpm/settings.h"

#define KNEAD_FOR_EACH_KERNEL(X)  \
    X(float, 1, Transfer::apic)   \
    X(double, 1, Transfer::apic)  \
    X(float, 2, Transfer::apic)   \
    X(float, 3, Transfer::apic)   \
    X(float, 2, Transfer::flip)   \
    X(float, 3, Transfer::flip)   \
    X(double, 2, Transfer::apic)  \
    X(double, 3, Transfer::apic)  \
    X(double, 2, Transfer::flip)  \
    X(double, 3, Transfer::flip)  \
    X(float, 2, Transfer::aflip)  \
    X(float, 3, Transfer::aflip)  \
    X(double, 2, Transfer::aflip) \
    X(double, 3, Transfer::aflip)

// And what does not depend on the kernel's order.
#define KNEAD_FOR_EACH_TRANSFER(X) \
    X(float, Transfer::apic)       \
    X(float, Transfer::flip)       \
    X(float, Transfer::aflip)      \
    X(double, Transfer::apic)      \
    X(double, Transfer::flip)      \
    X(double, Transfer::aflip)

namespace knead {

// Numbers a node holds; tile.h says which.
template <Transfer transfer>
inline constexpr int node_channels = transfer == Transfer::apic ? 4 : 8;

// Where a kernel's first node stands from the particle [cells].
inline double support_offset_of(const MpmSettings& settings) { return 0.5 * (settings.kernel - 1); }

// Calls run<Order, transfer>() for what the settings name. Linear kernels are APIC's alone, and the
// GPU has none.
template <class Run>
auto with_smooth_kernel(const MpmSettings& settings, Run&& run) {
    const bool quadratic = settings.kernel == 2;
    if (settings.transfer == Transfer::apic)
        return quadratic ? run.template operator()<2, Transfer::apic>()
                         : run.template operator()<3, Transfer::apic>();
    if (settings.transfer == Transfer::flip)
        return quadratic ? run.template operator()<2, Transfer::flip>()
                         : run.template operator()<3, Transfer::flip>();
    return quadratic ? run.template operator()<2, Transfer::aflip>()
                     : run.template operator()<3, Transfer::aflip>();
}
template <class Run>
auto with_kernel(const MpmSettings& settings, Run&& run) {
    if (settings.kernel == 1) return run.template operator()<1, Transfer::apic>();
    return with_smooth_kernel(settings, run);
}

}  // namespace knead
