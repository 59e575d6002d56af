// What a program does to particles between steps: it names them by id and gives whole arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/particles/phase.h"

namespace knead::python {

// Volumes and vertices in the order of their ids. Elements of sheets and curves are no rows: what
// becomes of them follows from their vertices.
class RowsById {
public:
    template <class Real>
    explicit RowsById(const std::vector<Phase<Real>>& phases);

    std::size_t size() const { return size_; }
    bool has(std::size_t phase) const { return !slots_[phase].empty(); }
    std::size_t of(std::size_t phase, std::size_t row) const { return slots_[phase][row]; }

private:
    std::vector<std::vector<std::uint32_t>> slots_;  // by phase and row
    std::size_t size_ = 0;
};

// One velocity a row; elements get the means of their vertices.
template <class Real>
void write_velocities(std::vector<Phase<Real>>& phases, const RowsById& rows,
                      const std::vector<Vec3d>& v);

// From one force a row [N], accelerations by id [m/s2]. A vertex moves its share of the elements
// around it, too.
template <class Real>
std::vector<Vec3d> accelerations_of(const std::vector<Phase<Real>>& phases, const RowsById& rows,
                                    const std::vector<Vec3d>& forces);

// Velocities after dt; particles that are newer than the accelerations feel none.
template <class Real>
void accelerate(std::vector<Phase<Real>>& phases, const std::vector<Vec3d>& accelerations,
                double dt);

}  // namespace knead::python
