// knead rheometer: one material point through a test; CSV and a plot.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "knead/base/error.h"
#include "knead/base/suggest.h"
#include "knead/io/atomic_file.h"
#include "knead/materials/parameters.h"
#include "knead/materials/presets.h"
#include "knead/materials/rheometer.h"
#include "knead/materials/rheometer_plot.h"
#include "knead/materials/thin_rheometer.h"
#include "knead/scene/read_scene.h"
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

double number(const std::string& text, const std::string& what) {
    double value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        throw InputError({}, fmt::format("{}: \"{}\" is not a number", what, text));
    return value;
}

double number_or(const std::string& text, double otherwise, const std::string& what) {
    return text.empty() ? otherwise : number(text, what);
}

// "1e-3,0.1,10": numbers above 0.
std::vector<double> numbers(const std::string& text, const std::string& what) {
    std::vector<double> values;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        values.push_back(number(text.substr(begin, end - begin), what));
        if (values.back() <= 0)
            throw InputError({}, fmt::format("{}: {:g} is not above 0", what, values.back()));
        begin = end + 1;
    }
    return values;
}

std::vector<double> decades(int first, int last, int parts) {
    std::vector<double> values;
    for (int k = first * parts; k <= last * parts; ++k)
        values.push_back(std::pow(10, static_cast<double>(k) / parts));
    return values;
}

[[noreturn]] void unknown(const std::string& what, const std::string& word,
                          const std::vector<std::string>& known, const std::string& remedy) {
    const std::string guess = did_you_mean(word, known);
    throw InputError({}, fmt::format("there is no {} \"{}\"", what, word),
                     guess.empty() ? remedy : guess);
}

Material preset(const std::string& name) {
    if (const Material* found = find_preset(name)) return *found;
    std::vector<std::string> names;
    for (const Material& m : material_presets()) names.push_back(m.name);
    unknown("material", name, names, "`knead materials` lists them");
}

template <class T>
T word(const std::optional<T>& parsed, const char* what, const std::string& text,
       const std::vector<std::string>& words) {
    if (parsed) return *parsed;
    unknown(what, text, words, fmt::format("one of {}", fmt::join(words, ", ")));
}

// --set key=value, as in a scene's material.
void change(Material& m, const std::string& assignment) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos)
        throw InputError({}, fmt::format("--set {}: no value", assignment),
                         "write it as in --set flow.yield_stress=50");
    const std::string key = assignment.substr(0, equals), value = assignment.substr(equals + 1);
    if (key == "elastic.law") {
        m.elastic.law = word(parse_elastic_law(value), "elastic law", value, elastic_law_words());
    } else if (key == "flow.rule") {
        m.flow.rule = word(parse_flow_rule(value), "flow rule", value, flow_rule_words());
    } else if (const Parameter* p = find_parameter(key)) {
        const double a = number(value, key);
        if (!in_range(*p, a))
            throw InputError({}, fmt::format("{} is {:g}", key, a), "it must be " + range_text(*p));
        p->set(m, a);
    } else {
        std::vector<std::string> keys{"elastic.law", "flow.rule"};
        for (const Parameter& q : material_parameters()) keys.push_back(q.key);
        unknown("material parameter", key, keys, "`knead materials NAME` lists them");
    }
}

// One that a scene makes its bodies of: the one that is named, or the only one.
Material material_of_scene(const Options& o) {
    const Scene scene = read_scene(o.name);
    std::vector<std::string> names;
    for (const Material& m : scene.materials) {
        if (m.name == o.material || (o.material.empty() && scene.materials.size() == 1)) return m;
        names.push_back(m.name);
    }
    const std::string known = fmt::format("its materials: {}", fmt::join(names, ", "));
    if (o.material.empty())
        throw InputError({o.name}, "this scene has several materials",
                         "choose one with --material; " + known);
    unknown("material", o.material, names, known);
}

bool is_scene(const std::string& name) {
    return name.size() > 5 && name.substr(name.size() - 5) == ".toml";
}

Material wanted_material(const Options& o) {
    if (!is_scene(o.name) && !o.material.empty())
        throw InputError({"--material"}, "chooses one of a scene, and this is no scene",
                         "leave it out, or give a scene file");
    Material m = is_scene(o.name) ? material_of_scene(o) : preset(o.name);
    for (const std::string& assignment : o.set) change(m, assignment);
    std::vector<Mistake> mistakes;
    for (const MaterialMistake& wrong : check_material(m))
        mistakes.push_back({{}, wrong.what, wrong.remedy});
    for (const std::string& assignment : o.set) {
        const Parameter* p = find_parameter(assignment.substr(0, assignment.find('=')));
        if (p && !p->used(m))
            mistakes.push_back(
                {{},
                 fmt::format("{} means nothing to {}: it is {} with flow rule {}", p->key, m.name,
                             to_string(m.elastic.law), to_string(m.flow.rule)),
                 "leave it out, or set flow.rule too"});
    }
    if (!mistakes.empty()) throw InputError(std::move(mistakes));
    return m;
}

