// TOML text to a tree of values, with every syntax mistake that can be told apart.
#pragma once

#include <optional>
#include <string_view>

#include "knead/scene/value.h"

namespace knead {

// `tree` is empty when nothing sensible could be read. After a mistake on a line of its own the
// rest of the text is still read, so `tree` may lack what stood on that line.
struct TomlReading {
    std::optional<Value> tree;
    std::vector<Mistake> mistakes;
};

TomlReading read_toml(std::string_view text, const std::string& file);

// One value as it may stand behind `key =`; nothing when it is no TOML value.
std::optional<Value> read_toml_value(std::string_view text);

}  // namespace knead
