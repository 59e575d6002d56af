// Any bytes as a surface mesh; faces name vertices that are there.
#include <cstdlib>

#include "knead/base/error.h"
#include "knead/io/ply.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        const knead::SurfaceMesh mesh = knead::parse_surface(bytes, "surface.ply");
        const auto n = static_cast<std::int64_t>(mesh.positions.size());
        for (const auto& f : mesh.faces)
            for (const std::int32_t v : {f.x, f.y, f.z})
                if (v < 0 || v >= n) std::abort();
        if (!mesh.normals.empty() && mesh.normals.size() != mesh.positions.size()) std::abort();
    } catch (const knead::InputError&) {
    }
    return 0;
}
