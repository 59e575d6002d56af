#include "knead/particles/vertex_rows.h"

#include <algorithm>
#include <utility>

#include "knead/base/error.h"
#include "knead/parallel/exec.h"

namespace knead {

RowById::RowById(const Column<std::int64_t, 1>& id) {
    if (id.size() == 0) return;
    const auto [least, most] = std::minmax_element(id.plane(0), id.plane(0) + id.size());
    first_ = *least;
    const std::uint64_t range =
        static_cast<std::uint64_t>(*most) - static_cast<std::uint64_t>(first_);
    if (range / 64 > id.size()) {
        for (std::size_t i = 0; i < id.size(); ++i)
            sorted_.emplace_back(id.at(i), static_cast<std::uint32_t>(i));
        std::sort(sorted_.begin(), sorted_.end());
        return;
    }
    rows_.assign(range + 1, none);
    for_each(id.size(), 1 << 14, [&](std::size_t i) {
        rows_[static_cast<std::size_t>(id.at(i) - first_)] = static_cast<std::uint32_t>(i);
    });
}

namespace {

constexpr std::uint32_t none = RowById::none;

// The rows, with `none` for vertices that are not there.
template <class Real>
VertexRows look_up(const Phase<Real>& vertices, const Elements<Real>& elements) {
    const RowById row_of(vertices.particles.id);
    VertexRows rows;
    for (std::size_t c = 0; c < static_cast<std::size_t>(elements.corners); ++c) {
        rows.corner[c].resize(elements.size());
        for_each(elements.size(), 1 << 14,
                 [&](std::size_t i) { rows.corner[c][i] = row_of(elements.vertex[c][i]); });
    }
    return rows;
}

template <class Real>
std::string phase_mistake(const std::vector<Phase<Real>>& phases, const Phase<Real>& phase) {
    const Elements<Real>& elements = phase.elements;
    if (phase.kind != PhaseKind::elements)
        return elements.present() ? "elements in a phase of another kind" : "";
    if (elements.corners != 2 && elements.corners != 3)
        return "elements with " + std::to_string(elements.corners) + " corners";
    bool whole = true;
    for (int c = 0; c < 3; ++c)
        whole = whole &&
                elements.vertex[c].size() == (c < elements.corners ? phase.particles.size() : 0);
    for (int k = 0; k < 3; ++k)
        whole = whole && elements.inverse_rest[k].size() ==
                             (k < elements.rest_numbers() ? phase.particles.size() : 0);
    for (const Array<Real>& plane : elements.uv)
        whole = whole && plane.size() == (elements.has_uv() ? phase.particles.size() : 0);
    if (!whole) return "a list of elements of the wrong length";
    const auto p = static_cast<std::size_t>(elements.vertex_phase);
    if (p >= phases.size() || phases[p].kind != PhaseKind::vertices)
        return "elements without a phase of vertices";
    for (const auto& rows : look_up(phases[p], elements).corner)
        if (std::count(rows.begin(), rows.end(), none) > 0)
            return "an element whose vertices are not there";
    return "";
}

}  // namespace

template <class Real>
VertexRows find_vertex_rows(const std::vector<Phase<Real>>& phases, const Phase<Real>& phase) {
    const std::string mistake = phase_mistake(phases, phase);
    if (!mistake.empty()) throw RunError("the particles hold " + mistake);
    return look_up(phases[static_cast<std::size_t>(phase.elements.vertex_phase)], phase.elements);
}

template <class Real>
std::string elements_mistake(const std::vector<Phase<Real>>& phases) {
    for (const auto& phase : phases) {
        std::string mistake = phase_mistake(phases, phase);
        if (!mistake.empty()) return mistake;
    }
    return "";
}

#define INSTANTIATE(Real)                                                                      \
    template VertexRows find_vertex_rows(const std::vector<Phase<Real>>&, const Phase<Real>&); \
    template std::string elements_mistake(const std::vector<Phase<Real>>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
