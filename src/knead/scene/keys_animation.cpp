// The keys of what colliders may have besides a shape: a mesh that changes with time, a mass.
#include "knead/scene/keys.h"
#include "knead/scene/read_animation.h"

namespace knead {

namespace {

// A list of names, or one with a star in it for all files that fit, in the order of the numbers in
// their names.
void read_files(std::vector<std::string>& files, const Value& value, Reader& r) {
    std::vector<std::string> names;
    if (value.kind == Value::Kind::list)
        r.read_items(value, [&](const Value& item) { r.read(names.emplace_back(), item); });
    else
        r.read(names.emplace_back(), value);
    for (const std::string& name : names) {
        std::vector<std::string> found = files_like(r.folder(), name);
        if (found.empty())
            r.mistake(value.place,
                      r.path() + ": no file is named " + to_short_text(Value::of(name)),
                      "one file a moment, as in [\"walk1.obj\", \"walk2.obj\"] or \"walk*.obj\"");
        files.insert(files.end(), found.begin(), found.end());
    }
}

}  // namespace

const Keys<AnimationSpec>& animation_keys() {
    using T = AnimationSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(Key<T>{
            {"files", "list of texts, or a text with *", "", "", "",
             "OBJ, PLY or STL files, one a moment, with the same triangles; relative names start "
             "from the scene file"},
            [](T& t, const Value& v, Reader& r) { read_files(t.files, v, r); },
            [](const T& t) -> std::optional<Value> {
                Value list;
                list.kind = Value::Kind::list;
                for (const std::string& file : t.files) list.items.push_back(Value::of(file));
                return list;
            }}),
        K::number("frame_rate", &T::frame_rate, {1e-3, 1e6}, "1/s", "moments a second"),
        K::number("start", &T::start, {}, "s", "time of the first; it stands before"),
        K::flag("loop", &T::loop, "begins anew: the last moment leads back to the first"),
        K::number("scale", &T::scale, above(0), "", "factor about the origin"),
    };
    return keys;
}

const Keys<PushedSpec>& pushed_keys() {
    using T = PushedSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::number("mass", &T::mass, above(0), "kg", "mass of the collider")),
        K::number("release", &T::release, at_least(0), "s",
                  "time until which it follows its motion"),
        K::vector("guide", &T::guide, "", "the only direction in which it may move; zero: any"),
    };
    return keys;
}

}  // namespace knead
