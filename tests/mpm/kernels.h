// Every kernel with every transfer, for tests that go through them.
#pragma once

#include "knead/mpm/settings.h"

namespace knead {

struct Kernel {
    int order;
    Transfer transfer;
};
inline const Kernel kernels[] = {{2, Transfer::apic}, {3, Transfer::apic},  {2, Transfer::flip},
                                 {3, Transfer::flip}, {2, Transfer::aflip}, {3, Transfer::aflip}};

}  // namespace knead
