// The keys of a scene and its tables, apart from shapes and materials.
#include "knead/scene/methods.h"

namespace knead {

namespace {

const Keys<TimeSettings>& time_keys() {
    using T = TimeSettings;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::number("frame_rate", &T::frame_rate, {1e-3, 1e6}, "1/s", "frames per second"),
        K::integer("frames", &T::frames, {0, 1e6}, "frames to compute after frame 0, the start"),
        K::number("max_dt", &T::max_dt, at_least(0), "s",
                  "longest substep; 0: limited by stability only"),
        K::number("min_dt", &T::min_dt, above(0), "s",
                  "shortest substep; a run that needs a shorter one fails"),
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
        K::required(K::vector("amplitude", &T::amplitude, "m", "largest displacement")),
        K::required(
            K::number("frequency", &T::frequency, above(0), "1/s", "oscillations per second")),
        K::number("phase", &T::phase, {}, "degrees", "phase at the start"),
        K::number("ramp", &T::ramp, at_least(0), "s", "time in which the amplitude grows from 0"),
    };
    return keys;
}

const Keys<MotionKeySpec>& motion_key_keys() {
    using T = MotionKeySpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(
            K::number("time", &T::time, {}, "s", "time of the pose; later than the one before")),
        K::vector("position", &T::position, "m",
                  "displacement from the shape's place in the scene"),
        K::rotation("rotation", &T::rotation, "rotation from the shape's orientation in the scene"),
    };
    return keys;
}

const Keys<CameraSpec>& camera_keys() {
    using T = CameraSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("position", &T::position, "m", "sees everything", "where the camera stands"),
        K::vector("target", &T::target, "m", "middle of everything", "what it looks at"),
        K::vector("up", &T::up, "", "upward direction in the picture"),
        K::number("field_of_view", &T::field_of_view, {1, 170}, "degrees",
                  "vertical field of view"),
    };
    return keys;
}

const Keys<PictureSpec>& picture_keys() {
    using T = PictureSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::integer("width", &T::width, {16, 16384}, "pixels"),
        K::integer("height", &T::height, {16, 16384}, "pixels"),
        K::integer("samples", &T::samples, {1, 65536}, "rays per pixel"),
        K::color("background", &T::background, "colour of the background"),
        K::flag("ground", &T::ground, "draw the level plane among the colliders as a floor"),
    };
    return keys;
}

const Keys<FlowRateSpec>& flow_rate_keys() {
    using T = FlowRateSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::vector("from", &T::from, "m", "where the rate is rate_from")),
        K::required(
            K::vector("to", &T::to, "m", "where it is rate_to; in between it is interpolated")),
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
                              "acceleration per distance; below 0 it pushes away")),
        K::number("start", &T::start, at_least(0), "s", "time at which it begins"),
        K::required(K::number("stop", &T::stop, above(0), "s", "time at which it ends")),
    };
    return keys;
}

bool is_empty(const ShapeSpec& shape) { return shape.form.index() == 0; }

// One that something else may stand for.
template <class T>
Key<T> optional_shape_key(const char* fallback, const char* doc) {
    Key<T> key = shape_key<T>(doc);
    key.info.required = false;
    key.info.fallback = fallback;
    key.write = [](const T& t) -> std::optional<Value> {
        if (is_empty(t.shape)) return {};
        return write_shape(t.shape);
    };
    return key;
}

// A list whose items have a shape or one of the `others`.
template <class U>
Key<Scene> list_of_placed(const char* name, std::vector<U> Scene::*m, const Keys<U>& (*keys)(),
                          const char* other, const char* doc) {
    Key<Scene> key = KeyOf<Scene>::list(name, m, keys, doc);
    key.read = [=](Scene& s, const Value& v, Reader& r) {
        r.read_items(v, [&](const Value& item) {
            read_table((s.*m).emplace_back(), keys(), item, r);
            if (item.kind != Value::Kind::table) return;
            const Value *shape = item.find("shape"), *instead = item.find(other);
            if (!shape && !instead) r.missing_key(item, "shape");
            if (shape && instead)
                r.mistake(instead->place, r.path() + " has both shape and " + other,
                          "keep one of the two");
        });
    };
    return key;
}

