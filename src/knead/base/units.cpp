#include "knead/base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <optional>

namespace knead {

namespace {

// up/down * 10^ten * pi^turns, times metres, kilograms, seconds and radians to their powers.
struct Unit {
    double up = 1, down = 1;
    int ten = 0, turns = 0;
    std::array<int, 4> powers{};  // m, kg, s, rad
};

struct Named {
    const char* name;
    bool prefixes;  // takes milli, kilo and so on
    Unit unit;
};

const Named names[] = {
    {"m", true, {1, 1, 0, 0, {1, 0, 0, 0}}},
    {"in", false, {254, 1, -4, 0, {1, 0, 0, 0}}},
    {"ft", false, {3048, 1, -4, 0, {1, 0, 0, 0}}},
    {"g", true, {1, 1, -3, 0, {0, 1, 0, 0}}},
    {"t", false, {1, 1, 3, 0, {0, 1, 0, 0}}},
    {"lb", false, {45359237, 1, -8, 0, {0, 1, 0, 0}}},
    {"s", true, {1, 1, 0, 0, {0, 0, 1, 0}}},
    {"min", false, {60, 1, 0, 0, {0, 0, 1, 0}}},
    {"h", false, {3600, 1, 0, 0, {0, 0, 1, 0}}},
    {"rad", true, {1, 1, 0, 0, {0, 0, 0, 1}}},
    {"deg", false, {1, 180, 0, 1, {0, 0, 0, 1}}},
    {"degree", false, {1, 180, 0, 1, {0, 0, 0, 1}}},
    {"degrees", false, {1, 180, 0, 1, {0, 0, 0, 1}}},
    {"\u00b0", false, {1, 180, 0, 1, {0, 0, 0, 1}}},
    {"turn", false, {2, 1, 0, 1, {0, 0, 0, 1}}},
    {"turns", false, {2, 1, 0, 1, {0, 0, 0, 1}}},
    {"rpm", false, {2, 60, 0, 1, {0, 0, -1, 1}}},
    {"Hz", true, {1, 1, 0, 0, {0, 0, -1, 0}}},
    {"N", true, {1, 1, 0, 0, {1, 1, -2, 0}}},
    {"Pa", true, {1, 1, 0, 0, {-1, 1, -2, 0}}},
    {"bar", true, {1, 1, 5, 0, {-1, 1, -2, 0}}},
    {"P", true, {1, 1, -1, 0, {-1, 1, -1, 0}}},  // poise
    {"J", true, {1, 1, 0, 0, {2, 1, -2, 0}}},
    {"l", true, {1, 1, -3, 0, {3, 0, 0, 0}}},
    {"L", true, {1, 1, -3, 0, {3, 0, 0, 0}}},
    {"1", false, {}},
};

struct Prefix {
    const char* name;
    int ten;
};
const Prefix prefixes[] = {{"n", -9}, {"u", -6}, {"\u00b5", -6}, {"\u03bc", -6},
                           {"m", -3}, {"c", -2}, {"d", -1},      {"h", 2},
                           {"k", 3},  {"M", 6},  {"G", 9}};

std::optional<Unit> named(std::string_view word) {
    for (const Named& n : names)
        if (word == n.name) return n.unit;
    for (const Prefix& p : prefixes)
        for (const Named& n : names)
            if (n.prefixes && word.starts_with(p.name) &&
                word.substr(std::string_view(p.name).size()) == n.name) {
                Unit unit = n.unit;
                unit.ten += p.ten;
                return unit;
            }
    return {};
}

void multiply(Unit& a, const Unit& b, int power) {
    const double up = power < 0 ? b.down : b.up, down = power < 0 ? b.up : b.down;
    for (int k = 0; k < std::abs(power); ++k) a.up *= up, a.down *= down;
    a.ten += power * b.ten;
    a.turns += power * b.turns;
    for (std::size_t k = 0; k < a.powers.size(); ++k) a.powers[k] += power * b.powers[k];
}

std::string_view trimmed(std::string_view text) {
    const auto space = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && space(text.front())) text.remove_prefix(1);
    while (!text.empty() && space(text.back())) text.remove_suffix(1);
    return text;
}

// Takes a power off the end of a factor: "m3", "m^-2", "s\u00b2"; 1 where there is none.
int take_power(std::string_view& factor) {
    for (const auto& [sign, power] : {std::pair("\u00b2", 2), std::pair("\u00b3", 3)})
        if (factor.ends_with(sign)) {
            factor.remove_suffix(std::string_view(sign).size());
            return power;
        }
    const std::size_t first = factor.find_last_not_of("0123456789") + 1;
    if (first == 0 || first == factor.size() || factor.size() - first > 1) return 1;
    int power = factor[first] - '0';
    factor.remove_suffix(1);
    if (factor.ends_with("^-")) power = -power, factor.remove_suffix(1);
    if (factor.ends_with("^")) factor.remove_suffix(1);
    return power;
}

// The next factor of a unit, and whether a stroke stands before it.
std::string_view take_factor(std::string_view& text, bool& divides) {
    text = trimmed(text);
    divides = text.starts_with('/');
    if (divides || text.starts_with('*')) text.remove_prefix(1);
    if (text.starts_with("\u00b7")) text.remove_prefix(2);
    text = trimmed(text);
    std::size_t end = 0;
    while (end < text.size() && text[end] != ' ' && text[end] != '*' && text[end] != '/' &&
           text[end] != '\t' && !text.substr(end).starts_with("\u00b7"))
        ++end;
    const std::string_view factor = text.substr(0, end);
    text = trimmed(text.substr(end));
    return factor;
}

struct Parsed {
    std::optional<Unit> unit;
    std::string mistake;
};

Parsed parse_unit(std::string_view text) {
    Unit all;
    bool divided = false;
    while (!text.empty()) {
        bool divides = false;
        std::string_view factor = take_factor(text, divides);
        if (divided && !divides)
            return {{}, "what stands after a second factor behind a stroke is unclear"};
        divided = divided || divides;
        const int power = take_power(factor);
        const std::optional<Unit> unit = named(factor);
        if (!unit) return {{}, fmt::format("\"{}\" is no unit that knead knows", factor)};
        multiply(all, *unit, divides ? -power : power);
    }
    return {all, ""};
}

// The number at the start of a text, written with another power of ten.
template <class T>
std::optional<T> shifted(std::string_view digits, int ten) {
    const std::size_t at = digits.find_first_of("eE");
    int exponent = 0;
    if (at != std::string_view::npos) {
        std::string_view e = digits.substr(at + 1);
        if (e.starts_with('+')) e.remove_prefix(1);
        const auto end = std::from_chars(e.data(), e.data() + e.size(), exponent);
        if (end.ec != std::errc() || end.ptr != e.data() + e.size() || std::abs(exponent) > 400)
            return {};
    }
    std::string text(digits.substr(0, at));
    if (text.starts_with('+')) text.erase(0, 1);
    text += fmt::format("e{}", exponent + ten);
    T value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return {};
    return value;
}

// A power of ten alone gives the bits that the plain number has. All else is worked out with more
// digits than are kept, so that 3.5 in and 0.0889 m are one number, too.
std::optional<double> in_other_unit(std::string_view digits, const Unit& a, const Unit& b) {
    using Wide = long double;
    const int ten = a.ten - b.ten, turns = a.turns - b.turns;
    const Wide up = Wide(a.up) * Wide(b.down), down = Wide(a.down) * Wide(b.up);
    if (up == down && turns == 0) return shifted<double>(digits, ten);
    const std::optional<Wide> number = shifted<Wide>(digits, 0);
    if (!number) return {};
    const Wide tens = std::pow(Wide(10), Wide(std::abs(ten)));
    const Wide scaled = *number * up * std::pow(std::numbers::pi_v<Wide>, Wide(turns));
    const auto value = static_cast<double>(ten < 0 ? scaled / (down * tens) : scaled * tens / down);
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// How many letters of the text are a number.
std::size_t number_length(std::string_view text) {
    std::size_t end = 0;
    const auto digits = [&] {
        const std::size_t first = end;
        while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
        return end > first;
    };
    if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
    bool any = digits();
    if (end < text.size() && text[end] == '.') ++end, any = digits() || any;
    if (!any) return 0;
    const std::size_t mantissa = end;
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        ++end;
        if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
        if (!digits()) end = mantissa;
    }
    return end;
}

}  // namespace

