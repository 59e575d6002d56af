// Fibres: threads of a kernel that take turns on one thread of the host. A switch saves the few
// registers that a call must keep, and takes some 15 ns.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace knead::emulated {

class Fibre {
public:
    // Its stack, with a page below it that nobody may touch.
    static constexpr std::size_t page = 4096;
#ifdef __SANITIZE_ADDRESS__
    static constexpr std::size_t stack_bytes = std::size_t{512} << 10;
#else
    static constexpr std::size_t stack_bytes = std::size_t{256} << 10;
#endif
    explicit Fibre(std::size_t number);
    ~Fibre();
    Fibre(const Fibre&) = delete;
    Fibre& operator=(const Fibre&) = delete;

    // The next switch to it calls entry(), which must not return.
    void begin(void (*entry)());
    const char* stack() const { return stack_; }

    // Leaves the fibre that runs, or the scheduler, for another.
    void switch_from(Fibre& running);
    static void enter_from_scheduler(Fibre& to);
    void leave_to_scheduler(bool for_good);
    // To be called first by entry().
    static void entered();

private:
    char* stack_;
    std::size_t colour_;  // stacks that begin at one place of a page would fight for cache lines
    void* top_ = nullptr;
    void* fake_stack_ = nullptr;  // of the address sanitizer
};

// Fibres to use again.
class FibrePool {
public:
    Fibre* take();
    void give_back(Fibre* fibre) { free_.push_back(fibre); }

private:
    std::vector<std::unique_ptr<Fibre>> all_;
    std::vector<Fibre*> free_;
};

}  // namespace knead::emulated
