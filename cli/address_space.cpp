// OpenVDB's logging library starts threads before main, and the program aborts without a word where
// their stacks do not fit below a limit on memory (`ulimit -v`). This looks first. It runs before
// any library is initialized, so it makes system calls only.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

// Four threads of OpenVDB's logging library and what they and the others allocate.
std::size_t needed() {
    struct rlimit stack {};
    const bool known = getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY;
    return 4 * (known ? stack.rlim_cur : 8 * mebi) + 32 * mebi;
}

void look(int, char**, char**) {
    const std::size_t bytes = needed();
    const long got = syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got != -1) {
        syscall(SYS_munmap, got, bytes);
        return;
    }
    constexpr char text[] =
        "knead: the limit on memory leaves too little to start; raise it (`ulimit -v`), to 400 MB "
        "or more\n";
    if (syscall(SYS_write, STDERR_FILENO, text, sizeof text - 1) < 0) {
        // Nobody to tell.
    }
    syscall(SYS_exit_group, 1);
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**,
                                                                             char**) = look;

}  // namespace

#endif
