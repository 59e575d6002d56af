// The keys of sheets and curves: what they are made by, and how thick they are.
#include <filesystem>

#include "knead/scene/keys.h"

namespace knead {

namespace {

template <class Plan>
const Keys<Plan>& plan_keys();

template <>
const Keys<SheetPlan>& plan_keys() {
    using T = SheetPlan;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("corner", &T::corner, "m", "one of its corners"),
        K::vector("along", &T::along, "m", "its side from there"),
        K::vector("across", &T::across, "m", "its other side"),
        K::number("jitter", &T::jitter, {0, 0.4}, "", "random shift of inner vertices, in edges"),
        K::integer("seed", &T::seed, "of that shift"),
    };
    return keys;
}

template <>
const Keys<CurtainPlan>& plan_keys() {
    using T = CurtainPlan;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("corner", &T::corner, "m", "top left; it spans x and hangs down"),
        K::number("width", &T::width, above(0), "m", "as hung"),
        K::number("height", &T::height, above(0), "m", "as hung"),
        K::integer("folds", &T::folds, {0, 1e4}, "sine folds over its width"),
        K::number("depth", &T::depth, at_least(0), "m", "of a fold to each side, along z"),
        K::integer("ring_every", &T::ring_every, {0, 1e6},
                   "group \"top\" holds three vertices at every so many; 0: the whole top row"),
    };
    return keys;
}

// Instead of radii.
template <class T>
Key<T> around_key() {
    return {{"around", "shape", "", "none", "",
             "instead of radii: a closed shape, a mesh for instance, that the rows go around; they "
             "rise from center, the axis is that of y"},
            [](T& t, const Value& v, Reader& r) { read_shape(t.around.emplace_back(), v, r); },
            [](const T& t) -> std::optional<Value> {
                if (t.around.empty()) return {};
                return write_shape(t.around[0]);
            }};
}

template <>
const Keys<KnitSpec>& plan_keys() {
    using T = KnitSpec;
    using K = KeyOf<T>;
    using P = KnitPattern;
    static const Keys<T> keys{
        K::word("pattern", &T::pattern,
                Words<P>{{"stockinette", P::stockinette},
                         {"rib-1x1", P::rib1},
                         {"rib-2x2", P::rib2},
                         {"garter", P::garter},
                         {"seed", P::seed}},
                "of knit and purl stitches"),
        K::integer("rows", static_cast<int T::*>(&T::rows), {1, 1e5}, "of stitches, upwards"),
        K::integer("columns", static_cast<int T::*>(&T::columns), {2, 1e5}, "of stitches"),
        K::number("yarn", static_cast<double T::*>(&T::yarn), above(0), "m",
                  "diameter of the yarn, the unit of stitches; 1 to 1.25 grid cells are right"),
        K::integer("samples", static_cast<int T::*>(&T::samples), {8, 1000},
                   "segments a stitch, an even number"),
        K::flag("closures", static_cast<bool T::*>(&T::closures),
                "yarns that keep the first and last row from slipping out"),
        K::flag("continuous", static_cast<bool T::*>(&T::continuous),
                "one yarn that turns at the ends of rows"),
        K::integer("plies", static_cast<int T::*>(&T::plies), {1, 64},
                   "helical threads that make up the yarn"),
        K::number("ply_radius", static_cast<double T::*>(&T::ply_radius), above(0), "",
                  "of that helix, in yarn diameters"),
        K::vector("center", static_cast<Vec3d T::*>(&T::center), "m", "of the fabric"),
        K::number("radius", &T::radius, at_least(0), "m",
                  "knitted in the round about y: radius at the bottom; 0: flat"),
        K::number("middle_radius", &T::middle_radius, above(0), "m", "between the others",
                  "radius half way up"),
        K::number("top_radius", &T::top_radius, above(0), "m", "radius", "radius at the top"),
        around_key<T>(),
        K::number("distance", &T::distance, {}, "m", "from that surface to the middle of the yarn"),
    };
    return keys;
}

