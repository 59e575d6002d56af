// Writes SdfPrograms: one primitive, or several programs joined by an operation.
#pragma once

#include <initializer_list>
#include <string>

#include "knead/geometry/sdf_program.h"
#include "knead/geometry/sdf_shape.h"

namespace knead::sdf {

// A pool of numbers in the making.
struct Numbers {
    std::vector<double> list;
    Numbers& add(const Vec3d& v) { return add(v.x), add(v.y), add(v.z); }
    Numbers& add(double a) {
        list.push_back(a);
        return *this;
    }
};

using LevelBox = std::function<Box3(double)>;

// A primitive whose surface is enclosed by `box`, exact outside it.
SdfShape write_primitive(SdfCode code, const Numbers& numbers, const Box3& box, int count = 0);
// Folds the parts with one operation between each two.
SdfShape write_fold(SdfCode code, const std::vector<SdfShape>& parts, const Numbers& numbers,
                    LevelBox level_box);
// Applies an operation to one shape.
SdfShape write_unary(SdfCode code, const SdfShape& shape, double number, LevelBox level_box);
// Moves a shape: rotation, then scale, then translation.
SdfShape write_moved(const SdfShape& shape, const Mat3d& rotation, const Vec3d& translation,
                     double scale);
SdfShape write_grid(std::shared_ptr<const SdfGrid> grid);

// Throws InputError unless the number is finite and above (or not below) 0.
void require_above_zero(const std::string& what, double value);
void require_not_below_zero(const std::string& what, double value);
void require_finite(const std::string& what, const Vec3d& value);

}  // namespace knead::sdf
