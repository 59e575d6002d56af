// knead stats: the time series of a run, as a table to read, as CSV or as JSON.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "command.h"
#include "knead/base/error.h"
#include "knead/base/input_file.h"
#include "knead/base/safe_text.h"
#include "knead/sim/run_folder.h"
#include "knead/sim/stats_file.h"
#include "standard_streams.h"
#include "stats_json.h"

namespace knead::cli {

namespace {

struct Options {
    std::string folder;
    bool csv = false;
    bool json = false;
};

using Row = std::vector<std::pair<std::string, double>>;

std::vector<Row> rows_of(const StatsTable& table) {
    std::vector<Row> rows;
    for (const auto& values : table.rows) {
        Row row;
        for (std::size_t i = 0; i < values.size(); ++i)
            row.emplace_back(table.columns[i], values[i]);
        rows.push_back(std::move(row));
    }
    return rows;
}

void print_json(const std::vector<Row>& rows) {
    std::string text = "[";
    for (std::size_t i = 0; i < rows.size(); ++i)
        text += fmt::format("{}\n  {}", i == 0 ? "" : ",", stats_json(rows[i]));
    say(text + "\n]\n");
}

// The columns people look at first, and the solver's own.
void print_table(const std::vector<Row>& rows) {
    const std::vector<std::string> first{
        "frame",     "time",           "particles",      "mass",
        "volume",    "kinetic_energy", "elastic_energy", "centre_of_mass_y",
        "max_speed", "substeps",       "seconds"};
    std::vector<std::string> shown = first;
    bool own = false;  // the solver's columns stand after `seconds`
    if (!rows.empty())
        for (const auto& [name, value] : rows.front()) {
            if (own) shown.push_back(name);
            own = own || name == "seconds";
        }
    const auto width = [](const std::string& name) {
        return std::max<std::size_t>(14, safe_text(name).size() + 2);
    };
    std::string text;
    for (const std::string& name : shown)
        text += fmt::format("{:>{}}", safe_text(name), width(name));
    text += "\n";
    for (const Row& row : rows) {
        for (const std::string& name : shown)
            for (const auto& [column, value] : row)
                if (column == name) text += fmt::format("{:>{}.6g}", value, width(name));
        text += "\n";
    }
    say(text);
}

int stats(const Options& o) {
    if (o.csv && o.json) throw InputError({}, "--csv and --json cannot go together", "choose one");
    const std::string path = RunFolder(o.folder).stats();
    const StatsTable table = read_stats(path);
    if (o.csv) {
        const std::string text = read_input(path, statistics_input);
        say(text.substr(0, text.rfind('\n') + 1));
    } else if (o.json) {
        print_json(rows_of(table));
    } else {
        print_table(rows_of(table));
    }
    return 0;
}

}  // namespace

Command command_stats() {
    auto o = std::make_shared<Options>();
    return {"stats", "print a run's time series: mass, momentum, energy and more",
            "knead stats out/kneading\n"
            "knead stats out/kneading --csv > kneading.csv\n"
            "knead stats out/kneading --json | jq '.[-1].kinetic_energy'",
            [o](Arguments& a) {
                a.positional("DIR", o->folder, "the folder of a run");
                a.flag("--csv", o->csv, "all columns, comma-separated, full precision");
                a.flag("--json", o->json, "an array of one object a frame");
            },
            [o] { return stats(*o); }};
}

}  // namespace knead::cli
