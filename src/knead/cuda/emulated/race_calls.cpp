// What GCC calls before every access of code compiled with -fsanitize=thread. The names are those
// of libtsan, which is not linked.
#include "knead/cuda/emulated/race_access.h"

using knead::emulated::touch;
using knead::emulated::Touching;

#define CALLER __builtin_return_address(0)
#define KNEAD_SIZED(n)                                                                       \
    void __tsan_read##n(void* p) { touch(p, n, Touching::read, CALLER); }                    \
    void __tsan_write##n(void* p) { touch(p, n, Touching::write, CALLER); }                  \
    void __tsan_unaligned_read##n(void* p) { touch(p, n, Touching::read, CALLER); }          \
    void __tsan_unaligned_write##n(void* p) { touch(p, n, Touching::write, CALLER); }        \
    void __tsan_volatile_read##n(void* p) { touch(p, n, Touching::peek, CALLER); }           \
    void __tsan_volatile_write##n(void* p) { touch(p, n, Touching::atomic, CALLER); }        \
    void __tsan_unaligned_volatile_read##n(void* p) { touch(p, n, Touching::peek, CALLER); } \
    void __tsan_unaligned_volatile_write##n(void* p) { touch(p, n, Touching::atomic, CALLER); }

extern "C" {

KNEAD_SIZED(1)
KNEAD_SIZED(2)
KNEAD_SIZED(4)
KNEAD_SIZED(8)
KNEAD_SIZED(16)
void __tsan_read_range(void* p, unsigned long n) { touch(p, n, Touching::read, CALLER); }
void __tsan_write_range(void* p, unsigned long n) { touch(p, n, Touching::write, CALLER); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void*, void*) {}
void __tsan_vptr_read(void*) {}

// Atomics of the host's code.
#define KNEAD_HOST_ATOMICS(bits, T)                                                             \
    T __tsan_atomic##bits##_load(const volatile T* p, int) {                                    \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                            \
    }                                                                                           \
    void __tsan_atomic##bits##_store(volatile T* p, T v, int) {                                 \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                               \
    }                                                                                           \
    T __tsan_atomic##bits##_exchange(volatile T* p, T v, int) {                                 \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                     \
    }                                                                                           \
    T __tsan_atomic##bits##_fetch_add(volatile T* p, T v, int) {                                \
        return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                      \
    }                                                                                           \
    T __tsan_atomic##bits##_fetch_sub(volatile T* p, T v, int) {                                \
        return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                      \
    }                                                                                           \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* c, T v, int, int) {     \
        return __atomic_compare_exchange_n(p, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }
KNEAD_HOST_ATOMICS(8, char)
KNEAD_HOST_ATOMICS(32, int)
KNEAD_HOST_ATOMICS(64, long)

}  // extern "C"
