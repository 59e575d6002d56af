// knead: one program, one file a command. This is where errors turn into messages and exit codes.
#include <cstdio>
#include <new>

#include "arguments.h"
#include "knead/base/error.h"
#include "knead/base/version.h"
#include "processor.h"

using namespace knead;

namespace {

std::vector<cli::Command> all_commands() {
    using namespace cli;
    std::vector<Command> list{command_run(),     command_check(),     command_info(),
                              command_stats(),   command_materials(), command_rheometer(),
                              command_surface(), command_render(),    command_export(),
                              command_bench(),   command_doctor()};
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
    for (const Mistake& m : mistakes) std::fprintf(stderr, "%s\n", to_string(m).c_str());
    if (mistakes.size() > 1) std::fprintf(stderr, "%zu mistakes\n", mistakes.size());
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (!processor_is_able()) return 1;
    try {
        return cli::dispatch(argc, argv, all_commands());
    } catch (const InputError& error) {
        return report(error);
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "knead: out of memory; a coarser scene needs less\n");
        return 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "knead: %s\n", error.what());
        return 1;
    }
}