template <>
const Keys<HairTubePlan>& plan_keys() {
    using T = HairTubePlan;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("root", &T::root, "m", "middle of the ring that strands grow from"),
        K::vector("axis", &T::axis, "m", "from roots to tips"),
        K::number("inner", &T::inner, at_least(0), "m", "inner radius of the ring"),
        K::number("outer", &T::outer, above(0), "m", "its outer radius"),
        K::integer("strands", &T::strands, {1, 1e7}, "how many"),
        K::integer("segments", &T::segments, {1, 1e5}, "of a strand"),
    };
    return keys;
}

template <>
const Keys<FibreBundlePlan>& plan_keys() {
    using T = FibreBundlePlan;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("start", &T::start, "m", "one end of its cylinder"),
        K::vector("axis", &T::axis, "m", "from there to the other"),
        K::number("radius", &T::radius, above(0), "m", "of the cylinder"),
        K::number("strand", &T::strand, above(0), "m", "length of a strand"),
        K::number("spread", &T::spread, {0, 90}, "degrees", "largest angle to the axis"),
        K::number("grip", &T::grip, at_least(0), "m",
                  "groups \"start\" and \"end\" hold what is this near to the ends"),
        K::integer("strands", &T::strands, {1, 1e7}, "how many"),
        K::integer("segments", &T::segments, {1, 1e5}, "of a strand"),
        K::integer("seed", &T::seed, "of their places and directions"),
    };
    return keys;
}

template <>
const Keys<PilePlan>& plan_keys() {
    using T = PilePlan;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("center", &T::center, "m", "of the lowest layer"),
        K::number("length", &T::length, above(0), "m", "of a fibre"),
        K::number("gap", &T::gap, above(0), "m", "from one layer to the next"),
        K::number("spacing", &T::spacing, above(0), "m", "between fibres of a layer"),
        K::integer("layers", &T::layers, {1, 1e5}, "how many"),
        K::integer("fibres", &T::fibres, {1, 1e5}, "of a layer"),
        K::flag("crossed", &T::crossed, "each layer across the one below; no: all along x"),
    };
    return keys;
}

template <>
const Keys<CarpetPlan>& plan_keys() {
    using T = CarpetPlan;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("corner", &T::corner, "m", "one corner of its backing"),
        K::vector("along", &T::along, "m", "its side from there"),
        K::vector("across", &T::across, "m", "its other side; tufts grow along their product"),
        K::number("spacing", &T::spacing, above(0), "m", "between tufts"),
        K::number("length", &T::length, above(0), "m", "of a tuft"),
        K::integer("segments", &T::segments, {1, 1e4}, "of a tuft"),
        K::number("tilt", &T::tilt, {0, 90}, "degrees", "largest tilt of a tuft"),
        K::number("curl", &T::curl, {0, 3600}, "degrees", "how far a tuft bends"),
        K::integer("seed", &T::seed, "of places, tilts and curls"),
    };
    return keys;
}

template <class T>
Keys<T> file_keys(const char* what) {
    using K = KeyOf<T>;
    Key<T> file = K::required(K::text("file", &T::file, what));
    file.read = [](T& t, const Value& v, Reader& r) {
        if (!r.read(t.file, v)) return;
        const std::filesystem::path path(t.file);
        if (path.is_relative() && !r.folder().empty())
            t.file = (std::filesystem::path(r.folder()) / path).lexically_normal().string();
    };
    return {file,
            K::number("size", static_cast<std::optional<double> T::*>(&T::size), above(0), "m",
                      "as in the file", "longest side after scaling"),
            K::number("scale", static_cast<double T::*>(&T::scale), above(0), "",
                      "factor, without size"),
            K::vector("center", static_cast<std::optional<Vec3d> T::*>(&T::center), "m",
                      "as in the file", "where the middle of its bounds goes"),
            K::flag("repair", static_cast<bool T::*>(&T::repair),
                    "weld vertices, drop elements without size or that are there twice, and what "
                    "nothing uses")};
}

