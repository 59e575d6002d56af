#include "knead/scene/scene_meshes.h"

#include <fstream>
#include <sstream>

#include "knead/base/error.h"
#include "knead/scene/build_mesh.h"
#include "knead/sim/hash.h"

namespace knead {

namespace {

void collect(const ShapeSpec& spec, std::vector<const MeshSpec*>& meshes) {
    std::visit(
        [&](const auto& form) {
            using Form = std::decay_t<decltype(form)>;
            if constexpr (std::is_same_v<Form, MeshSpec>)
                meshes.push_back(&form);
            else if constexpr (requires { form.of; })
                for (const ShapeSpec& s : form.of) collect(s, meshes);
        },
        spec.form);
}

std::vector<const MeshSpec*> meshes_of(const Scene& scene) {
    std::vector<const MeshSpec*> meshes;
    for (const BodySpec& b : scene.bodies) collect(b.shape, meshes);
    for (const ColliderSpec& c : scene.colliders) collect(c.shape, meshes);
    std::erase_if(meshes, [](const MeshSpec* m) { return m->file.empty(); });
    return meshes;
}

}  // namespace

std::vector<std::string> mesh_files(const Scene& scene) {
    std::vector<std::string> files;
    for (const MeshSpec* mesh : meshes_of(scene)) files.push_back(mesh->file);
    return files;
}

Reading try_read_scene_and_meshes(const std::string& path,
                                  const std::vector<std::string>& settings) {
    Reading reading = try_read_scene(path, settings);
    if (reading.mistakes.empty()) return reading;
    for (const MeshSpec* mesh : meshes_of(reading.scene)) {
        try {
            build_mesh({mesh->file, 1.0, {}, {}, mesh->repair}, 1.0 / 32);
        } catch (const InputError& e) {
            for (const Mistake& m : e.mistakes()) reading.mistakes.push_back(m);
        }
    }
    return reading;
}

std::uint64_t hash_of_meshes(const Scene& scene) {
    std::string text;
    for (const std::string& file : mesh_files(scene)) {
        std::ostringstream bytes;
        bytes << std::ifstream(file, std::ios::binary).rdbuf();
        text += std::to_string(hash_of(bytes.view())) + " ";
    }
    return hash_of(text);
}

}  // namespace knead
