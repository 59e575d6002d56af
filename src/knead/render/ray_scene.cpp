#include "knead/render/ray_scene.h"

#include <embree3/rtcore.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "knead/base/error.h"

namespace knead::render {

struct RayScene::Handles {
    RTCDevice device = nullptr;
    RTCScene scene = nullptr;
    ~Handles() {
        if (scene) rtcReleaseScene(scene);
        if (device) rtcReleaseDevice(device);
    }
};

namespace {

template <class T>
T* new_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, std::size_t count) {
    void* buffer = rtcSetNewGeometryBuffer(geometry, type, 0, format, sizeof(T), count);
    if (!buffer) throw RunError("no memory for the picture's geometry");
    return static_cast<T*>(buffer);
}

void attach(RTCScene scene, RTCGeometry geometry, std::size_t id) {
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene, geometry, static_cast<unsigned>(id));
    rtcReleaseGeometry(geometry);
}

void add_mesh(RTCDevice device, RTCScene scene, const Mesh& mesh, std::size_t id) {
    RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* x =
        new_buffer<Vec3f>(g, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, mesh.positions.size());
    std::copy(mesh.positions.begin(), mesh.positions.end(), x);
    auto* f = new_buffer<Vec3<std::int32_t>>(g, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3,
                                             mesh.faces.size());
    std::copy(mesh.faces.begin(), mesh.faces.end(), f);
    attach(scene, g, id);
}

struct SpherePoint {
    float x, y, z, radius;
};

void add_spheres(RTCDevice device, RTCScene scene, const Spheres& spheres, std::size_t id) {
    RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    auto* x = new_buffer<SpherePoint>(g, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4,
                                      spheres.centers.size());
    for (std::size_t i = 0; i < spheres.centers.size(); ++i)
        x[i] = {spheres.centers[i].x, spheres.centers[i].y, spheres.centers[i].z, spheres.radii[i]};
    attach(scene, g, id);
}

// Hair is far thinner than a pixel, and a few strands of it stand for many: none is drawn thinner
// than this radius, so that they are seen.
class LeastRadius {
public:
    LeastRadius(const Camera& camera, const Look& look) : from_(camera.position) {
        constexpr double pixels = 0.3;
        const Vec3d ahead = camera.target - camera.position;
        ahead_ = ahead / std::max(length(ahead), 1e-300);
        const double tall = 2 * std::tan(camera.field_of_view * 3.14159265358979323846 / 360);
        share_ = pixels * tall / std::max(look.height, 1);
    }
    float operator()(const Vec3f& x) const {
        return static_cast<float>(share_ * std::max(dot(ahead_, Vec3d(x) - from_), 0.0));
    }

private:
    Vec3d from_, ahead_;
    double share_;  // of the distance
};

void add_tubes(RTCDevice device, RTCScene scene, const Tubes& tubes, const LeastRadius& least,
               std::size_t id) {
    RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_ROUND_CATMULL_ROM_CURVE);
    auto* x =
        new_buffer<SpherePoint>(g, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, tubes.points.size());
    for (std::size_t i = 0; i < tubes.points.size(); ++i)
        x[i] = {tubes.points[i].x, tubes.points[i].y, tubes.points[i].z,
                std::max(tubes.radii[i], least(tubes.points[i]))};
    const std::size_t pieces = tubes.points.size() / 4;
    auto* first = new_buffer<std::uint32_t>(g, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT, pieces);
    for (std::size_t k = 0; k < pieces; ++k) first[k] = static_cast<std::uint32_t>(4 * k);
    attach(scene, g, id);
}

RTCRayHit embree_ray(const Ray& ray) {
    RTCRayHit r{};
    r.ray.org_x = ray.from.x, r.ray.org_y = ray.from.y, r.ray.org_z = ray.from.z;
    r.ray.dir_x = ray.direction.x, r.ray.dir_y = ray.direction.y, r.ray.dir_z = ray.direction.z;
    r.ray.tnear = 0;
    r.ray.tfar = std::numeric_limits<float>::infinity();
    r.ray.mask = ~0u;
    r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    return r;
}

