#include "knead/scene/read_animation.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "knead/base/error.h"

namespace knead {

namespace {

namespace fs = std::filesystem;

// walk9 comes before walk10: runs of digits count as numbers.
bool by_numbers(const std::string& a, const std::string& b) {
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (!digit(a[i]) || !digit(b[j])) {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i, ++j;
            continue;
        }
        const auto number = [&](const std::string& s, std::size_t& k) {
            while (k < s.size() && s[k] == '0') ++k;
            const std::size_t begin = k;
            while (k < s.size() && digit(s[k])) ++k;
            return s.substr(begin, k - begin);
        };
        const std::string p = number(a, i), q = number(b, j);
        if (p.size() != q.size()) return p.size() < q.size();
        if (p != q) return p < q;
    }
    return a.size() - i < b.size() - j;
}

}  // namespace

std::vector<std::string> files_like(const std::string& folder, const std::string& name) {
    fs::path path(name);
    if (path.is_relative() && !folder.empty()) path = (fs::path(folder) / path).lexically_normal();
    const std::string pattern = path.filename().string();
    const std::size_t star = pattern.find('*');
    std::error_code none;
    if (star == std::string::npos)
        return fs::is_regular_file(path, none) ? std::vector{path.string()}
                                               : std::vector<std::string>{};
    const std::string head = pattern.substr(0, star), tail = pattern.substr(star + 1);
    const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(parent, none)) {
        const std::string file = entry.path().filename().string();
        if (file.size() >= head.size() + tail.size() && file.starts_with(head) &&
            file.ends_with(tail))
            found.push_back(entry.path().string());
    }
    std::sort(found.begin(), found.end(), by_numbers);
    return found;
}

std::shared_ptr<const AnimatedMesh> read_animation(const AnimationSpec& spec) {
    std::vector<Vec3i> triangles;
    std::vector<std::vector<Vec3f>> moments;
    for (const std::string& file : spec.files) {
        Mesh mesh = read_mesh(file);
        if (moments.empty())
            triangles = mesh.triangles;
        else if (!std::equal(triangles.begin(), triangles.end(), mesh.triangles.begin(),
                             mesh.triangles.end()) ||
                 mesh.positions.size() != moments.front().size())
            throw InputError(Place{file, 0, 0}, "its triangles are not those of " + spec.files[0],
                             "an animation keeps its vertices and triangles");
        for (Vec3f& x : mesh.positions) x = static_cast<float>(spec.scale) * x;
        moments.push_back(std::move(mesh.positions));
    }
    return std::make_shared<AnimatedMesh>(std::move(triangles), std::move(moments), spec.frame_rate,
                                          spec.start, spec.loop,
                                          spec.files.empty() ? "" : spec.files[0]);
}

}  // namespace knead
