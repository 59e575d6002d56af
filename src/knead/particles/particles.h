// The one list of particle columns. A new column is one member and one line in for_each_column;
// sorting, frames, checkpoints, statistics and device copies follow from that list. What a material
// remembers comes from the list of materials/material_state.h.
#pragma once

#include "knead/materials/material_state.h"
#include "knead/particles/column.h"

namespace knead {

template <class Real>
struct StateColumns {
    using Number = Column<Real, 1>;
    using Symmetric = Column<Real, 6>;
    using Matrix = Column<Real, 9>;
};

// What every particle has. Real is float or double. Positions are always double: at a hundred
// thousand steps a second a float position would swallow slow creep whole.
template <class Real>
struct MotionColumns {
    Column<std::int64_t, 1> id;      // never changes: survives sorting, resampling and resume
    Column<std::int64_t, 1> parent;  // id of the particle this one was split from, or -1
    Column<std::int32_t, 1> body;    // index of the scene's body
    Column<double, 3> x;             // position [m]
    Column<Real, 3> v;               // velocity [m/s]
    Column<Real, 1> mass;            // [kg]
    Column<Real, 1> volume;          // at rest [m3]
    Column<Real, 9> C;               // affine velocity, APIC [1/s]
};

template <class Real>
struct Particles : MotionColumns<Real>, MaterialMembers<StateColumns<Real>> {
    Column<Real, 6> stress;   // Kirchhoff stress of the material's state [Pa]
    Column<double, 3> e;      // position in embedded space [Jones 2014] [m]
    Column<Real, 1> support;  // radius h of the particle's neighbourhood [m]
    // From the volume estimate to volumes [Jones 2014, Eq. 3]; 0: so that it gives kept_volume
    Column<Real, 1> volume_scale;
    Column<Real, 1> kept_volume;   // the volume that flow does not change [m3]
    Column<Real, 1> flow_rate;     // creep rate of the particle, in place of its material's
    Column<Real, 1> flow;          // share of the strain that flowed in the last step
    Column<Real, 1> rest_density;  // sum over neighbours at the start [kg/m3]
    Column<Real, 6> strain;        // added up step by step, a baseline of [Gerszewski 2009, Fig. 8]
    Column<double, 3> rest_x;      // position at the start, another baseline of that figure [m]
    Column<Real, 9> plastic_F;     // all flow so far, of that baseline
    Column<Real, 1> reaction;      // push of an obstacle in the last solve [N]; 0: none [Zhou 2013]
    Column<Real, 3> last_force;    // elastic force of the last solve [N], where guesses use it
    Column<std::int32_t, 1> grip;  // index of the grip that holds the particle, or -1
    Column<std::int32_t, 1> stuck;  // index of the collider that it sticks to, or -1
    // Of elements of sheets and curves [Jiang 2017]: elastic deformation seen from the element's
    // rest frame, of which the columns along it follow from its vertices; stretch along it (of
    // triangles the larger of two), across it, and the contact (ContactState).
    Column<Real, 9> d;
    Column<Real, 1> r11, r33, slip;

    std::size_t size() const { return this->id.size(); }

    // visit(info, column) for every column, present or not.
    template <class Self, class Visit>
    static void for_each_column(Self& p, Visit&& visit) {
        using T = ColumnType;
        visit(ColumnInfo{"id", "1", T::integer, true}, p.id);
        visit(ColumnInfo{"parent", "1", T::integer, false}, p.parent);
        visit(ColumnInfo{"body", "1", T::integer, true}, p.body);
        visit(ColumnInfo{"x", "m", T::vec3, true}, p.x);
        visit(ColumnInfo{"v", "m/s", T::vec3, true}, p.v);
        visit(ColumnInfo{"mass", "kg", T::scalar, true}, p.mass);
        visit(ColumnInfo{"volume", "m3", T::scalar, true}, p.volume);
        visit(ColumnInfo{"C", "1/s", T::mat3, false}, p.C);
        for_each_state_column(
            [&](auto state, auto& column) {
                constexpr int planes = std::remove_cvref_t<decltype(column)>::planes;
                const T type = planes == 9       ? T::mat3
                               : planes == 6     ? T::sym3
                               : state.info.flag ? T::flag
                                                 : T::scalar;
                visit(ColumnInfo{state.info.name, state.info.unit, type, state.info.io}, column);
            },
            p);
        visit(ColumnInfo{"stress", "Pa", T::sym3, false}, p.stress);
        visit(ColumnInfo{"e", "m", T::vec3, true}, p.e);
        visit(ColumnInfo{"support", "m", T::scalar, false}, p.support);
        visit(ColumnInfo{"volume_scale", "1", T::scalar, false}, p.volume_scale);
        visit(ColumnInfo{"kept_volume", "m3", T::scalar, false}, p.kept_volume);
        visit(ColumnInfo{"flow_rate", "1", T::scalar, true}, p.flow_rate);
        visit(ColumnInfo{"flow", "1", T::scalar, true}, p.flow);
        visit(ColumnInfo{"rest_density", "kg/m3", T::scalar, false}, p.rest_density);
        visit(ColumnInfo{"strain", "1", T::sym3, false}, p.strain);
        visit(ColumnInfo{"rest_x", "m", T::vec3, false}, p.rest_x);
        visit(ColumnInfo{"plastic_F", "1", T::mat3, false}, p.plastic_F);
        visit(ColumnInfo{"reaction", "N", T::scalar, false}, p.reaction);
        visit(ColumnInfo{"last_force", "N", T::vec3, false}, p.last_force);
        visit(ColumnInfo{"grip", "1", T::integer, false}, p.grip);
        visit(ColumnInfo{"stuck", "1", T::integer, false}, p.stuck);
        visit(ColumnInfo{"d", "1", T::mat3, false}, p.d);
        visit(ColumnInfo{"r11", "1", T::scalar, true}, p.r11);
        visit(ColumnInfo{"r33", "1", T::scalar, true}, p.r33);
        visit(ColumnInfo{"slip", "1", T::scalar, true}, p.slip);
    }
    template <class Visit>
    void for_each_column(Visit&& visit) {
        for_each_column(*this, visit);
    }
    // visit(info, column, the same column of the other table)
    template <class Visit>
    void for_each_column_with(const Particles& other, Visit&& visit) {
        for_each_column([&](const ColumnInfo& info, auto& column) {
            const auto offset = reinterpret_cast<char*>(&column) - reinterpret_cast<char*>(this);
            using C = std::remove_reference_t<decltype(column)>;
            visit(info, column,
                  *reinterpret_cast<const C*>(reinterpret_cast<const char*>(&other) + offset));
        });
    }
    template <class Visit>
    void for_each_column(Visit&& visit) const {
        for_each_column(*this, visit);
    }

    // Every present column gets n rows.
    void resize(std::size_t n) {
        for_each_column([n](const ColumnInfo&, auto& column) { column.resize(n); });
    }
};

}  // namespace knead
