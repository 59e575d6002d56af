// The keys of a scene and its tables, apart from shapes and materials.
#include "knead/scene/methods.h"

namespace knead {

namespace {

const Keys<TimeSettings>& time_keys() {
    using T = TimeSettings;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::number("frame_rate", &T::frame_rate, {1e-3, 1e6}, "1/s", "frames a second"),
        K::integer("frames", &T::frames, {0, 1e6}, "frames to compute after frame 0, the start"),
        K::number("max_dt", &T::max_dt, at_least(0), "s",
                  "longest substep; 0: only what stability asks"),
        K::number("min_dt", &T::min_dt, above(0), "s", "a run that needs less has failed"),
    };
    return keys;
}

const Keys<OutputSettings>& output_keys() {
    using T = OutputSettings;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::number("checkpoint_seconds", &T::checkpoint_seconds, at_least(0), "s",
                  "wall time between checkpoints; 0: after every frame"),
    };
    return keys;
}

const Keys<OscillationSpec>& oscillation_keys() {
    using T = OscillationSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::vector("amplitude", &T::amplitude, "m", "farthest from the middle")),
        K::required(K::number("frequency", &T::frequency, above(0), "1/s", "swings a second")),
        K::number("phase", &T::phase, {}, "degrees", "where in the swing it starts"),
        K::number("ramp", &T::ramp, at_least(0), "s", "time in which the amplitude grows from 0"),
    };
    return keys;
}

const Keys<EmitSpec>& emit_keys() {
    using T = EmitSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::number("start", &T::start, at_least(0), "s", "when the first copy is due"),
        K::required(K::number("interval", &T::interval, above(0), "s", "from one to the next")),
        K::required(K::integer("count", &T::count, {1, 1e6}, "how many copies")),
        K::vector("spread", &T::spread, "m", "random shift of up to this much each way"),
        K::flag("turn", &T::turn, "turned at random"),
    };
    return keys;
}

const Keys<MotionKeySpec>& motion_key_keys() {
    using T = MotionKeySpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::number("time", &T::time, {}, "s", "when; later than the key before")),
        K::vector("position", &T::position, "m", "shift from where the shape was drawn"),
        K::rotation("rotation", &T::rotation, "turn from how the shape was drawn"),
    };
    return keys;
}

const Keys<CameraSpec>& camera_keys() {
    using T = CameraSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("position", &T::position, "m", "sees everything", "where the camera stands"),
        K::vector("target", &T::target, "m", "middle of everything", "what it looks at"),
        K::vector("up", &T::up, "", "what is up in the picture"),
        K::number("field_of_view", &T::field_of_view, {1, 170}, "degrees", "from bottom to top"),
    };
    return keys;
}

const Keys<PictureSpec>& picture_keys() {
    using T = PictureSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::integer("width", &T::width, {16, 16384}, "pixels"),
        K::integer("height", &T::height, {16, 16384}, "pixels"),
        K::integer("samples", &T::samples, {1, 65536}, "rays a pixel"),
        K::color("background", &T::background, "behind everything"),
        K::flag("ground", &T::ground, "draw a floor where a plane collider is"),
    };
    return keys;
}

const Keys<PushedSpec>& pushed_keys() {
    using T = PushedSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::number("mass", &T::mass, above(0), "kg", "of the whole collider")),
        K::number("release", &T::release, at_least(0), "s", "moves as scripted until then"),
        K::vector("guide", &T::guide, "", "slides along this direction only; zero: free"),
    };
    return keys;
}

const Keys<FlowRateSpec>& flow_rate_keys() {
    using T = FlowRateSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::vector("from", &T::from, "m", "where the rate is rate_from")),
        K::required(K::vector("to", &T::to, "m", "where it is rate_to; in between it blends")),
        K::required(K::number("rate_from", &T::rate_from, at_least(0), "", "as flow.creep_rate")),
        K::required(K::number("rate_to", &T::rate_to, at_least(0), "", "as flow.creep_rate")),
    };
    return keys;
}

const Keys<Pull>& pull_keys() {
    using T = Pull;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::vector("center", &T::center, "m", "where everything is pulled to")),
        K::required(K::number("strength", &T::strength, {}, "1/s2",
                              "acceleration over distance; below 0 it pushes away")),
        K::number("start", &T::start, at_least(0), "s", "when it begins"),
        K::required(K::number("stop", &T::stop, above(0), "s", "when it ends")),
    };
    return keys;
}

