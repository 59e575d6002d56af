// Numbers in 16 bits, and tables one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "knead/geometry/box3.h"
#include "knead/picture/survey.h"

namespace knead::view {

struct PackedPoint {
    std::uint16_t x, y, z, value;
};

inline constexpr std::uint16_t no_value = 65535;

// From lo to hi in `steps` steps; what lies outside is taken to the end.
std::uint16_t packed(double a, double lo, double hi, int steps);

// Points as rows of numbers, before they are packed.
struct Points {
    std::vector<float> x, y, z;
    std::vector<float> value;  // empty: none

    std::size_t size() const { return x.size(); }
};
Box3 box_of(const Points& points);
ValueRange range_of(const std::vector<float>& values);
// Those of `order`, in that order.
std::vector<PackedPoint> pack(const Points& points, const std::vector<std::uint32_t>& order,
                              const Box3& box, const ValueRange& range);

// Gathers tables and says where they are.
class Tables {
public:
    template <class T>
    void add(const std::string& name, const std::vector<T>& rows) {
        add(name, {reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(T)});
    }
    // With `json` before them, as message.h says.
    std::string message(const std::string& json_without_tables) const;

private:
    struct Table {
        std::string name;
        std::string_view bytes;
    };
    void add(const std::string& name, std::string_view bytes) { tables_.push_back({name, bytes}); }
    std::vector<Table> tables_;  // whose rows must outlive this
};

}  // namespace knead::view
