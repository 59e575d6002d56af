#include "knead/scene/build_thin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knead/base/error.h"
#include "knead/geometry/rotation.h"
#include "knead/mpm/grid/block_key.h"
#include "knead/scene/build_shape.h"

namespace knead {

namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
    using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // Clang 14 asks for it

double edge_of(const Scene& scene, const ThinSpec& thin) {
    return thin.edge ? *thin.edge : scene.solver.dx;
}

// Segments of a strand, by their wanted length where the scene gives one.
int segments_of(const ThinSpec& thin, double strand, int given) {
    if (!thin.edge) return given;
    return std::max(1, static_cast<int>(std::lround(std::min(strand / *thin.edge, 1e5))));
}

// Radius at a height between 0 and 1: a parabola through three, or a line.
double round_radius(const KnitSpec& k, double s) {
    const double bottom = k.radius, top = k.top_radius.value_or(k.radius);
    const double middle = k.middle_radius.value_or(0.5 * (bottom + top));
    return bottom * (1 - s) * (1 - 2 * s) + middle * 4 * s * (1 - s) + top * s * (2 * s - 1);
}

// From the axis outwards, the last place where a ray leaves the shape.
double outer_radius(const SdfShape& shape, const Vec3d& from, const Vec3d& way, double reach) {
    double r = reach;
    for (int k = 0; k < 2000 && r > 0; ++k) {
        const double d = shape.distance(from + r * way);
        if (d < 1e-6 * reach) return r;
        r -= std::max(d, 1e-5 * reach);
    }
    return 0;
}

ThinBody knit_around_shape(const Scene& scene, const KnitSpec& k) {
    const StitchShape stitch = stitch_shape(k.pattern);
    const double height = k.yarn * (k.rows * stitch.pitch + 2 * stitch.height);
    std::vector<Mistake> mistakes;
    const SdfShape shape = build_shape(scene, k.around[0], "thin.knit.around", mistakes);
    if (!mistakes.empty()) throw InputError(std::move(mistakes));
    const Box3 box = shape.bounds();
    if (box.empty() || !box.bounded())
        throw InputError({}, "the shape to knit around has no end", "give a closed one");
    const Vec3d axis = k.center;
    double reach = 0;  // to its farthest corner
    for (const double x : {box.lo.x, box.hi.x})
        for (const double z : {box.lo.z, box.hi.z})
            reach = std::max(reach, std::hypot(x - axis.x, z - axis.z));
    double least = reach;
    ThinBody body = knit_in_the_round(k, [&](double y, double angle) {
        const Vec3d from{axis.x, axis.y + y, axis.z};
        const double r = outer_radius(shape, from, {std::cos(angle), 0, -std::sin(angle)}, reach);
        least = std::min(least, r);
        return r + k.distance;
    });
    if (!(least > 0))
        throw InputError({},
                         fmt::format("the shape to knit around is not there at every height from "
                                     "center to {:.3g} m above it",
                                     height),
                         "move center, or knit fewer rows");
    return body;
}

ThinBody make_knit(const Scene& scene, const KnitSpec& k) {
    const double height = k.rows * stitch_shape(k.pattern).pitch * k.yarn;
    if (!k.around.empty()) return knit_around_shape(scene, k);
    if (!(k.radius > 0)) return knit(k);
    return knit_in_the_round(k, [&k, height](double y, double) {
        return round_radius(k, std::clamp(y / height, 0.0, 1.0));
    });
}

ThinFile make(const Scene& scene, const ThinSpec& thin) {
    const double edge = edge_of(scene, thin);
    return std::visit(Overloaded{[](std::monostate) { return ThinFile{}; },
                                 [&](SheetPlan p) {
                                     p.edge = edge;
                                     return ThinFile{sheet(p), {}};
                                 },
                                 [&](CurtainPlan p) {
                                     p.edge = edge;
                                     return ThinFile{curtain(p), {}};
                                 },
                                 [&](const KnitSpec& p) {
                                     return ThinFile{make_knit(scene, p), {}};
                                 },
                                 [&](HairTubePlan p) {
                                     p.segments = segments_of(thin, length(p.axis), p.segments);
                                     return ThinFile{hair_tube(p), {}};
                                 },
                                 [&](FibreBundlePlan p) {
                                     p.segments = segments_of(thin, p.strand, p.segments);
                                     return ThinFile{fibre_bundle(p), {}};
                                 },
                                 [&](PilePlan p) {
                                     p.edge = edge;
                                     return ThinFile{pile(p), {}};
                                 },
                                 [&](CarpetPlan p) {
                                     p.edge = edge;
                                     p.segments = segments_of(thin, p.length, p.segments);
                                     return ThinFile{carpet(p), {}};
                                 },
                                 [&](const ThinMeshSpec& p) { return read_thin_mesh(p.file, p); },
                                 [&](const CurvesSpec& p) { return read_curves(p.file, p); }},
                      thin.form);
}

void place(const ThinSpec& thin, ThinBody& body) {
    const Mat3d turn = rotation_of(std::numbers::pi / 180 * thin.rotate);
    for (Vec3d& x : body.vertices) x = turn * x + thin.translate;
}

bool has_volumes(const Scene& scene) {
    return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                       [](const BodySpec& b) { return !b.thin; });
}

