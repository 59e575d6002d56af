#include "knead/scene/read_scene.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "knead/materials/presets.h"
#include "knead/scene/extend.h"
#include "knead/scene/methods.h"
#include "knead/scene/overrides.h"
#include "knead/scene/read_file.h"
#include "knead/scene/read_toml.h"
#include "knead/scene/validate.h"

namespace knead {

namespace {

const std::array<Vec3f, 8> palette{{{0.93f, 0.55f, 0.32f},
                                    {0.35f, 0.6f, 0.8f},
                                    {0.55f, 0.75f, 0.4f},
                                    {0.9f, 0.75f, 0.35f},
                                    {0.75f, 0.45f, 0.65f},
                                    {0.45f, 0.75f, 0.72f},
                                    {0.85f, 0.4f, 0.4f},
                                    {0.6f, 0.52f, 0.8f}}};

Vec3f color_of(int rgb) {
    const auto part = [rgb](int shift) { return static_cast<float>(rgb >> shift & 255) / 255; };
    return {part(16), part(8), part(0)};
}

// What a person may leave out: names, colours, and tables for materials that are presets.
void complete(Scene& scene) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        BodySpec& body = scene.bodies[i];
        const std::string path = "bodies." + std::to_string(i);
        if (!scene.places.contains(path + ".name")) body.name = "body" + std::to_string(i + 1);
        const auto same = [&](const Material& m) { return m.name == body.material; };
        const Material* preset = find_preset(body.material);
        if (preset && std::none_of(scene.materials.begin(), scene.materials.end(), same))
            scene.materials.push_back(*preset);
        const auto own = std::find_if(scene.materials.begin(), scene.materials.end(), same);
        if (!body.color)
            body.color = own != scene.materials.end() && own->color >= 0
                             ? color_of(own->color)
                             : palette[i % palette.size()];
    }
    for (std::size_t i = 0; i < scene.colliders.size(); ++i)
        if (!scene.places.contains("colliders." + std::to_string(i) + ".name"))
            scene.colliders[i].name = "collider" + std::to_string(i + 1);
    for (std::size_t i = 0; i < scene.grips.size(); ++i)
        if (!scene.places.contains("grips." + std::to_string(i) + ".name"))
            scene.grips[i].name = "grip" + std::to_string(i + 1);
    for (std::size_t i = 0; i < scene.sinks.size(); ++i)
        if (!scene.places.contains("sinks." + std::to_string(i) + ".name"))
            scene.sinks[i].name = "sink" + std::to_string(i + 1);
}

// Where the text came from: its name in messages, the folder its meshes are in, and whether all of
// it was good TOML.
struct Source {
    std::string name;
    std::string folder;
    bool whole = true;
};

Reading read_tree(Value tree, const Source& source) {
    std::erase_if(tree.entries, [](const Entry& e) { return e.key == "quality"; });
    Reading out;
    out.scene.file = source.name;
    out.scene.places[""] = Place{source.name, 0, 0};
    Reader r(out.scene.places, source.folder);
    if (!source.whole) r.forgive_missing_keys();
    read_table(out.scene, scene_keys(), tree, r);
    complete(out.scene);
    if (!r.is_bad("solver") && !r.is_bad("materials") && !r.is_bad("bodies"))
        fill_in_settings(out.scene);
    validate(out.scene, r);
    out.mistakes = std::move(r.mistakes());
    return out;
}

void add_new(std::vector<Mistake>& all, const std::vector<Mistake>& more) {
    std::set<std::string> seen;
    for (const Mistake& m : all) seen.insert(to_string(m));
    for (const Mistake& m : more)
        if (seen.insert(to_string(m)).second) all.push_back(m);
}

// Variants that are not in force must be right too.
void check_other_variants(const Value& tree, const Overrides& overrides, const Source& source,
                          std::vector<Mistake>& mistakes) {
    constexpr std::size_t most_variants = 32;
    if (const Value* quality = tree.find("quality"))
        if (quality->kind != Value::Kind::table)
            mistakes.push_back({quality->place, std::string("quality is ") + name_of(quality->kind),
                                "write [quality.NAME] and below it key.path = value"});
    const std::vector<std::string> names = quality_names(tree);
    if (names.size() > most_variants)
        return mistakes.push_back({tree.find("quality")->place, "there are more than 32 variants",
                                   "keep those that are used"});
    for (const std::string& name : names) {
        if (name == overrides.quality) continue;
        Value variant = tree;
        std::vector<Mistake> found;
        apply_quality(variant, name, {}, found);
        add_new(found, read_tree(variant, source).mistakes);
        add_new(mistakes, found);
    }
}

void sort_by_place(std::vector<Mistake>& mistakes) {
    std::stable_sort(mistakes.begin(), mistakes.end(), [](const Mistake& a, const Mistake& b) {
        return std::tuple(a.place.line == 0, a.place.line, a.place.column) <
               std::tuple(b.place.line == 0, b.place.line, b.place.column);
    });
}

Scene unwrap(Reading reading) {
    if (!reading.mistakes.empty()) throw InputError(std::move(reading.mistakes));
    return std::move(reading.scene);
}

Reading read_whole(TomlReading toml, Source source, const std::vector<std::string>& settings) {
    if (!toml.tree) return {{}, std::move(toml.mistakes)};
    std::vector<Mistake> warnings;
    resolve_extends(*toml.tree, source.folder, toml.mistakes, warnings);
    source.whole = toml.mistakes.empty();
    const Overrides overrides = sort_out(settings);

    std::vector<Mistake> mistakes = std::move(toml.mistakes);
    Value tree = *toml.tree;
    if (!overrides.quality_place.file.empty())
        apply_quality(tree, overrides.quality, overrides.quality_place, mistakes);
    for (const std::string& setting : overrides.settings) apply_setting(tree, setting, mistakes);

    Reading out = read_tree(std::move(tree), source);
    out.scene.quality = overrides.quality;
    out.scene.warnings.insert(out.scene.warnings.begin(), warnings.begin(), warnings.end());
    add_new(mistakes, out.mistakes);
    check_other_variants(*toml.tree, overrides, source, mistakes);
    sort_by_place(mistakes);
    sort_by_place(out.scene.warnings);
    out.mistakes = std::move(mistakes);
    return out;
}

}  // namespace

Reading try_read_scene_text(std::string_view text, const std::string& name,
                            const std::vector<std::string>& settings) {
    return read_whole(read_toml(text, name),
                      {name, std::filesystem::path(name).parent_path().string()}, settings);
}

Reading try_read_scene_tree(const Value& tree, const std::string& name, const std::string& folder,
                            const std::vector<std::string>& settings) {
    return read_whole({tree, {}}, {name, std::filesystem::absolute(folder).string()}, settings);
}

Reading try_read_scene(const std::string& path, const std::vector<std::string>& settings) {
    try {
        const std::string text = read_scene_file(path);
        const auto folder = std::filesystem::absolute(path).parent_path();
        return read_whole(read_toml(text, path), {path, folder.string()}, settings);
    } catch (const InputError& e) {
        return {{}, e.mistakes()};
    }
}

Scene read_scene(const std::string& path, const std::vector<std::string>& settings) {
    return unwrap(try_read_scene(path, settings));
}

Scene read_scene_text(std::string_view text, const std::string& name,
                      const std::vector<std::string>& settings) {
    return unwrap(try_read_scene_text(text, name, settings));
}

std::string write_scene(const Scene& scene) { return to_toml(write_table(scene, scene_keys())); }

}  // namespace knead
