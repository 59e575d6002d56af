#include "knead/scene/overrides.h"

#include <charconv>
#include <optional>

#include "knead/base/suggest.h"
#include "knead/base/units.h"
#include "knead/scene/read_toml.h"

namespace knead {

namespace {

constexpr std::size_t deepest_key = 16;  // steps in one key
constexpr int deepest_merge = 64;        // tables in tables

std::vector<std::string> split_key(const std::string& key) {
    std::vector<std::string> steps{""};
    char quote = 0;
    for (const char c : key) {
        if (quote && c == quote)
            quote = 0;
        else if (!quote && (c == '"' || c == '\''))
            quote = c;
        else if (!quote && c == '.')
            steps.emplace_back();
        else if (quote || (c != ' ' && c != '\t'))
            steps.back() += c;
    }
    return steps;
}

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& w : words) text += (text.empty() ? "" : ", ") + w;
    return text;
}

// The item of a list that a step names: by index from 0, or by its `name`.
Value* find_item(Value& list, const std::string& step, const Place& place,
                 std::vector<Mistake>& mistakes) {
    std::size_t index = 0;
    const char* end = step.data() + step.size();
    const auto parsed = std::from_chars(step.data(), end, index);
    if (parsed.ec == std::errc() && parsed.ptr == end) {
        if (index < list.items.size()) return &list.items[index];
        mistakes.push_back(
            {place,
             "there is no item " + step + " in a list of " + std::to_string(list.items.size()),
             "items count from 0"});
        return nullptr;
    }
    std::vector<std::string> names;
    for (Value& item : list.items) {
        const Value* name = item.find("name");
        if (!name || name->kind != Value::Kind::text) continue;
        if (name->text == step) return &item;
        names.push_back(name->text);
    }
    const std::string guess = did_you_mean(step, names);
    mistakes.push_back({place, "nothing in the list has the name " + to_short_text(Value::of(step)),
                        !guess.empty() ? guess
                        : !names.empty()
                            ? "names there: " + join(names) + "; give a new one its shape"
                            : "name it by its index, from 0"});
    return nullptr;
}

// One step down from a value; makes tables where there is nothing yet.
Value* descend(Value& from, const std::string& step, const Place& place,
               std::vector<Mistake>& mistakes) {
    if (from.kind == Value::Kind::list) return find_item(from, step, place, mistakes);
    if (from.kind == Value::Kind::table) return &from.at_or_new(step, place);
    mistakes.push_back(
        {place, "there is nothing below " + to_short_text(from) + " to set", "leave out ." + step});
    return nullptr;
}

// A change that is whole by itself, so that it can be an item of its own and no misspelt name.
bool is_whole(const Value& change) {
    for (const char* key : {"shape", "thin", "animation", "body"})
        if (change.find(key)) return true;
    return false;
}

bool has_item(const Value& list, const std::string& name) {
    for (const Value& item : list.items)
        if (const Value* own = item.find("name"); own && own->text == name) return true;
    return false;
}

// [bodies.NAME] with a shape, where no body has that name, is a new one; an index is none.
bool adds_item(Value& list, const Entry& change) {
    if (list.kind != Value::Kind::list || change.value.kind != Value::Kind::table ||
        !is_whole(change.value) || has_item(list, change.key) ||
        change.key.find_first_not_of("0123456789") == std::string::npos)
        return false;
    Value item = change.value;
    if (!item.find("name")) {
        Value& name = item.at_or_new("name", change.place);
        name = Value::of(change.key);
        name.place = change.place;
    }
    list.items.push_back(std::move(item));
    return true;
}

void merge(Value& target, const Value& change, std::vector<Mistake>& mistakes, int depth = 0) {
    if (change.kind != Value::Kind::table) {
        target = change;
        return;
    }
    for (const Entry& e : change.entries) {
        if (adds_item(target, e)) continue;
        const std::vector<std::string> steps = split_key(e.key);
        if (steps.size() > deepest_key || depth > deepest_merge) {
            mistakes.push_back({e.place, "keys are nested too deeply", "nest less deeply"});
            continue;
        }
        Value* at = &target;
        for (const std::string& step : steps)
            if (at) at = descend(*at, step, e.place, mistakes);
        if (at) merge(*at, e.value, mistakes, depth + 1);
    }
}

// Words, file names and numbers with a unit may go without quotes on a command line.
std::optional<Value> read_setting_value(const std::string& text) {
    if (auto value = read_toml_value(text)) return value;
    constexpr auto letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-./";
    const bool word = !text.empty() && text.find_first_not_of(plain) == std::string::npos &&
                      text.find_first_of(letters) != std::string::npos &&
                      (text[0] < '0' || text[0] > '9') && text[0] != '-';
    return word || is_quantity(text) ? std::optional(Value::of(text)) : std::nullopt;
}

}  // namespace

Overrides sort_out(const std::vector<std::string>& settings) {
    Overrides out;
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos || setting.substr(0, equals) != "quality") {
            out.settings.push_back(setting);
            continue;
        }
        const auto value = read_setting_value(setting.substr(equals + 1));
        const bool word = value && value->kind == Value::Kind::text;
        out.quality = word ? value->text : setting.substr(equals + 1);
        out.quality_place = Place{"--set " + setting, 0, 0};
    }
    return out;
}

std::vector<std::string> quality_names(const Value& root) {
    std::vector<std::string> names;
    if (const Value* quality = root.find("quality"))
        for (const Entry& e : quality->entries) names.push_back(e.key);
    return names;
}

void apply_quality(Value& root, const std::string& name, const Place& place,
                   std::vector<Mistake>& mistakes) {
    const Value* quality = root.find("quality");
    const Value* variant = quality ? quality->find(name) : nullptr;
    if (!variant) {
        const std::vector<std::string> names = quality_names(root);
        const std::string guess = did_you_mean(name, names);
        const std::string known =
            names.empty() ? "the scene has no [quality.NAME] tables" : "known: " + join(names);
        mistakes.push_back({place, "there is no quality " + to_short_text(Value::of(name)),
                            guess.empty() ? known : guess});
        return;
    }
    if (variant->kind != Value::Kind::table) {
        mistakes.push_back({variant->place, "quality." + name + " is " + name_of(variant->kind),
                            "write [quality." + name + "] and below it key.path = value"});
        return;
    }
    const Value change = *variant;
    merge(root, change, mistakes);
}

void apply_changes(Value& root, const Value& change, std::vector<Mistake>& mistakes) {
    merge(root, change, mistakes);
}

void apply_setting(Value& root, const std::string& setting, std::vector<Mistake>& mistakes) {
    const Place place{"--set " + setting, 0, 0};
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
        mistakes.push_back({place, "not of the form KEY=VALUE", "as in --set solver.dx=0.01"});
        return;
    }
    auto value = read_setting_value(setting.substr(equals + 1));
    if (!value) {
        mistakes.push_back({place, "the value is not TOML",
                            "numbers look like 1e-3, text like '\"abc\"', lists like [0, 1, 0]"});
        return;
    }
    move_to(*value, place);
    const std::vector<std::string> steps = split_key(setting.substr(0, equals));
    if (steps.size() > deepest_key) {
        mistakes.push_back({place, "more than 16 steps in the key", "nest less deeply"});
        return;
    }
    Value* at = &root;
    for (const std::string& step : steps)
        if (at) at = descend(*at, step, place, mistakes);
    if (at) *at = std::move(*value);
}

}  // namespace knead
