// Any bytes as a mesh, a sheet and curves in each format. The first byte chooses the format.
#include "knead/base/error.h"
#include "knead/geometry/mesh.h"
#include "knead/geometry/weave/read_thin.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    if (size == 0) return 0;
    static const char* const names[] = {"a.obj", "a.ply", "a.stl"};
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        const knead::Mesh mesh = knead::read_mesh_bytes(bytes, names[data[0] % 3]);
        knead::bounds(mesh);
        knead::area(mesh);
        knead::welded(mesh);
    } catch (const knead::InputError&) {
    }
    // the same bytes as a sheet and as curves, repaired and not
    for (const bool repair : {false, true}) {
        knead::ThinFilePlan plan;
        plan.repair = repair;
        try {
            const auto file = knead::parse_thin_mesh(bytes, names[data[0] % 3], plan);
            if (!file.body.uv.empty() && file.body.uv.size() != file.body.triangles.size())
                std::abort();
        } catch (const knead::InputError&) {
        }
        try {
            knead::parse_curves(bytes, names[data[0] % 3], plan);
        } catch (const knead::InputError&) {
        }
    }
    return 0;
}
