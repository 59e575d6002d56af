#include "knead/cuda/emulated/fibre.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cstdint>

#include "knead/cuda/emulated/report.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

// Pushes what a call must keep, stores the stack's top to *save, and goes on at another's.
extern "C" void knead_switch_stack(void** save, void* to);
extern "C" void knead_begin_stack();
asm(R"(
.text
.globl knead_switch_stack
.type knead_switch_stack, @function
knead_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size knead_switch_stack, .-knead_switch_stack
.globl knead_begin_stack
.type knead_begin_stack, @function
knead_begin_stack:
    xorl %ebp, %ebp
    call *%rbx
    ud2
.size knead_begin_stack, .-knead_begin_stack
)");

namespace knead::emulated {

namespace {

// Of the thread of the host that runs the kernel.
struct Scheduler {
    void* top = nullptr;
    void* fake_stack = nullptr;
    const void* low = nullptr;
    std::size_t bytes = 0;
};
Scheduler scheduler;

// What the address sanitizer must know of every switch.
#ifdef __SANITIZE_ADDRESS__
void leaving(void** fake_stack, const void* to, std::size_t bytes) {
    __sanitizer_start_switch_fiber(fake_stack, to, bytes);
}
void arrived(void* fake_stack) { __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr); }
// Once for each thread of the host: it reads all that the process has mapped.
void find_scheduler_stack() {
    struct Stack {
        void* low = nullptr;
        std::size_t bytes = 0;
    };
    static thread_local const Stack own = [] {
        Stack stack;
        pthread_attr_t attributes;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &stack.low, &stack.bytes);
        pthread_attr_destroy(&attributes);
        return stack;
    }();
    scheduler.low = own.low;
    scheduler.bytes = own.bytes;
}
#else
void leaving(void**, const void*, std::size_t) {}
void arrived(void*) {}
void find_scheduler_stack() {}
#endif

}  // namespace

Fibre::Fibre(std::size_t number) : colour_(number * 448 % 16384) {
    void* memory = mmap(nullptr, page + stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) fail("no memory for the stacks of threads");
    mprotect(memory, page, PROT_NONE);
    stack_ = static_cast<char*>(memory) + page;
}
Fibre::~Fibre() { munmap(stack_ - page, page + stack_bytes); }

void Fibre::begin(void (*entry)()) {
    auto** top = reinterpret_cast<void**>(stack_ + stack_bytes - 64 - colour_);
    *--top = reinterpret_cast<void*>(&knead_begin_stack);
    *--top = nullptr;                         // rbp
    *--top = reinterpret_cast<void*>(entry);  // rbx
    for (int k = 0; k < 4; ++k) *--top = nullptr;
    top_ = top;
}

void Fibre::switch_from(Fibre& running) {
    leaving(&running.fake_stack_, stack_, stack_bytes);
    knead_switch_stack(&running.top_, top_);
    arrived(running.fake_stack_);
}
void Fibre::enter_from_scheduler(Fibre& to) {
    find_scheduler_stack();
    leaving(&scheduler.fake_stack, to.stack_, stack_bytes);
    knead_switch_stack(&scheduler.top, to.top_);
    arrived(scheduler.fake_stack);
}
void Fibre::leave_to_scheduler(bool for_good) {
    leaving(for_good ? nullptr : &fake_stack_, scheduler.low, scheduler.bytes);
    knead_switch_stack(&top_, scheduler.top);
    arrived(fake_stack_);
}
void Fibre::entered() { arrived(nullptr); }

Fibre* FibrePool::take() {
    if (free_.empty()) {
        all_.push_back(std::make_unique<Fibre>(all_.size()));
        free_.push_back(all_.back().get());
    }
    Fibre* fibre = free_.back();
    free_.pop_back();
    return fibre;
}

}  // namespace knead::emulated
