#include "standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "knead/base/safe_text.h"

namespace knead::cli {

namespace {

int first_error = 0;  // of standard output

}  // namespace

void prepare_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        // the lowest number that is free is the one that was closed
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) != stream) std::_Exit(1);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

Printed say(std::string_view text) { return say_as_it_is(safe_text(text, true)); }

Printed say_as_it_is(std::string_view text) {
    errno = 0;
    const bool good =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (good) return Printed::yes;
    note_output_error(errno != 0 ? errno : EIO);
    return first_error == EPIPE ? Printed::reader_left : Printed::failed;
}

void note_output_error(int error) {
    if (first_error == 0) first_error = error;
}

void complain(std::string_view text) {
    const std::string safe = safe_text(text, true);
    std::fwrite(safe.data(), 1, safe.size(), stderr);
}

int finish_output(int exit_code) {
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0;
    if (!flushed) note_output_error(errno);
    if (flushed && first_error == 0 && !std::ferror(stdout)) return exit_code;
    const char* why = first_error != 0 ? std::strerror(first_error) : "the device is full or gone";
    if (first_error != EPIPE)
        complain(fmt::format("knead: standard output cannot be written: {}\n", why));
    return exit_code != 0 ? exit_code : 1;
}

}  // namespace knead::cli
