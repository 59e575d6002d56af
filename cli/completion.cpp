// knead completion: a script that lets bash complete commands, options and what they take. It is
// made from what the commands declare, so that it cannot fall behind them.
#include <cstdio>
#include <memory>

#include "command.h"
#include "knead/materials/presets.h"
#include "standard_streams.h"

namespace knead::cli {

namespace {

using Words = std::vector<std::string>;

std::string join(const Words& words, const char* between) {
    std::string text;
    for (const std::string& w : words) text += (text.empty() ? "" : between) + w;
    return text;
}

Words split(const std::string& text, char at) {
    Words parts(1);
    for (const char c : text)
        if (c == at)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

// The lines of bash that complete a value, by the name it has in the help.
std::string completes(const std::string& value, const Words& commands) {
    if (value == "SCENE") return "_knead_files -f -X '!*.toml'; _knead_files -d";
    if (value == "DIR") return "_knead_files -d";
    if (value == "PATH" || value.starts_with("FILE")) return "_knead_files -f";
    if (value == "SHELL") return "_knead_words bash";
    if (value == "COMMAND") return "_knead_words " + join(commands, " ");
    if (value == "MATERIAL") {
        Words names;
        for (const Material& m : material_presets()) names.push_back(m.name);
        return "_knead_words " + join(names, " ");
    }
    if (value == "MATERIAL|SCENE")
        return completes("MATERIAL", commands) + "; _knead_files -f -X '!*.toml'";
    if (value == "DIR|SCENE") return completes("SCENE", commands);
    if (value.find('|') != std::string::npos) return "_knead_words " + join(split(value, '|'), " ");
    return ":";  // a number, a list: only the user knows
}

// Writes down what a command declares, as cases of bash.
class Cases : public Arguments {
public:
    Cases(const std::string& command, const Words& commands)
        : command_(command), commands_(commands) {}

    void positional(const std::string& name, std::string&, const std::string&, bool) override {
        operand_ = completes(name, commands_);
    }
    void option(const std::string& flags, const std::string& value, std::string&,
                const std::string&) override {
        valued(flags, value);
    }
    void option(const std::string& flags, const std::string& value, int&,
                const std::string&) override {
        valued(flags, value);
    }
    void option(const std::string& flags, const std::string& value, double&,
                const std::string&) override {
        valued(flags, value);
    }
    void option(const std::string& flags, const std::string& value, std::optional<int>&,
                const std::string&) override {
        valued(flags, value);
    }
    void option(const std::string& flags, const std::string& value, Words&,
                const std::string&) override {
        valued(flags, value);
    }
    void choice(const std::string& flags, const Words& words, std::string&,
                const std::string&) override {
        valued(flags, join(words, "|"));
    }
    void choices(const std::string& flags, const Words& words, Words&,
                 const std::string&) override {
        valued(flags, join(words, "|"));
    }
    void flag(const std::string& flags, bool&, const std::string&) override { named(flags); }

    std::string values() const { return values_; }  // after an option that takes one
    std::string rest() const {
        return "    " + command_ + ":-*) _knead_words " + join(options_, " ") + " ;;\n    " +
               command_ + ":*) " + operand_ + " ;;\n";
    }

private:
    // The single flags of "-o,--out" or "--movie,!--no-movie".
    Words named(const std::string& flags) {
        Words names = split(flags, ',');
        for (std::string& name : names)
            if (name.starts_with("!")) name.erase(0, 1);
        options_.insert(options_.end(), names.begin(), names.end());
        return names;
    }
    void valued(const std::string& flags, const std::string& value) {
        Words patterns = named(flags);
        for (std::string& p : patterns) p = command_ + ":" + p;
        values_ +=
            "    " + join(patterns, "|") + ") " + completes(value, commands_) + "; return ;;\n";
    }

    std::string command_;
    const Words& commands_;
    Words options_{"-h", "--help"};
    std::string operand_ = ":", values_;
};

constexpr const char* helpers = R"(# bash completion for knead: source <(knead completion bash)
_knead_words() {
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "${COMP_WORDS[COMP_CWORD]}")
}
_knead_files() {
    local found
    compopt -o filenames 2>/dev/null
    mapfile -t found < <(compgen "$@" -- "${COMP_WORDS[COMP_CWORD]}")
    COMPREPLY+=("${found[@]}")
}
_knead() {
    local command=${COMP_WORDS[1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
)";

std::string bash_script(const std::vector<Command>& commands) {
    Words names{"help"};
    for (const Command& c : commands) names.push_back(c.name);
    std::string values, rest = "    help:*) _knead_words " + join(names, " ") + " ;;\n";
    for (const Command& c : commands) {
        Cases cases(c.name, names);
        c.declare(cases);
        values += cases.values();
        rest += cases.rest();
    }
    return helpers + ("        _knead_words " + join(names, " ") + " --help --version\n") +
           "        return\n    fi\n" + "    case $command:${COMP_WORDS[COMP_CWORD - 1]} in\n" +
           values + "    esac\n" + "    case $command:${COMP_WORDS[COMP_CWORD]} in\n" + rest +
           "    esac\n" + "}\ncomplete -F _knead knead\n";
}

}  // namespace

Command command_completion(std::vector<Command> commands) {
    auto shell = std::make_shared<std::string>();
    Command self{"completion",
                 "print a script that completes commands in the shell",
                 "source <(knead completion bash)    for this shell; in ~/.bashrc for all",
                 [shell](Arguments& a) { a.positional("SHELL", *shell, "bash"); },
                 {}};
    commands.push_back(self);
    self.run = [shell, commands] {
        if (*shell != "bash") {
            complain("knead completion: there is none for '" + *shell + "'; try bash\n");
            return 2;
        }
        say(bash_script(commands));
        return 0;
    };
    return self;
}

}  // namespace knead::cli
