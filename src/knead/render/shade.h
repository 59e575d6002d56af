// The light that comes back along a ray.
#pragma once

#include "knead/render/light.h"
#include "knead/render/ray_scene.h"
#include "knead/render/sampling.h"

namespace knead::render {

class Shader {
public:
    Shader(const Scene& scene, const RayScene& rays, const Studio& studio)
        : scene_(scene), rays_(rays), studio_(studio) {}

    Vec3f light_along(const Ray& ray, const PixelSamples& samples) const;

private:
    Vec3f shade_object(const Ray& ray, const Hit& hit, const PixelSamples& samples) const;
    Vec3f shade_ground(const Ray& ray, float distance, const PixelSamples& samples) const;
    // Light that falls in from one cosine-weighted direction: sky, or what stands there.
    Vec3f gathered(const Vec3f& from, const Vec3f& normal, const PixelSamples& samples,
                   bool& open) const;
    float ground_distance(const Ray& ray) const;  // below zero: not met

    const Scene& scene_;
    const RayScene& rays_;
    const Studio& studio_;
};

}  // namespace knead::render
