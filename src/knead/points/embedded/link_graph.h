// The links seen from both ends. Neighbourhoods are not symmetric: i may link to j while j does not
// link to i. What acts on both ends of a link is summed at each end, in a fixed order, from
//   - the particle's own links, and the links back to it from the same neighbours (twins),
//   - incoming links: those of particles that it does not link to.
#pragma once

#include "knead/particles/links.h"

namespace knead {

struct LinkGraph {
    static constexpr std::int32_t none = -1;

    Array<std::int32_t> twin;  // slot of the link back, one a slot, or none
    std::vector<std::uint32_t>
        incoming_begin;  // incoming links of row i: [incoming_begin[i], incoming_begin[i + 1])
    std::vector<std::uint32_t> incoming;        // their slots
    std::vector<std::int32_t> piece;            // connected piece that each row belongs to
    std::vector<std::uint32_t> first_of_piece;  // its first row

    template <class Real>
    void build(const Links<Real>& links);

    // Row that a slot belongs to.
    static std::size_t owner(std::size_t slot) { return slot / Links<float>::width; }

private:
    template <class Real>
    void find_twins(const Links<Real>& links);
    template <class Real>
    void find_incoming(const Links<Real>& links);
    template <class Real>
    void find_pieces(const Links<Real>& links);
};

}  // namespace knead
