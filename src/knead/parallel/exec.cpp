#include "knead/parallel/exec.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <memory>
#include <utility>

#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
#endif

namespace knead {

namespace {
// The thread sanitizer does not see how TBB, which was built without it, orders its tasks: a chunk
// comes after what stands before the loop, and what follows the loop after all chunks.
struct ToldOrder {
#if defined(__SANITIZE_THREAD__)
    char before = 0, after = 0;
    void loop_begins() { __tsan_release(&before); }
    void chunk_begins() { __tsan_acquire(&before); }
    void chunk_ends() { __tsan_release(&after); }
    void loop_ends() { __tsan_acquire(&after); }
#else
    void loop_begins() {}
    void chunk_begins() {}
    void chunk_ends() {}
    void loop_ends() {}
#endif
};

// Never destroyed: at the end of the program TBB would start the threads that it held back.
std::unique_ptr<tbb::global_control>& limit = *new std::unique_ptr<tbb::global_control>;
int current_threads = 0;
thread_local int threads_here = 0;  // inside of with_threads
}  // namespace

void parallel_chunks(std::size_t n, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& body) {
    if (n == 0) return;
    if (grain == 0) grain = 1;
    const std::size_t chunks = (n + grain - 1) / grain;
    if (chunks == 1) return body(0, n);
    // Every chunk is a task of its own, so that nobody waits for more than one in the end.
    ToldOrder order;
    const auto work = [&](std::size_t c) {
        const std::size_t end = n < (c + 1) * grain ? n : (c + 1) * grain;
        order.chunk_begins();
        body(c * grain, end);
        order.chunk_ends();
    };
    order.loop_begins();
    tbb::parallel_for(std::size_t{0}, chunks, work, tbb::simple_partitioner());
    order.loop_ends();
}

void with_threads(int threads, const std::function<void()>& work) {
    if (threads <= 0) return work();
    const int outside = std::exchange(threads_here, threads);
    try {
        tbb::task_arena(threads).execute(work);
    } catch (...) {
        threads_here = outside;
        throw;
    }
    threads_here = outside;
}

void set_thread_count(int threads) {
    current_threads = threads > 0 ? threads : 0;
    limit.reset();
    if (threads > 0)
        limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                      static_cast<std::size_t>(threads));
}

int thread_count() {
    if (threads_here > 0) return threads_here;
    return current_threads > 0 ? current_threads : tbb::info::default_concurrency();
}

}  // namespace knead
