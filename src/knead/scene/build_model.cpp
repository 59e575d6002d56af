#include "knead/scene/build_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "knead/base/machine.h"
#include "knead/geometry/sample_section.h"
#include "knead/geometry/sample_volume.h"
#include "knead/geometry/sdf_build.h"
#include "knead/geometry/weave/read_thin.h"
#include "knead/scene/build_mesh.h"
#include "knead/scene/build_shape.h"
#include "knead/scene/build_streams.h"
#include "knead/scene/build_thin.h"
#include "knead/scene/fill_body.h"
#include "knead/scene/methods.h"
#include "knead/scene/read_animation.h"
#include "knead/scene/warn_bodies.h"

namespace knead {

namespace {

int index_of(const std::vector<Material>& materials, const std::string& name) {
    const auto same = [&](const Material& m) { return m.name == name; };
    return static_cast<int>(std::find_if(materials.begin(), materials.end(), same) -
                            materials.begin());
}

Model build_fixed(const Scene& scene) {
    Model model;
    model.title = scene.title;
    model.materials = scene.materials;
    model.gravity = scene.gravity;
    model.precision = scene.solver.precision;
    model.dx = scene.solver.dx;
    model.settings = settings_of(scene);
    model.pulls = scene.pulls;
    model.time = scene.time;
    model.output = scene.output;
    model.seed = scene.seed;
    for (const BodySpec& b : scene.bodies)
        model.bodies.push_back(
            {b.name, index_of(scene.materials, b.material), spacing_of(scene, b)});
    return model;
}

// Everything that goes wrong on the way, in one place.
struct Findings {
    std::vector<Mistake> mistakes, warnings;
};

// Mass and inertia of a collider that can be pushed, as of a shape filled evenly. Its centre
// becomes the pivot of its motion.
void make_pushed(const PushedSpec& spec, const SdfShape& shape, Collider& collider) {
    const Box3 box = shape.bounds();
    const Vec3d size = box.size();
    const std::vector<Vec3d> points =
        sample_lattice(shape, std::max({size.x, size.y, size.z}) / 32, box.lo);
    if (points.empty()) return;
    const Vec3d center = middle_of(points);
    Mat3d inertia = 0.0 * identity3<double>();
    for (const Vec3d& x : points) {
        const Vec3d r = x - center;
        inertia = inertia + dot(r, r) * identity3<double>() - outer(r, r);
    }
    collider.motion.pivot = center;
    collider.rigid = {spec.mass, (spec.mass / static_cast<double>(points.size())) * inertia,
                      spec.release, spec.guide};
}

void build_grips(const Scene& scene, Model& model, Findings& found) {
    for (std::size_t i = 0; i < scene.grips.size(); ++i) {
        const GripSpec& spec = scene.grips[i];
        const double release = spec.release.value_or(1e30);
        if (!spec.body.empty()) {  // its vertices are found once there are any
            model.grips.push_back({spec.name, {}, build_motion(spec.motion, {}), release});
            continue;
        }
        const SdfShape shape =
            build_shape(scene, spec.shape, "grips." + std::to_string(i) + ".shape", found.mistakes);
        model.grips.push_back({spec.name, shape, build_motion(spec.motion, shape), release});
    }
}

void build_animated(const Scene& scene, std::size_t i, Model& model, Findings& found) {
    const ColliderSpec& spec = scene.colliders[i];
    Collider collider{spec.name,     {}, build_motion(spec.motion, {}), spec.contact,
                      spec.friction, {}};
    collider.adhesion = spec.adhesion;
    try {
        collider.animation = read_animation(*spec.animation);
        if (!spec.motion.pivot) collider.motion.pivot = collider.animation->bounds().center();
    } catch (const InputError& error) {
        found.mistakes.insert(found.mistakes.end(), error.mistakes().begin(),
                              error.mistakes().end());
    }
    model.colliders.push_back(std::move(collider));
}

void build_colliders(const Scene& scene, Model& model, Findings& found) {
    for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
        const ColliderSpec& spec = scene.colliders[i];
        if (spec.animation) {
            build_animated(scene, i, model, found);
            continue;
        }
        const std::string path = "colliders." + std::to_string(i) + ".shape";
        const SdfShape shape = build_shape(scene, spec.shape, path, found.mistakes);
        // Without a mesh the reader has looked already.
        if (has_mesh(spec.shape) && !shape.empty())
            check_collider_shape(scene, i, shape, found.warnings);
        model.colliders.push_back({spec.name,
                                   shape,
                                   build_motion(spec.motion, shape),
                                   spec.contact,
                                   spec.friction,
                                   {},
                                   spec.adhesion});
        if (!spec.pushed || shape.empty()) continue;
        if (!shape.bounded())
            found.mistakes.push_back({scene.place(path), path + " has no end",
                                      "a collider that can be pushed needs one"});
        else
            make_pushed(*spec.pushed, shape, model.colliders.back());
    }
}

// The shapes of the bodies, empty where something is wrong with them.
std::vector<BodyShape> build_bodies(const Scene& scene, Findings& found) {
    std::vector<BodyShape> shapes;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const BodySpec& spec = scene.bodies[i];
        const std::string path = "bodies." + std::to_string(i);
        if (spec.thin) {
            shapes.push_back({});
            continue;
        }
        BodyShape body{build_shape(scene, spec.shape, path + ".shape", found.mistakes), {}};
        if (spec.refine)
            body.refined =
                build_shape(scene, spec.refine->shape, path + ".refine.shape", found.mistakes);
        const std::size_t before = found.mistakes.size();
        if (!body.shape.empty() && has_mesh(spec.shape))
            check_body_shape(scene, i, body.shape, found.mistakes, found.warnings);
        if (found.mistakes.size() > before) body.shape = {};
        shapes.push_back(std::move(body));
    }
    return shapes;
}

