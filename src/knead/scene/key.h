// A key is one line: its name, the member it fills, its unit, its range and what it is for.
// Reading, checking, writing and docs/scene.md all follow from that line; the default is the
// member's value in a fresh struct.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>

#include "knead/scene/reader.h"

namespace knead {

struct KeyInfo {
    std::string name;
    std::string type;      // "number", "vector", "one of a, b", ...
    std::string unit;      // SI, "" for none
    std::string fallback;  // the default as TOML, or in words
    std::string range;     // in words, "" for any
    std::string doc;       // one line
    bool required = false;
};

inline std::string unit_in_brackets(const KeyInfo& key) {
    return key.unit.empty() ? "" : " [" + key.unit + "]";
}

template <class T>
struct Key {
    KeyInfo info;
    std::function<void(T&, const Value&, Reader&)> read;
    std::function<std::optional<Value>(const T&)> write;  // nothing: left out of the file
};
template <class T>
using Keys = std::vector<Key<T>>;

template <class E>
using Words = std::vector<std::pair<std::string, E>>;

// Reads every entry of a table by its keys; names unknown, missing and wrong ones.
template <class T>
void read_table(T& target, const Keys<T>& keys, const Value& value, Reader& r) {
    if (!r.expect(value, Value::Kind::table)) return;
    std::vector<std::string> names;
    std::set<std::string> meant;  // by misspelt keys
    for (const auto& key : keys) names.push_back(key.info.name);
    for (const Entry& e : value.entries) {
        const Reader::Scope scope(r, e.key, e.value.place);
        bool known = false;
        for (const auto& key : keys)
            if (key.info.name == e.key) known = true, key.read(target, e.value, r);
        if (!known && !r.is_retired(e)) meant.insert(r.unknown_key(e, names));
    }
    for (const auto& key : keys)
        if (key.info.required && !value.find(key.info.name) && !meant.contains(key.info.name))
            r.missing_key(value, key.info.name, key.info.range + unit_in_brackets(key.info));
}

template <class T>
Value write_table(const T& source, const Keys<T>& keys) {
    Value out;
    for (const auto& key : keys)
        if (auto value = key.write(source)) out.add(key.info.name, std::move(*value));
    return out;
}

// Makes the keys of T: KeyOf<SolverSpec>::number("dx", &SolverSpec::dx, above(0), "m", "...").
template <class T>
struct KeyOf {
    static Key<T> number(const char* name, double T::*m, Range range, const char* unit,
                         const char* doc) {
        return plain(name, m, "number", range, unit, doc);
    }
    static Key<T> number(const char* name, std::optional<double> T::*m, Range range,
                         const char* unit, const char* fallback, const char* doc) {
        return optional(name, m, "number", range, unit, fallback, doc);
    }
    static Key<T> integer(const char* name, int T::*m, Range range, const char* doc) {
        return plain(name, m, "whole number", range, "", doc);
    }
    static Key<T> integer(const char* name, std::uint64_t T::*m, const char* doc) {
        return plain(name, m, "whole number", at_least(0), "", doc);
    }
    static Key<T> flag(const char* name, bool T::*m, const char* doc) {
        return plain(name, m, "true or false", {}, "", doc);
    }
    static Key<T> text(const char* name, std::string T::*m, const char* doc) {
        return plain(name, m, "text", {}, "", doc);
    }
    static Key<T> vector(const char* name, Vec3d T::*m, const char* unit, const char* doc,
                         Range range = {}) {
        return plain(name, m, "[x, y, z]", range, unit, doc);
    }
    static Key<T> vector(const char* name, std::optional<Vec3d> T::*m, const char* unit,
                         const char* fallback, const char* doc) {
        return optional(name, m, "[x, y, z]", {}, unit, fallback, doc);
    }
    static Key<T> rotation(const char* name, Vec3d T::*m, const char* doc) {
        Key<T> key = vector(name, m, "degrees", doc);
        key.info.type = "axis times angle [x, y, z], or {axis, angle}";
        key.read = [m](T& t, const Value& v, Reader& r) { r.read_rotation(t.*m, v); };
        return key;
    }
    static Key<T> color(const char* name, Vec3f T::*m, const char* doc) {
        return plain(name, m, "color: [r, g, b] or \"#rrggbb\"", {0, 1}, "", doc);
    }
    static Key<T> color(const char* name, std::optional<Vec3f> T::*m, const char* fallback,
                        const char* doc) {
        return optional(name, m, "color: [r, g, b] or \"#rrggbb\"", {0, 1}, "", fallback, doc);
    }
    // One of a few words, each standing for a value of the member.
    template <class E, class B>
    static Key<T> word(const char* name, E B::*base_member, const Words<E>& words,
                       const char* doc) {
        E T::*m = base_member;
        const auto write = [m, words](const T& t) -> std::optional<Value> {
            for (const auto& [word, e] : words)
                if (e == t.*m) return Value::of(word);
            return {};
        };
        const auto read = [m, words](T& t, const Value& v, Reader& r) {
            std::vector<std::string> known;
            for (const auto& w : words) known.push_back(w.first);
            if (const auto i = r.read_word(v, known)) t.*m = words[*i].second;
        };
        std::string type = "one of";
        for (const auto& w : words) type += (type.size() > 6 ? ", \"" : " \"") + w.first + "\"";
        return {{name, type, "", to_toml_inline(*write(T{})), "", doc}, read, write};
    }
    // A table of its own keys; `keys` is a function, since tables may hold each other.
    template <class U>
    static Key<T> table(const char* name, U T::*m, const Keys<U>& (*keys)(), const char* doc) {
        return {{name, "table", "", "", "", doc},
                [=](T& t, const Value& v, Reader& r) { read_table(t.*m, keys(), v, r); },
                [=](const T& t) { return write_table(t.*m, keys()); }};
    }
    template <class U>
    static Key<T> list(const char* name, std::vector<U> T::*m, const Keys<U>& (*keys)(),
                       const char* doc) {
        return {{name, "list of tables", "", "[]", "", doc},
                [=](T& t, const Value& v, Reader& r) {
                    r.read_items(v, [&](const Value& item) {
                        read_table((t.*m).emplace_back(), keys(), item, r);
                    });
                },
                [=](const T& t) -> std::optional<Value> {
                    if ((t.*m).empty()) return {};
                    Value out = Value::list({});
                    for (const U& u : t.*m) out.items.push_back(write_table(u, keys()));
                    return out;
                }};
    }
    // Written only where it has an effect.
    static Key<T> only_when(bool (*in_use)(const T&), Key<T> key) {
        key.write = [in_use, write = key.write](const T& t) -> std::optional<Value> {
            if (!in_use(t)) return {};
            return write(t);
        };
        return key;
    }
    static Key<T> required(Key<T> key) {
        key.info.required = true;
        key.info.fallback = "";
        return key;
    }

private:
    template <class M>
    static Key<T> plain(const char* name, M T::*m, const char* type, Range range, const char* unit,
                        const char* doc) {
        return {{name, type, unit, to_toml_inline(to_value(T{}.*m)), to_string(range), doc},
                [=](T& t, const Value& v, Reader& r) { r.read(t.*m, v, range, unit); },
                [=](const T& t) { return to_value(t.*m); }};
    }
    template <class M>
    static Key<T> optional(const char* name, std::optional<M> T::*m, const char* type, Range range,
                           const char* unit, const char* fallback, const char* doc) {
        return {{name, type, unit, fallback, to_string(range), doc},
                [=](T& t, const Value& v, Reader& r) {
                    M value{};
                    if (r.read(value, v, range, unit)) t.*m = value;
                },
                [=](const T& t) -> std::optional<Value> {
                    if (!(t.*m)) return {};
                    return to_value(*(t.*m));
                }};
    }
};

}  // namespace knead
