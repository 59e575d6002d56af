#include "knead/scene/extend.h"

#include <filesystem>

#include "knead/scene/overrides.h"
#include "knead/scene/read_file.h"
#include "knead/scene/read_toml.h"

namespace knead {

namespace {

constexpr int longest_chain = 8;

void resolve(Value& tree, const std::string& folder, std::vector<Mistake>& mistakes, int depth) {
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
        resolve(*base.tree, path.parent_path().string(), mistakes, depth + 1);
        apply_changes(*base.tree, tree, mistakes);
        tree = std::move(*base.tree);
    } catch (const InputError& e) {
        for (const Mistake& m : e.mistakes())
            mistakes.push_back({wanted.place, "extends " + to_string(m.place) + ": " + m.what,
                                "give the path as seen from this scene"});
    }
}

}  // namespace

void resolve_extends(Value& tree, const std::string& folder, std::vector<Mistake>& mistakes) {
    resolve(tree, folder, mistakes, 0);
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
