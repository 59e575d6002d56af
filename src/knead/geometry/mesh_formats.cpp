#include "knead/geometry/mesh_formats.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace knead::mesh_format {

bool parse_number(std::string_view token, double& value) {
    if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (end != token.data() + token.size()) return false;
    if (error == std::errc::result_out_of_range)  // too large or too small: inf or 0
        value = std::strtod(std::string(token).c_str(), nullptr);
    return error == std::errc() || error == std::errc::result_out_of_range;
}

bool parse_integer(std::string_view token, long long& value) {
    if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    return error == std::errc() && end == token.data() + token.size();
}

bool make_vertex(double x, double y, double z, Vec3f& vertex) {
    const double most = std::numeric_limits<float>::max();
    for (const double a : {x, y, z})
        if (!(std::fabs(a) <= most)) return false;
    vertex = static_cast<Vec3f>(Vec3d{x, y, z});
    return true;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view Tokens::next() {
    std::size_t i = 0;
    for (; i < text_.size() && is_space(text_[i]); ++i) line_ += text_[i] == '\n';
    std::size_t end = i;
    while (end < text_.size() && !is_space(text_[end])) ++end;
    const std::string_view token = text_.substr(i, end - i);
    text_.remove_prefix(end);
    token_line_ = line_;
    return token;
}

void Tokens::skip_line() { text_.remove_prefix(std::min(text_.find('\n'), text_.size())); }

namespace {

// The polygon in the plane of its own (Newell) normal.
class FlatPolygon {
public:
    FlatPolygon(const Mesh& mesh, const std::vector<int>& corners) {
        for (const int c : corners) points_.push_back(mesh.point(c));
        for (std::size_t i = 0; i < points_.size(); ++i)
            normal_ +=
                cross(points_[i] - points_[0], points_[(i + 1) % points_.size()] - points_[0]);
    }
    // Positive where a, b, c turn left.
    double turn(std::size_t a, std::size_t b, std::size_t c) const {
        return dot(normal_, cross(points_[b] - points_[a], points_[c] - points_[a]));
    }
    bool convex() const {
        const std::size_t n = points_.size();
        for (std::size_t i = 0; i < n; ++i)
            if (turn(i, (i + 1) % n, (i + 2) % n) < 0) return false;
        return true;
    }

private:
    std::vector<Vec3d> points_;
    Vec3d normal_{0, 0, 0};
};

// Cuts off corners that hold no other corner, one by one. [Meisters 1975]
class Ears {
public:
    Ears(const FlatPolygon& flat, std::size_t corners)
        : flat_(flat), ring_(corners), cut_(corners, false), last_(corners) {
        for (std::size_t i = 0; i < corners; ++i) ring_[i] = i;
    }
    // add(a, b, c) for every triangle.
    template <class Add>
    void cut_all(const Add& add) {
        while (ring_.size() >= 3) {
            const std::size_t n = ring_.size();
            std::size_t ear = 0;  // where there is none (a polygon that crosses itself), any does
            for (std::size_t i = 0; i < n; ++i)
                if (is_ear(i)) {
                    ear = i;
                    break;
                }
            add(ring_[(ear + n - 1) % n], ring_[ear], ring_[(ear + 1) % n]);
            cut_[ring_[ear]] = true;
            ring_.erase(ring_.begin() + static_cast<std::ptrdiff_t>(ear));
        }
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};
    // Why a corner was no ear, and between which neighbours: it is looked at again only when that
    // has changed.
    struct Refusal {
        std::size_t before = none, after = none;
        std::size_t inside = none;  // the corner in the way; none: the corner turns the wrong way
    };
    const FlatPolygon& flat_;
    std::vector<std::size_t> ring_;  // corners that are left
    std::vector<bool> cut_;
    std::vector<Refusal> last_;

    bool is_ear(std::size_t i) {
        const std::size_t n = ring_.size();
        const std::size_t a = ring_[(i + n - 1) % n], b = ring_[i], c = ring_[(i + 1) % n];
        Refusal& last = last_[b];
        if (last.before == a && last.after == c && (last.inside == none || !cut_[last.inside]))
            return false;
        last = {a, c, none};
        if (flat_.turn(a, b, c) <= 0) return false;
        for (const std::size_t p : ring_) {
            if (p == a || p == b || p == c) continue;
            if (flat_.turn(a, b, p) >= 0 && flat_.turn(b, c, p) >= 0 && flat_.turn(c, a, p) >= 0) {
                last.inside = p;
                return false;
            }
        }
        return true;
    }
};

}  // namespace

void add_polygon(Mesh& mesh, const std::vector<int>& corners, const CornerUv& uv) {
    const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
        // faces without coordinates among others with them have zeros
        if (!uv.empty() || !mesh.uv.empty()) {
            mesh.uv.resize(mesh.triangles.size());
            mesh.uv.push_back({});
            for (std::size_t k = 0; k < 2 && !uv.empty(); ++k)
                mesh.uv.back()[k] = uv[a][k], mesh.uv.back()[2 + k] = uv[b][k],
                mesh.uv.back()[4 + k] = uv[c][k];
        }
        mesh.triangles.push_back({corners[a], corners[b], corners[c]});
    };
    const std::size_t most_for_ears = 256;
    if (corners.size() > 3 && corners.size() <= most_for_ears) {
        const FlatPolygon flat(mesh, corners);
        if (!flat.convex()) return Ears(flat, corners.size()).cut_all(add);
    }
    for (std::size_t i = 2; i < corners.size(); ++i) add(0, i - 1, i);
}

}  // namespace knead::mesh_format
