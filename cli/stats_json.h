// Rows of statistics as JSON: columns name_x, name_y, name_z become one array.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace knead::cli {

// One object, on one line.
std::string stats_json(const std::vector<std::pair<std::string, double>>& row);

}  // namespace knead::cli