Quantity read_quantity(std::string_view text, std::string_view wanted) {
    const std::string remedy =
        fmt::format("give a number [{0}], or text with a unit as in \"2 {0}\"", wanted);
    text = trimmed(text);
    const std::size_t length = number_length(text);
    if (length == 0) return {0, "does not begin with a number", remedy};
    const Parsed target = parse_unit(wanted);
    if (!target.unit) return {0, "takes no unit", "write a plain number"};
    const std::string_view unit = trimmed(text.substr(length));
    if (unit.empty()) return {0, "is text without a unit", remedy};
    const Parsed given = parse_unit(unit);
    if (!given.unit) return {0, given.mistake, remedy};
    if (given.unit->powers != target.unit->powers)
        return {0, fmt::format("is in {}, no measure in {}", unit, wanted), remedy};
    const auto number = in_other_unit(text.substr(0, length), *given.unit, *target.unit);
    return number ? Quantity{*number, "", ""} : Quantity{0, "is no usable number", remedy};
}

bool is_unit(std::string_view unit) { return parse_unit(unit).unit.has_value(); }

bool is_quantity(std::string_view text) {
    text = trimmed(text);
    const std::size_t length = number_length(text);
    const std::string_view unit = trimmed(text.substr(length));
    return length > 0 && !unit.empty() && is_unit(unit);
}

}  // namespace knead