// What the body's material says of the thin; zeros where there is none of the name.
Thin material_of(const Scene& scene, const BodySpec& body) {
    for (const Material& m : scene.materials)
        if (m.name == body.material) return m.thin;
    return {};
}

double sheet_thickness(const Scene& scene, const BodySpec& body) {
    if (body.thin->thickness) return *body.thin->thickness;
    const double usual = material_of(scene, body).thickness;
    return usual > 0 ? usual : has_volumes(scene) ? scene.solver.dx : 1e-3;
}
double curve_radius(const Scene& scene, const BodySpec& body) {
    if (body.thin->radius) return *body.thin->radius;
    const double usual = material_of(scene, body).radius;
    if (usual > 0) return usual;
    if (const auto* k = std::get_if<KnitSpec>(&body.thin->form)) return 0.5 * k->yarn;
    return 0.25 * scene.solver.dx;
}

// Volume of a triangle or segment [m3].
struct ElementVolume {
    double thickness, radius;
    double operator()(const ThinBody& b, const std::array<int, 3>& t) const {
        return 0.5 * thickness *
               length(cross(b.at_rest(t[1]) - b.at_rest(t[0]), b.at_rest(t[2]) - b.at_rest(t[0])));
    }
    double operator()(const ThinBody& b, const std::array<int, 2>& s) const {
        return std::numbers::pi * radius * radius * length(b.at_rest(s[1]) - b.at_rest(s[0]));
    }
};

template <class Real>
void set_rest(Elements<Real>& out, std::size_t row, const ThinBody& b,
              const std::array<int, 3>& t) {
    const Vec3d e1 = b.at_rest(t[1]) - b.at_rest(t[0]), e2 = b.at_rest(t[2]) - b.at_rest(t[0]);
    const double r11 = length(e1), r12 = dot(e1, e2) / r11, r22 = length(e2 - (r12 / r11) * e1);
    out.inverse_rest[0][row] = static_cast<Real>(1 / r11);
    out.inverse_rest[1][row] = static_cast<Real>(-r12 / (r11 * r22));
    out.inverse_rest[2][row] = static_cast<Real>(1 / r22);
}
template <class Real>
void set_rest(Elements<Real>& out, std::size_t row, const ThinBody& b,
              const std::array<int, 2>& s) {
    out.inverse_rest[0][row] = static_cast<Real>(1 / length(b.at_rest(s[1]) - b.at_rest(s[0])));
}

template <class Real>
void create_rows(Phase<Real>& phase, std::size_t n) {
    Particles<Real>& p = phase.particles;
    p.id.create(n), p.parent.create(n, -1), p.body.create(n);
    p.x.create(n), p.v.create(n), p.mass.create(n), p.volume.create(n);
}

template <class Real>
class PhaseMaker {
public:
    PhaseMaker(const Scene& scene, const Model& model, int material,
               const std::vector<ThinRows>& bodies)
        : scene_(scene), model_(model), material_(material), bodies_(bodies) {}

    void append(std::vector<Phase<Real>>& phases) {
        const auto vertex_phase = static_cast<std::int64_t>(phases.size());
        make_vertices();
        make_elements(triangles_, 3, vertex_phase, &ThinBody::triangles, 0);
        make_elements(segments_, 2, vertex_phase, &ThinBody::segments, 1);
        const double density = model_.materials[static_cast<std::size_t>(material_)].density;
        for (Phase<Real>* phase : {&vertices_, &triangles_, &segments_}) {
            Particles<Real>& p = phase->particles;
            phase->material = material_;
            if (p.size() == 0) continue;
            for (std::size_t i = 0; i < p.size(); ++i)
                p.mass.at(i) = static_cast<Real>(density * static_cast<double>(p.volume.at(i)));
            phases.push_back(std::move(*phase));
        }
    }

private:
    void make_vertices() {
        std::size_t n = 0;
        for (const ThinRows& b : bodies_) n += b.body->vertices.size();
        vertices_.kind = PhaseKind::vertices;
        create_rows(vertices_, n);
        Particles<Real>& p = vertices_.particles;
        std::size_t row = 0;
        for (const ThinRows& b : bodies_) {
            first_row_.push_back(row);
            const BodySpec& spec = scene_.bodies[static_cast<std::size_t>(b.index)];
            Vec3d middle{0, 0, 0};
            for (const Vec3d& x : b.body->vertices) middle += x;
            middle = middle / static_cast<double>(b.body->vertices.size());
            for (std::size_t i = 0; i < b.body->vertices.size(); ++i, ++row) {
                const Vec3d& x = b.body->vertices[i];
                p.id.at(row) = b.first_id + static_cast<std::int64_t>(i);
                p.body.at(row) = b.index;
                p.x.set(row, x);
                p.v.set(row, static_cast<Vec3<Real>>(spec.velocity +
                                                     cross(spec.angular_velocity, x - middle)));
            }
        }
    }

