// The CUDA runtime: NVIDIA's, or the emulated device's that runs kernels on the processor.
#pragma once

#ifdef KNEAD_EMULATED_DEVICE
#include "knead/cuda/emulated/device_api.h"
#include "knead/cuda/emulated/host_api.h"
#else
#include <cuda_runtime.h>
#endif
