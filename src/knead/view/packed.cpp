#include "knead/view/packed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "knead/parallel/exec.h"

namespace knead::view {

namespace {

constexpr std::size_t rows_a_task = 1 << 14;
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

// Of all that are finite. Numbers go to lanes in turn, as SIMD registers take them.
ValueRange range_of_part(const float* values, std::size_t n) {
    constexpr std::size_t lanes = 16;
    constexpr float most = std::numeric_limits<float>::max();
    float lo[lanes], hi[lanes];
    std::fill_n(lo, lanes, std::numeric_limits<float>::infinity());
    std::fill_n(hi, lanes, -std::numeric_limits<float>::infinity());
    const auto take = [&](std::size_t lane, float a) {
        const bool finite = std::fabs(a) <= most;
        lo[lane] = finite && a < lo[lane] ? a : lo[lane];
        hi[lane] = finite && a > hi[lane] ? a : hi[lane];
    };
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::size_t k = 0; k < lanes; ++k) take(k, values[i + k]);
    for (; i < n; ++i) take(0, values[i]);
    ValueRange range;
    for (std::size_t k = 0; k < lanes; ++k)
        if (lo[k] <= hi[k])
            range.add(static_cast<double>(lo[k])), range.add(static_cast<double>(hi[k]));
    return range;
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
    const std::size_t n = values.size();
    std::vector<ValueRange> parts((n + rows_a_task - 1) / rows_a_task);
    parallel_chunks(n, rows_a_task, [&](std::size_t begin, std::size_t end) {
        parts[begin / rows_a_task] = range_of_part(values.data() + begin, end - begin);
    });
    ValueRange all;
    for (const ValueRange& part : parts) all.add(part);
    return all;
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
