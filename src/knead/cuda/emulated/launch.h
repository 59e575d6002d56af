// How a kernel is started on the emulated device. [cuda/launch.h says what each of these is for]
#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "knead/cuda/device_array.h"
#include "knead/cuda/emulated/kernel.h"

namespace knead {

struct LaunchShape;

namespace emulated {

// The name of a kernel, out of how GCC and Clang write this function's.
template <auto kernel>
constexpr std::string_view name_of() {
    std::string_view text = __PRETTY_FUNCTION__;
    text.remove_prefix(text.find("kernel = ") + 9);
    text = text.substr(0, text.find(';'));
    for (const std::string_view scope : {"knead::", "{anonymous}::", "(anonymous namespace)::"})
        if (const auto at = text.find(scope); at < 3) text.remove_prefix(at + scope.size());
    return text.back() == ']' ? text.substr(0, text.size() - 1) : text;
}

template <auto kernel, class... P, class... A>
Kernel make_kernel(void (*)(P...), A&&... args) {
    using Arguments = std::tuple<std::remove_cv_t<P>...>;
    Kernel k;
    k.name = name_of<kernel>();
    k.code = reinterpret_cast<const void*>(kernel);
    k.run = [](const void* kept) { std::apply(kernel, *static_cast<const Arguments*>(kept)); };
    k.arguments = std::make_shared<const Arguments>(std::forward<A>(args)...);
    k.argument_bytes = sizeof(Arguments);
    return k;
}

}  // namespace emulated

inline constexpr bool device_is_emulated = true;
template <auto kernel>
bool has_code() {
    return true;
}
inline std::string built_capabilities() { return "any"; }

template <auto kernel, class Shape, class... A>
void launch_kernel(const Shape& shape, cudaStream_t stream, bool overlaps, A&&... args) {
    emulated::Kernel k = emulated::make_kernel<kernel>(kernel, std::forward<A>(args)...);
    k.blocks = shape.blocks, k.threads = shape.threads, k.shared_bytes = shape.shared_bytes;
    k.overlaps = overlaps;
    emulated::submit(std::move(k), stream);
}
template <auto kernel, class... A>
void launch(const LaunchShape& shape, cudaStream_t stream, A&&... args) {
    launch_kernel<kernel>(shape, stream, false, std::forward<A>(args)...);
}
template <auto kernel, class... A>
void launch_overlapping(const LaunchShape& shape, cudaStream_t stream, A&&... args) {
    launch_kernel<kernel>(shape, stream, emulated::read_card().overlaps_launches(),
                          std::forward<A>(args)...);
    check_cuda(cudaGetLastError(), "starting a step");
}

template <auto kernel>
void allow_shared_bytes(std::size_t bytes) {
    check_cuda(emulated::allow_shared(reinterpret_cast<const void*>(kernel), bytes),
               "asking for shared memory");
}

inline void wait_for_kernel_before() { emulated::waited_for_kernel_before(); }
inline void let_next_kernel_begin() { emulated::lets_next_kernel_begin(); }

#define SHARED(T, name)                                  \
    static char name##_key;                              \
    auto& name = *static_cast<std::type_identity_t<T>*>( \
        ::knead::emulated::shared_memory(&name##_key, sizeof(T)))

template <class T>
T* dynamic_shared() {
    return static_cast<T*>(emulated::dynamic_shared_memory());
}

// As atomic: several threads may do this at a time.
template <class T>
KNEAD_UNCHECKED void set_flag(T* flag) {
    emulated::check_atomic(flag, sizeof(T));
    *flag = 1;
}
template <class T>
KNEAD_UNCHECKED T peek(const T* at) {
    emulated::check_peek(at, sizeof(T));
    return *at;
}

}  // namespace knead
