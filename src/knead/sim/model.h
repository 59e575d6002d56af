// Model: what a run never changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knead/geometry/collider.h"
#include "knead/materials/material.h"
#include "knead/mpm/codimensional/bends.h"
#include "knead/scenery/scenery.h"
#include "knead/sim/methods.h"

namespace knead {

enum class Backend { cpu, cuda };
enum class Precision { single, double_ };

struct BodyInfo {
    std::string name;
    int material = 0;
    double spacing = 0;  // between particles at rest [m]; pscale is half of it
};

// A body that enters in copies while the scene runs.
struct Emitter {
    int body = 0;
    int material = 0;
    std::vector<Vec3d> points;        // of one copy, before it is shifted and turned [m]
    Vec3d middle{0, 0, 0};            // of those points [m]
    double volume = 0;                // of each particle [m3]
    Vec3d velocity{0, 0, 0};          // [m/s]
    Vec3d angular_velocity{0, 0, 0};  // about the middle [rad/s]
    double start = 0, interval = 0;   // when copies are due [s]; one whose place is taken waits
    int count = 1;
    Vec3d spread{0, 0, 0};  // random shift of up to this much each way [m]
    bool turn = false;      // turned at random
};

// Matter that enters in a strand: slice after slice through an opening.
struct Stream {
    int body = 0;
    int material = 0;
    std::vector<Vec3d> points;      // of one slice, in the opening's rest pose [m]
    Vec3d direction{0, -1, 0};      // unit, in that pose
    double spacing = 0;             // between slices, and between their particles [m]
    double speed = 0;               // out of the opening, beside the opening's own motion [m/s]
    double jitter = 0;              // random shift of its particles [spacings]
    double pressure = 1e300;        // no slice enters while matter ahead presses more [Pa]
    double start = 0, stop = 1e30;  // [s]
    Motion carrier;                 // moves the opening
    std::size_t wall = none;        // the collider that drives it, if any

    static constexpr std::size_t none = ~std::size_t{0};

    double period() const { return spacing / speed; }              // from slice to slice [s]
    double volume() const { return spacing * spacing * spacing; }  // of a particle [m3]
};

// Matter inside is taken out, every `interval` seconds from start to stop.
struct Sink {
    std::string name;
    SdfShape shape;
    Motion motion;
    double start = 0, stop = 1e30;  // [s]
    double interval = 0.01;         // [s]
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
    std::vector<Emitter> emitters;
    std::vector<Stream> streams;
    std::vector<Sink> sinks;
    std::vector<Grip> grips;
    std::vector<Bending> bending;  // of sheets and curves that resist it
    std::vector<Pull> pulls;       // point methods only
    Vec3d gravity{0, -9.81, 0};    // [m/s2]
    double dx = 0;                 // the scene's, twice the spacing of particles [m]
    MethodSettings settings;       // of the method that runs
    Precision precision = Precision::single;
    TimeSettings time;
    OutputSettings output;
    std::uint64_t seed = 1;

    Method method() const { return method_of(settings); }
};

}  // namespace knead
