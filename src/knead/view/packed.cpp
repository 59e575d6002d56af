#include "knead/view/packed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "knead/parallel/exec.h"

namespace knead::view {

namespace {

constexpr std::size_t rows_a_task = 1 << 14;
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

ValueRange joined(ValueRange a, const ValueRange& b) {
    a.add(b);
    return a;
}

// A number to 0..steps, for one range after another.
class Scale {
public:
    Scale(double lo, double hi, int steps)
        : lo_(static_cast<float>(lo)),
          scale_(hi > lo ? static_cast<float>(steps / (hi - lo)) : 0),
          steps_(static_cast<float>(steps)) {}
    std::uint16_t operator()(float a) const {
        const float t = (a - lo_) * scale_;
        return static_cast<std::uint16_t>((t > 0 ? (t < steps_ ? t : steps_) : 0) + 0.5f);
    }

private:
    float lo_, scale_, steps_;
};

}  // namespace

std::uint16_t packed(double a, double lo, double hi, int steps) {
    return Scale(lo, hi, steps)(static_cast<float>(a));
}

ValueRange range_of(const std::vector<float>& values) {
    const auto one = [&](std::size_t i) {
        ValueRange range;
        range.add(static_cast<double>(values[i]));
        return range;
    };
    return reduce(values.size(), ValueRange{}, one, joined);
}

Box3 box_of(const Points& points) {
    Box3 box;
    if (points.size() == 0) return box;
    const ValueRange x = range_of(points.x), y = range_of(points.y), z = range_of(points.z);
    if (x.empty() || y.empty() || z.empty()) return box;
    box.add(Vec3d{x.lo, y.lo, z.lo});
    box.add(Vec3d{x.hi, y.hi, z.hi});
    return box;
}

std::vector<PackedPoint> pack(const Points& points, const std::vector<std::uint32_t>& order,
                              const Box3& box, const ValueRange& range) {
    const Scale x(box.lo.x, box.hi.x, 65535), y(box.lo.y, box.hi.y, 65535),
        z(box.lo.z, box.hi.z, 65535), value(range.lo, range.hi, 65534);
    const bool has_values = !points.value.empty();
    std::vector<PackedPoint> out(order.size());
    for_each(order.size(), rows_a_task, [&](std::size_t k) {
        const std::uint32_t i = order[k];
        const float v = has_values ? points.value[i] : NAN;
        out[k] = {x(points.x[i]), y(points.y[i]), z(points.z[i]),
                  std::isfinite(v) ? value(v) : no_value};
    });
    return out;
}

std::string Tables::message(const std::string& json_without_tables) const {
    std::string places;
    std::size_t size = 0;
    for (const Table& t : tables_) {
        places += fmt::format("{}\"{}\":[{},{}]", places.empty() ? "" : ",", t.name, size,
                              t.bytes.size());
        size += aligned(t.bytes.size());
    }
    std::string json = json_without_tables;
    json.insert(json.size() - 1, ",\"tables\":{" + places + "}");
    json.resize(aligned(json.size()), ' ');
    std::string out = "KNV1";
    const auto length = static_cast<std::uint32_t>(json.size());
    out.append(reinterpret_cast<const char*>(&length), 4);
    out += json;
    std::size_t at = out.size();
    out.resize(at + size);
    for (const Table& t : tables_) {
        std::memcpy(out.data() + at, t.bytes.data(), t.bytes.size());
        at += aligned(t.bytes.size());
    }
    return out;
}

}  // namespace knead::view