// A table that may be missing.
template <class T, class U>
Key<T> optional_table(const char* name, std::optional<U> T::*m, const Keys<U>& (*keys)(),
                      const char* doc) {
    return {{name, "table", "", "none", "", doc},
            [=](T& t, const Value& v, Reader& r) { read_table((t.*m).emplace(), keys(), v, r); },
            [=](const T& t) -> std::optional<Value> {
                if (!(t.*m)) return {};
                return write_table(*(t.*m), keys());
            }};
}

template <class T>
Key<T> shape_key(const char* doc) {
    return {{"shape", "shape", "", "", "", doc, true},
            [](T& t, const Value& v, Reader& r) { read_shape(t.shape, v, r); },
            [](const T& t) { return write_shape(t.shape); }};
}

const Keys<RefineSpec>& refine_keys() {
    using T = RefineSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        shape_key<T>("the part that is filled differently"),
        K::required(K::number("spacing", &T::spacing, above(0), "m", "between particles there")),
    };
    return keys;
}

const Keys<GripSpec>& grip_keys() {
    using T = GripSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys = [] {
        Key<T> name = K::text("name", &T::name, "unique; for messages and --set");
        name.info.fallback = "grip1, grip2, ...";
        return Keys<T>{
            name,
            shape_key<T>("holds the matter that starts in here"),
            K::table("motion", &T::motion, &motion_keys, "how it carries it; still by default"),
            K::required(K::number("release", &T::release, above(0), "s", "when it lets go")),
        };
    }();
    return keys;
}

Key<Scene> materials_key() {
    return {{"materials", "tables by name", "", "", "", "what bodies are made of"},
            [](Scene& s, const Value& v, Reader& r) {
                if (!r.expect(v, Value::Kind::table)) return;
                for (const Entry& e : v.entries) {
                    const Reader::Scope scope(r, e.key, e.value.place);
                    Material& material = s.materials.emplace_back();
                    material.name = e.key;
                    read_material(material, e.value, r, s.warnings);
                }
            },
            [](const Scene& s) -> std::optional<Value> {
                if (s.materials.empty()) return {};
                Value out;
                for (const Material& m : s.materials) out.add(m.name, write_material(m));
                return out;
            }};
}

template <class T>
TableInfo describe(const char* path, const char* doc, const Keys<T>& keys) {
    TableInfo info{path, doc, {}};
    for (const auto& key : keys) info.keys.push_back(key.info);
    return info;
}

// Which method, with a phrase for each.
Key<SolverSpec> method_key() {
    Words<Method> words;
    std::string doc;
    for (const MethodRow& row : method_table()) {
        words.emplace_back(name_of(row.method), row.method);
        doc += (doc.empty() ? "how matter moves: " : ", ") + row.about + " (" +
               name_of(row.method) + ")";
    }
    return KeyOf<SolverSpec>::word("method", &SolverSpec::method, words, doc.c_str());
}

// Those of the grid, and those that every method has.
Keys<SolverSpec> grid_keys() {
    using T = SolverSpec;
    using K = KeyOf<T>;
    const auto flip = [](const T& s) { return s.transfer == Transfer::flip; };
    const auto apic = [](const T& s) { return s.transfer == Transfer::apic; };
    return {
        K::word("kernel", &T::kernel, Words<int>{{"quadratic", 2}, {"cubic", 3}},
                "B-spline between particles and grid"),
        K::word("transfer", &T::transfer,
                Words<Transfer>{{"apic", Transfer::apic}, {"flip", Transfer::flip}},
                "how velocity comes back from the grid"),
        K::only_when(flip, K::number("flip_fraction", &T::flip_fraction, {0, 1}, "",
                                     "share of FLIP, the rest is PIC; flip only")),
        K::only_when(flip, K::number("flip_dt", &T::flip_dt, at_least(0), "s",
                                     "step that flip_fraction belongs to; 0: any; flip only")),
        K::only_when(apic,
                     K::number("damping", &T::damping, {0, 1}, "", "of shearing modes; apic only")),
        K::number("cfl", &T::cfl, {0, 1, true, false}, "", "cells a particle may cross in a step"),
        K::number("stability", &T::stability, {0, 1, true, false}, "",
                  "share of the elastic step bound to use"),
        K::word("volumes", &T::estimate_volumes, Words<bool>{{"exact", false}, {"estimate", true}},
                "rest volumes: exact from the shape, or estimated on the grid"),
        K::flag("tearing", &T::tearing, "materials with a tear threshold tear"),
        K::flag("limit_stress", &T::limit_stress, "torn matter bears no tension"),
        K::flag("limit_deformation", &T::limit_deformation,
                "torn matter gathers no more shear or volume"),
        K::flag("healing", &T::healing, "plastic strain fades with the recovery time"),
        K::integer("healing_interval", &T::healing_interval, {1, 1000},
                   "steps between two healings and two removals of slivers"),
        K::flag("remove_subgrid", &T::remove_subgrid, "delete torn slivers the grid cannot see"),
        K::flag("resampling", &T::resampling, "fill voids and merge particles that meet"),
        K::number("resampling_interval", &T::resampling_interval, at_least(0), "s",
                  "least time between two resamplings; 0: 50 steps"),
        K::number("resampling_strain", &T::resampling_strain, at_least(0), "",
                  "how far the fastest matter has strained between two resamplings; 0: any"),
        K::word("precision", &T::precision,
                Words<Precision>{{"single", Precision::single}, {"double", Precision::double_}},
                "of the numbers particles carry"),
        K::flag("deterministic", &T::deterministic,
                "the same bytes from every run, on the CPU for any number of threads and on the "
                "same GPU; costs nothing, so that false is refused"),
    };
}

}  // namespace