double positive(double value, const char* what) {
    if (value > 0) return value;
    throw InputError({}, fmt::format("{} is {:g}", what, value), "it must be above 0");
}

Table measure_thin(const Material& m, const Options& o) {
    const ThinKind kind = o.kind.empty()      ? thin_kind(m)
                          : o.kind == "sheet" ? ThinKind::sheet
                                              : ThinKind::fibre;
    const double strain = number_or(o.strain, 0.2, "--strain");
    if (o.test == "pull") {
        if (strain <= -1 || strain == 0)
            throw InputError({}, fmt::format("--strain is {:g}", strain),
                             "above 0 pulls; between -1 and 0 pushes");
        return pull_thin(m, kind, strain);
    }
    if (o.test == "compress") {
        if (!(positive(strain, "--strain") < 1))
            throw InputError({}, fmt::format("--strain is {:g}", strain), "it must be below 1");
        return compress_thin(m, kind, strain);
    }
    const double pressure = number_or(o.pressure, usual_pressure(m, kind), "--pressure");
    return shear_thin(m, kind, positive(strain, "--strain"), positive(pressure, "--pressure"));
}

// Sheets and fibres have tests of their own.
void check_test(const Material& m, const Options& o) {
    const auto& own = thin_tests();
    const bool for_thin = std::find(own.begin(), own.end(), o.test) != own.end();
    if (is_thin(m) && !for_thin)
        throw InputError(
            {}, fmt::format("{} is of sheets or curves: --test {} is not for it", m.name, o.test),
            fmt::format("its tests: {}", fmt::join(own, ", ")));
    if (!is_thin(m) && for_thin)
        throw InputError({}, fmt::format("--test {} is for sheets and curves", o.test),
                         fmt::format("{} is of volumes; try uniaxial or start-up", m.name));
    if (!is_thin(m) && !o.kind.empty())
        throw InputError({}, "--kind is for sheets and curves", "leave it out");
    if (is_thin(m) && o.method != name_of(Method::mpm))
        throw InputError({}, fmt::format("--method {} has no sheets and curves", o.method),
                         "leave it out");
}

Table measure(const Specimen& m, const Options& o) {
    if (is_thin(m)) return measure_thin(m, o);
    const bool grains = m.flow.rule == FlowRule::drucker_prager;
    const double pressure = number_or(o.pressure, grains ? 1000 : 0, "--pressure");
    if (pressure < 0) throw InputError({}, "--pressure is below 0", "pressure pushes: 0 or more");
    const auto rates = [&](const std::vector<double>& otherwise) {
        return o.rates.empty() ? otherwise : numbers(o.rates, "--rates");
    };
    const auto strain = [&](double otherwise) {
        return number_or(o.strain, otherwise, "--strain");
    };
    if (o.test == "steady-shear") return steady_shear(m, rates(decades(-3, 2, 4)), pressure);
    if (o.test == "start-up")
        return start_up(m, rates({0.1, 1, 10}), positive(strain(1), "--strain"), pressure);
    if (o.test == "relaxation") {
        const double duration = number_or(o.duration, 10, "--duration");
        return relaxation(m, strain(0.5), positive(duration, "--duration"), pressure);
    }
    if (o.test == "uniaxial") {
        const double pull = strain(0.5);
        if (pull <= -1 || pull == 0)
            throw InputError({}, fmt::format("--strain is {:g}", pull),
                             "above 0 pulls; between -1 and 0 pushes");
        return uniaxial(m, rates({1}), pull, pressure);
    }
    const auto frequencies =
        o.frequencies.empty() ? decades(-2, 2, 2) : numbers(o.frequencies, "--frequency");
    return oscillatory(m, positive(strain(0.01), "--strain"), frequencies, pressure);
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
    const Material m = wanted_material(o);
    if (o.test.empty()) o.test = is_thin(m) ? "pull" : "steady-shear";
    check_test(m, o);
    const bool grid = o.method == name_of(Method::mpm);
    const Table table = measure({m, grid ? LawForm::grid : LawForm::points}, o);
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
