#include "knead/io/pc2.h"

#include <cctype>
#include <memory>
#include <set>

#include "knead/base/error.h"
#include "knead/io/frame_reader.h"
#include "knead/io/thin_mesh.h"
#include "knead/picture/formats.h"

namespace knead {

ExportFormat pc2_format();

namespace {

std::string file_stem(const ThinMesh& mesh) {
    std::string stem = mesh.name;
    for (char& c : stem)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
    return stem.empty() ? "body" : stem;
}

// One stem a body, though letters that file names do not keep may be all that tells two names
// apart.
std::string own_stem(const ThinMesh& mesh, std::set<std::string>& taken) {
    std::string stem = file_stem(mesh);
    if (taken.contains(stem)) stem += "-" + std::to_string(mesh.body);
    while (!taken.insert(stem).second) stem += '_';
    return stem;
}

// The frame's sheets and curves; there must be as many bodies as in the first frame.
std::vector<ThinMesh> meshes_of(const std::string& file, const ExportFormat::Names& names,
                                std::size_t wanted) {
    std::vector<ThinMesh> meshes = thin_meshes(read_frame(file), names);
    if (meshes.empty())
        throw InputError({file}, "there are no sheets or curves in this frame",
                         "export particles with --format ply, gltf, vdb or vtk");
    if (wanted > 0 && meshes.size() != wanted)
        throw InputError({file}, "this frame has other sheets and curves than the first one",
                         "choose frames with --frames that have the same");
    return meshes;
}

// For each body the mesh of the first frame and the vertices of all.
ExportFormat::Names write_caches(const std::string& folder, const ExportFormat::Names& frames,
                                 const ExportFormat::Names& names) {
    const int first = frame_number(frames.front());
    const int step = frames.size() > 1 ? frame_number(frames[1]) - first : 1;
    std::vector<std::unique_ptr<Pc2Writer>> caches;
    ExportFormat::Names written;
    std::set<std::string> taken;
    for (const ThinMesh& mesh : meshes_of(frames.front(), names, 0)) {
        const std::string path = folder + "/" + own_stem(mesh, taken);
        write_obj(path + ".obj", mesh);
        caches.push_back(std::make_unique<Pc2Writer>(path + ".pc2", mesh.positions.size(),
                                                     frames.size(), first, step));
        written.insert(written.end(), {path + ".obj", path + ".pc2"});
    }
    for (const std::string& file : frames) {
        const std::vector<ThinMesh> meshes = meshes_of(file, names, caches.size());
        for (std::size_t k = 0; k < meshes.size(); ++k) caches[k]->add(meshes[k].positions);
    }
    for (const auto& cache : caches) cache->finish();
    return written;
}

}  // namespace

// Sheets and curves only.
ExportFormat pc2_format() {
    ExportFormat format{"pc2", "pc2", {}, {}};
    format.write_thin_series = write_caches;
    return format;
}

}  // namespace knead
