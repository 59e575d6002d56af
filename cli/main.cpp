// knead: one program, one file a command. This is where errors turn into messages and exit codes.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include "arguments.h"
#include "knead/base/error.h"
#include "knead/base/version.h"
#include "knead/io/atomic_file.h"
#include "processor.h"
#include "standard_streams.h"

using namespace knead;

namespace {

std::vector<cli::Command> all_commands() {
    using namespace cli;
    std::vector<Command> list{command_run(),     command_check(),     command_info(),
                              command_stats(),   command_materials(), command_rheometer(),
                              command_surface(), command_render(),    command_export(),
                              command_view(),    command_bench(),     command_doctor()};
    list.push_back(command_completion(list));
    return list;
}

bool processor_is_able() {
    const std::string missing = cli::missing_instructions();
    if (missing.empty()) return true;
    std::fprintf(stderr,
                 "knead: this program was built for %s, but this processor lacks %s.\n"
                 "Build it here with `cmake --preset release -DKNEAD_ARCH=native`, or for every\n"
                 "64-bit PC with `-DKNEAD_ARCH=x86-64`.\n",
                 built_for(), missing.c_str());
    return false;
}

int report(const InputError& error) {
    const auto& mistakes = error.mistakes();
    for (const Mistake& m : mistakes) cli::complain(to_string(m) + "\n");
    if (mistakes.size() > 1) std::fprintf(stderr, "%zu mistakes\n", mistakes.size());
    return 2;
}

// Half-written files go with the program. `run` listens for itself and leaves a checkpoint.
void listen_for_signals() {
    struct sigaction action {};
    action.sa_handler = [](int signal) {
        abandon_unfinished();
        std::signal(signal, SIG_DFL);
        sigset_t blocked;
        sigemptyset(&blocked);
        sigaddset(&blocked, signal);
        pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
        std::raise(signal);
    };
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before {};
        sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
}

int run_command(int argc, char** argv) {
    try {
        return cli::dispatch(argc, argv, all_commands());
    } catch (const InputError& error) {
        return report(error);
    } catch (const std::filesystem::filesystem_error& error) {
        // A path that a person gave and that the system cannot follow.
        const std::string what = error.code().message();
        return report(InputError({error.path1().string()}, what, "check the path"));
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "knead: out of memory; a coarser scene needs less\n");
        return 1;
    } catch (const std::system_error& error) {
        if (std::ferror(stdout))
            cli::note_output_error(error.code().value());  // told at the end
        else
            cli::complain(std::string("knead: ") + error.what() + "\n");
        return 1;
    } catch (const std::exception& error) {
        cli::complain(std::string("knead: ") + error.what() + "\n");
        return 1;
    }
}

}  // namespace

int main(int argc, char** argv) {
    cli::prepare_streams();
    listen_for_signals();
    if (!processor_is_able()) return 1;
    return cli::finish_output(run_command(argc, argv));
}
