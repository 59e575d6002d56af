#include "knead/io/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "knead/base/error.h"

namespace knead {

namespace fs = std::filesystem;

std::size_t FrameColumn::size() const {
    return std::visit([](const auto& v) { return v.size(); }, values);
}

double FrameColumn::at(std::size_t i) const {
    return std::visit([i](const auto& v) { return static_cast<double>(v[i]); }, values);
}

namespace {
const FrameColumn* find_in(const std::vector<FrameColumn>& columns, const std::string& name) {
    for (const FrameColumn& c : columns)
        if (c.name == name) return &c;
    return nullptr;
}
}  // namespace

template <std::size_t N>
const FrameColumn* FrameElements<N>::find(const std::string& name) const {
    return find_in(columns, name);
}
template struct FrameElements<3>;
template struct FrameElements<2>;

const FrameColumn* Frame::find(const std::string& name) const { return find_in(columns, name); }

const FrameColumn& Frame::column(const std::string& name) const {
    if (const FrameColumn* c = find(name)) return *c;
    std::string names;
    for (const FrameColumn& c : columns) names += (names.empty() ? "" : ", ") + c.name;
    throw InputError({}, fmt::format("the frame has no column '{}'", name),
                     "columns are: " + names);
}

namespace {
template <class T>
std::vector<T> converted(const FrameColumn& column) {
    return std::visit(
        [](const auto& v) {
            std::vector<T> out(v.size());
            std::transform(v.begin(), v.end(), out.begin(),
                           [](auto a) { return static_cast<T>(a); });
            return out;
        },
        column.values);
}
}  // namespace

std::vector<float> Frame::floats(const std::string& name) const {
    return converted<float>(column(name));
}

std::vector<std::int32_t> Frame::integers(const std::string& name) const {
    const FrameColumn& c = column(name);
    if (!c.is_integer())
        throw InputError({}, fmt::format("column '{}' does not hold whole numbers", name));
    return std::get<1>(c.values);
}

std::vector<Vec3f> Frame::vectors(const std::string& a, const std::string& b,
                                  const std::string& c) const {
    const std::vector<float> x = floats(a), y = floats(b), z = floats(c);
    std::vector<Vec3f> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = {x[i], y[i], z[i]};
    return out;
}

const Pose* Frame::pose_of(const std::string& collider) const {
    for (const ColliderPose& c : colliders)
        if (c.name == collider) return &c.pose;
    return nullptr;
}

std::vector<char> joined_rows(const Frame& frame) {
    std::vector<char> joined(frame.count, 0);
    for (const auto& t : frame.triangles.corners)
        for (const std::int32_t v : t) joined[static_cast<std::size_t>(v)] = 1;
    for (const auto& s : frame.segments.corners)
        for (const std::int32_t v : s) joined[static_cast<std::size_t>(v)] = 1;
    return joined;
}

namespace {
// Rows whose mark is `wanted`; no elements.
Frame rows_with(const Frame& frame, const std::vector<char>& marks, char wanted) {
    Frame out{frame.frame, frame.time, 0, frame.columns, frame.colliders};
    for (FrameColumn& c : out.columns)
        std::visit(
            [&](auto& values) {
                std::size_t kept = 0;
                for (std::size_t i = 0; i < values.size(); ++i)
                    if (marks[i] == wanted) values[kept++] = values[i];
                values.resize(kept);
            },
            c.values);
    out.count = static_cast<std::size_t>(std::count(marks.begin(), marks.end(), wanted));
    return out;
}
}  // namespace

Frame volumes_of(const Frame& frame) { return rows_with(frame, joined_rows(frame), 0); }

Frame body_of(const Frame& volumes, std::int32_t body) {
    if (!volumes.find("body")) return volumes;
    const std::vector<std::int32_t> bodies = volumes.integers("body");
    std::vector<char> marks(volumes.count);
    for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = bodies[i] == body;
    return rows_with(volumes, marks, 1);
}

std::vector<std::int32_t> bodies_in(const Frame& frame) {
    if (!frame.find("body")) return {0};
    std::vector<std::int32_t> bodies = frame.integers("body");
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    return bodies;
}

Frame thin_of(const Frame& frame) {
    const std::vector<char> joined = joined_rows(frame);
    Frame out = rows_with(frame, joined, 1);
    out.triangles = frame.triangles;
    out.segments = frame.segments;
    std::vector<std::int32_t> to(frame.count);
    for (std::size_t i = 1; i < to.size(); ++i) to[i] = to[i - 1] + joined[i - 1];
    for (auto& t : out.triangles.corners)
        for (std::int32_t& v : t) v = to[static_cast<std::size_t>(v)];
    for (auto& e : out.segments.corners)
        for (std::int32_t& v : e) v = to[static_cast<std::size_t>(v)];
    return out;
}

int frame_number(const std::string& path) {
    const std::string stem = fs::path(path).stem().string();
    const std::size_t at = stem.find_last_not_of("0123456789");
    const std::size_t begin = at == std::string::npos ? 0 : at + 1;
    int number = -1;
    const auto end = std::from_chars(stem.data() + begin, stem.data() + stem.size(), number);
    return end.ec == std::errc{} ? number : -1;
}

std::string frame_path(const std::string& folder, const std::string& stem, int frame,
                       const std::string& extension) {
    return fmt::format("{}/{}_{:05d}.{}", folder, stem, frame, extension);
}

std::vector<std::string> frame_files(const std::string& folder, const std::string& stem,
                                     const std::string& extension) {
    std::vector<std::string> files;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        const std::string path = entry.path().string();
        const int number = frame_number(path);
        if (number >= 0 && path == frame_path(folder, stem, number, extension))
            files.push_back(path);
    }
    std::sort(files.begin(), files.end(), [](const std::string& a, const std::string& b) {
        return frame_number(a) < frame_number(b);
    });
    return files;
}

}  // namespace knead
