#include "knead/render/shade.h"

#include <algorithm>
#include <cmath>

namespace knead::render {

namespace {

enum Purpose : std::uint64_t { lamp_purpose = 1, gather_purpose = 2, bounce_purpose = 3 };

// Light leaks a little round the edge, as in soft translucent matter.
float wrapped(float cosine) {
    constexpr float w = 0.18f;
    const float c = std::max(0.0f, (cosine + w) / (1 + w));
    return c * (1 + 0.25f * (c - 1));
}

float fresnel(float cosine) {
    const float m = 1 - std::clamp(cosine, 0.0f, 1.0f), m2 = m * m;
    return 0.04f + 0.30f * m2 * m2 * m;  // rough: grazing light is not mirrored whole
}

// GGX highlight of the lamp for a fairly rough coat, without the Fresnel factor.
float highlight(const Vec3f& n, const Vec3f& view, const Vec3f& light, float roughness) {
    const Vec3f half = normalized(view + light);
    const float a2 = roughness * roughness * roughness * roughness;
    const float nh = std::max(0.0f, dot(n, half));
    const float d = nh * nh * (a2 - 1) + 1;
    const float lh = std::max(0.1f, dot(light, half));
    return a2 / (4 * d * d * lh * lh * (roughness + 0.5f)) * std::max(0.0f, dot(n, light));
}

}  // namespace

Vec3f Shader::light_along(const Ray& ray, const PixelSamples& samples) const {
    Hit hit;
    const bool object = rays_.closest(ray, hit);
    const float ground = ground_distance(ray);
    if (ground > 0 && (!object || ground < hit.distance)) return shade_ground(ray, ground, samples);
    return object ? shade_object(ray, hit, samples) : studio_.background;
}

Vec3f Shader::shade_object(const Ray& ray, const Hit& hit, const PixelSamples& samples) const {
    const Vec3f from = hit.position + rays_.step_off() * hit.geometric;
    const Vec3f view = -ray.direction;

    // the lamp, softly shadowed
    const Vec3f to_lamp =
        cone_direction(studio_.lamp_direction, studio_.lamp_cos, samples.at(lamp_purpose));
    const float diffuse = wrapped(dot(hit.normal, to_lamp));
    const bool lit =
        diffuse > 0 && dot(hit.geometric, to_lamp) > -0.18f && !rays_.blocked({from, to_lamp});
    Vec3f light = lit ? diffuse * studio_.lamp : Vec3f{0, 0, 0};

    // the surroundings
    bool open = false;
    light += gathered(from, hit.normal, samples, open);

    // a thin clear coat over the diffuse base
    const float facing = std::max(0.0f, dot(hit.normal, view));
    const float coat = 0.8f * hit.gloss * fresnel(facing);
    const Vec3f mirror = 2 * dot(hit.normal, view) * hit.normal - view;
    Vec3f shine = (open ? coat : 0.25f * coat) * studio_.sky(mirror);
    if (lit)
        shine += 0.07f * hit.gloss * highlight(hit.normal, view, to_lamp, 0.42f) * studio_.lamp;
    // fuzz that stands out of a fabric catches light at grazing angles
    if (hit.sheen > 0) {
        const float rim = (1 - facing) * (1 - facing) * (1 - facing);
        shine += hit.sheen * rim * (0.3f * splat(1.0f) + 0.7f * hit.color) * light;
    }
    return (1 - coat) * hit.color * light + shine;
}

Vec3f Shader::gathered(const Vec3f& from, const Vec3f& normal, const PixelSamples& samples,
                       bool& open) const {
    const Ray ray{from, cosine_direction(normal, samples.at(gather_purpose))};
    Hit hit;
    const bool object = rays_.closest(ray, hit);
    const float ground = ground_distance(ray);
    open = !object && ground < 0;
    if (open) return studio_.sky(ray.direction);

    // what stands there is lit by the lamp and, as a guess, by half the sky
    const bool is_ground = ground > 0 && (!object || ground < hit.distance);
    const Vec3f n = is_ground ? Vec3f{0, 1, 0} : hit.normal;
    const Vec3f color = is_ground ? scene_.ground->color.value_or(splat(0.5f)) : hit.color;
    const Vec3f at = is_ground ? ray.from + ground * ray.direction : hit.position;
    const Vec3f to_lamp =
        cone_direction(studio_.lamp_direction, studio_.lamp_cos, samples.loose(bounce_purpose));
    const float facing = dot(n, to_lamp);
    Vec3f light = 0.5f * studio_.sky(n);
    if (facing > 0 && !rays_.blocked({at + rays_.step_off() * n, to_lamp}))
        light += facing * studio_.lamp;
    return color * light;
}

Vec3f Shader::shade_ground(const Ray& ray, float distance, const PixelSamples& samples) const {
    const Vec3f at = ray.from + distance * ray.direction;
    const Ground& ground = *scene_.ground;
    const Vec3f flat{at.x - static_cast<float>(ground.middle.x), 0,
                     at.z - static_cast<float>(ground.middle.z)};
    const float far = length(flat) / static_cast<float>(ground.fade);
    const float rim = std::clamp((far - 0.3f) / 0.7f, 0.0f, 1.0f);
    const float presence = (1 - rim) * (1 - rim) * (1 + 2 * rim);
    if (presence <= 0) return studio_.background;

    // open floor is evenly bright, in the background's colour or its own; only what is missing of
    // its light darkens it
    const Vec3f up{0, 1, 0}, from = at + rays_.step_off() * up;
    const Vec3f to_lamp =
        cone_direction(studio_.lamp_direction, studio_.lamp_cos, samples.at(lamp_purpose));
    const float lamp_part = 0.62f;
    const float lamp = rays_.blocked({from, to_lamp}) ? 0.0f : lamp_part;
    const Ray ray_up{from, cosine_direction(up, samples.at(gather_purpose))};
    Hit hit;
    Vec3f around = splat(1 - lamp_part);
    if (rays_.closest(ray_up, hit)) around = 0.55f * (1 - lamp_part) * hit.color;
    const Vec3f ratio = splat(lamp) + around;
    const Vec3f open = studio_.lamp_direction.y * studio_.lamp + 0.9f * studio_.sky(up);
    const Vec3f base = ground.color ? *ground.color * open : studio_.background;
    const Vec3f color = base * ratio;
    return studio_.background + presence * (color - studio_.background);
}

float Shader::ground_distance(const Ray& ray) const {
    if (!scene_.ground || ray.direction.y >= -1e-6f) return -1;
    return (static_cast<float>(scene_.ground->height) - ray.from.y) / ray.direction.y;
}

}  // namespace knead::render
