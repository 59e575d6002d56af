#include "knead/scene/reader.h"

#include <cmath>
#include <limits>

#include "knead/base/suggest.h"
#include "knead/base/units.h"

namespace knead {

static constexpr std::size_t most_mistakes = 1000;  // who reads more?

static std::string short_number(double a) {
    const std::string text = to_toml_inline(Value::of(a));
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string to_string(const Range& range) {
    const bool low = std::isfinite(range.low), high = std::isfinite(range.high);
    if (low && high && !range.low_open && !range.high_open)
        return short_number(range.low) + " to " + short_number(range.high);
    std::string text;
    if (low) text = (range.low_open ? "above " : "at least ") + short_number(range.low);
    if (low && high) text += ", ";
    if (high) text += (range.high_open ? "below " : "at most ") + short_number(range.high);
    return text;
}

Value to_value(double a) { return Value::of(a); }
Value to_value(int a) { return Value::of(std::int64_t{a}); }
Value to_value(std::uint64_t a) { return Value::of(static_cast<std::int64_t>(a)); }
Value to_value(bool a) { return Value::of(a); }
Value to_value(const std::string& a) { return Value::of(a); }
Value to_value(const Vec3d& a) {
    return Value::list({Value::of(a.x), Value::of(a.y), Value::of(a.z)});
}
// Colors: the shortest decimals that give the same floats back.
Value to_value(const Vec3f& a) {
    const auto decimal = [](float f) {
        for (double scale = 1; scale < 1e9; scale *= 10) {
            const double rounded = std::round(double{f} * scale) / scale;
            if (static_cast<float>(rounded) == f) return Value::of(rounded);
        }
        return Value::of(double{f});
    };
    return Value::list({decimal(a.x), decimal(a.y), decimal(a.z)});
}

Reader::Scope::Scope(Reader& r, const std::string& step, const Place& place)
    : r_(r), length_(r.path_.size()) {
    r.path_ += (r.path_.empty() ? "" : ".") + step;
    r.places_[r.path_] = place;
}

void Reader::mistake(const Place& place, std::string what, std::string remedy) {
    bad_.insert(path_);
    if (mistakes_.size() > most_mistakes) return;
    if (mistakes_.size() == most_mistakes) what = "and more mistakes, not shown", remedy.clear();
    mistakes_.push_back({place, std::move(what), std::move(remedy)});
}

bool Reader::is_bad(const std::string& path) const {
    if (bad_.contains(path)) return true;
    const auto below = bad_.lower_bound(path + ".");
    return below != bad_.end() && below->starts_with(path + ".");
}

static std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& w : words) text += (text.empty() ? "" : ", ") + w;
    return text;
}

static std::string shown(const std::string& key) { return to_short_text(Value::of(key)); }

bool Reader::is_retired(const Entry& entry) const {
    // never more than a promise, which every run keeps
    return path_ == "solver.deterministic" && entry.value.kind == Value::Kind::boolean &&
           entry.value.boolean;
}

std::string Reader::unknown_key(const Entry& entry, const std::vector<std::string>& known) {
    const std::size_t dot = path_.size() - std::min(path_.size(), entry.key.size() + 1);
    const std::string table = path_.substr(0, dot);
    const bool heard = mistakes_.size() <= most_mistakes;
    const std::string guess = heard ? nearest(entry.key, known) : "";
    mistake(entry.place, "unknown key " + shown(entry.key) + (table.empty() ? "" : " in " + table),
            guess.empty() ? "known here: " + join(known) : "did you mean \"" + guess + "\"?");
    return guess;
}

void Reader::missing_key(const Value& table, const std::string& key, const std::string& allowed) {
    if (forgive_missing_) return;
    const std::string where = path_.empty() ? "the scene" : path_;
    mistake(table.place, where + " has no " + key,
            allowed.empty() ? "give it a value" : "give it a value, " + allowed);
}

bool Reader::expect(const Value& value, Value::Kind kind) {
    if (value.kind == kind) return true;
    mistake(value.place,
            path_ + " is " + to_short_text(value) + ", which is " + name_of(value.kind),
            std::string("give ") + name_of(kind));
    return false;
}

static std::string allowed(const Range& range, const std::string& unit) {
    const std::string words = to_string(range);
    return (words.empty() ? "give a finite number" : "allowed: " + words) +
           (unit.empty() ? "" : " [" + unit + "]");
}

bool Reader::read(double& out, const Value& value, const Range& range, const std::string& unit) {
    if (value.kind == Value::Kind::text && !unit.empty() && is_unit(unit)) {
        const Quantity quantity = read_quantity(value.text, unit);
        if (!quantity.mistake.empty()) {
            mistake(value.place,
                    path_ + " is " + to_short_text(value) + ", which " + quantity.mistake,
                    quantity.remedy);
            return false;
        }
        Value plain = Value::of(quantity.value);
        plain.place = value.place;
        return read(out, plain, range, unit);
    }
    const bool whole = value.kind == Value::Kind::integer;
    if (!whole && !expect(value, Value::Kind::number)) return false;
    const double a = whole ? static_cast<double>(value.integer) : value.number;
    // No length, time or modulus needs more; squares and cubes of what passes stay finite.
    constexpr double largest = 1e30;
    if (!std::isfinite(a) || !range.contains(a) || std::abs(a) > largest) {
        const bool odd = !std::isfinite(a) || std::abs(a) > largest;
        mistake(
            value.place,
            path_ + " is " + short_number(a) + (odd ? ", not a usable number" : ", out of range"),
            allowed(range, unit));
        return false;
    }
    out = a;
    return true;
}

