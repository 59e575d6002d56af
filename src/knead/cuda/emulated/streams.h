// Work waits in its stream until somebody waits for it. One lock serves all: threads of the host
// take turns.
#pragma once

#include <functional>
#include <mutex>

#include "knead/cuda/emulated/host_api.h"

namespace knead::emulated {

using Work = std::function<void()>;
using Lock = std::lock_guard<std::recursive_mutex>;
std::recursive_mutex& device_lock();

// Into the stream, or the graph that is being recorded from it.
void enqueue(cudaStream_t stream, Work work);
// Once all that waits in any stream now has run.
void after_queued_work(const Work& work);
void finish(cudaStream_t stream);
void finish_all();

cudaError_t set_error(cudaError_t error);  // for cudaGetLastError; returns it

}  // namespace knead::emulated
