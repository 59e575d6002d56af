// Changes to a scene before it is read: quality variants of the file, and --set on the command
// line.
#pragma once

#include <string>
#include <vector>

#include "knead/scene/value.h"

namespace knead {

// The changes that were asked for, sorted out.
struct Overrides {
    std::string quality;  // variant to apply, "" for none
    Place quality_place;
    std::vector<std::string> settings;  // "key.path=value", in order
};
Overrides sort_out(const std::vector<std::string>& settings);

// Names of the variants in the file.
std::vector<std::string> quality_names(const Value& root);

// Merges the variant's table into the scene; lists of bodies and colliders are entered by name or
// index. `root` must still hold the table.
void apply_quality(Value& root, const std::string& name, const Place& place,
                   std::vector<Mistake>& mistakes);

// Every key of `change` set in the tree; lists are entered by name or index, tables are joined.
void apply_changes(Value& root, const Value& change, std::vector<Mistake>& mistakes);

// Sets one value. A word without quotes is taken as text.
void apply_setting(Value& root, const std::string& setting, std::vector<Mistake>& mistakes);

}  // namespace knead