    // `list` are the triangles or the segments; ids come after the vertices and, for segments, the
    // triangles of their body.
    template <class List>
    void make_elements(Phase<Real>& phase, int corners, std::int64_t vertex_phase,
                       List ThinBody::*list, int after) {
        std::size_t n = 0;
        for (const ThinRows& b : bodies_) n += (b.body->*list).size();
        phase.kind = PhaseKind::elements;
        create_rows(phase, n);
        if (n == 0) return;
        phase.elements.create(corners, n);
        phase.elements.vertex_phase = vertex_phase;
        if (corners == 3) set_texture(phase.elements);
        std::size_t row = 0;
        for (std::size_t k = 0; k < bodies_.size(); ++k) {
            const ThinRows& b = bodies_[k];
            const BodySpec& spec = scene_.bodies[static_cast<std::size_t>(b.index)];
            const ElementVolume volume{sheet_thickness(scene_, spec), curve_radius(scene_, spec)};
            std::int64_t id = b.first_id + static_cast<std::int64_t>(b.body->vertices.size());
            if (after) id += static_cast<std::int64_t>(b.body->triangles.size());
            for (const auto& element : b.body->*list)
                add_element(phase, row++, id++, b, first_row_[k], element,
                            volume(*b.body, element) / (corners + 1));
        }
    }

    // Coordinates of all triangles, where any body has them.
    void set_texture(Elements<Real>& out) {
        const auto has_uv = [](const ThinRows& b) { return !b.body->uv.empty(); };
        if (std::none_of(bodies_.begin(), bodies_.end(), has_uv)) return;
        out.create_uv();
        std::size_t row = 0;
        for (const ThinRows& b : bodies_)
            for (std::size_t t = 0; t < b.body->triangles.size(); ++t, ++row)
                for (std::size_t k = 0; k < 6 && has_uv(b); ++k)
                    out.uv[k][row] = static_cast<Real>(b.body->uv[t][k]);
    }

    template <class Element>
    void add_element(Phase<Real>& phase, std::size_t row, std::int64_t id, const ThinRows& b,
                     std::size_t first_row, const Element& element, double share) {
        Particles<Real>& p = phase.particles;
        p.id.at(row) = id;
        p.body.at(row) = b.index;
        p.volume.at(row) = static_cast<Real>(share);
        set_rest(phase.elements, row, *b.body, element);
        Vec3<Real> v{0, 0, 0};
        for (std::size_t c = 0; c < element.size(); ++c) {
            const std::size_t at = first_row + static_cast<std::size_t>(element[c]);
            phase.elements.vertex[c][row] = b.first_id + element[c];
            vertices_.particles.volume.at(at) += static_cast<Real>(share);
            v += vertices_.particles.v.vec(at);
        }
        p.v.set(row, v / static_cast<Real>(element.size()));
    }

    const Scene& scene_;
    const Model& model_;
    int material_;
    const std::vector<ThinRows>& bodies_;
    Phase<Real> vertices_, triangles_, segments_;
    std::vector<std::size_t> first_row_;  // of each body, among the vertices
};

}  // namespace

bool is_from_file(const ThinSpec& thin) {
    return std::holds_alternative<ThinMeshSpec>(thin.form) ||
           std::holds_alternative<CurvesSpec>(thin.form);
}

bool thin_follows_dx(const ThinSpec& thin) {
    return !thin.edge && (std::holds_alternative<SheetPlan>(thin.form) ||
                          std::holds_alternative<CurtainPlan>(thin.form) ||
                          std::holds_alternative<PilePlan>(thin.form) ||
                          std::holds_alternative<CarpetPlan>(thin.form));
}

