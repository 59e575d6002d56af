// The one mark that lets a function run on both sides of the bus.
#pragma once

#if defined(__CUDACC__)
#define CPU_GPU __host__ __device__
#else
#define CPU_GPU
#endif
