// The scene as rays see it. Embree stays behind this header.
#pragma once

#include <memory>

#include "knead/render/scene.h"

namespace knead::render {

struct Ray {
    Vec3f from;
    Vec3f direction;  // unit
};

// What a ray meets first.
struct Hit {
    float distance = 0;
    Vec3f position;
    Vec3f normal;     // smooth, towards the ray
    Vec3f geometric;  // of the face itself, towards the ray
    Vec3f color;
    float gloss = 0;
    float sheen = 0;
};

class RayScene {
public:
    explicit RayScene(const Scene& scene);
    ~RayScene();
    RayScene(const RayScene&) = delete;
    RayScene& operator=(const RayScene&) = delete;

    bool closest(const Ray& ray, Hit& hit) const;
    bool blocked(const Ray& ray) const;
    float step_off() const { return step_off_; }  // how far from a surface the next ray begins

private:
    struct Handles;
    const Scene& scene_;
    std::unique_ptr<Handles> handles_;
    float step_off_ = 0;
};

}  // namespace knead::render
