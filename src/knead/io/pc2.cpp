#include "knead/io/pc2.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "knead/base/error.h"

namespace knead {

Pc2Writer::Pc2Writer(const std::string& path, std::size_t points, std::size_t samples, double first,
                     double step)
    : file_(path), path_(path), points_(points), left_(samples) {
    struct Header {
        char signature[12] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', '\0'};
        std::int32_t version = 1;
        std::int32_t points;
        float start, rate;
        std::int32_t samples;
    };
    static_assert(sizeof(Header) == 32);
    Header header;
    header.points = static_cast<std::int32_t>(points);
    header.start = static_cast<float>(first);
    header.rate = static_cast<float>(step);
    header.samples = static_cast<std::int32_t>(samples);
    file_.write(&header, sizeof header);
}

void Pc2Writer::add(const std::vector<Vec3f>& positions) {
    if (positions.size() != points_)
        throw InputError(
            {path_},
            fmt::format("a frame has {} vertices, the first one {}", positions.size(), points_),
            "a point cache takes meshes with constant topology");
    static_assert(sizeof(Vec3f) == 12);
    file_.write_all(positions);
    --left_;
}

void Pc2Writer::finish() {
    if (left_ != 0) throw RunError(path_ + ": frames are missing");
    file_.commit();
}

}  // namespace knead