const Keys<SolverSpec>& solver_keys() {
    using T = SolverSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys = [&] {
        Keys<T> all{method_key(),
                    K::required(K::number("dx", &T::dx, above(0), "m",
                                          "grid spacing; point methods: twice that of the "
                                          "particles"))};
        for (const MethodRow& row : method_table())
            if (row.table) all.push_back(*row.table);
        for (Key<T>& key : grid_keys()) all.push_back(std::move(key));
        return all;
    }();
    return keys;
}

const Keys<MotionSpec>& motion_keys() {
    using T = MotionSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("velocity", &T::velocity, "m/s", "steady shift"),
        K::vector("angular_velocity", &T::angular_velocity, "rad/s",
                  "steady spin, axis times rate"),
        Key<T>{{"oscillation", "table", "", "none", "", "a swing to and fro"},
               [](T& t, const Value& v, Reader& r) {
                   read_table(t.oscillation, oscillation_keys(), v, r);
               },
               [](const T& t) -> std::optional<Value> {
                   if (!(t.oscillation.frequency > 0)) return {};
                   return write_table(t.oscillation, oscillation_keys());
               }},
        K::list("keys", &T::keys, &motion_key_keys, "poses to pass through"),
        K::flag("smooth", &T::smooth,
                "pass through the keys on a smooth curve, not straight lines"),
        K::number("start", &T::start, at_least(0), "s", "at rest before"),
        K::number("stop", &T::stop, at_least(0), "s", "at rest after, when above start"),
        K::vector("pivot", &T::pivot, "m", "middle of the shape's bounds", "centre of rotation"),
    };
    return keys;
}

const Keys<BodySpec>& body_keys() {
    using T = BodySpec;
    using K = KeyOf<T>;
    static const Keys<T> keys = [] {
        Key<T> name = K::text("name", &T::name, "unique; for messages and --set");
        name.info.fallback = "body1, body2, ...";
        return Keys<T>{
            name,
            K::required(K::text("material", &T::material, "one of [materials], or a preset")),
            shape_key<T>("what it fills at the start"),
            K::vector("velocity", &T::velocity, "m/s", "at the start"),
            K::vector("angular_velocity", &T::angular_velocity, "rad/s",
                      "at the start, about its middle, axis times rate"),
            K::number("spacing", &T::spacing, above(0), "m", "from particles_per_cell",
                      "between particles"),
            K::only_when([](const T& b) { return !b.spacing; },
                         K::number("particles_per_cell", &T::particles_per_cell, {0.1, 1000}, "",
                                   "how many share a grid cell, in place of spacing")),
            K::word("sampling", &T::sampling,
                    Words<Sampling>{{"lattice", Sampling::lattice}, {"poisson", Sampling::poisson}},
                    "particles in rows, or at random with even gaps"),
            K::number("jitter", &T::jitter, {0, 0.5}, "",
                      "random shift of lattice particles, in spacings; for point methods"),
            optional_table("refine", &T::refine, &refine_keys, "a part with another spacing"),
            optional_table("flow_rate", &T::flow_rate, &flow_rate_keys,
                           "a creep rate that varies, in place of the material's; embedded only"),
            K::color("color", &T::color, "one of a palette", "in pictures"),
            Key<T>{{"emit", "table", "", "none", "",
                    "not there at the start: copies enter one by one, each once its place is free"},
                   [](T& t, const Value& v, Reader& r) {
                       read_table(t.emit.emplace(), emit_keys(), v, r);
                   },
                   [](const T& t) -> std::optional<Value> {
                       if (!t.emit) return {};
                       return write_table(*t.emit, emit_keys());
                   }},
        };
    }();
    return keys;
}

