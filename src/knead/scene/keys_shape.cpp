// The keys of shapes: primitives, operations and where they stand.
#include <filesystem>

#include "knead/scene/keys.h"

namespace knead {

namespace {

constexpr int deepest_shape = 24;

template <class Spec>
const Keys<Spec>& keys_of();

// The shapes that an operation works on: a list of them, or exactly one.
template <class T>
Key<T> operands(const char* name, std::vector<ShapeSpec> T::*m, const char* doc) {
    return {{name, "list of shapes", "", "", "", doc, true},
            [=](T& t, const Value& v, Reader& r) {
                r.read_items(
                    v, [&](const Value& item) { read_shape((t.*m).emplace_back(), item, r); });
            },
            [=](const T& t) {
                Value out = Value::list({});
                for (const ShapeSpec& s : t.*m) out.items.push_back(write_shape(s));
                return out;
            }};
}
template <class T>
Key<T> operand(const char* name, std::vector<ShapeSpec> T::*m, const char* doc) {
    return {{name, "shape", "", "", "", doc, true},
            [=](T& t, const Value& v, Reader& r) { read_shape((t.*m).emplace_back(), v, r); },
            [=](const T& t) { return write_shape((t.*m).front()); }};
}

template <>
const Keys<SphereSpec>& keys_of() {
    using T = SphereSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("center", &T::center, "m", "its centre"),
        K::required(K::number("radius", &T::radius, above(0), "m", "its radius")),
    };
    return keys;
}
template <>
const Keys<BoxSpec>& keys_of() {
    using T = BoxSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("center", &T::center, "m", "its centre"),
        K::required(K::vector("size", &T::size, "m", "its edge lengths", above(0))),
        K::number("rounding", &T::rounding, at_least(0), "m", "radius of its edges and corners"),
    };
    return keys;
}
template <>
const Keys<CylinderSpec>& keys_of() {
    using T = CylinderSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::vector("from", &T::from, "m", "one end of its axis")),
        K::required(K::vector("to", &T::to, "m", "the other end of its axis")),
        K::required(K::number("radius", &T::radius, above(0), "m", "its radius")),
        K::number("rounding", &T::rounding, at_least(0), "m", "radius of its edges"),
    };
    return keys;
}
template <>
const Keys<CapsuleSpec>& keys_of() {
    using T = CapsuleSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::vector("from", &T::from, "m", "centre of one round end")),
        K::required(K::vector("to", &T::to, "m", "centre of the other")),
        K::required(K::number("radius", &T::radius, above(0), "m", "its radius")),
    };
    return keys;
}
template <>
const Keys<ConeSpec>& keys_of() {
    using T = ConeSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::vector("from", &T::from, "m", "one end of its axis")),
        K::required(K::vector("to", &T::to, "m", "the other end of its axis")),
        K::required(
            K::number("radius_from", &T::radius_from, at_least(0), "m", "its radius at `from`")),
        K::number("radius_to", &T::radius_to, at_least(0), "m", "its radius at `to`"),
    };
    return keys;
}
template <>
const Keys<TorusSpec>& keys_of() {
    using T = TorusSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("center", &T::center, "m", "its centre"),
        K::vector("axis", &T::axis, "", "the direction through its hole"),
        K::required(K::number("major_radius", &T::major_radius, above(0), "m",
                              "from its centre to the centre of the tube")),
        K::required(K::number("minor_radius", &T::minor_radius, above(0), "m",
                              "of the tube, below major_radius")),
    };
    return keys;
}
template <>
const Keys<PlaneSpec>& keys_of() {
    using T = PlaneSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("point", &T::point, "m", "any point of the plane"),
        K::vector("normal", &T::normal, "",
                  "outward normal; everything behind the plane is inside. Colliders only"),
    };
    return keys;
}
template <>
const Keys<EllipsoidSpec>& keys_of() {
    using T = EllipsoidSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::vector("center", &T::center, "m", "its centre"),
        K::required(K::vector("radii", &T::radii, "m", "half its width, height, depth", above(0))),
    };
    return keys;
}
template <>
const Keys<PolygonSpec>& keys_of() {
    using T = PolygonSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        Key<T>{{"points", "list of [x, y]", "m", "", "at least 3", "its corners, in order", true},
               [](T& t, const Value& v, Reader& r) { r.read_points(t.points, v); },
               [](const T& t) {
                   Value out = Value::list({});
                   for (const Vec3d& p : t.points)
                       out.items.push_back(Value::list({Value::of(p.x), Value::of(p.y)}));
                   return out;
               }},
        K::required(K::number("height", &T::height, above(0), "m",
                              "its length along z, half to each side")),
    };
    return keys;
}
template <>
const Keys<StarSpec>& keys_of() {
    using T = StarSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::integer("points", &T::points, {3, 100}, "how many tips; the first points along y"),
        K::required(K::number("outer_radius", &T::outer_radius, above(0), "m", "of the tips")),
        K::required(K::number("inner_radius", &T::inner_radius, above(0), "m",
                              "of the notches, below outer_radius")),
        K::required(K::number("height", &T::height, above(0), "m",
                              "its length along z, half to each side")),
    };
    return keys;
}
template <>
const Keys<MeshSpec>& keys_of() {
    using T = MeshSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys = [] {
        Key<T> file = K::required(
            K::text("file", &T::file, "OBJ, PLY or STL; relative names start from the scene file"));
        file.read = [](T& t, const Value& v, Reader& r) {
            if (!r.read(t.file, v)) return;
            if (t.file.empty() || t.file.find('\0') != std::string::npos)
                return r.mistake(v.place, r.path() + " is no file name", "name a mesh file");
            const std::filesystem::path path(t.file);
            if (!r.folder().empty() && path.is_relative())
                t.file = (std::filesystem::path(r.folder()) / path).lexically_normal().string();
        };
        return Keys<T>{
            file,
            K::number("size", &T::size, above(0), "m", "as in the file",
                      "length of its longest side, after scaling"),
            K::vector("center", &T::center, "m", "as in the file",
                      "where the centre of its bounds is placed"),
            K::number("voxel", &T::voxel, above(0), "m", "half of solver.dx",
                      "resolution of its distance field"),
            K::flag("repair", &T::repair, "close holes and remove self-intersections"),
        };
    }();
    return keys;
}
template <>
const Keys<SmoothUnionSpec>& keys_of() {
    using T = SmoothUnionSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::number("blend", &T::blend, above(0), "m", "width of the fillet")),
        operands<T>("of", &T::of, "two shapes or more"),
    };
    return keys;
}
template <>
const Keys<ShellSpec>& keys_of() {
    using T = ShellSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::number("thickness", &T::thickness, above(0), "m",
                              "of the wall, half to each side of the surface")),
        operand<T>("of", &T::of, "the shape to hollow out"),
    };
    return keys;
}
template <>
const Keys<OffsetSpec>& keys_of() {
    using T = OffsetSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::number("distance", &T::distance, {}, "m", "outward; below 0 inward")),
        operand<T>("of", &T::of, "the shape to grow, its edges rounded"),
    };
    return keys;
}

