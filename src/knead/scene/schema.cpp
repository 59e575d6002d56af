#include "knead/scene/schema.h"

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "knead/base/version.h"
#include "knead/scene/keys.h"

namespace knead {

namespace {

using Json = nlohmann::ordered_json;

// "0 to 1", "at least 0", "above 0, below 1": as Range writes itself.
void add_range(Json& number, const std::string& words) {
    double a = 0, b = 0;
    if (std::sscanf(words.c_str(), "at least %lf", &a) == 1) number["minimum"] = a;
    if (std::sscanf(words.c_str(), "above %lf", &a) == 1) number["exclusiveMinimum"] = a;
    if (std::sscanf(words.c_str(), "%lf to %lf", &a, &b) == 2)
        number["minimum"] = a, number["maximum"] = b;
    const std::size_t comma = words.find(", ");
    const std::string rest = comma == std::string::npos ? "" : words.substr(comma + 2);
    if (std::sscanf(rest.c_str(), "at most %lf", &b) == 1) number["maximum"] = b;
    if (std::sscanf(rest.c_str(), "below %lf", &b) == 1) number["exclusiveMaximum"] = b;
}

// A number, or text with a unit where it has one.
Json number_of(const KeyInfo& key) {
    Json number{{"type", "number"}};
    add_range(number, key.range);
    if (key.unit.empty()) return number;
    const Json text{{"type", "string"}, {"pattern", "^\\s*[-+.0-9]"}};
    return {{"anyOf", Json::array({number, text})}};
}

Json list_of(Json items, int count = 0) {
    Json list{{"type", "array"}, {"items", std::move(items)}};
    if (count > 0) list["minItems"] = list["maxItems"] = count;
    return list;
}

Json defined(const std::string& table) { return {{"$ref", "#/$defs/" + table}}; }

// "one of "a", "b"".
Json words_of(const std::string& type) {
    Json words = Json::array();
    for (std::size_t i = 0; (i = type.find('"', i)) != std::string::npos;) {
        const std::size_t end = type.find('"', i + 1);
        words.push_back(type.substr(i + 1, end - i - 1));
        i = end + 1;
    }
    return {{"enum", words}};
}

// Names of definitions by path: letters, dots and underscores only.
std::string definition_of(std::string path) {
    std::erase_if(path, [](char c) { return c == '[' || c == ']'; });
    return path.empty() ? "scene" : path;
}

class Schema {
public:
    Schema() : tables_(all_tables()) {
        for (const TableInfo& t : tables_) known_[definition_of(t.path)] = true;
    }

    Json whole() {
        Json defs = Json::object();
        for (const TableInfo& t : tables_) defs[definition_of(t.path)] = table(t);
        Json& scene = defs["scene"];
        Json out{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "knead scene"},
                 {"$comment", std::string("knead ") + version()},
                 {"type", "object"}};
        out["properties"] = scene["properties"];
        out["properties"]["extends"] = {
            {"type", "string"}, {"description", "the scene that this one changes and adds to"}};
        out["properties"]["quality"] = {
            {"type", "object"},
            {"additionalProperties", {{"type", "object"}}},
            {"description", "changes by name, chosen with --set quality=NAME"}};
        out["additionalProperties"] = false;
        // A scene that extends another may leave out what that one has.
        Json complete{{"required", scene.value("required", Json::array())},
                      {"properties", Json::object()}};
        for (const char* name : {"solver", "time", "output", "camera", "picture"})
            if (defs[name].contains("required")) {
                complete["properties"][name] = {{"required", defs[name]["required"]}};
                defs[name].erase("required");
            }
        out["anyOf"] = Json::array({{{"required", {"extends"}}}, complete});
        defs.erase("scene");
        out["$defs"] = std::move(defs);
        return out;
    }

private:
    std::vector<TableInfo> tables_;
    std::map<std::string, bool> known_;

    Json table(const TableInfo& info) const {
        Json out{{"type", "object"}, {"description", info.doc}, {"properties", Json::object()}};
        Json required = Json::array();
        for (const KeyInfo& key : info.keys) {
            Json value = type_of(info, key);
            std::string doc = key.doc + unit_in_brackets(key);
            if (!key.fallback.empty()) doc += "; default: " + key.fallback;
            value["description"] = doc;
            place(out["properties"], key.name, std::move(value));
            if (key.required) required.push_back(key.name);
        }
        out["additionalProperties"] = false;
        if (!required.empty()) out["required"] = required;
        return out;
    }

    // Keys with dots stand in tables of their own.
    static void place(Json& properties, const std::string& name, Json value) {
        const std::size_t dot = name.find('.');
        if (dot == std::string::npos) {
            properties[name] = std::move(value);
            return;
        }
        Json& inner = properties[name.substr(0, dot)];
        inner["type"] = "object";
        inner["additionalProperties"] = false;
        place(inner["properties"], name.substr(dot + 1), std::move(value));
    }

    // The table of a key: below its own, or, as for motions, the one that another list describes.
    std::string below(const TableInfo& info, const KeyInfo& key) const {
        const std::string own =
            definition_of((info.path.empty() ? "" : info.path + ".") + key.name);
        if (known_.contains(own)) return own;
        for (const auto& [name, is] : known_)
            if (name.ends_with("." + key.name)) return name;
        throw std::logic_error("no keys are known of the table " + own);
    }

    Json type_of(const TableInfo& info, const KeyInfo& key) const {
        const std::string& type = key.type;
        if (type == "number") return number_of(key);
        if (type == "true or false") return {{"type", "boolean"}};
        if (type == "text") return {{"type", "string"}};
        if (type == "whole number") {
            Json number{{"type", "integer"}};
            add_range(number, key.range);
            return number;
        }
        if (type == "[x, y, z]") return list_of(number_of(key), 3);
        if (type.starts_with("axis times angle"))
            return {{"anyOf", Json::array({list_of(number_of(key), 3), {{"type", "object"}}})}};
        if (type.starts_with("color"))
            return {{"anyOf", Json::array({list_of({{"type", "number"}}, 3),
                                           {{"type", "string"}, {"pattern", "^#"}}})}};
        if (type.starts_with("one of")) return words_of(type);
        if (type == "shape") return defined("SHAPE");
        if (type == "list of shapes") return list_of(defined("SHAPE"));
        if (type == "list of [x, y]") return list_of(list_of(number_of(key), 2));
        if (type.starts_with("list of texts"))
            return {{"anyOf", Json::array({list_of({{"type", "string"}}), {{"type", "string"}}})}};
        if (type == "table") return defined(below(info, key));
        if (type == "tables by name")
            return {{"type", "object"}, {"additionalProperties", defined(key.name + ".NAME")}};
        if (type == "list of tables") {
            // By name only where a scene is extended.
            const Json item = defined(below(info, key));
            if (!info.path.empty()) return list_of(item);
            return {{"anyOf", Json::array({list_of(item),
                                           {{"type", "object"},
                                            {"additionalProperties", {{"type", "object"}}}}})}};
        }
        throw std::logic_error("a type that the schema does not know: " + type);
    }
};

}  // namespace

std::string scene_schema() { return Schema().whole().dump(2) + "\n"; }

}  // namespace knead
