// Scratch: in which rows the vertices of elements stand. Made anew after rows have moved.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "knead/particles/phase.h"

namespace knead {

// Row by id: a table over the range of ids where it is dense, as vertices of a body are numbered
// one after another; a sorted list where it is not, as a file may say anything.
class RowById {
public:
    static constexpr std::uint32_t none = 0xffffffffu;  // of ids that are not there

    explicit RowById(const Column<std::int64_t, 1>& id);
    std::uint32_t operator()(std::int64_t id) const {
        if (!sorted_.empty()) {
            const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(id, 0u));
            return found != sorted_.end() && found->first == id ? found->second : none;
        }
        const auto at = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_);
        return id >= first_ && at < rows_.size() ? rows_[at] : none;
    }

private:
    std::int64_t first_ = 0;
    std::vector<std::uint32_t> rows_;
    std::vector<std::pair<std::int64_t, std::uint32_t>> sorted_;
};

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
