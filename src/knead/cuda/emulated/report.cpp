#include "knead/cuda/emulated/report.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "knead/cuda/emulated/device_api.h"
#include "knead/cuda/emulated/host_api.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace knead::emulated {

namespace {

std::string kernel;

// The address as it stands in the program's file.
std::size_t place_in_file(const void* address) {
    Dl_info info{};
    if (!dladdr(address, &info)) return 0;
    return static_cast<std::size_t>(static_cast<const char*>(address) -
                                    static_cast<const char*>(info.dli_fbase));
}

// What binutils' addr2line says: pairs of lines, function and place, innermost first.
std::vector<std::string> ask_addr2line(std::size_t place) {
    char program[512];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (n <= 0) return {};
    program[n] = 0;
    char command[700];
    std::snprintf(command, sizeof(command), "addr2line -s -i -e '%s' 0x%zx 2>/dev/null", program,
                  place);
    std::vector<std::string> lines;
    FILE* pipe = popen(command, "r");
    if (!pipe) return {};
    char text[1024];
    while (std::fgets(text, sizeof(text), pipe)) {
        lines.emplace_back(text);
        lines.back().resize(lines.back().find_last_not_of('\n') + 1);
    }
    pclose(pipe);
    return lines;
}

#ifdef __SANITIZE_ADDRESS__
// The sanitizers' own report names lines; this adds the thread.
void tell_thread() {
    const std::string who = running_thread();
    if (!who.empty()) std::fprintf(stderr, "emulated device: in %s\n", who.c_str());
}
const bool is_told = [] {
    __sanitizer_set_death_callback(tell_thread);
    return true;
}();
#else
// A thread that touches memory nobody has, told before the program ends of it.
void tell_thread(int signal, siginfo_t*, void* context) {
    if (!kernel.empty()) {
        const auto* const registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        const auto* const at = reinterpret_cast<const char*>(registers[REG_RIP]);
        const auto* const line = at + 1;
        std::fprintf(stderr,
                     "\nemulated device: touches memory that nobody has\n  in %s\n  at %s\n",
                     running_thread().c_str(), line_of(line).c_str());
    }
    std::signal(signal, SIG_DFL);
}
const bool is_told = [] {
    static char stack[1 << 16];
    stack_t own{};
    own.ss_sp = stack;
    own.ss_size = sizeof(stack);
    sigaltstack(&own, nullptr);
    struct sigaction action {};
    action.sa_sigaction = tell_thread;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    return true;
}();
#endif

}  // namespace

void set_running_kernel(std::string_view name) { kernel = name; }

std::string running_thread() {
    if (kernel.empty()) return {};
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    return "kernel " + kernel + ", block " + std::to_string(block) + ", thread " +
           std::to_string(threadIdx.x);
}

std::string line_of(const void* address) {
    constexpr std::size_t most = 4;
    const std::vector<std::string> lines = ask_addr2line(place_in_file(address) - 1);
    std::string text;
    for (std::size_t k = 0; k < lines.size() && k < most; ++k)
        text += (k == 0 ? "" : " < ") + lines[k];
    return text.empty() ? "unknown line" : text;
}

void fail(const std::string& what) {
    std::fprintf(stderr, "\nemulated device: %s\n", what.c_str());
    if (const std::string who = running_thread(); !who.empty())
        std::fprintf(stderr, "  in %s\n", who.c_str());
    // The frames of the emulated device come first, then those of the kernel or the host.
    void* frames[12];
    const int n = backtrace(frames, 12);
    for (int k = 1; k < n; ++k) std::fprintf(stderr, "  at %s\n", line_of(frames[k]).c_str());
    std::abort();
}

}  // namespace knead::emulated
