// knead check: is a scene right? Every mistake with its place, or a summary of what it holds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "command.h"
#include "knead/base/input_file.h"
#include "knead/base/machine.h"
#include "knead/base/safe_text.h"
#include "knead/parallel/exec.h"
#include "knead/scene/advice.h"
#include "knead/scene/build_model.h"
#include "knead/scene/document.h"
#include "knead/scene/rehearsal.h"
#include "knead/scene/scene_meshes.h"
#include "knead/scene/schema.h"
#include "knead/sim/make_solver.h"
#include "progress.h"

namespace knead::cli {

namespace {

struct Options {
    std::string scene;
    std::vector<std::string> settings;
    bool json = false;
    bool keys = false;
    bool schema = false;
    bool cost = false;
};

// What a look at a scene found.
struct Finding {
    std::vector<Mistake> mistakes, warnings;
    Model model;
    Preflight cost_of_steps;
    std::optional<Rehearsal> rehearsal;  // where its cost is asked for
    std::vector<std::size_t> particles;  // by body, at the start
    std::vector<char> enters;            // by body: it comes later
    Estimate cost;
};

// What limits the steps.
template <class Real>
void look_at_steps(const Options& o, const Built<Real>& built, Finding& out) {
    constexpr std::size_t many = 1000000;
    if (!o.cost && built.state.particle_count() > many) return;
    const auto solver = make_solver<Real>(built.model, Backend::cpu);
    State<Real> state = built.state;
    out.cost_of_steps = preflight(built.model, state, *solver);
}

template <class Real>
void count(const Options& o, const Scene& scene, Finding& out) {
    Built<Real> built = build_model<Real>(scene);
    out.particles.assign(scene.bodies.size(), 0);
    for (const BodySpec& body : scene.bodies) out.enters.push_back(body.enters_later());
    for (const Phase<Real>& phase : built.state.phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i)
            ++out.particles[static_cast<std::size_t>(phase.particles.body.at(i))];
    out.cost = built.cost;
    look_at_steps(o, built, out);
    if (o.cost) out.rehearsal = rehearse(scene, built);
    out.warnings = std::move(built.warnings);
    for (Mistake& m : disk_warnings(scene, out.cost, available_disk(".")))
        out.warnings.push_back(std::move(m));
    out.model = std::move(built.model);
}

Finding examine(const Options& o) {
    Finding out;
    Reading reading = try_read_scene_and_meshes(o.scene, o.settings);
    out.warnings = reading.scene.warnings;
    out.mistakes = std::move(reading.mistakes);
    if (!out.mistakes.empty()) return out;
    try {
        const bool wide = reading.scene.solver.precision == Precision::double_;
        wide ? count<double>(o, reading.scene, out) : count<float>(o, reading.scene, out);
    } catch (const InputError& e) {
        out.mistakes = e.mistakes();
    }
    return out;
}

// The line of the file, with a mark below the column.
void show_line(const Place& place) {
    if (place.line < 1) return;
    std::string line;
    try {
        std::istringstream file(read_input(place.file, scene_input));
        for (int i = 0; i < place.line && std::getline(file, line);) ++i;
        if (!file || line.size() > 200) return;
    } catch (const InputError&) {
        return;  // the message stands without it
    }
    std::string mark;
    for (int i = 1; i < place.column && static_cast<std::size_t>(i) <= line.size(); ++i)
        mark += line[static_cast<std::size_t>(i - 1)] == '\t' ? '\t' : ' ';
    fmt::print(stderr, "    {}\n    {}^\n", safe_text(line), mark);
}

void print_all(const std::vector<Mistake>& all, const char* kind) {
    for (const Mistake& m : all) {
        const std::string place = to_string(m.place);
        fmt::print(stderr, "{}{}: {}\n", safe_text(place.empty() ? "" : place + ": "), kind,
                   safe_text(m.what));
        show_line(m.place);
        if (!m.remedy.empty()) fmt::print(stderr, "    {}\n", safe_text(m.remedy));
    }
}

std::string plural(std::size_t n, const char* word) {
    return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

void print_summary(const Options& o, const Finding& f) {
    const Model& m = f.model;
    std::size_t total = 0;
    for (const std::size_t n : f.particles) total += n;
    fmt::print("{}: {}\n", safe_text(o.scene),
               m.title.empty() ? "all is well" : safe_text(m.title));
    const MethodSummary method = summary_of(m.settings);
    fmt::print("  {:<10}{}\n", method.kind, method.text);
    fmt::print("  time      {} frames at {:g} /s = {:g} s\n", m.time.frames, m.time.frame_rate,
               m.time.frames / m.time.frame_rate);
    for (std::size_t b = 0; b < m.bodies.size(); ++b) {
        const BodyInfo& body = m.bodies[b];
        const auto later = static_cast<std::size_t>(f.enters[b] ? f.cost.particles[b] : 0);
        fmt::print("  body      {}: {} of {}, {:.3g} m apart\n", safe_text(body.name),
                   f.enters[b] ? fmt::format("about {} to come", plural(later, "particle"))
                               : plural(f.particles[b], "particle"),
                   safe_text(m.materials[static_cast<std::size_t>(body.material)].name),
                   body.spacing);
    }
    for (const Collider& c : m.colliders)
        fmt::print("  collider  {}{}\n", safe_text(c.name), c.still() ? "" : ", moving");
    for (const Sink& s : m.sinks) fmt::print("  sink      {}\n", safe_text(s.name));
    double later = 0;
    for (std::size_t b = 0; b < m.bodies.size(); ++b)
        if (f.enters[b]) later += f.cost.particles[b];
    fmt::print("  in all    {}{}, about {} of memory and {} on the disk\n",
               plural(total, "particle"),
               later > 0 ? fmt::format(" at the start, about {:.0f} to come", later) : "",
               bytes_in_words(f.cost.memory), bytes_in_words(f.cost.disk));
}

void print_cost(const Rehearsal& r, int frames) {
    fmt::print("  cost      {:.0f} steps, {} a frame and {} in all on {} threads\n", r.steps,
               duration(r.seconds / std::max(1, frames)), duration(r.seconds), thread_count());
    if (r.coarser > 1)
        fmt::print("            rehearsed with {:.2g} times the dx{}\n", r.coarser,
                   r.share < 1 ? fmt::format(", {:.0f} % of it", 100 * r.share) : "");
    fmt::print("            twice the dx takes about a sixteenth of that\n");
}

void print_steps(const Finding& f) {
    const Preflight& cost = f.cost_of_steps;
    if (!(cost.dt > 0)) return;  // not looked at
    fmt::print(
        "  steps     {:.3g} s, about {:.0f} a frame, limited by {}\n", cost.dt,
        cost.substeps_per_frame,
        cost.limits.empty() ? "the frames at the start" : safe_text(cost.limits.front().reason));
    for (const Advice& a : advice(f.model, cost.limits))
        fmt::print("            {} takes {:.2g} times fewer\n", safe_text(a.what), a.gain);
    if (f.rehearsal) print_cost(*f.rehearsal, f.model.time.frames);
}

nlohmann::json to_json(const std::vector<Mistake>& all) {
    auto list = nlohmann::json::array();
    for (const Mistake& m : all)
        list.push_back({{"file", m.place.file},
                        {"line", m.place.line},
                        {"column", m.place.column},
                        {"what", m.what},
                        {"remedy", m.remedy}});
    return list;
}

void print_json(const Options& o, const Finding& f) {
    nlohmann::json out{{"scene", o.scene},
                       {"ok", f.mistakes.empty()},
                       {"mistakes", to_json(f.mistakes)},
                       {"warnings", to_json(f.warnings)}};
    if (f.mistakes.empty()) {
        out["dx"] = f.model.dx;
        out["memory_bytes"] = f.cost.memory;
        out["disk_bytes"] = f.cost.disk;
        out["dt"] = f.cost_of_steps.dt;
        out["substeps_a_frame"] = f.cost_of_steps.substeps_per_frame;
        if (!f.cost_of_steps.limits.empty()) out["limit"] = f.cost_of_steps.limits.front().reason;
        if (f.rehearsal) {
            out["substeps"] = std::round(f.rehearsal->steps);
            out["seconds"] = f.rehearsal->seconds;
            out["seconds_a_frame"] = f.rehearsal->seconds / std::max(1, f.model.time.frames);
            out["rehearsed_with_times_the_dx"] = f.rehearsal->coarser;
            out["rehearsed_share"] = f.rehearsal->share;
        }
        for (std::size_t b = 0; b < f.model.bodies.size(); ++b) {
            const BodyInfo& body = f.model.bodies[b];
            out["bodies"].push_back(
                {{"name", body.name},
                 {"material", f.model.materials[static_cast<std::size_t>(body.material)].name},
                 {"particles", f.particles[b]},
                 {"particles_to_come", f.enters[b] ? std::round(f.cost.particles[b]) : 0.0},
                 {"spacing", body.spacing}});
        }
    }
    // Names may hold bytes that are no UTF-8 when they come from a command line.
    fmt::print("{}\n", out.dump(2, ' ', true, nlohmann::json::error_handler_t::replace));
}

int check(const Options& o) {
    if (o.keys) {
        fmt::print("{}", document_keys());
        return 0;
    }
    if (o.schema) {
        fmt::print("{}", scene_schema());
        return 0;
    }
    if (o.scene.empty())
        throw InputError(Place{}, "no scene to check", "as in: knead check scene.toml");
    const Finding f = examine(o);
    if (o.json) {
        print_json(o, f);
    } else {
        print_all(f.mistakes, "mistake");
        print_all(f.warnings, "warning");
        if (!f.mistakes.empty())
            fmt::print(stderr, "{}, {}\n", plural(f.mistakes.size(), "mistake"),
                       plural(f.warnings.size(), "warning"));
        else
            print_summary(o, f), print_steps(f);
    }
    return f.mistakes.empty() ? 0 : 2;
}

}  // namespace

Command command_check() {
    auto o = std::make_shared<Options>();
    return {"check", "is a scene right? every mistake, with its place",
            "knead check scenes/demo/kneading.toml\n"
            "knead check scenes/demo/kneading.toml --set solver.dx=0.01 --cost\n"
            "knead check scenes/demo/toothpaste.toml --set quality=preview\n"
            "knead check --schema > knead.schema.json\n"
            "knead check --keys    every key of a scene, as in docs/scene.md",
            [o](Arguments& a) {
                a.positional("SCENE", o->scene, "scene file (TOML)", false);
                a.option("--set", "KEY=VALUE", o->settings,
                         "change a value of the scene; may be given several times");
                a.flag("--json", o->json, "print for programs");
                a.flag(
                    "--cost", o->cost,
                    "rehearse it for some seconds, and say how long frames and the whole run take");
                a.flag("--keys", o->keys, "print the reference of keys in Markdown");
                a.flag("--schema", o->schema,
                       "print a JSON Schema of scenes, for editors that complete and check TOML");
            },
            [o] { return check(*o); }};
}

}  // namespace knead::cli
