// Reads single values with a keen eye: type, range, finite numbers. Collects mistakes instead of
// stopping, and remembers where every value stands.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "knead/math/vec.h"
#include "knead/scene/value.h"

namespace knead {

// Allowed numbers; an open end is itself not allowed.
struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool low_open = false, high_open = false;

    bool contains(double a) const {
        return (low_open ? a > low : a >= low) && (high_open ? a < high : a <= high);
    }
};
inline Range above(double a) { return {a, std::numeric_limits<double>::infinity(), true, false}; }
inline Range at_least(double a) {
    return {a, std::numeric_limits<double>::infinity(), false, false};
}
// "above 0", "0 to 1", "above 0, at most 1", "" for all.
std::string to_string(const Range& range);

Value to_value(double a);
Value to_value(int a);
Value to_value(std::uint64_t a);
Value to_value(bool a);
Value to_value(const std::string& a);
Value to_value(const Vec3d& a);
Value to_value(const Vec3f& a);

class Reader {
public:
    Reader(std::map<std::string, Place>& places, std::string folder)
        : places_(places), folder_(std::move(folder)) {}

    // While it lives, what is read stands one step further down the key path.
    class Scope {
    public:
        Scope(Reader& r, const std::string& step, const Place& place);
        ~Scope() { r_.path_.resize(length_); }
        Scope(const Scope&) = delete;

    private:
        Reader& r_;
        std::size_t length_;
    };

    void mistake(const Place& place, std::string what, std::string remedy = {});
    // A key that is no more, as the scenes of older runs still say it: read as if it were not
    // there.
    bool is_retired(const Entry& entry) const;
    // Returns the known key that was probably meant, "" for none.
    std::string unknown_key(const Entry& entry, const std::vector<std::string>& known);
    void missing_key(const Value& table, const std::string& key, const std::string& allowed = {});
    bool expect(const Value& value, Value::Kind kind);

    bool read(double& out, const Value& value, const Range& range, const std::string& unit = {});
    bool read(int& out, const Value& value, const Range& range, const std::string& unit = {});
    bool read(std::uint64_t& out, const Value& value, const Range& = {}, const std::string& = {});
    bool read(bool& out, const Value& value, const Range& = {}, const std::string& = {});
    bool read(std::string& out, const Value& value, const Range& = {}, const std::string& = {});
    bool read(Vec3d& out, const Value& value, const Range& range, const std::string& unit = {});
    bool read(Vec3f& out, const Value& color, const Range&, const std::string& = {});
    bool read_rotation(Vec3d& degrees, const Value& value);
    bool read_points(std::vector<Vec3d>& out, const Value& value);
    std::optional<std::size_t> read_word(const Value& value, const std::vector<std::string>& known);
    void read_items(const Value& list, const std::function<void(const Value&)>& read_item);

    const std::string& path() const { return path_; }
    const std::string& folder() const { return folder_; }
    std::vector<Mistake>& mistakes() { return mistakes_; }
    // Key paths with something wrong at or below them.
    bool is_bad(const std::string& path) const;
    // For files that could be read in part only.
    void forgive_missing_keys() { forgive_missing_ = true; }
    bool forgives_missing_keys() const { return forgive_missing_; }

    int depth = 0;  // of nested shapes

private:
    bool read_list_of_numbers(const Value& value, std::size_t count, const Range& range,
                              const std::string& unit, double* out);

    std::map<std::string, Place>& places_;
    std::string folder_;  // that relative file names start from
    std::string path_;
    std::vector<Mistake> mistakes_;
    std::set<std::string> bad_;
    bool forgive_missing_ = false;
};

}  // namespace knead
