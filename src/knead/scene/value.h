// A scene file as a tree of values that remember their places: what TOML says, before anything is
// known about scenes. Overrides and quality variants work on this tree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "knead/base/error.h"

namespace knead {

struct Entry;

struct Value {
    enum class Kind { boolean, integer, number, text, date, list, table };

    Kind kind = Kind::table;
    Place place;
    bool boolean = false;
    std::int64_t integer = 0;
    double number = 0;
    std::string text;
    std::vector<Value> items;    // list
    std::vector<Entry> entries;  // table, in the order of the file

    static Value of(bool a);
    static Value of(std::int64_t a);
    static Value of(double a);
    static Value of(std::string a);
    static Value list(std::vector<Value> items);
    static Value table();

    const Value* find(std::string_view key) const;
    Value* find(std::string_view key);
    // The value of `key`, made an empty table at `place` when there is none.
    Value& at_or_new(const std::string& key, const Place& place);
    Value& add(const std::string& key, Value value);
};

struct Entry {
    std::string key;
    Place place;  // of the key
    Value value;
};

// "a number", "a list", ...
const char* name_of(Value::Kind kind);

// Gives the value and everything in it one place.
void move_to(Value& value, const Place& place);

// As it would stand in a TOML file, on one line; long ones are cut short for messages.
std::string to_toml_inline(const Value& value);
std::string to_short_text(const Value& value);

// A whole document: plain values first, then [tables] and [[lists of tables]], in order.
std::string to_toml(const Value& root);

}  // namespace knead
