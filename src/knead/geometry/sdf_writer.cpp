#include "knead/geometry/sdf_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "knead/base/error.h"

namespace knead::sdf {

namespace {

SdfShape finish(SdfProgram program) {
    if (program.value_depth > sdf_value_depth || program.point_depth > sdf_point_depth)
        throw InputError(Place{}, "the shape is nested too deeply",
                         fmt::format("keep to {} shapes within shapes and {} transforms within "
                                     "transforms",
                                     sdf_value_depth, sdf_point_depth));
    program.bounds = program.level_box(0);
    for (const auto& grid : program.grids) program.grid_views.push_back(grid->view());
    return SdfShape(std::make_shared<const SdfProgram>(std::move(program)));
}

bool has_numbers(SdfCode code) {
    return code != SdfCode::unite && code != SdfCode::subtract && code != SdfCode::intersect &&
           code != SdfCode::grid;
}

// Appends the operations of one shape, with its numbers and grids moved behind those here.
void append(SdfProgram& program, const SdfProgram& part) {
    const int numbers = static_cast<int>(program.numbers.size());
    const int grids = static_cast<int>(program.grids.size());
    for (SdfOp op : part.ops) {
        if (has_numbers(op.code)) op.at += numbers;
        if (op.code == SdfCode::grid) op.count += grids;
        program.ops.push_back(op);
    }
    program.numbers.insert(program.numbers.end(), part.numbers.begin(), part.numbers.end());
    program.grids.insert(program.grids.end(), part.grids.begin(), part.grids.end());
    program.lipschitz = std::max(program.lipschitz, part.lipschitz);
    program.slack = std::max(program.slack, part.slack);
    program.point_depth = std::max(program.point_depth, part.point_depth);
}

int add_numbers(SdfProgram& program, const Numbers& numbers) {
    const int at = static_cast<int>(program.numbers.size());
    program.numbers.insert(program.numbers.end(), numbers.list.begin(), numbers.list.end());
    return at;
}

}  // namespace

SdfShape write_primitive(SdfCode code, const Numbers& numbers, const Box3& box, int count) {
    SdfProgram program;
    program.ops.push_back({code, add_numbers(program, numbers), count});
    program.level_box = [box](double level) { return box.grown(level); };
    return finish(std::move(program));
}

SdfShape write_grid(std::shared_ptr<const SdfGrid> grid) {
    SdfProgram program;
    program.ops.push_back({SdfCode::grid, 0, 0});
    const Box3 box = grid->box();
    program.level_box = [box](double level) { return box.grown(std::max(level, 0.)); };
    // A trilinear value is within (sqrt(3) / 2) spacing of the distance it samples.
    program.slack = std::sqrt(3.) * grid->spacing;
    program.lipschitz = 1.05;  // far from the surface the sampled distance is itself approximate
    program.grids.push_back(std::move(grid));
    return finish(std::move(program));
}

SdfShape write_fold(SdfCode code, const std::vector<SdfShape>& parts, const Numbers& numbers,
                    LevelBox level_box) {
    SdfProgram program;
    const int at = add_numbers(program, numbers);
    bool first = true;
    for (const SdfShape& part : parts) {
        append(program, *part.program());
        program.value_depth = std::max(program.value_depth, part.program()->value_depth + !first);
        if (!first) program.ops.push_back({code, at, 0});
        first = false;
    }
    program.level_box = std::move(level_box);
    return finish(std::move(program));
}

SdfShape write_unary(SdfCode code, const SdfShape& shape, double number, LevelBox level_box) {
    SdfProgram program;
    append(program, *shape.program());
    program.value_depth = shape.program()->value_depth;
    program.ops.push_back({code, add_numbers(program, Numbers{}.add(number)), 0});
    program.level_box = std::move(level_box);
    return finish(std::move(program));
}

// The box around a rotated, scaled and translated box.
static Box3 moved_box(const Box3& box, const Mat3d& r, const Vec3d& t, double s) {
    if (box.empty()) return box;
    Box3 result;
    for (int axis = 0; axis < 3; ++axis) {
        double lo = t[axis], hi = t[axis];
        for (int j = 0; j < 3; ++j) {
            const double m = s * r(axis, j);
            if (std::fabs(m) < 1e-15 * s) continue;  // keeps infinite sides from leaking around
            lo += m * (m > 0 ? box.lo[j] : box.hi[j]);
            hi += m * (m > 0 ? box.hi[j] : box.lo[j]);
        }
        result.lo[axis] = std::max(lo, -Box3::huge);
        result.hi[axis] = std::min(hi, Box3::huge);
    }
    return result;
}

// One transform around another becomes their product.
static bool is_moved(const SdfProgram& p) {
    if (p.ops.front().code != SdfCode::enter || p.ops.back().code != SdfCode::leave) return false;
    return p.ops.front().at == p.ops.back().at;
}

SdfShape write_moved(const SdfShape& shape, const Mat3d& rotation, const Vec3d& translation,
                     double scale) {
    const SdfProgram& part = *shape.program();
    SdfProgram program;
    Mat3d r = rotation;
    Vec3d t = translation;
    double s = scale;
    if (is_moved(part)) {
        program = part;
        program.grid_views.clear();
        double* n = program.numbers.data() + program.ops.front().at;
        Mat3d inner;
        for (int k = 0; k < 9; ++k) inner[k] = n[k];
        r = rotation * inner;
        t = translation + scale * (rotation * Vec3d{n[9], n[10], n[11]});
        s = scale * n[12];
        for (int k = 0; k < 9; ++k) n[k] = r[k];
        n[9] = t.x, n[10] = t.y, n[11] = t.z, n[12] = s;
    } else {
        Numbers numbers;
        for (int k = 0; k < 9; ++k) numbers.add(r[k]);
        const int at = add_numbers(program, numbers.add(t).add(s));
        program.ops.push_back({SdfCode::enter, at, 0});
        append(program, part);
        program.ops.push_back({SdfCode::leave, at, 0});
        program.value_depth = part.value_depth;
        program.point_depth = part.point_depth + 1;
    }
    program.slack = part.slack * scale;
    program.level_box = [inner = part.level_box, rotation, translation, scale](double level) {
        return moved_box(inner(level / scale), rotation, translation, scale);
    };
    return finish(std::move(program));
}

void require_above_zero(const std::string& what, double value) {
    if (!(value > 0 && value < Box3::huge))
        throw InputError(Place{}, fmt::format("{} is {}", what, value), "give a number above 0");
}

void require_not_below_zero(const std::string& what, double value) {
    if (!(value >= 0 && value < Box3::huge))
        throw InputError(Place{}, fmt::format("{} is {}", what, value),
                         "give 0 or a number above it");
}

void require_finite(const std::string& what, const Vec3d& value) {
    if (!is_finite(sum(value)))
        throw InputError(Place{},
                         fmt::format("{} is ({}, {}, {})", what, value.x, value.y, value.z),
                         "give three finite numbers");
}

}  // namespace knead::sdf
