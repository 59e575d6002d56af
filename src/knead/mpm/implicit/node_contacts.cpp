#include "knead/mpm/implicit/node_contacts.h"

#include <cmath>

#include "knead/geometry/near_colliders.h"
#include "knead/mpm/formulas.h"
#include "knead/parallel/exec.h"

namespace knead {

template <class Real>
NodeContacts<Real>::NodeContacts(const BlockGrid& grid, double dx, const NodeContact& contact,
                                 std::span<const ColliderAt> colliders,
                                 const SolveNodes<Real>& nodes)
    : nodes_(nodes), colliders_(colliders), dx_(dx), contact_(contact), pinned_(nodes.size(), 0) {
    if (colliders.empty()) return;
    std::vector<std::vector<Touched>> found(grid.targets().size());
    for_each(grid.targets().size(), 16, [&](std::size_t t) {
        const Vec3d corner = (dx * block_width) * static_cast<Vec3d>(grid.targets()[t].coordinates);
        const NearColliders near(colliders, corner, splat(dx * (block_width - 1)),
                                 contact_of_node(dx, contact, 1));
        if (near.empty()) return;
        for (int n = 0; n < block_nodes; ++n) {
            const std::int32_t number = nodes.number[t * block_nodes + static_cast<std::size_t>(n)];
            if (number < 0) continue;
            const Vec3d x = corner + dx * Vec3d{double(n / 16), double(n / 4 % 4), double(n % 4)};
            for (const ColliderAt& c : near.list())
                if (c.distance(x) <= reach_of(static_cast<std::uint32_t>(number)).of(c)) {
                    found[t].push_back({static_cast<std::uint32_t>(number), x});
                    break;
                }
        }
    });
    for (const auto& list : found) touched_.insert(touched_.end(), list.begin(), list.end());
}

template <class Real>
void NodeContacts<Real>::pin(std::size_t number, const Vec3d& velocity) {
    if (!pinned_[number])
        pins_.push_back(static_cast<std::uint32_t>(number)), pin_speed_.push_back(velocity);
    pinned_[number] = 1;
}

template <class Real>
ContactReach NodeContacts<Real>::reach_of(std::uint32_t node) const {
    return contact_of_node(dx_, contact_, static_cast<double>(nodes_.mass[node]));
}

// One collider fixes the normal, or all where it is sticky or friction holds; more than one at a
// time fix all. What only slows a node down waits for the end of the step.
template <class Real>
FixedNode NodeContacts<Real>::fixed_by(const Touched& touched, const Vec3d& v) const {
    FixedNode fixed{touched.node, false, {0, 0, 0}};
    const ContactReach reach = reach_of(touched.node);
    int acting = 0;
    for (const ColliderAt& c : colliders_) {
        const double distance = c.distance(touched.x);
        if (distance > reach.of(c)) continue;
        const Vec3d normal = c.normal(touched.x);
        const Vec3d after = resolve_contact(c, v, touched.x, normal, distance, reach);
        if (c.contact() == Contact::separate && after == v) continue;
        const Vec3d slide = after - c.velocity(touched.x);
        if (std::abs(dot(slide, normal)) > 1e-9 * (length(slide) + length(after))) continue;
        ++acting;
        fixed.normal = normal;
        fixed.wholly = fixed.wholly || (c.contact() != Contact::slip && slide == Vec3d{0, 0, 0});
    }
    if (acting > 1) fixed.wholly = true;
    if (fixed.wholly) fixed.normal = {0, 0, 0};
    return fixed;
}

template <class Real>
bool NodeContacts<Real>::fix(const NodeVector<Real>& free) {
    std::vector<FixedNode> now;
    std::vector<Vec3d> speed;
    for (const Touched& t : touched_) {
        if (pinned_[t.node]) continue;
        const Vec3d v = to_vec(free[t.node]);
        const FixedNode fixed = fixed_by(t, v);
        if (!fixed.wholly && fixed.normal == Vec3d{0, 0, 0}) continue;
        now.push_back(fixed);
        speed.push_back(resolve_all(colliders_, v, t.x, reach_of(t.node)));
    }
    const bool changed = now != fixed_;
    fixed_ = std::move(now), fixed_speed_ = std::move(speed);
    return changed;
}

template <class Real>
void NodeContacts<Real>::apply(NodeVector<Real>& v) const {
    for (std::size_t k = 0; k < fixed_.size(); ++k) {
        const FixedNode& f = fixed_[k];
        const Vec3d now = to_vec(v[f.node]);
        v[f.node] = from_vec<Real>(
            f.wholly ? fixed_speed_[k] : now + dot(fixed_speed_[k] - now, f.normal) * f.normal);
    }
    for (std::size_t k = 0; k < pins_.size(); ++k) v[pins_[k]] = from_vec<Real>(pin_speed_[k]);
}

template <class Real>
void NodeContacts<Real>::project(NodeVector<Real>& a) const {
    for (const FixedNode& f : fixed_) {
        if (f.wholly) {
            a[f.node] = Four<Real>(Real(0));
            continue;
        }
        const Vec3d now = to_vec(a[f.node]);
        a[f.node] = from_vec<Real>(now - dot(now, f.normal) * f.normal);
    }
    for (const std::uint32_t pin : pins_) a[pin] = Four<Real>(Real(0));
}

template <class Real>
NodeVector<Real> NodeContacts<Real>::freed(const NodeVector<Real>& v,
                                           const NodeVector<Real>& impulse) const {
    NodeVector<Real> free = v;
    for (const FixedNode& f : fixed_) {
        const Vec3d kick = to_vec(impulse[f.node]) / static_cast<double>(nodes_.mass[f.node]);
        const Vec3d along = f.wholly ? kick : dot(kick, f.normal) * f.normal;
        free[f.node] = from_vec<Real>(to_vec(v[f.node]) - along);
    }
    return free;
}

template <class Real>
void NodeContacts<Real>::finish(const NodeVector<Real>& free, NodeVector<Real>& v) const {
    std::vector<char> stays(nodes_.size(), 0);
    for (const FixedNode& f : fixed_) stays[f.node] = f.wholly;
    for (const Touched& t : touched_)
        if (!pinned_[t.node] && !stays[t.node])
            v[t.node] = from_vec<Real>(
                resolve_all(colliders_, to_vec(free[t.node]), t.x, reach_of(t.node)));
}

template class NodeContacts<float>;
template class NodeContacts<double>;

}  // namespace knead
