// The sheets and curves of a scene: their vertices and elements, and the phases made of them.
#pragma once

#include "knead/geometry/weave/read_thin.h"
#include "knead/scene/scene.h"
#include "knead/sim/state.h"

namespace knead {

// About as many vertices and elements as the body will have with edges of that length where the
// scene does not give one; for guards before it is made. 0 for files.
double estimated_thin_particles(const ThinSpec& thin, double edge);
bool is_from_file(const ThinSpec& thin);
// Whether the count depends on that length.
bool thin_follows_dx(const ThinSpec& thin);

// In place, with what there is to say of its file. InputError where the plan cannot be carried out.
ThinFile build_thin_body(const Scene& scene, const BodySpec& body);

// Half of what is drawn [m].
double half_thickness(const Scene& scene, const BodySpec& body);

// One body ready to become rows: its vertices get the ids from first_id on, its elements those
// after them.
struct ThinRows {
    const ThinBody* body;
    int index;  // of the scene's body
    std::int64_t first_id;

    std::int64_t count() const;
};

// What resists bending in a body; nothing where its material does not.
Bending build_bending(const Scene& scene, const Model& model, const ThinRows& rows);

// Vertices, triangles and segments of all thin bodies of one material, behind the phases there are.
template <class Real>
void append_thin_phases(const Scene& scene, const Model& model, int material,
                        const std::vector<ThinRows>& bodies, State<Real>& state);

}  // namespace knead