// A primitive or an operation with keys of its own.
template <class Form>
Key<ShapeSpec> form(const char* name, const char* doc) {
    return {{name, "table", "", "", "", doc},
            [](ShapeSpec& s, const Value& v, Reader& r) {
                read_table(s.form.emplace<Form>(), keys_of<Form>(), v, r);
            },
            [](const ShapeSpec& s) -> std::optional<Value> {
                if (!std::holds_alternative<Form>(s.form)) return {};
                return write_table(std::get<Form>(s.form), keys_of<Form>());
            }};
}
// An operation that is just a list of shapes.
template <class Form>
Key<ShapeSpec> list_form(const char* name, const char* doc) {
    const Key<Form> of = operands<Form>(name, &Form::of, doc);
    return {
        {name, "list of shapes", "", "", "", doc},
        [of](ShapeSpec& s, const Value& v, Reader& r) { of.read(s.form.emplace<Form>(), v, r); },
        [of](const ShapeSpec& s) -> std::optional<Value> {
            if (!std::holds_alternative<Form>(s.form)) return {};
            return of.write(std::get<Form>(s.form));
        }};
}

const Keys<ShapeSpec>& form_keys() {
    static const Keys<ShapeSpec> keys{
        form<SphereSpec>("sphere", "a ball"),
        form<BoxSpec>("box", "a box, with round edges if wanted"),
        form<CylinderSpec>("cylinder", "a cylinder between two points"),
        form<CapsuleSpec>("capsule", "a cylinder with round ends"),
        form<ConeSpec>("cone", "a cone or a frustum between two points"),
        form<TorusSpec>("torus", "a ring"),
        form<PlaneSpec>("plane", "a half space: floors and walls"),
        form<EllipsoidSpec>("ellipsoid", "a ball with three radii"),
        form<PolygonSpec>("polygon", "a polygon in x and y, extruded along z"),
        form<StarSpec>("star", "a star in x and y, extruded along z"),
        form<MeshSpec>("mesh", "a closed triangle mesh from a file"),
        list_form<UnionSpec>("union", "all of them together"),
        form<SmoothUnionSpec>("smooth_union", "all of them, with fillets where they meet"),
        list_form<DifferenceSpec>("difference", "the first without the others"),
        list_form<IntersectionSpec>("intersection", "what they have in common"),
        form<ShellSpec>("shell", "the skin of a shape"),
        form<OffsetSpec>("offset", "a shape grown or shrunk"),
    };
    return keys;
}

