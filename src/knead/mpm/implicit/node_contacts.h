// Contact of nodes with colliders and grips in a solve: which components are fixed, to what
// velocity, and what friction does once the reactions are known. [Stomakhin 2013, section 8]
#pragma once

#include <span>

#include "knead/geometry/collider.h"
#include "knead/mpm/implicit/solve_nodes.h"
#include "knead/mpm/settings.h"

namespace knead {

template <class Real>
class NodeContacts {
public:
    NodeContacts(const BlockGrid& grid, double dx, const NodeContact& contact,
                 std::span<const ColliderAt> colliders, const SolveNodes<Real>& nodes);
    // A node that moves as told, whatever touches it.
    void pin(std::size_t number, const Vec3d& velocity);

    // Fixes what velocities `free` of nodes that nothing holds make contact fix; says whether that
    // is anything new.
    bool fix(const NodeVector<Real>& free);
    // visit(number) for each node that is fixed, in any of its components.
    template <class Visit>
    void for_each_fixed(const Visit& visit) const {
        for (const FixedNode& f : fixed_) visit(std::size_t{f.node});
        for (const std::uint32_t i : pins_) visit(std::size_t{i});
    }
    // Fixed components of v take the velocity of what fixes them.
    void apply(NodeVector<Real>& v) const;
    // Takes fixed components out of a vector.
    void project(NodeVector<Real>& a) const;
    // What v would be without the contacts: `impulse` is what the nodes lack, m (v - v*) - dt f.
    NodeVector<Real> freed(const NodeVector<Real>& v, const NodeVector<Real>& impulse) const;
    // Contact and friction at the end of a step, with the velocities of `freed`; v keeps what
    // stays fixed.
    void finish(const NodeVector<Real>& free, NodeVector<Real>& v) const;

private:
    ContactReach reach_of(std::uint32_t node) const;
    struct Touched {
        std::uint32_t node;
        Vec3d x;
    };
    FixedNode fixed_by(const Touched& touched, const Vec3d& v) const;

    const SolveNodes<Real>& nodes_;
    std::span<const ColliderAt> colliders_;
    double dx_;
    NodeContact contact_;
    std::vector<Touched> touched_;
    std::vector<FixedNode> fixed_;    // in the order of touched_, those alone that are fixed
    std::vector<Vec3d> fixed_speed_;  // what fixes them moves so
    std::vector<std::uint32_t> pins_;
    std::vector<Vec3d> pin_speed_;
    std::vector<char> pinned_;  // by node
};

}  // namespace knead
