#include "knead/scene/validate.h"

namespace knead {

namespace {

std::string item(const char* list, std::size_t i) {
    return std::string(list) + "." + std::to_string(i);
}

const Material* material_of(const Scene& scene, const BodySpec& body) {
    for (const Material& m : scene.materials)
        if (m.name == body.material) return &m;
    return nullptr;
}

// What keys of volumes a sheet or curves cannot have.
void check_thin_keys(const Scene& scene, std::size_t i, Reader& r) {
    const std::string path = item("bodies", i);
    if (scene.bodies[i].thin->form.index() == 0 && !r.is_bad(path + ".thin"))
        r.mistake(
            scene.place(path + ".thin"), path + ".thin does not say what it is",
            "give it a sheet, curtain, mesh, curves, knit, hair_tube, bundle, pile or carpet");
    for (const char* key : {"spacing", "particles_per_cell", "sampling", "jitter", "refine",
                            "flow_rate", "emit", "stream"})
        if (scene.places.contains(path + "." + key))
            r.mistake(scene.place(path + "." + key),
                      path + "." + key + " is for volumes, and this body is thin", "leave it out");
    if (scene.solver.method != Method::mpm)
        r.mistake(scene.place(path + ".thin"),
                  "the " + name_of(scene.solver.method) + " method takes no sheets or curves",
                  "write solver.method = \"mpm\"");
    else if (scene.solver.transfer != Transfer::apic)
        r.mistake(scene.place("solver.transfer"), "sheets and curves need transfer = \"apic\"",
                  "write that, or leave it out");
    else if (scene.solver.sticky_walls != StickyWalls::nodes)
        r.mistake(scene.place("solver.sticky_walls"),
                  "sheets and curves need sticky_walls = \"nodes\"", "write that, or leave it out");
}

void check_thin_material(const Scene& scene, std::size_t i, Reader& r) {
    const BodySpec& body = scene.bodies[i];
    const Material* m = material_of(scene, body);
    const std::string path = item("bodies", i) + ".material";
    if (!m || r.is_bad(path) || r.is_bad("materials." + body.material)) return;
    if (is_thin(*m) != body.thin.has_value())
        return r.mistake(scene.place(path),
                         body.thin
                             ? path + " is no material of sheets and curves"
                             : path + " is for sheets and curves, and this body fills a shape",
                         body.thin ? "take one with elastic.law = \"thin\": knead materials"
                                   : "take another, or write thin in place of shape");
    if (!body.thin) return;
    const ThinForm& form = body.thin->form;
    const bool carpet = std::holds_alternative<CarpetPlan>(form);
    const bool sheet = carpet || std::holds_alternative<SheetPlan>(form) ||
                       std::holds_alternative<CurtainPlan>(form) ||
                       std::holds_alternative<ThinMeshSpec>(form);
    if (sheet && !(m->thin.compression > 0))
        r.mistake(scene.place(path), "material " + m->name + " has no thin.compression",
                  "sheets need it: layers in contact press with it");
    if ((!sheet || carpet) && !(m->thin.stretch > 0))
        r.mistake(scene.place(path), "material " + m->name + " has no thin.stretch",
                  "yarn and strands need it");
}

// Numbers of a generator that are right each by itself and make nothing together.
class PlanCheck {
public:
    PlanCheck(const Scene& scene, std::string path, Reader& r)
        : scene_(scene), path_(std::move(path)), r_(r) {}

    void operator()(const std::monostate&) const {}
    void operator()(const SheetPlan& p) const { spans(p.along, p.across, "sheet"); }
    void operator()(const CurtainPlan&) const {}
    void operator()(const KnitSpec& p) const {
        if (p.samples % 2 != 0)
            wrong("knit.samples", "is an odd number",
                  "take an even one: " + std::to_string(p.samples + 1));
    }
    void operator()(const HairTubePlan& p) const {
        points(p.axis, "hair_tube.axis");
        if (!(p.outer > p.inner))
            wrong("hair_tube.outer", "is not above hair_tube.inner", "make the ring wider");
    }
    void operator()(const FibreBundlePlan& p) const { points(p.axis, "bundle.axis"); }
    void operator()(const PilePlan&) const {}
    void operator()(const CarpetPlan& p) const { spans(p.along, p.across, "carpet"); }
    void operator()(const ThinMeshSpec&) const {}
    void operator()(const CurvesSpec&) const {}

private:
    void wrong(const std::string& key, const std::string& what, const std::string& remedy) const {
        const std::string path = path_ + "." + key;
        r_.mistake(scene_.place(path), path + " " + what, remedy);
    }
    void points(const Vec3d& direction, const std::string& key) const {
        if (!(length(direction) > 0)) wrong(key, "has no length", "say where it leads");
    }
    void spans(const Vec3d& along, const Vec3d& across, const std::string& form) const {
        constexpr double flat = 1e-6;
        if (!(length(cross(along, across)) > flat * length(along) * length(across)))
            wrong(form + ".across",
                  "is parallel to " + form + ".along, or one of them has no length",
                  "two sides at an angle make a sheet");
    }

    const Scene& scene_;
    std::string path_;
    Reader& r_;
};

}  // namespace

void validate_thin(Scene& scene, Reader& r) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const BodySpec& body = scene.bodies[i];
        if (body.thin) check_thin_keys(scene, i, r);
        check_thin_material(scene, i, r);
        const std::string path = item("bodies", i) + ".thin";
        if (body.thin && !r.is_bad(path)) std::visit(PlanCheck(scene, path, r), body.thin->form);
    }
}

}  // namespace knead