double estimated_thin_particles(const ThinSpec& thin, double otherwise) {
    const double edge = thin.edge.value_or(otherwise);
    const auto cells = [edge](double a, double b) { return (a / edge + 1) * (b / edge + 1); };
    const auto strands = [](double count, double segments) { return 2 * count * segments; };
    return std::visit(
        Overloaded{
            [](std::monostate) { return 0.0; },
            [&](const SheetPlan& p) { return 3 * cells(length(p.along), length(p.across)); },
            [&](const CurtainPlan& p) {
                return 3 * cells(p.height, std::hypot(p.width, 4.0 * p.folds * p.depth));
            },
            [&](const KnitSpec& p) {
                return strands(1.1 * p.plies, static_cast<double>(p.rows) * p.columns * p.samples);
            },
            [&](const HairTubePlan& p) {
                return strands(p.strands, segments_of(thin, length(p.axis), p.segments));
            },
            [&](const FibreBundlePlan& p) {
                return strands(p.strands, segments_of(thin, p.strand, p.segments));
            },
            [&](const PilePlan& p) {
                return strands(static_cast<double>(p.layers) * p.fibres, p.length / edge + 1);
            },
            [&](const CarpetPlan& p) {
                const double all = cells(length(p.along), length(p.across));
                const double every = std::max(1.0, p.spacing / edge);
                const int segments = segments_of(thin, p.length, p.segments);
                return 3 * all + strands(all / (every * every), segments);
            },
            [](const ThinMeshSpec&) { return 0.0; }, [](const CurvesSpec&) { return 0.0; }},
        thin.form);
}

// Where the grid numbers cells and single precision tells vertices apart.
static void check_span(const ThinBody& body, double dx) {
    const double reach = 4.0 * (block_limit - 2) * dx;
    double furthest = 0;
    for (const Vec3d& x : body.vertices)
        for (int k = 0; k < 3; ++k) {
            if (!(std::abs(x[k]) < reach))
                throw InputError(
                    {}, fmt::format("a vertex is at ({:.4g}, {:.4g}, {:.4g})", x.x, x.y, x.z),
                    fmt::format("with this solver.dx, space ends {:.3g} m from the "
                                "origin: move it, make it smaller, or raise solver.dx",
                                reach));
            furthest = std::max(furthest, std::abs(x[k]));
        }
    const double shortest = edge_lengths(body).shortest;
    const double least = std::max(1e-6 * dx, 5e-7 * furthest);
    if (!(shortest >= least))
        throw InputError({}, fmt::format("an edge is {:.3g} m long", shortest),
                         fmt::format("allowed: at least {:.2g} m, which single precision can tell "
                                     "apart this far from the origin and on this grid",
                                     least));
}

ThinFile build_thin_body(const Scene& scene, const BodySpec& body) {
    ThinFile made = make(scene, *body.thin);
    place(*body.thin, made.body);
    check_thin_body(made.body, body.name);
    check_span(made.body, scene.solver.dx);
    return made;
}

double half_thickness(const Scene& scene, const BodySpec& body) {
    const ThinForm& form = body.thin->form;
    const bool is_sheet = std::holds_alternative<SheetPlan>(form) ||
                          std::holds_alternative<CurtainPlan>(form) ||
                          std::holds_alternative<ThinMeshSpec>(form);
    return is_sheet ? 0.5 * sheet_thickness(scene, body) : curve_radius(scene, body);
}

std::int64_t ThinRows::count() const {
    return static_cast<std::int64_t>(body->vertices.size() + body->triangles.size() +
                                     body->segments.size());
}

Bending build_bending(const Scene& scene, const Model& model, const ThinRows& rows) {
    const int material = model.bodies[static_cast<std::size_t>(rows.index)].material;
    const Material& m = model.materials[static_cast<std::size_t>(material)];
    const BodySpec& body = scene.bodies[static_cast<std::size_t>(rows.index)];
    const ElementVolume volume{sheet_thickness(scene, body), curve_radius(scene, body)};
    std::vector<double> mass(rows.body->vertices.size(), 0.0);
    const auto share = [&](const auto& elements) {
        for (const auto& e : elements)
            for (const int v : e)
                mass[static_cast<std::size_t>(v)] +=
                    m.density * volume(*rows.body, e) / static_cast<double>(e.size() + 1);
    };
    share(rows.body->triangles);
    share(rows.body->segments);
    Bending bending = make_bending(*rows.body, m.thin.sheet_bending, m.thin.fibre_bending, mass);
    bending.material = material;
    bending.first_id = rows.first_id;
    return bending;
}

template <class Real>
void append_thin_phases(const Scene& scene, const Model& model, int material,
                        const std::vector<ThinRows>& bodies, State<Real>& state) {
    if (!bodies.empty()) PhaseMaker<Real>(scene, model, material, bodies).append(state.phases);
}

template void append_thin_phases(const Scene&, const Model&, int, const std::vector<ThinRows>&,
                                 State<float>&);
template void append_thin_phases(const Scene&, const Model&, int, const std::vector<ThinRows>&,
                                 State<double>&);

}  // namespace knead
