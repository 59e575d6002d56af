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
const Keys<EmitSpec>& emit_keys();
const Keys<StreamSpec>& stream_keys();
const Keys<SinkSpec>& sink_keys();
const Keys<ShapeSpec>& shape_keys();
const Keys<ThinSpec>& thin_keys();

// Tables with more to them than keys.
void read_shape(ShapeSpec& shape, const Value& value, Reader& r);
Value write_shape(const ShapeSpec& shape);
template <class T>
Key<T> shape_key(const char* doc) {
    return {{"shape", "shape", "", "", "", doc, true},
            [](T& t, const Value& v, Reader& r) { read_shape(t.shape, v, r); },
            [](const T& t) { return write_shape(t.shape); }};
}

// A table that may be missing.
template <class T, class U>
Key<T> optional_table(const char* name, std::optional<U> T::*m, const Keys<U>& (*keys)(),
                      const char* doc) {
    return {{name, "table", "", "none", "", doc},
            [=](T& t, const Value& v, Reader& r) { read_table((t.*m).emplace(), keys(), v, r); },
            [=](const T& t) -> std::optional<Value> {
                if (!(t.*m)) return {};
                return write_table(*(t.*m), keys());
            }};
}

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
