// Rows of statistics as JSON objects: columns name_x, name_y, name_z become one array.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace knead::cli {

nlohmann::ordered_json stats_object(const std::vector<std::pair<std::string, double>>& row);

}  // namespace knead::cli
