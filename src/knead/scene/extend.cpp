#include "knead/scene/extend.h"

#include <array>
#include <filesystem>

#include "knead/scene/overrides.h"
#include "knead/scene/read_file.h"
#include "knead/scene/read_toml.h"

namespace knead {

namespace {

constexpr int longest_chain = 8;

// Lists whose items have names.
constexpr std::array named_lists{"bodies", "colliders", "grips", "sinks"};

std::string names_in(const Value& list) {
    std::string names;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
        const Value* name = list.items[i].find("name");
        names += (i > 0 ? ", " : "") +
                 (name && name->kind == Value::Kind::text ? name->text : std::to_string(i));
    }
    return names;
}

// A scene's own list stands in place of that of the scene it extends: said, since it may be meant
// to add to it.
void name_what_is_replaced(const Value& base, const Value& own, const std::string& file,
                           std::vector<Mistake>& warnings) {
    for (const std::string list : named_lists) {
        const Value *before = base.find(list), *now = own.find(list);
        if (!before || !now || before->kind != Value::Kind::list ||
            now->kind != Value::Kind::list || before->items.empty() || now->items.empty())
            continue;
        warnings.push_back({now->place,
                            list + " of " + file + " are replaced: " + names_in(*before),
                            "to keep them, write [" + list + ".NAME] in place of [[" + list +
                                "]]: it adds one, or changes the one of that name"});
    }
}

// What `tree` adds by name needs a list to go to.
void make_room(Value& base, const Value& tree) {
    for (const std::string list : named_lists) {
        const Value* own = tree.find(list);
        if (own && own->kind == Value::Kind::table && !base.find(list))
            base.at_or_new(list, own->place) = Value::list({});
    }
}

void lead_from(const std::filesystem::path& folder, Value& name) {
    for (Value& item : name.items) lead_from(folder, item);
    if (name.kind == Value::Kind::text && !name.text.empty())
        name.text = (folder / name.text).lexically_normal().string();
}

// Names of meshes start from the scene file that they stand in.
void keep_files(const std::filesystem::path& folder, Value& tree, const std::string& key = {}) {
    for (Value& item : tree.items) keep_files(folder, item, key);
    for (Entry& e : tree.entries) {
        const bool is_file = e.key == "file" && (key == "mesh" || key == "curves");
        if (is_file || (e.key == "files" && key == "animation"))
            lead_from(folder, e.value);
        else
            keep_files(folder, e.value, e.key);
    }
}

void resolve(Value& tree, const std::string& folder, std::vector<Mistake>& mistakes,
             std::vector<Mistake>& warnings, int depth) {
    const Value* extends = tree.find("extends");
    if (!extends) return;
    const Value wanted = *extends;
    std::erase_if(tree.entries, [](const Entry& e) { return e.key == "extends"; });
    if (wanted.kind != Value::Kind::text)
        return mistakes.push_back({wanted.place, std::string("extends is ") + name_of(wanted.kind),
                                   "name a scene file in quotes"});
    if (depth >= longest_chain)
        return mistakes.push_back({wanted.place, "more than 8 scenes extend one another",
                                   "break the circle, or extend the first of them"});
    const auto path = std::filesystem::path(folder) / wanted.text;
    try {
        TomlReading base = read_toml(read_scene_file(path.string()), path.string());
        for (Mistake& m : base.mistakes) mistakes.push_back(std::move(m));
        if (!base.tree) return;
        resolve(*base.tree, path.parent_path().string(), mistakes, warnings, depth + 1);
        const auto base_folder = path.parent_path().lexically_normal();
        if (base_folder != std::filesystem::path(folder).lexically_normal())
            keep_files(std::filesystem::absolute(base_folder), *base.tree);
        name_what_is_replaced(*base.tree, tree, wanted.text, warnings);
        make_room(*base.tree, tree);
        apply_changes(*base.tree, tree, mistakes);
        tree = std::move(*base.tree);
    } catch (const InputError& e) {
        for (const Mistake& m : e.mistakes())
            mistakes.push_back({wanted.place, "extends " + to_string(m.place) + ": " + m.what,
                                "give the path as seen from this scene"});
    }
}

}  // namespace

void resolve_extends(Value& tree, const std::string& folder, std::vector<Mistake>& mistakes,
                     std::vector<Mistake>& warnings) {
    resolve(tree, folder, mistakes, warnings, 0);
}

std::vector<std::string> files_of_scene(const std::string& path) {
    std::vector<std::string> files;
    for (std::filesystem::path file = path; static_cast<int>(files.size()) <= longest_chain;) {
        files.push_back(file.string());
        TomlReading reading;
        try {
            reading = read_toml(read_scene_file(file.string()), file.string());
        } catch (const InputError&) {
            break;
        }
        const Value* extends = reading.tree ? reading.tree->find("extends") : nullptr;
        if (!extends || extends->kind != Value::Kind::text) break;
        file = file.parent_path() / extends->text;
    }
    return files;
}

}  // namespace knead