std::vector<Fill> fill_bodies(const Scene& scene, std::vector<BodyShape> shapes, Findings& found) {
    std::vector<Fill> fills;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const std::string path = "bodies." + std::to_string(i) + ".shape";
        fills.push_back({std::move(shapes[i].shape), {}, 0, std::move(shapes[i].refined)});
        if (fills.back().shape.empty()) continue;
        try {
            if (const auto& stream = scene.bodies[i].stream) {
                const double spacing = spacing_of(scene, scene.bodies[i]);
                fills.back().points =
                    sample_section(fills.back().shape, stream->direction, spacing);
                fills.back().volume = spacing * spacing * spacing;
            } else {
                fill(fills.back(), scene, i);
            }
        } catch (const InputError& error) {  // samplers know no places
            for (const Mistake& m : error.mistakes())
                found.mistakes.push_back({scene.place(path), path + ": " + m.what, m.remedy});
            continue;
        }
        if (fills.back().points.empty())
            found.mistakes.push_back({scene.place(path), path + " holds no particles",
                                      "lower solver.dx, or check its sizes"});
        else if (!scene.bodies[i].stream) {
            check_mesh_volume(scene, i, fills.back().total(), found.mistakes, found.warnings);
            share_volume(fills.back(), scene, i);
        }
    }
    return fills;
}

// The creep rate of a body's particle at x.
double flow_rate_at(const BodySpec& spec, const Material& material, const Vec3d& x) {
    if (!spec.flow_rate) return material.flow.creep_rate;
    const FlowRateSpec& f = *spec.flow_rate;
    const Vec3d line = f.to - f.from;
    const double t = std::clamp(dot(x - f.from, line) / dot(line, line), 0.0, 1.0);
    return f.rate_from + t * (f.rate_to - f.rate_from);
}

// Rows of one body behind those that are there.
template <class Real>
void append(Particles<Real>& p, const Fill& fill, const BodySpec& spec, int body,
            const Material& material, std::int64_t first_id) {
    const double density = material.density;
    const std::size_t start = p.size(), n = fill.points.size();
    p.resize(start + n);
    const Vec3d middle = middle_of(fill.points);
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3d& x = fill.points[i];
        const Vec3d v = spec.velocity + cross(spec.angular_velocity, x - middle);
        p.id.at(start + i) = first_id + static_cast<std::int64_t>(i);
        p.parent.at(start + i) = -1;
        p.body.at(start + i) = body;
        p.x.set(start + i, x);
        p.v.set(start + i, static_cast<Vec3<Real>>(v));
        p.mass.at(start + i) = static_cast<Real>(density * fill.volume_of(i));
        p.volume.at(start + i) = static_cast<Real>(fill.volume_of(i));
        if (p.flow_rate.present())
            p.flow_rate.at(start + i) = static_cast<Real>(flow_rate_at(spec, material, x));
    }
}

