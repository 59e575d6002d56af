// The tables of keys of a scene. [scene/key.h]
#pragma once

#include "knead/scene/key.h"
#include "knead/scene/scene.h"

namespace knead {

const Keys<Scene>& scene_keys();
const Keys<SolverSpec>& solver_keys();
Keys<SolverSpec> grid_keys();  // its part of the grid method, and of all methods
const Keys<IncrementalSettings>& incremental_keys();
const Keys<EmbeddedSettings>& embedded_keys();
const Keys<ImplicitSettings>& implicit_keys();
const Keys<BodySpec>& body_keys();
const Keys<ColliderSpec>& collider_keys();
const Keys<AnimationSpec>& animation_keys();
const Keys<PushedSpec>& pushed_keys();
const Keys<MotionSpec>& motion_keys();
const Keys<ShapeSpec>& shape_keys();
const Keys<ThinSpec>& thin_keys();

// Tables with more to them than keys.
void read_shape(ShapeSpec& shape, const Value& value, Reader& r);
Value write_shape(const ShapeSpec& shape);
void read_material(Material& material, const Value& value, Reader& r,
                   std::vector<Mistake>& warnings);
Value write_material(const Material& material);

// What a page of documentation needs of a table.
struct TableInfo {
    std::string path;  // as in "solver" or "bodies[].shape.sphere"
    std::string doc;
    std::vector<KeyInfo> keys;
};
std::vector<TableInfo> all_tables();
std::vector<TableInfo> shape_tables();
std::vector<TableInfo> thin_tables();
std::vector<TableInfo> material_tables();

}  // namespace knead