bool Reader::read(int& out, const Value& value, const Range& range, const std::string&) {
    if (!expect(value, Value::Kind::integer)) return false;
    constexpr auto low = std::numeric_limits<int>::min(), high = std::numeric_limits<int>::max();
    if (value.integer < low || value.integer > high ||
        !range.contains(static_cast<double>(value.integer))) {
        mistake(value.place, path_ + " is " + std::to_string(value.integer) + ", out of range",
                allowed(range, ""));
        return false;
    }
    out = static_cast<int>(value.integer);
    return true;
}

bool Reader::read(std::uint64_t& out, const Value& value, const Range&, const std::string&) {
    if (!expect(value, Value::Kind::integer)) return false;
    if (value.integer < 0) {
        mistake(value.place, path_ + " is " + std::to_string(value.integer) + ", out of range",
                "allowed: at least 0");
        return false;
    }
    out = static_cast<std::uint64_t>(value.integer);
    return true;
}

bool Reader::read(bool& out, const Value& value, const Range&, const std::string&) {
    if (!expect(value, Value::Kind::boolean)) return false;
    out = value.boolean;
    return true;
}

bool Reader::read(std::string& out, const Value& value, const Range&, const std::string&) {
    if (!expect(value, Value::Kind::text)) return false;
    out = value.text;
    return true;
}

bool Reader::read_list_of_numbers(const Value& value, std::size_t count, const Range& range,
                                  const std::string& unit, double* out) {
    const std::string wanted = "give " + std::to_string(count) + " numbers, as in " +
                               (count == 2 ? "[0, 1]" : "[0, 1, 0]");
    if (value.kind != Value::Kind::list || value.items.size() != count) {
        mistake(value.place, path_ + " is " + to_short_text(value), wanted);
        return false;
    }
    bool good = true;
    for (std::size_t k = 0; k < count; ++k) {
        const Scope scope(*this, std::to_string(k), value.items[k].place);
        good = read(out[k], value.items[k], range, unit) && good;
    }
    return good;
}

bool Reader::read(Vec3d& out, const Value& value, const Range& range, const std::string& unit) {
    double a[3];
    if (!read_list_of_numbers(value, 3, range, unit, a)) return false;
    out = {a[0], a[1], a[2]};
    return true;
}

static std::optional<int> hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return {};
}

bool Reader::read(Vec3f& out, const Value& value, const Range&, const std::string&) {
    if (value.kind != Value::Kind::text) {
        Vec3d a;
        if (!read(a, value, Range{0, 1})) return false;
        out = static_cast<Vec3f>(a);
        return true;
    }
    const std::string& t = value.text;
    float a[3] = {};
    bool good = t.size() == 7 && t[0] == '#';
    for (std::size_t k = 0; good && k < 3; ++k) {
        const auto high = hex_digit(t[1 + 2 * k]), low = hex_digit(t[2 + 2 * k]);
        good = high && low;
        if (good) a[k] = static_cast<float>(16 * *high + *low) / 255.0f;
    }
    if (!good)
        mistake(value.place, path_ + " is " + to_short_text(value) + ", which is no color",
                "give [r, g, b] from 0 to 1, or \"#rrggbb\"");
    if (good) out = {a[0], a[1], a[2]};
    return good;
}

bool Reader::read_rotation(Vec3d& degrees, const Value& value) {
    if (value.kind != Value::Kind::table) return read(degrees, value, Range{}, "degrees");
    Vec3d axis{0, 0, 0};
    double angle = 0;
    bool good = true;
    for (const Entry& e : value.entries) {
        const Scope scope(*this, e.key, e.value.place);
        if (e.key == "axis")
            good = read(axis, e.value, Range{}) && good;
        else if (e.key == "angle")
            good = read(angle, e.value, Range{}, "degrees") && good;
        else
            unknown_key(e, {"axis", "angle"}), good = false;
    }
    for (const char* key : {"axis", "angle"})
        if (!value.find(key)) missing_key(value, key), good = false;
    if (!good) return false;
    const double norm = length(axis);
    if (!(norm > 0)) {
        mistake(value.place, path_ + ".axis has no direction", "give a vector that is not zero");
        return false;
    }
    degrees = (angle / norm) * axis;
    return true;
}

bool Reader::read_points(std::vector<Vec3d>& out, const Value& value) {
    if (!expect(value, Value::Kind::list)) return false;
    const std::size_t before = mistakes_.size();
    read_items(value, [&](const Value& item) {
        double a[2] = {};
        if (read_list_of_numbers(item, 2, Range{}, "m", a)) out.push_back({a[0], a[1], 0});
    });
    return mistakes_.size() == before;
}

std::optional<std::size_t> Reader::read_word(const Value& value,
                                             const std::vector<std::string>& known) {
    if (!expect(value, Value::Kind::text)) return {};
    for (std::size_t i = 0; i < known.size(); ++i)
        if (known[i] == value.text) return i;
    const std::string guess = did_you_mean(value.text, known);
    mistake(value.place, path_ + " is " + to_short_text(value) + ", which is not known",
            (guess.empty() ? "" : guess + " ") + "allowed: " + join(known));
    return {};
}

void Reader::read_items(const Value& list, const std::function<void(const Value&)>& read_item) {
    if (!expect(list, Value::Kind::list)) return;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
        const Scope scope(*this, std::to_string(i), list.items[i].place);
        read_item(list.items[i]);
    }
}

}  // namespace knead
