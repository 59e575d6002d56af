// Model: what a run never changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knead/geometry/collider.h"
#include "knead/materials/material.h"
#include "knead/mpm/settings.h"

namespace knead {

enum class Method { mpm };
enum class Backend { cpu, cuda };
enum class Precision { single, double_ };

struct BodyInfo {
    std::string name;
    int material = 0;
    Vec3f color{0.8f, 0.6f, 0.4f};
    double spacing = 0;  // between particles at rest [m]; pscale is half of it
};

struct TimeSettings {
    double frame_rate = 30;  // [1/s]
    int frames = 60;         // after frame 0, the start
    double max_dt = 0;       // [s]; 0: only what stability asks
    double min_dt = 1e-9;    // [s]; a run that needs less has failed
};

struct OutputSettings {
    double checkpoint_seconds = 30;  // of wall time between checkpoints; 0: every frame
};

struct Model {
    std::string title;
    std::vector<Material> materials;
    std::vector<BodyInfo> bodies;
    std::vector<Collider> colliders;
    Vec3d gravity{0, -9.81, 0};  // [m/s2]
    Method method = Method::mpm;
    Precision precision = Precision::single;
    MpmSettings mpm;
    TimeSettings time;
    OutputSettings output;
    std::uint64_t seed = 1;
};

}  // namespace knead