template <>
const Keys<ThinMeshSpec>& plan_keys() {
    static const auto keys = file_keys<ThinMeshSpec>("triangles, open or closed: OBJ, PLY or STL");
    return keys;
}
template <>
const Keys<CurvesSpec>& plan_keys() {
    static const auto keys = file_keys<CurvesSpec>("polylines: the l elements of an OBJ file");
    return keys;
}

// One way to make it.
template <class Plan>
Key<ThinSpec> form(const char* name, const char* doc) {
    return {{name, "table", "", "", "", doc},
            [](ThinSpec& t, const Value& v, Reader& r) {
                if (t.form.index() != 0)
                    r.mistake(v.place, r.path() + " is a second way to make the body",
                              "keep one of the two");
                read_table(t.form.emplace<Plan>(), plan_keys<Plan>(), v, r);
            },
            [](const ThinSpec& t) -> std::optional<Value> {
                if (!std::holds_alternative<Plan>(t.form)) return {};
                return write_table(std::get<Plan>(t.form), plan_keys<Plan>());
            }};
}

template <class Plan>
TableInfo describe(const char* name, const char* doc) {
    TableInfo info{std::string("bodies[].thin.") + name, doc, {}};
    for (const auto& key : plan_keys<Plan>()) info.keys.push_back(key.info);
    return info;
}

}  // namespace

const Keys<ThinSpec>& thin_keys() {
    using T = ThinSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        form<SheetPlan>("sheet", "a rectangle of cloth"),
        form<CurtainPlan>("curtain", "a sheet hung in folds"),
        form<KnitSpec>("knit", "yarn in stitches, flat or in the round"),
        form<HairTubePlan>("hair_tube", "straight strands that grow from a ring"),
        form<FibreBundlePlan>("bundle", "strands at random places of a cylinder"),
        form<PilePlan>("pile", "layers of straight fibres"),
        form<CarpetPlan>("carpet", "a sheet with tufts on it"),
        form<ThinMeshSpec>("mesh", "a sheet from the triangles of a file"),
        form<CurvesSpec>("curves", "strands from the polylines of a file"),
        K::number("edge", &T::edge, above(0), "m", "solver.dx",
                  "length of edges; half a grid cell to one is right; strands with `segments` "
                  "follow it only where it is given"),
        K::number("thickness", &T::thickness, above(0), "m",
                  "the material's; else 0.001, or solver.dx beside other matter", "of sheets"),
        K::number("radius", &T::radius, above(0), "m",
                  "the material's; else half the yarn, or a fourth of solver.dx",
                  "of yarn and strands"),
        K::rotation("rotate", &T::rotate, "turned about the origin"),
        K::vector("translate", &T::translate, "m", "then moved"),
    };
    return keys;
}

std::vector<TableInfo> thin_tables() {
    TableInfo thin{"bodies[].thin",
                   "a sheet or curves, made in one of these ways; grips take hold of its groups",
                   {}};
    for (const auto& key : thin_keys()) thin.keys.push_back(key.info);
    return {thin,
            describe<SheetPlan>("sheet", "groups: start, end, left, right, border, corners"),
            describe<CurtainPlan>("curtain", "groups as for a sheet, and top"),
            describe<KnitSpec>("knit", "groups: heads, feet, left, right"),
            describe<HairTubePlan>("hair_tube", "groups: roots, tips"),
            describe<FibreBundlePlan>("bundle", "groups: start, end"),
            describe<PilePlan>("pile", "layers of fibres, without groups"),
            describe<CarpetPlan>("carpet", "groups as for a sheet, and tips"),
            describe<ThinMeshSpec>("mesh", "groups: border, its open edges"),
            describe<CurvesSpec>("curves", "groups: roots, tips")};
}

}  // namespace knead
