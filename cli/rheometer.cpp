// knead rheometer: one material point through a test; CSV and a plot.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "knead/base/error.h"
#include "knead/base/parse_number.h"
#include "knead/io/atomic_file.h"
#include "knead/materials/rheometer_plot.h"
#include "knead/scene/rheometer_request.h"
#include "knead/sim/methods.h"
#include "standard_streams.h"

namespace knead::cli {

namespace {

struct Options {
    std::string name, material, test, kind, method = name_of(Method::mpm);
    std::string rates, frequencies, strain, duration, pressure;
    std::string csv, plot;
    std::vector<std::string> set;
    bool json = false;
};

std::optional<double> number_if_any(const std::string& text, const std::string& what) {
    return text.empty() ? std::nullopt : std::optional(parse_number(text, what));
}

// "1e-3,0.1,10": numbers above 0.
std::vector<double> numbers(const std::string& text, const std::string& what) {
    std::vector<double> values;
    if (text.empty()) return values;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        values.push_back(parse_number(text.substr(begin, end - begin), what));
        if (values.back() <= 0)
            throw InputError({}, fmt::format("{}: {:g} is not above 0", what, values.back()));
        begin = end + 1;
    }
    return values;
}

RheometerRequest request_of(const Options& o) {
    RheometerRequest r;
    r.name = o.name;
    r.material = o.material;
    r.set = o.set;
    r.test = o.test;
    r.kind = o.kind;
    r.method = o.method;
    r.rates = numbers(o.rates, "--rates");
    r.frequencies = numbers(o.frequencies, "--frequency");
    r.strain = number_if_any(o.strain, "--strain");
    r.duration = number_if_any(o.duration, "--duration");
    r.pressure = number_if_any(o.pressure, "--pressure");
    return r;
}

// A device or a pipe takes the text as it comes; it must not be replaced by a file.
void write_file(const std::string& path, const std::string& text) {
    std::error_code missing;
    const auto kind = std::filesystem::status(path, missing).type();
    const bool device = path.starts_with("/dev/") || path.starts_with("/proc/") ||
                        kind == std::filesystem::file_type::character ||
                        kind == std::filesystem::file_type::fifo;
    if (!device) return write_whole(path, text);
    std::FILE* file = std::fopen(path.c_str(), "a");
    const bool good = file && std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                      std::fflush(file) == 0;
    const int error = errno;
    if (file) std::fclose(file);
    if (!good) throw RunError(path + ": cannot be written: " + std::strerror(error));
}

// A dozen rows, evenly spread, are enough for the eye.
void print_table(const Table& table) {
    for (const std::string& column : table.columns) fmt::print("{:>25}", column);
    fmt::print("\n");
    for (const std::string& column : table.columns) fmt::print("{:>25}", unit_of_column(column));
    fmt::print("\n");
    const size_t count = table.rows.size(), stride = std::max<size_t>(1, (count + 10) / 24);
    for (size_t k = 0; k < count; k += stride) {
        for (const double a : table.rows[k]) fmt::print("{:>25.6g}", a);
        fmt::print("\n");
    }
}

void print_json(const Material& m, const Options& o, const Table& table) {
    std::vector<std::string> units;
    for (const std::string& column : table.columns) units.push_back(unit_of_column(column));
    nlohmann::ordered_json json{{"material", m.name},       {"test", o.test}, {"method", o.method},
                                {"columns", table.columns}, {"units", units}, {"rows", table.rows}};
    fmt::print("{}\n", json.dump());
}

int rheometer(Options o) {
    const RheometerResult result = run_rheometer(request_of(o));
    const Material& m = result.material;
    const Table& table = result.table;
    o.test = result.test;
    const bool grid = o.method == name_of(Method::mpm);
    const bool machine = o.json || o.csv == "-";  // stdout is for a program: no files unless named
    const std::string stem = m.name + (grid ? "-" : "-" + o.method + "-") + o.test;
    const std::string csv = !o.csv.empty() || machine ? o.csv : stem + ".csv";
    const std::string plot = !o.plot.empty() || machine ? o.plot : stem + ".svg";

    if (o.json) print_json(m, o, table);
    if (csv == "-" && !o.json) fmt::print("{}", to_csv(table));
    if (!csv.empty() && csv != "-") write_file(csv, to_csv(table));
    if (!plot.empty()) write_file(plot, to_svg(rheometer_plot(m, o.test, table)));
    if (machine) return 0;
    print_table(table);
    say(fmt::format("\nall {} rows: {}\nplot: {}\n", table.rows.size(), csv, plot));
    return 0;
}

void declare(Arguments& a, Options& o) {
    a.positional("MATERIAL|SCENE", o.name, "a preset, as listed by `knead materials`, or a scene");
    a.option("--material", "NAME", o.material, "which of the scene's materials");
    a.choice("--test", rheometer_tests(), o.test,
             "what to put it through (steady-shear; pull for sheets and curves, which have pull, "
             "shear and compress)");
    a.choice("--kind", {"sheet", "fibre"}, o.kind,
             "what a thin material makes (a sheet where it has thin.compression)");
    std::vector<std::string> methods;
    for (const Method method : all_methods) methods.push_back(name_of(method));
    a.choice("--method", methods, o.method,
             "whose law to drive: the grid's, or that of the point methods, which share one");
    a.option("--rates", "LIST", o.rates,
             "shear or strain rates [1/s], as in 1e-3,0.1,10 (steady-shear: 1e-3 to 1e2; start-up: "
             "0.1,1,10; uniaxial: 1)");
    a.option("--frequency", "LIST", o.frequencies,
             "cycles a second, one or several (oscillatory: 0.01 to 100)");
    a.option("--strain", "STRAIN", o.strain,
             "how far (start-up: 1; relaxation: 0.5; uniaxial: 0.5, below 0 pushes; oscillatory: "
             "0.01, the amplitude; sheets and curves: 0.2)");
    a.option("--duration", "SECONDS", o.duration, "how long it is held (relaxation: 10)");
    a.option("--pressure", "PA", o.pressure,
             "confining pressure (0; 1000 for grains, which have no strength without it; shear of "
             "sheets and curves: a hundredth of the stiffness of contact)");
    a.option("--set", "KEY=VALUE", o.set, "change a parameter, as in flow.yield_stress=50");
    a.option("--csv", "FILE", o.csv, "where the numbers go; - prints them and nothing else");
    a.option("--plot", "FILE.svg", o.plot, "where the plot goes");
    a.flag("--json", o.json, "print the numbers as JSON and nothing else");
}

}  // namespace

Command command_rheometer() {
    auto o = std::make_shared<Options>();
    return {"rheometer", "put one point of a material through a test; numbers and a plot",
            "knead rheometer shaving-cream\n"
            "knead rheometer pie --test steady-shear --rates 1e-3,1e-2,1 --csv -\n"
            "knead rheometer clay --test uniaxial --strain -0.4\n"
            "knead rheometer dough --test relaxation --set flow.yield_stress=50\n"
            "knead rheometer shaving-cream --method embedded\n"
            "knead rheometer denim --test shear\n"
            "knead rheometer scenes/demo/kneading.toml --material dough",
            [o](Arguments& a) { declare(a, *o); }, [o] { return rheometer(*o); }};
}

}  // namespace knead::cli
