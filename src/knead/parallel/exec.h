// Loops and reductions on the CPU's threads. Results never depend on the thread count: work is cut
// into chunks whose size the caller fixes, and partial results are combined in chunk order.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace knead {

// Runs body(begin, end) over [0, n) in pieces of at most `grain` indices.
void parallel_chunks(std::size_t n, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& body);

// Runs body(i) for every i in [0, n), `grain` indices a task.
template <class Body>
void for_each(std::size_t n, std::size_t grain, const Body& body) {
    parallel_chunks(n, grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) body(i);
    });
}

inline constexpr std::size_t reduce_chunk = 4096;

// Combines map(i) over [0, n): within chunks of fixed size first, then over the chunks in order.
template <class T, class Map, class Combine>
T reduce(std::size_t n, T start, const Map& map, const Combine& combine) {
    const std::size_t chunks = (n + reduce_chunk - 1) / reduce_chunk;
    std::vector<T> partial(chunks, start);
    for_each(chunks, 1, [&](std::size_t c) {
        const std::size_t end = n < (c + 1) * reduce_chunk ? n : (c + 1) * reduce_chunk;
        T sum = start;
        for (std::size_t i = c * reduce_chunk; i < end; ++i) sum = combine(sum, map(i));
        partial[c] = sum;
    });
    T total = start;
    for (const T& p : partial) total = combine(total, p);
    return total;
}

// Work that gets `threads` threads at the most, 0: all cores. For several simulations in a process,
// each with its own.
void with_threads(int threads, const std::function<void()>& work);

// Caps the threads that every loop after this call may use; 0 means all cores.
void set_thread_count(int threads);
int thread_count();

}  // namespace knead
