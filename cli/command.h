// A sub-command: one file each (run.cpp, check.cpp, ...), all listed in main.cpp. Commands declare
// what they take with Arguments and print; the library below them is silent.
//
//     Command command_info() {
//         auto o = std::make_shared<Options>();
//         return {"info", "what is in a run, a scene or a file", "knead info out/demo",
//                 [o](Arguments& a) { a.positional("PATH", o->path, "a run or a file"); },
//                 [o] { return info(*o); }};
//     }
//
// Exit codes: 0 done, 1 failed run (RunError), 2 wrong usage or input (InputError, bad options), 75
// stopped, and the same command goes on with --resume (EX_TEMPFAIL, which batch systems know).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace knead::cli {

// Declares options. Targets must outlive parsing; their value at declaration is the default shown.
class Arguments {
public:
    virtual ~Arguments() = default;
    virtual void positional(const std::string& name, std::string& target, const std::string& help,
                            bool required = true) = 0;
    // `flags` as in "-o,--out"; `value` names the argument in the help, as in "DIR".
    virtual void option(const std::string& flags, const std::string& value, std::string& target,
                        const std::string& help) = 0;
    virtual void option(const std::string& flags, const std::string& value, int& target,
                        const std::string& help) = 0;
    virtual void option(const std::string& flags, const std::string& value, double& target,
                        const std::string& help) = 0;
    // Nothing where it is not given.
    virtual void option(const std::string& flags, const std::string& value,
                        std::optional<int>& target, const std::string& help) = 0;
    // May be given several times.
    virtual void option(const std::string& flags, const std::string& value,
                        std::vector<std::string>& target, const std::string& help) = 0;
    // One of a few words.
    virtual void choice(const std::string& flags, const std::vector<std::string>& words,
                        std::string& target, const std::string& help) = 0;
    // Several of them, with commas between.
    virtual void choices(const std::string& flags, const std::vector<std::string>& words,
                         std::vector<std::string>& target, const std::string& help) = 0;
    virtual void flag(const std::string& flags, bool& target, const std::string& help) = 0;
};

constexpr int stopped_exit_code = 75;

struct Command {
    std::string name;
    std::string brief;     // one line, for the list of commands
    std::string examples;  // a few lines, shown at the end of --help
    std::function<void(Arguments&)> declare;
    std::function<int()> run;  // returns the exit code
};

Command command_run();
Command command_check();
Command command_info();
Command command_stats();
Command command_materials();
Command command_rheometer();
Command command_surface();
Command command_render();
Command command_export();
Command command_view();
Command command_bench();
Command command_doctor();
Command command_completion(std::vector<Command> commands);  // of these and itself

}  // namespace knead::cli