const Keys<ShapeSpec>& placement_keys() {
    using T = ShapeSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::number("scale", &T::scale, above(0), "", "size, about the pivot"),
        K::rotation("rotate", &T::rotate, "rotation about the pivot, after scaling"),
        K::vector("translate", &T::translate, "m", "displacement, after rotation"),
        K::vector("pivot", &T::pivot, "m", "the middle of its bounds",
                  "fixed point of scale and rotate"),
    };
    return keys;
}

std::string names_of(const Keys<ShapeSpec>& keys) {
    std::string text;
    for (const auto& key : keys) text += (text.empty() ? "" : ", ") + key.info.name;
    return text;
}

// Names keys that stand inside a form but belong beside it, and takes them out.
void remove_placement_inside(Entry& form, Reader& r) {
    std::erase_if(form.value.entries, [&](const Entry& e) {
        for (const auto& key : placement_keys()) {
            if (key.info.name != e.key) continue;
            r.mistake(e.place, e.key + " stands inside " + form.key,
                      "put it beside, as in {" + form.key + " = {...}, " + e.key + " = ...}");
            return true;
        }
        return false;
    });
}

template <class Form>
TableInfo describe(const char* name) {
    TableInfo info{std::string("SHAPE.") + name, "", {}};
    for (const auto& key : form_keys())
        if (key.info.name == name) info.doc = key.info.doc;
    for (const auto& key : keys_of<Form>()) info.keys.push_back(key.info);
    return info;
}

}  // namespace

const Keys<ShapeSpec>& shape_keys() {
    static const Keys<ShapeSpec> keys = [] {
        Keys<ShapeSpec> all = form_keys();
        for (const auto& key : placement_keys()) all.push_back(key);
        return all;
    }();
    return keys;
}

void read_shape(ShapeSpec& shape, const Value& whole, Reader& r) {
    Value value = whole;
    const std::string example = "as in {sphere = {center = [0, 1, 0], radius = 0.1}}";
    if (value.kind != Value::Kind::table)
        return r.mistake(value.place,
                         r.path() + " is " + to_short_text(value) + ", which is no shape", example);
    if (r.depth >= deepest_shape)
        return r.mistake(value.place, "shapes are nested more than 24 deep", "nest less deeply");
    ++r.depth;
    std::vector<const Entry*> forms;
    for (Entry& e : value.entries)
        for (const auto& key : form_keys())
            if (key.info.name == e.key) forms.push_back(&e), remove_placement_inside(e, r);
    read_table(shape, shape_keys(), value, r);
    const bool unknown = r.is_bad(r.path());
    if (forms.empty() && !unknown && !r.forgives_missing_keys())
        r.mistake(value.place, r.path() + " has no shape in it",
                  "give one of: " + names_of(form_keys()));
    if (forms.size() > 1)
        r.mistake(
            forms[1]->place,
            r.path() + " has two shapes, " + forms[0]->key + " and " + forms[1]->key,
            "join them: {union = [{" + forms[0]->key + " = ...}, {" + forms[1]->key + " = ...}]}");
    --r.depth;
}

Value write_shape(const ShapeSpec& shape) { return write_table(shape, shape_keys()); }

std::vector<TableInfo> shape_tables() {
    std::vector<TableInfo> all{{"SHAPE", "exactly one form, and its placement", {}}};
    for (const auto& key : shape_keys()) all[0].keys.push_back(key.info);
    all.push_back(describe<SphereSpec>("sphere"));
    all.push_back(describe<BoxSpec>("box"));
    all.push_back(describe<CylinderSpec>("cylinder"));
    all.push_back(describe<CapsuleSpec>("capsule"));
    all.push_back(describe<ConeSpec>("cone"));
    all.push_back(describe<TorusSpec>("torus"));
    all.push_back(describe<PlaneSpec>("plane"));
    all.push_back(describe<EllipsoidSpec>("ellipsoid"));
    all.push_back(describe<PolygonSpec>("polygon"));
    all.push_back(describe<StarSpec>("star"));
    all.push_back(describe<MeshSpec>("mesh"));
    all.push_back(describe<SmoothUnionSpec>("smooth_union"));
    all.push_back(describe<ShellSpec>("shell"));
    all.push_back(describe<OffsetSpec>("offset"));
    return all;
}

}  // namespace knead
