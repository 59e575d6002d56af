#include "knead/scene/changed_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "knead/scene/read_scene.h"
#include "knead/scene/read_toml.h"
#include "knead/scene/run_session.h"

namespace knead {

namespace {

using Changes = std::vector<std::string>;

std::string below(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
}

std::string name_in(const Value& item) {
    const Value* name = item.kind == Value::Kind::table ? item.find("name") : nullptr;
    return name && name->kind == Value::Kind::text ? name->text : std::string();
}

// The item that goes by the same name, or else stands at the same place without one.
const Value* counterpart(const Value& list, const Value& item, std::size_t index) {
    const std::string name = name_in(item);
    if (name.empty())
        return index < list.items.size() && name_in(list.items[index]).empty() ? &list.items[index]
                                                                               : nullptr;
    const auto found = std::find_if(list.items.begin(), list.items.end(),
                                    [&](const Value& other) { return name_in(other) == name; });
    return found == list.items.end() ? nullptr : &*found;
}

bool has_tables(const Value& list) {
    return std::any_of(list.items.begin(), list.items.end(),
                       [](const Value& item) { return item.kind == Value::Kind::table; });
}

void compare(const Value& before, const Value& now, const std::string& path, Changes& out);

void compare_lists(const Value& before, const Value& now, const std::string& path, Changes& out) {
    const auto step = [](const Value& item, std::size_t index) {
        return name_in(item).empty() ? std::to_string(index) : name_in(item);
    };
    for (std::size_t i = 0; i < before.items.size(); ++i) {
        const Value& item = before.items[i];
        const std::string at = below(path, step(item, i));
        if (const Value* other = counterpart(now, item, i))
            compare(item, *other, at, out);
        else
            out.push_back(at + " (gone)");
    }
    for (std::size_t i = 0; i < now.items.size(); ++i)
        if (!counterpart(before, now.items[i], i))
            out.push_back(below(path, step(now.items[i], i)) + " (new)");
}

void compare_tables(const Value& before, const Value& now, const std::string& path, Changes& out) {
    for (const Entry& e : before.entries) {
        const std::string at = below(path, e.key);
        if (const Value* other = now.find(e.key))
            compare(e.value, *other, at, out);
        else
            out.push_back(at + " (gone)");
    }
    for (const Entry& e : now.entries)
        if (!before.find(e.key)) out.push_back(below(path, e.key) + " (new)");
}

void compare(const Value& before, const Value& now, const std::string& path, Changes& out) {
    if (before.kind == Value::Kind::table && now.kind == Value::Kind::table)
        return compare_tables(before, now, path, out);
    if (has_tables(before) && has_tables(now)) return compare_lists(before, now, path, out);
    if (to_toml_inline(before) != to_toml_inline(now))
        out.push_back(
            fmt::format("{} ({}, now {})", path, to_short_text(before), to_short_text(now)));
}

Value tree_of(const Scene& scene) {
    return read_toml(write_scene(model_part(scene)), "").tree.value_or(Value::table());
}

}  // namespace

std::vector<std::string> changed_keys(const Scene& before, const Scene& now) {
    Changes changes;
    compare(tree_of(before), tree_of(now), "", changes);
    return changes;
}

}  // namespace knead
