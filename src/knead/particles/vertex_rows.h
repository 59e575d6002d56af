// Scratch: in which rows the vertices of elements stand. Made anew after rows have moved.
#pragma once

#include <array>

#include "knead/particles/phase.h"

namespace knead {

// Rows of the vertices of one phase of elements, in the phase that holds them.
struct VertexRows {
    std::array<std::vector<std::uint32_t>, 3> corner;  // by corner, then by element
};

// Throws RunError where an element names a vertex that is not there.
template <class Real>
VertexRows find_vertex_rows(const std::vector<Phase<Real>>& phases, const Phase<Real>& elements);

// What is wrong with the elements of a state, such as one read from a file: the wrong kind of
// phase, arrays of the wrong length, vertices that are not there. Empty: all is well.
template <class Real>
std::string elements_mistake(const std::vector<Phase<Real>>& phases);

}  // namespace knead
