// The one mark that lets a function run on both sides of the bus.
#pragma once

#if defined(__CUDACC__)
#define CPU_GPU __host__ __device__
#else
#define CPU_GPU
#endif

// For code that is seldom reached, which must not cost the rest registers.
#if defined(__CUDACC__)
#define SELDOM __noinline__
#else
#define SELDOM inline __attribute__((noinline))
#endif

// For short functions of packs, which the compiler would rather call through memory.
#define ALWAYS_INLINE inline __attribute__((always_inline))