template <class Real>
Phase<Real> new_phase(int material) {
    Phase<Real> phase;
    phase.material = material;
    Particles<Real>& p = phase.particles;
    p.id.create(0), p.parent.create(0), p.body.create(0);
    p.x.create(0), p.v.create(0), p.mass.create(0), p.volume.create(0);
    return phase;
}

void build_emitters(const Scene& scene, const std::vector<Fill>& fills, Model& model) {
    for (std::size_t b = 0; b < fills.size(); ++b) {
        const BodySpec& spec = scene.bodies[b];
        if (!spec.emit) continue;
        Emitter e;
        e.body = static_cast<int>(b);
        e.material = model.bodies[b].material;
        e.points = fills[b].points;
        e.middle = middle_of(e.points);
        e.volume = fills[b].volume;
        e.velocity = spec.velocity;
        e.angular_velocity = spec.angular_velocity;
        e.start = spec.emit->start;
        e.interval = spec.emit->interval;
        e.count = spec.emit->count;
        e.spread = spec.emit->spread;
        e.turn = spec.emit->turn;
        model.emitters.push_back(std::move(e));
    }
}

// Sheets and curves by body; empty where it is a volume.
std::vector<ThinBody> build_thin_bodies(const Scene& scene, Findings& found) {
    std::vector<ThinBody> all(scene.bodies.size());
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        if (!scene.bodies[b].thin) continue;
        const std::string path = "bodies." + std::to_string(b) + ".thin";
        try {
            ThinFile made = build_thin_body(scene, scene.bodies[b]);
            all[b] = std::move(made.body);
            for (std::string& what : edge_warnings(all[b], scene.solver.dx))
                made.notes.push_back(std::move(what));
            for (const std::string& what : made.notes)
                found.warnings.push_back({scene.place(path), path + ": " + what, ""});
        } catch (const InputError& error) {  // makers know no places but lines of files
            for (const Mistake& m : error.mistakes())
                found.mistakes.push_back({m.place.line > 0 ? m.place : scene.place(path),
                                          path + ": " + m.what, m.remedy});
        }
    }
    return all;
}

void refuse_what_does_not_fit(const Scene& scene, const Estimate& cost, double available,
                              Findings& found) {
    const std::vector<Mistake> too_large = memory_mistakes(scene, cost, available);
    if (too_large.empty()) return;
    found.mistakes.insert(found.mistakes.end(), too_large.begin(), too_large.end());
    throw InputError(std::move(found.mistakes));
}

// Sheets and curves of files are as large as those say.
void count_files(const Scene& scene, const std::vector<ThinBody>& thin, Estimate& cost) {
    for (std::size_t b = 0; b < thin.size(); ++b)
        if (scene.bodies[b].thin && is_from_file(*scene.bodies[b].thin))
            cost.particles[b] = static_cast<double>(ThinRows{&thin[b], 0, 0}.count());
    add_up(scene, cost);
}

// A grip of a group holds its vertices, and turns about their middle unless the scene says where.
void find_held_vertices(const Scene& scene, const std::vector<ThinRows>& thin, Model& model,
                        Findings& found) {
    for (std::size_t g = 0; g < scene.grips.size(); ++g) {
        const GripSpec& spec = scene.grips[g];
        for (const ThinRows& rows : thin) {
            if (scene.bodies[static_cast<std::size_t>(rows.index)].name != spec.body) continue;
            const auto at = rows.body->groups.find(spec.group);
            if (at == rows.body->groups.end()) {
                std::string names;
                for (const auto& [name, list] : rows.body->groups)
                    names += (names.empty() ? "" : ", ") + name;
                const std::string path = "grips." + std::to_string(g) + ".group";
                found.mistakes.push_back(
                    {scene.place(path),
                     path + ": body " + spec.body + " has no group " + spec.group,
                     "its groups are: " + names});
                continue;
            }
            std::vector<Vec3d> places;
            for (const int v : at->second) {
                model.grips[g].held.push_back(rows.first_id + v);
                places.push_back(rows.body->vertex(v));
            }
            std::sort(model.grips[g].held.begin(), model.grips[g].held.end());
            Vec3d& pivot = model.grips[g].motion.pivot;
            if (!spec.motion.pivot) pivot = middle_of(places);
            double farthest = 0;  // bounds how fast its turns are
            for (const Vec3d& x : places) farthest = std::max(farthest, length(x - pivot));
            model.grips[g].region = sdf::sphere(pivot, farthest);
        }
    }
}

