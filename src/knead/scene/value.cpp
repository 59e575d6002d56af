#include "knead/scene/value.h"

#include <charconv>
#include <cmath>

namespace knead {

Value Value::of(bool a) {
    Value v;
    v.kind = Kind::boolean, v.boolean = a;
    return v;
}
Value Value::of(std::int64_t a) {
    Value v;
    v.kind = Kind::integer, v.integer = a;
    return v;
}
Value Value::of(double a) {
    Value v;
    v.kind = Kind::number, v.number = a;
    return v;
}
Value Value::of(std::string a) {
    Value v;
    v.kind = Kind::text, v.text = std::move(a);
    return v;
}
Value Value::list(std::vector<Value> items) {
    Value v;
    v.kind = Kind::list, v.items = std::move(items);
    return v;
}

Value Value::table() { return {}; }

const Value* Value::find(std::string_view key) const {
    for (const Entry& e : entries)
        if (e.key == key) return &e.value;
    return nullptr;
}
Value* Value::find(std::string_view key) {
    return const_cast<Value*>(static_cast<const Value*>(this)->find(key));
}
Value& Value::at_or_new(const std::string& key, const Place& where) {
    if (Value* found = find(key)) return *found;
    entries.push_back({key, where, table()});
    entries.back().value.place = where;
    return entries.back().value;
}
Value& Value::add(const std::string& key, Value value) {
    entries.push_back({key, value.place, std::move(value)});
    return entries.back().value;
}

const char* name_of(Value::Kind kind) {
    switch (kind) {
        case Value::Kind::boolean:
            return "true or false";
        case Value::Kind::integer:
            return "a whole number";
        case Value::Kind::number:
            return "a number";
        case Value::Kind::text:
            return "text";
        case Value::Kind::date:
            return "a date";
        case Value::Kind::list:
            return "a list";
        case Value::Kind::table:
            return "a table";
    }
    return "";
}

void move_to(Value& value, const Place& place) {
    value.place = place;
    for (Value& item : value.items) move_to(item, place);
    for (Entry& e : value.entries) e.place = place, move_to(e.value, place);
}

static std::string number_text(double a) {
    if (std::isnan(a)) return "nan";
    if (std::isinf(a)) return a > 0 ? "inf" : "-inf";
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, a).ptr;
    std::string text(buffer, end);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

static std::string quoted(const std::string& text) {
    static const char hex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\', out += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            out += "\\u00", out += hex[byte >> 4], out += hex[byte & 15];
        } else {
            out += c;
        }
    }
    return out + "\"";
}

static std::string key_text(const std::string& key) {
    constexpr auto bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const bool plain = !key.empty() && key.find_first_not_of(bare) == std::string::npos;
    return plain ? key : quoted(key);
}

std::string to_toml_inline(const Value& value) {
    std::string out;
    switch (value.kind) {
        case Value::Kind::boolean:
            return value.boolean ? "true" : "false";
        case Value::Kind::integer:
            return std::to_string(value.integer);
        case Value::Kind::number:
            return number_text(value.number);
        case Value::Kind::text:
            return quoted(value.text);
        case Value::Kind::date:
            return value.text;
        case Value::Kind::list:
            for (const Value& item : value.items)
                out += (out.empty() ? "" : ", ") + to_toml_inline(item);
            return "[" + out + "]";
        case Value::Kind::table:
            for (const Entry& e : value.entries)
                out +=
                    (out.empty() ? "" : ", ") + key_text(e.key) + " = " + to_toml_inline(e.value);
            return "{" + out + "}";
    }
    return out;
}

std::string to_short_text(const Value& value) {
    constexpr std::size_t longest = 48;
    std::string text = to_toml_inline(value);
    if (text.size() > longest) {
        text.resize(longest);
        // Not in the middle of a UTF-8 character.
        while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
            text.pop_back();
        if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xc0) text.pop_back();
        text += "...";
    }
    return text;
}

static bool is_list_of_tables(const Value& value) {
    if (value.kind != Value::Kind::list || value.items.empty()) return false;
    for (const Value& item : value.items)
        if (item.kind != Value::Kind::table) return false;
    return true;
}

static void write_plain(const Value& table, bool nested_too, std::string& out) {
    for (const Entry& e : table.entries) {
        const bool nested = e.value.kind == Value::Kind::table || is_list_of_tables(e.value);
        if (nested_too || !nested) out += key_text(e.key) + " = " + to_toml_inline(e.value) + "\n";
    }
}

static bool has_plain(const Value& table) {
    for (const Entry& e : table.entries)
        if (e.value.kind != Value::Kind::table && !is_list_of_tables(e.value)) return true;
    return table.entries.empty();
}

static void write_nested(const Value& table, const std::string& path, std::string& out) {
    for (const Entry& e : table.entries) {
        const std::string name = path.empty() ? key_text(e.key) : path + "." + key_text(e.key);
        if (e.value.kind == Value::Kind::table) {
            if (has_plain(e.value)) out += "\n[" + name + "]\n";
            write_plain(e.value, false, out);
            write_nested(e.value, name, out);
        } else if (is_list_of_tables(e.value)) {
            for (const Value& item : e.value.items) {
                out += "\n[[" + name + "]]\n";
                write_plain(item, true, out);
            }
        }
    }
}

std::string to_toml(const Value& root) {
    std::string out;
    write_plain(root, false, out);
    write_nested(root, "", out);
    return out;
}

}  // namespace knead
