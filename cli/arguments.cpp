#include "arguments.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>

#include "knead/base/suggest.h"
#include "knead/base/version.h"
#include "standard_streams.h"

namespace knead::cli {

namespace {

class Cli11Arguments : public Arguments {
public:
    explicit Cli11Arguments(CLI::App& app) : app_(app) {}

    void positional(const std::string& name, std::string& target, const std::string& help,
                    bool required) override {
        app_.add_option(name, target, help)->required(required)->type_name(" ");
    }
    void option(const std::string& flags, const std::string& value, std::string& target,
                const std::string& help) override {
        plain(flags, value, target, help, !target.empty());
    }
    void option(const std::string& flags, const std::string& value, int& target,
                const std::string& help) override {
        plain(flags, value, target, help, true);
    }
    void option(const std::string& flags, const std::string& value, double& target,
                const std::string& help) override {
        plain(flags, value, target, help, true);
    }
    void option(const std::string& flags, const std::string& value, std::optional<int>& target,
                const std::string& help) override {
        app_.add_option(flags, target, help)->type_name(value);
    }
    void option(const std::string& flags, const std::string& value,
                std::vector<std::string>& target, const std::string& help) override {
        // One value each time, so that a list of them never swallows the words after it.
        app_.add_option(flags, target, help)->type_name(value)->allow_extra_args(false);
    }
    void choice(const std::string& flags, const std::vector<std::string>& words,
                std::string& target, const std::string& help) override {
        plain(flags, CLI::detail::join(words, "|"), target, help, !target.empty())
            ->check(CLI::IsMember(words).description(""));
    }
    void choices(const std::string& flags, const std::vector<std::string>& words,
                 std::vector<std::string>& target, const std::string& help) override {
        app_.add_option(flags, target, help)
            ->type_name(CLI::detail::join(words, "|"))
            ->allow_extra_args(false)
            ->delimiter(',')
            ->check(CLI::IsMember(words).description(""));
    }
    void flag(const std::string& flags, bool& target, const std::string& help) override {
        app_.add_flag(flags, target, help);
    }

private:
    template <class T>
    CLI::Option* plain(const std::string& flags, const std::string& value, T& target,
                       const std::string& help, bool show_default) {
        CLI::Option* option = app_.add_option(flags, target, help)->type_name(value);
        if (show_default) option->capture_default_str();
        return option;
    }

    CLI::App& app_;
};

// CLI11's help with our wording: usage first, then what the command is for.
class Help : public CLI::Formatter {
public:
    Help() { column_width(34); }
    std::string make_description(const CLI::App* app) const override {
        return app->get_description() + "\n\n";
    }
    std::string make_usage(const CLI::App* app, std::string) const override {
        std::string usage = "Usage: knead";
        if (app->get_parent() == nullptr) return usage + " COMMAND [OPTIONS]\n";
        usage += " " + app->get_name();
        for (const CLI::Option* option : app->get_options())
            if (option->get_positional())
                usage += option->get_required() ? " " + option->get_name(true)
                                                : " [" + option->get_name(true) + "]";
        return usage + " [OPTIONS]\n";
    }
    std::string make_footer(const CLI::App* app) const override {
        const std::string footer = app->get_footer();
        return footer.empty() ? "" : footer + "\n";
    }
    std::string make_option_opts(const CLI::Option* option) const override {
        std::string text;
        if (option->get_type_size() != 0) {
            if (option->get_type_name() != " ") text += " " + option->get_type_name();
            if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
            if (option->get_expected_max() >= CLI::detail::expected_max_vector_size) text += " ...";
        }
        return text;
    }
};

std::string indented(const std::string& lines) {
    std::string text = "  ";
    for (char c : lines) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
    return text;
}

// What might have been meant by a word that is neither a command nor an option.
std::string hint(const CLI::App& app, const CLI::App& parsed, const CLI::ParseError& error) {
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return {};
    const std::string text = error.what();
    std::vector<std::string> known;
    if (&app == &parsed)
        for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
            known.push_back(sub->get_name());
    for (const CLI::Option* option : parsed.get_options())
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    std::istringstream words(text.substr(text.rfind(": ") + 2));
    for (std::string word; words >> word;)
        if (const std::string guess = did_you_mean(word, known); !guess.empty())
            return "; " + guess;
    return {};
}

int explain(const CLI::App& app, const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const CLI::App& parsed = chosen.empty() ? app : *chosen.front();
    const std::string who = chosen.empty() ? "knead" : "knead " + parsed.get_name();
    complain(who + ": " + error.what() + hint(app, parsed, error) + "\n`" + who +
             " --help` shows how it is used.\n");
    return 2;
}

int show_help(const CLI::App& app, const std::string& topic) {
    try {
        const CLI::App& about = topic.empty() ? app : *app.get_subcommand(topic);
        // Not App::help, which speaks for the sub-command that was parsed.
        const auto text = about.get_formatter()->make_help(&about, "", CLI::AppFormatMode::Normal);
        std::fputs(text.c_str(), stdout);
        return 0;
    } catch (const CLI::OptionNotFound&) {
        complain("knead: there is no command '" + topic + "'\n`knead help` lists them.\n");
        return 2;
    }
}

}  // namespace

int dispatch(int argc, const char* const* argv, const std::vector<Command>& commands) {
    CLI::App app{"knead animates matter that springs back and flows."};
    app.formatter(std::make_shared<Help>());
    app.set_version_flag("--version", std::string("knead ") + version(), "show the version");
    app.set_help_flag("-h,--help", "show this help");
    app.require_subcommand(0, 1);
    app.footer("`knead COMMAND --help` explains a command, with examples.");

    // `knead help [COMMAND]` says the same as `knead [COMMAND] --help`.
    std::string topic;
    CLI::App* help = app.add_subcommand("help", "show this help, or that of a command");
    help->group("Commands");
    help->add_option("COMMAND", topic, "the command to explain")->type_name(" ");
    for (const Command& command : commands) {
        CLI::App* sub = app.add_subcommand(command.name, command.brief)->group("Commands");
        if (!command.examples.empty()) sub->footer("Examples:\n" + indented(command.examples));
        Cli11Arguments arguments(*sub);
        command.declare(arguments);
    }

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return 0;
    } catch (const CLI::CallForVersion& e) {
        std::puts(e.what());
        return 0;
    } catch (const CLI::ParseError& e) {
        return explain(app, e);
    }
    for (const Command& command : commands)
        if (app.got_subcommand(command.name)) return command.run();
    const int shown = show_help(app, topic);
    return app.got_subcommand(help) ? shown : 2;
}

}  // namespace knead::cli
