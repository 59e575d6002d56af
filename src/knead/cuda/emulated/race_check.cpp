// Decides for every access of a kernel whether it races with one before it, is beyond what was
// allocated, or reads what was never written. Findings are told once for each pair of lines.
#include "knead/cuda/emulated/race_check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "knead/cuda/emulated/device_api.h"
#include "knead/cuda/emulated/host_api.h"
#include "knead/cuda/emulated/race_access.h"
#include "knead/cuda/emulated/race_clocks.h"
#include "knead/cuda/emulated/race_memory.h"
#include "knead/cuda/emulated/report.h"

extern "C" char __executable_start, _end;

namespace knead::emulated {

namespace {

// The launch, the CUDA block and the thread that run.
thread_local bool in_kernel = false;
std::uint32_t launch = 0, block = 0;
unsigned now = 0;
const char *stack_low = nullptr, *stack_high = nullptr;
const char *arguments_low = nullptr, *arguments_high = nullptr;
BlockClocks clocks;

// Launches up to these are known to be over: to this one from its start, to one that overlaps it
// when the last thread lets it begin, and to the next.
std::uint32_t known_over = 0, known_at_trigger = ~0u, known_to_next = 0;
std::vector<char> waited;  // threads that waited for the kernel before

constexpr std::size_t most_told = 20;
std::set<std::string> findings;

std::uint32_t place_of(const void* line) {
    return static_cast<std::uint32_t>(static_cast<const char*>(line) - &__executable_start);
}
const void* line_at(std::uint32_t place) { return &__executable_start + place; }

void tell(const char* what, std::uint32_t line, const Access* other) {
    std::string key = running_thread();
    key = key.substr(0, key.find(", block")) + what + std::to_string(line) + " " +
          std::to_string(other ? other->line : 0);
    if (!findings.insert(key).second || findings.size() > most_told) return;
    in_kernel = false;
    std::fprintf(stderr, "\nrace check: %s\n  %s\n  at %s\n", what, running_thread().c_str(),
                 line_of(line_at(line)).c_str());
    if (other)
        std::fprintf(stderr, "  other: block %u, thread %u%s\n  at %s\n", other->block,
                     unsigned{other->thread}, other->launch == launch ? "" : ", an earlier kernel",
                     line_of(line_at(other->line)).c_str());
    in_kernel = true;
}

// A program with findings fails, whatever its tests say.
struct AtExit {
    ~AtExit() {
        if (findings.empty()) return;
        std::fprintf(stderr, "race check: %zu findings\n", findings.size());
        std::fflush(nullptr);
        std::_Exit(66);
    }
};
const AtExit at_exit;

bool is_before(const Access& a, bool shared) {
    if (a.launch != launch) return shared || waited[now] || a.launch <= known_over;
    if (a.block != block) return shared;
    return clocks.is_before(a, now);
}

// One cell of an access; `bytes` are those it touches.
void touch_cell(Cell& c, std::uint8_t bytes, Touching how, std::uint32_t line) {
    const bool writes = how != Touching::read && how != Touching::peek;
    const bool atomic = how == Touching::atomic || how == Touching::peek;
    if (c.shared && (c.launch != launch || c.block != block))
        c.written = 0, c.launch = launch, c.block = block;
    if (how != Touching::write && (c.written & bytes) != bytes)
        tell("reads what was never written", line, nullptr);
    if (writes) c.written |= bytes;
    const auto races = [&](const Access& a) {
        return (a.bytes & bytes) != 0 && !(a.atomic && atomic) && !is_before(a, c.shared);
    };
    if (races(c.write))
        tell(writes ? "race: writes what another thread wrote"
                    : "race: reads what another thread wrote",
             line, &c.write);
    if (writes)
        for (const Access* a : {&c.read, &c.read_before})
            if (races(*a)) tell("race: writes what another thread read", line, a);
    const Access mine{launch, block,          clocks.clock(now),
                      line,   clocks.epoch(), static_cast<std::uint16_t>(now),
                      bytes,  atomic};
    if (writes) {
        c.write = mine;
    } else {
        if (c.read.thread != mine.thread || c.read.block != block) c.read_before = c.read;
        c.read = mine;
    }
}

}  // namespace

void touch(const void* at, std::size_t bytes, Touching how, const void* caller) {
    if (!in_kernel) return;
    const auto* const p = static_cast<const char*>(at);
    if (p >= stack_low && p < stack_high) return;
    const std::uint32_t line = place_of(caller);
    if (!watched().holds(at)) {
        const bool is_constant = p >= &__executable_start && p < &_end;
        const bool is_argument = p >= arguments_low && p < arguments_high;
        if (!is_constant && !is_argument)
            tell("touches memory that is not the device's", line, nullptr);
        return;
    }
    const std::size_t begin = watched().offset(at), end = begin + bytes;
    for (std::size_t k = begin / 4; 4 * k < end; ++k) {
        Cell& c = watched().cell(k);
        const std::size_t low = std::max(begin, 4 * k) - 4 * k,
                          high = std::min(end, 4 * k + 4) - 4 * k;
        const auto mask = static_cast<std::uint8_t>((1u << high) - (1u << low));
        if ((c.live & mask) != mask) {
            tell(how == Touching::read ? "reads beyond what was allocated"
                                       : "writes beyond what was allocated",
                 line, nullptr);
            return;
        }
        touch_cell(c, mask, how, line);
    }
}

void* take_watched(std::size_t bytes, bool shared) { return watched().take(bytes, shared); }
void give_back_watched(void* memory, std::size_t bytes) { watched().give_back(memory, bytes); }
void limit_watched(void* memory, std::size_t usable, std::size_t bytes) {
    watched().limit(memory, usable, bytes);
}
void note_written(const void* to, std::size_t bytes) {
    if (!watched().holds(to)) return;
    known_to_next = launch;
    watched().set_written(to, bytes);
}

void begin_launch(std::string_view, bool overlaps, const void* arguments, std::size_t bytes) {
    ++launch;
    known_over = overlaps ? known_to_next : launch - 1;
    known_at_trigger = ~0u;
    arguments_low = static_cast<const char*>(arguments);
    arguments_high = arguments_low + bytes;
}
void end_launch() {
    in_kernel = false;
    known_to_next = std::min(known_at_trigger, launch);
}
void begin_block(unsigned number, unsigned threads) {
    block = number;
    clocks.begin(threads);
    waited.assign(threads, 0);
    in_kernel = true;
}
void resume_thread(unsigned thread, const char* stack, std::size_t bytes) {
    now = thread;
    stack_low = stack, stack_high = stack + bytes;
}
// One thread's wait for the kernel before is seen by all after a barrier.
void order_block() {
    clocks.order_all();
    if (std::find(waited.begin(), waited.end(), 1) != waited.end())
        std::fill(waited.begin(), waited.end(), 1);
}
void order_lanes(unsigned first, unsigned mask) { clocks.order_lanes(first, mask); }
void release_to(const void* at) { clocks.release(now, at); }
void acquire_from(const void* at) { clocks.acquire(now, at); }
void waited_for_kernel_before() { waited[now] = 1; }
void lets_next_kernel_begin() {
    known_at_trigger = std::min(known_at_trigger, waited[now] ? launch - 1 : known_over);
}
void check_atomic(const void* at, std::size_t bytes) {
    touch(at, bytes, Touching::atomic, __builtin_return_address(0));
}
void check_peek(const void* at, std::size_t bytes) {
    touch(at, bytes, Touching::peek, __builtin_return_address(0));
}
void check_write(const void* at, std::size_t bytes) {
    touch(at, bytes, Touching::write, __builtin_return_address(0));
}

}  // namespace knead::emulated