Vec3f towards(const Vec3f& n, const Vec3f& ray) { return dot(n, ray) > 0 ? -n : n; }

void shade_mesh(const Mesh& mesh, const RTCHit& h, Hit& hit) {
    const auto& f = mesh.faces[h.primID];
    const float weight[3] = {1 - h.u - h.v, h.u, h.v};
    Vec3f normal{0, 0, 0}, color{0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        const auto v = static_cast<std::size_t>(f[k]);
        normal += weight[k] * mesh.normals[v];
        color += weight[k] * mesh.colors[v];
    }
    const float size = length(normal);
    hit.normal = size > 0 ? normal / size : hit.geometric;
    hit.color = color;
    hit.gloss = mesh.gloss;
    hit.sheen = mesh.sheen;
}

void shade_tubes(const Tubes& tubes, const RTCHit& h, Hit& hit) {
    const Vec3f* ends = &tubes.colors[2 * static_cast<std::size_t>(h.primID)];
    hit.normal = hit.geometric;
    hit.color = (1 - h.u) * ends[0] + h.u * ends[1];
    hit.gloss = tubes.gloss;
    hit.sheen = tubes.sheen;
}

}  // namespace

RayScene::RayScene(const Scene& scene) : scene_(scene), handles_(std::make_unique<Handles>()) {
    require_in_reach(scene);
    handles_->device = rtcNewDevice(nullptr);
    if (!handles_->device) throw RunError("Embree cannot start on this machine");
    handles_->scene = rtcNewScene(handles_->device);
    rtcSetSceneFlags(handles_->scene, RTC_SCENE_FLAG_ROBUST);
    std::size_t id = 0;
    for (const Mesh& mesh : scene.meshes) add_mesh(handles_->device, handles_->scene, mesh, id++);
    for (const Spheres& s : scene.spheres) add_spheres(handles_->device, handles_->scene, s, id++);
    const LeastRadius least(scene.camera, scene.look);
    for (const Tubes& t : scene.tubes) add_tubes(handles_->device, handles_->scene, t, least, id++);
    rtcCommitScene(handles_->scene);

    RTCBounds b{};
    rtcGetSceneBounds(handles_->scene, &b);
    const Vec3f size{b.upper_x - b.lower_x, b.upper_y - b.lower_y, b.upper_z - b.lower_z};
    const float largest = max(size.x, max(size.y, size.z));
    step_off_ = largest > 0 && std::isfinite(largest) ? 1e-4f * largest : 1e-4f;
}

RayScene::~RayScene() = default;

bool RayScene::closest(const Ray& ray, Hit& hit) const {
    RTCRayHit r = embree_ray(ray);
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(handles_->scene, &context, &r);
    if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    hit.distance = r.ray.tfar;
    hit.position = ray.from + r.ray.tfar * ray.direction;
    hit.geometric = towards(normalized(Vec3f{r.hit.Ng_x, r.hit.Ng_y, r.hit.Ng_z}), ray.direction);
    const std::size_t id = r.hit.geomID;
    const std::size_t tubes = scene_.meshes.size() + scene_.spheres.size();
    hit.sheen = 0;
    if (id < scene_.meshes.size()) {
        shade_mesh(scene_.meshes[id], r.hit, hit);
    } else if (id >= tubes) {
        shade_tubes(scene_.tubes[id - tubes], r.hit, hit);
    } else {
        const Spheres& s = scene_.spheres[id - scene_.meshes.size()];
        hit.normal = hit.geometric;
        hit.color = s.colors[r.hit.primID];
        hit.gloss = s.gloss;
    }
    if (dot(hit.normal, hit.geometric) < 0) hit.normal = -hit.normal;
    return true;
}

bool RayScene::blocked(const Ray& ray) const {
    RTCRayHit r = embree_ray(ray);
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(handles_->scene, &context, &r.ray);
    return r.ray.tfar < 0;
}

}  // namespace knead::render