const Keys<RefineSpec>& refine_keys() {
    using T = RefineSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        shape_key<T>("the part with that spacing"),
        K::required(K::number("spacing", &T::spacing, above(0), "m", "particle spacing there")),
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
            optional_shape_key<T>("body and group", "the matter inside it at the start is held"),
            K::only_when([](const T& t) { return !t.body.empty(); },
                         K::text("body", &T::body, "instead of a shape: a thin body, with group")),
            K::only_when([](const T& t) { return !t.group.empty(); },
                         K::text("group", &T::group,
                                 "which of its vertices are held, such as \"top\"; below "
                                 "bodies[].thin")),
            K::table("motion", &T::motion, &motion_keys,
                     "how it moves what it holds; still by default"),
            K::number("release", &T::release, above(0), "s", "never", "time at which it lets go"),
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

}  // namespace

const Keys<SolverSpec>& solver_keys() {
    using T = SolverSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys = [&] {
        Keys<T> all{
            method_key(),
            K::required(K::number("dx", &T::dx, above(0), "m",
                                  "grid spacing; for point methods, twice the particle spacing"))};
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
        K::vector("velocity", &T::velocity, "m/s", "constant velocity"),
        K::vector("angular_velocity", &T::angular_velocity, "rad/s",
                  "constant angular velocity: axis times rate"),
        Key<T>{{"oscillation", "table", "", "none", "", "sinusoidal oscillation"},
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
        K::number("start", &T::start, at_least(0), "s", "it is at rest before this time"),
        K::number("stop", &T::stop, at_least(0), "s",
                  "it is at rest after this time, if above start"),
        K::vector("pivot", &T::pivot, "m", "middle of the shape's bounds", "centre of rotation"),
    };
    return keys;
}

const Keys<BodySpec>& body_keys() {
    using T = BodySpec;
    using K = KeyOf<T>;
    static const Keys<T> keys = [] {
        const auto fills = [](const T& b) { return !b.thin; };
        Key<T> name = K::text("name", &T::name, "unique; for messages and --set");
        name.info.fallback = "body1, body2, ...";
        return Keys<T>{
            name,
            K::required(K::text("material", &T::material, "one of [materials], or a preset")),
            optional_shape_key<T>("thin", "region that it fills at the start"),
            optional_table("thin", &T::thin, &thin_keys,
                           "instead of a shape: a sheet of cloth, yarn or strands; mpm only"),
            K::vector("velocity", &T::velocity, "m/s", "velocity at the start"),
            K::vector("angular_velocity", &T::angular_velocity, "rad/s",
                      "angular velocity at the start about its centre: axis times rate"),
            K::number("spacing", &T::spacing, above(0), "m", "from particles_per_cell",
                      "particle spacing"),
            K::only_when([](const T& b) { return !b.spacing && !b.thin; },
                         K::number("particles_per_cell", &T::particles_per_cell, {0.1, 1000}, "",
                                   "particles per grid cell, instead of spacing")),
            K::only_when(fills, K::word("sampling", &T::sampling,
                                        Words<Sampling>{{"lattice", Sampling::lattice},
                                                        {"fitted", Sampling::fitted},
                                                        {"poisson", Sampling::poisson}},
                                        "particles on a lattice; on a lattice whose outer layer "
                                        "lies evenly below the surface, so that round bodies have "
                                        "no steps; or at random with even gaps")),
            K::only_when(fills,
                         K::number("jitter", &T::jitter, {0, 0.5}, "",
                                   "random shift of lattice particles, in spacings; for point "
                                   "methods")),
            optional_table("refine", &T::refine, &refine_keys, "a part with another spacing"),
            optional_table("flow_rate", &T::flow_rate, &flow_rate_keys,
                           "a creep rate that varies, in place of the material's; embedded only"),
            K::color("color", &T::color, "of the preset", "colour in pictures"),
            K::only_when(fills, K::word("draw", &T::draw,
                                        Words<Draw>{{"auto", Draw::automatic},
                                                    {"surface", Draw::surface},
                                                    {"points", Draw::points}},
                                        "how pictures show it; auto: sand as grains, all else by "
                                        "its surface")),
            optional_table("emit", &T::emit, &emit_keys,
                           "copies enter while the scene runs, each when its place is free; none "
                           "is there at the start"),
            optional_table("stream", &T::stream, &stream_keys,
                           "matter enters in a strand through the section of the shape; none is "
                           "there at the start"),
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
            optional_shape_key<T>("animation", "its shape, before any motion"),
            optional_table(
                "animation", &T::animation, &animation_keys,
                "instead of a shape: a closed mesh that changes; motion moves it besides"),
            K::word("contact", &T::contact,
                    Words<Contact>{{"sticky", Contact::sticky},
                                   {"slip", Contact::slip},
                                   {"separate", Contact::separate}},
                    "matter sticks to it, slides along it, or may also leave it"),
            K::number("friction", &T::friction, {0, 100}, "",
                      "Coulomb's coefficient; separate only"),
            K::number("adhesion", &T::adhesion, at_least(0), "Pa",
                      "pull at which matter lets go, and by which friction counts it as pressed; "
                      "separate only, since sticky never lets go"),
            K::table("motion", &T::motion, &motion_keys, "how it moves; still by default"),
            optional_table("pushed", &T::pushed, &pushed_keys,
                           "matter can push it; point methods only"),
            K::flag("visible", &T::visible, "show it in pictures"),
            K::color("color", &T::color, "colour in pictures"),
        };
    }();
    return keys;
}

const Keys<Scene>& scene_keys() {
    using T = Scene;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::text("title", &T::title, "one line, for people"),
        K::integer("seed", &T::seed, "seed of all random numbers"),
        K::vector("gravity", &T::gravity, "m/s2", "acceleration of gravity; y is up"),
        K::required(K::table("solver", &T::solver, &solver_keys, "the method and its settings")),
        K::table("time", &T::time, &time_keys, "frames and time steps"),
        K::table("output", &T::output, &output_keys, "what is written"),
        materials_key(),
        K::required(list_of_placed("bodies", &T::bodies, &body_keys, "thin", "bodies of matter")),
        list_of_placed("colliders", &T::colliders, &collider_keys, "animation", "obstacles"),
        list_of_placed("grips", &T::grips, &grip_keys, "body",
                       "regions whose matter is held and moved"),
        K::list("sinks", &T::sinks, &sink_keys, "volumes that take matter out"),
        K::list("pulls", &T::pulls, &pull_keys,
                "accelerations towards a point; point methods only"),
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
    add({describe("time", "frames and time steps", time_keys()),
         describe("output", "what is written", output_keys())});
    add(material_tables());
    add({describe("bodies[]", "bodies of matter, one [[bodies]] each", body_keys()),
         describe("bodies[].emit", "copies that enter while the scene runs", emit_keys()),
         describe("bodies[].stream",
                  "matter that enters through an opening: the section of the body's shape through "
                  "its middle, across the direction",
                  stream_keys()),
         describe("colliders[]", "obstacles, one [[colliders]] each", collider_keys()),
         describe("colliders[].animation", "a mesh that changes with time", animation_keys()),
         describe("bodies[].refine", "a part with another spacing", refine_keys()),
         describe("bodies[].flow_rate", "a creep rate that varies along a line", flow_rate_keys()),
         describe("colliders[].pushed", "a collider with a mass", pushed_keys()),
         describe("colliders[].motion", "motion of a collider or grip; all parts given here add up",
                  motion_keys()),
         describe("colliders[].motion.oscillation", "sinusoidal oscillation", oscillation_keys()),
         describe("colliders[].motion.keys[]", "poses to pass through", motion_key_keys()),
         describe(
             "grips[]",
             "regions whose matter is held and moved, one [[grips]] each; motion as for colliders",
             grip_keys()),
         describe("sinks[]", "volumes that take matter out, one [[sinks]] each", sink_keys()),
         describe("pulls[]", "accelerations towards a point: one [[pulls]] each", pull_keys())});
    add(shape_tables());
    add(thin_tables());
    add({describe("camera", "for pictures", camera_keys()),
         describe("picture", "for pictures", picture_keys())});
    return all;
}

}  // namespace knead