// Ids of the bodies' first particles, in order of the bodies.
struct FirstIds {
    std::vector<std::int64_t> of_body;
    std::vector<ThinRows> thin;
    std::int64_t next = 0;
};
FirstIds number_bodies(const Scene& scene, const std::vector<Fill>& fills,
                       const std::vector<ThinBody>& thin) {
    FirstIds ids;
    for (std::size_t b = 0; b < fills.size(); ++b) {
        ids.of_body.push_back(ids.next);
        if (scene.bodies[b].thin) {
            ids.thin.push_back({&thin[b], static_cast<int>(b), ids.next});
            ids.next += ids.thin.back().count();
        } else if (!scene.bodies[b].enters_later()) {
            ids.next += static_cast<std::int64_t>(fills[b].points.size());
        }
    }
    return ids;
}

template <class Real>
State<Real> build_state(const Scene& scene, const Model& model, const std::vector<Fill>& fills,
                        const FirstIds& ids) {
    State<Real> state;
    state.next_id = ids.next;
    const std::vector<std::int64_t>& first_id = ids.of_body;
    for (int m = 0; m < static_cast<int>(model.materials.size()); ++m) {
        Phase<Real> phase = new_phase<Real>(m);
        for (std::size_t b = 0; b < fills.size(); ++b)
            if (model.bodies[b].material == m && scene.bodies[b].flow_rate &&
                !phase.particles.flow_rate.present())
                phase.particles.flow_rate.create(0);
        for (std::size_t b = 0; b < fills.size(); ++b)
            if (model.bodies[b].material == m && !scene.bodies[b].enters_later())
                append(phase.particles, fills[b], scene.bodies[b], static_cast<int>(b),
                       model.materials[static_cast<std::size_t>(m)], first_id[b]);
        const auto enters = [m](const auto& e) { return e.material == m; };
        if (phase.particles.size() > 0 ||
            std::any_of(model.emitters.begin(), model.emitters.end(), enters) ||
            std::any_of(model.streams.begin(), model.streams.end(), enters))
            state.phases.push_back(std::move(phase));
        std::vector<ThinRows> thin;
        for (const ThinRows& rows : ids.thin)
            if (model.bodies[static_cast<std::size_t>(rows.index)].material == m)
                thin.push_back(rows);
        append_thin_phases(scene, model, m, thin, state);
    }
    return state;
}

}  // namespace

std::vector<Collider> build_colliders(const Scene& scene) {
    Model model;
    Findings found;
    build_colliders(scene, model, found);
    if (!found.mistakes.empty()) throw InputError(std::move(found.mistakes));
    return std::move(model.colliders);
}

template <class Real>
Built<Real> build_model(const Scene& scene) {
    Findings found{{}, scene.warnings};
    Model model = build_fixed(scene);
    build_colliders(scene, model, found);
    build_grips(scene, model, found);
    build_sinks(scene, model, found.mistakes);
    std::vector<BodyShape> shapes = build_bodies(scene, found);
    const double available = available_memory();
    Estimate cost = estimate(scene, shapes);
    refuse_what_does_not_fit(scene, cost, available, found);
    const std::vector<Fill> fills = fill_bodies(scene, std::move(shapes), found);
    const std::vector<ThinBody> thin = build_thin_bodies(scene, found);
    count_files(scene, thin, cost);
    refuse_what_does_not_fit(scene, cost, available, found);
    const FirstIds ids = number_bodies(scene, fills, thin);
    find_held_vertices(scene, ids.thin, model, found);
    for (const ThinRows& rows : ids.thin)
        if (Bending b = build_bending(scene, model, rows); b.frequency > 0)
            model.bending.push_back(std::move(b));
    check_overlaps(scene, model, fills, found.mistakes, found.warnings);
    warn_of_bodies(scene, model, fills, found.warnings);
    refuse_wild_speeds(scene, model, fills, found.mistakes);
    if (!found.mistakes.empty()) throw InputError(std::move(found.mistakes));
    build_emitters(scene, fills, model);
    std::vector<std::vector<Vec3d>> slices;
    for (const Fill& f : fills) slices.push_back(f.points);
    build_streams(scene, slices, model);
    State<Real> state = build_state<Real>(scene, model, fills, ids);
    return {std::move(model), std::move(state), std::move(found.warnings), cost};
}

template struct Built<float>;
template struct Built<double>;
template Built<float> build_model(const Scene&);
template Built<double> build_model(const Scene&);

}  // namespace knead
