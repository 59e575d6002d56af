#include "stats_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace knead::cli {

using Json = nlohmann::ordered_json;

namespace {

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool counts(const std::string& name) {
    return name == "frame" || name == "frames" || name == "particles" || name == "substeps";
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

std::string stats_json(const std::vector<std::pair<std::string, double>>& row) {
    Json object;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const auto& [name, value] = row[i];
        const bool vector = ends_with(name, "_x") && i + 2 < row.size() &&
                            ends_with(row[i + 1].first, "_y") && ends_with(row[i + 2].first, "_z");
        if (vector) {
            object[name.substr(0, name.size() - 2)] = {number(value), number(row[i + 1].second),
                                                       number(row[i + 2].second)};
            i += 2;
        } else if (counts(name)) {
            object[name] = static_cast<std::int64_t>(value);
        } else {
            object[name] = number(value);
        }
    }
    // Headings of a damaged file may be no UTF-8, or steer a terminal.
    return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace knead::cli
