// What the emulated device tells the race checker. Where kernels are not instrumented for it, all
// of this is empty.
//
// Memory of a CUDA block is ordered by __syncthreads, __syncwarp and barriers alone: shuffles and
// votes order nothing. Between kernels it is ordered by the stream, and where they overlap by
// wait_for_kernel_before.
#pragma once

#include <cstddef>
#include <string_view>

#ifdef KNEAD_RACE_CHECK
#define KNEAD_UNCHECKED __attribute__((no_sanitize("thread"), noinline))
#else
#define KNEAD_UNCHECKED
#endif

namespace knead::emulated {

#ifdef KNEAD_RACE_CHECK

// Memory of the device or of CUDA blocks, which only there is watched.
void* take_watched(std::size_t bytes, bool shared);
void give_back_watched(void* memory, std::size_t bytes);
void limit_watched(void* memory, std::size_t usable, std::size_t bytes);
// Written by the host, a copy or a library, after all kernels so far.
void note_written(const void* to, std::size_t bytes);

void begin_launch(std::string_view name, bool overlaps, const void* arguments, std::size_t bytes);
void end_launch();
void begin_block(unsigned number, unsigned threads);
void resume_thread(unsigned thread, const char* stack, std::size_t bytes);
void order_block();
void order_lanes(unsigned first, unsigned mask);

// By the thread that runs.
void release_to(const void* at);
void acquire_from(const void* at);
void waited_for_kernel_before();
void lets_next_kernel_begin();
void check_atomic(const void* at, std::size_t bytes);
void check_peek(const void* at, std::size_t bytes);
void check_write(const void* at, std::size_t bytes);

#else

inline void note_written(const void*, std::size_t) {}
inline void begin_launch(std::string_view, bool, const void*, std::size_t) {}
inline void end_launch() {}
inline void begin_block(unsigned, unsigned) {}
inline void resume_thread(unsigned, const char*, std::size_t) {}
inline void order_block() {}
inline void order_lanes(unsigned, unsigned) {}
inline void release_to(const void*) {}
inline void acquire_from(const void*) {}
inline void waited_for_kernel_before() {}
inline void lets_next_kernel_begin() {}
inline void check_atomic(const void*, std::size_t) {}
inline void check_peek(const void*, std::size_t) {}
inline void check_write(const void*, std::size_t) {}

#endif

}  // namespace knead::emulated
