// Shapes as signed distance expressions: primitives, transforms and set operations in one flat
// program that runs on CPU and GPU. Negative inside. sdf_build.h makes them.
#pragma once

#include <memory>

#include "knead/geometry/box3.h"
#include "knead/math/mat.h"

namespace knead {

struct SdfProgram;

// A value: copies share one immutable program. Starts empty, with nothing inside.
class SdfShape {
public:
    SdfShape() = default;
    explicit SdfShape(std::shared_ptr<const SdfProgram> program) : program_(std::move(program)) {}

    bool empty() const { return !program_; }
    double distance(const Vec3d& p) const;  // exact or an underestimate outside; 1e30 when empty
    Vec3d gradient(const Vec3d& p) const;   // always unit length; at a kink, of one side
    Box3 bounds() const;                    // contains every point with distance <= 0
    bool bounded() const { return bounds().bounded(); }  // false for planes and the like
    const SdfProgram* program() const { return program_.get(); }

private:
    std::shared_ptr<const SdfProgram> program_;
};

}  // namespace knead