const Keys<ColliderSpec>& collider_keys() {
    using T = ColliderSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys = [] {
        Key<T> name = K::text("name", &T::name, "unique; for messages and --set");
        name.info.fallback = "collider1, collider2, ...";
        return Keys<T>{
            name,
            shape_key<T>("where it stands at rest"),
            K::word("contact", &T::contact,
                    Words<Contact>{{"sticky", Contact::sticky},
                                   {"slip", Contact::slip},
                                   {"separate", Contact::separate}},
                    "matter sticks to it, slides along it, or may also leave it"),
            K::number("friction", &T::friction, {0, 100}, "",
                      "Coulomb's coefficient; separate only"),
            K::table("motion", &T::motion, &motion_keys, "how it moves; still by default"),
            optional_table("pushed", &T::pushed, &pushed_keys,
                           "matter can push it; point methods only"),
            K::flag("visible", &T::visible, "show it in pictures"),
            K::color("color", &T::color, "in pictures"),
        };
    }();
    return keys;
}

const Keys<Scene>& scene_keys() {
    using T = Scene;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::text("title", &T::title, "one line, for people"),
        K::integer("seed", &T::seed, "of every random number"),
        K::vector("gravity", &T::gravity, "m/s2", "y is up"),
        K::required(K::table("solver", &T::solver, &solver_keys, "the method and its settings")),
        K::table("time", &T::time, &time_keys, "how long"),
        K::table("output", &T::output, &output_keys, "what is written"),
        materials_key(),
        K::required(K::list("bodies", &T::bodies, &body_keys, "what moves")),
        K::list("colliders", &T::colliders, &collider_keys, "what it meets"),
        K::list("grips", &T::grips, &grip_keys, "what holds it"),
        K::list("pulls", &T::pulls, &pull_keys, "what draws it; point methods only"),
        K::table("camera", &T::camera, &camera_keys, "for pictures"),
        K::table("picture", &T::picture, &picture_keys, "for pictures"),
    };
    return keys;
}

std::vector<TableInfo> all_tables() {
    std::vector<TableInfo> all{
        describe("", "at the top of the file", scene_keys()),
        describe("solver", "the method and its settings", solver_keys()),
    };
    for (const MethodRow& row : method_table())
        if (row.reference) all.push_back(*row.reference);
    const auto add = [&](std::vector<TableInfo> more) {
        for (TableInfo& info : more) all.push_back(std::move(info));
    };
    add({describe("time", "how long", time_keys()),
         describe("output", "what is written", output_keys())});
    add(material_tables());
    add({describe("bodies[]", "what moves: one [[bodies]] each", body_keys()),
         describe("bodies[].emit", "copies that enter while the scene runs", emit_keys()),
         describe("colliders[]", "what it meets: one [[colliders]] each", collider_keys()),
         describe("bodies[].refine", "a part with another spacing", refine_keys()),
         describe("bodies[].flow_rate", "a creep rate that varies along a line", flow_rate_keys()),
         describe("colliders[].pushed", "a collider with a mass", pushed_keys()),
         describe("colliders[].motion", "everything given here adds up", motion_keys()),
         describe("colliders[].motion.oscillation", "a swing to and fro", oscillation_keys()),
         describe("colliders[].motion.keys[]", "poses to pass through", motion_key_keys()),
         describe("grips[]",
                  "what holds matter: one [[grips]] each; their motion is as that of "
                  "colliders",
                  grip_keys()),
         describe("pulls[]", "accelerations towards a point: one [[pulls]] each", pull_keys())});
    add(shape_tables());
    add({describe("camera", "for pictures", camera_keys()),
         describe("picture", "for pictures", picture_keys())});
    return all;
}

}  // namespace knead
