// Any bytes as a mesh in each format. The first byte chooses the format.
#include "knead/base/error.h"
#include "knead/geometry/mesh.h"

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
    return 0;
}
