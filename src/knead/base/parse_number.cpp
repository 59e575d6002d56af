#include "knead/base/parse_number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "knead/base/error.h"

namespace knead {

double parse_number(const std::string& text, const std::string& what) {
    double value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        throw InputError({}, fmt::format("{}: \"{}\" is not a number", what, text));
    return value;
}

}  // namespace knead
