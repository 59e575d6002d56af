#include "knead/scene/scene_meshes.h"

#include "knead/base/error.h"
#include "knead/base/input_file.h"
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
    for (const GripSpec& g : scene.grips) collect(g.shape, meshes);
    for (const SinkSpec& s : scene.sinks) collect(s.shape, meshes);
    for (const BodySpec& b : scene.bodies) {
        if (b.refine) collect(b.refine->shape, meshes);
        const KnitSpec* knit = b.thin ? std::get_if<KnitSpec>(&b.thin->form) : nullptr;
        if (!knit) continue;
        for (const ShapeSpec& around : knit->around) collect(around, meshes);
    }
    std::erase_if(meshes, [](const MeshSpec* m) { return m->file.empty(); });
    return meshes;
}

}  // namespace

std::vector<std::string> mesh_files(const Scene& scene) {
    std::vector<std::string> files;
    for (const MeshSpec* mesh : meshes_of(scene)) files.push_back(mesh->file);
    for (const ColliderSpec& c : scene.colliders)
        if (c.animation)
            files.insert(files.end(), c.animation->files.begin(), c.animation->files.end());
    for (const BodySpec& b : scene.bodies) {
        if (!b.thin) continue;
        if (const auto* mesh = std::get_if<ThinMeshSpec>(&b.thin->form))
            files.push_back(mesh->file);
        if (const auto* curves = std::get_if<CurvesSpec>(&b.thin->form))
            files.push_back(curves->file);
    }
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

// Of a file's bytes; one that cannot be read counts as empty here, and is named when it is built.
static std::uint64_t hash_of_file(const std::string& file) {
    try {
        return hash_of(read_input(file, mesh_input));
    } catch (const InputError&) {
        return hash_of("");
    }
}

std::uint64_t hash_of_meshes(const Scene& scene) {
    std::string text;
    for (const std::string& file : mesh_files(scene))
        text += std::to_string(hash_of_file(file)) + " ";
    return hash_of(text);
}

}  // namespace knead
