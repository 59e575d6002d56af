// A scene as plain data, in the units a person writes. The keys that fill it stand in keys_*.cpp;
// build_model turns it into what a solver runs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "knead/base/error.h"
#include "knead/scene/shape_spec.h"
#include "knead/scene/thin_spec.h"
#include "knead/sim/model.h"

namespace knead {

struct OscillationSpec {
    Vec3d amplitude{0, 0, 0};  // [m]
    double frequency = 0;      // [1/s]
    double phase = 0;          // [degrees]
    double ramp = 0;           // [s]
};
struct MotionKeySpec {
    double time = 0;          // [s]
    Vec3d position{0, 0, 0};  // away from rest [m]
    Vec3d rotation{0, 0, 0};  // axis times angle [degrees]
};
struct MotionSpec {
    Vec3d velocity{0, 0, 0};          // [m/s]
    Vec3d angular_velocity{0, 0, 0};  // [rad/s]
    OscillationSpec oscillation;
    std::vector<MotionKeySpec> keys;
    bool smooth = false;
    double start = 0, stop = 0;  // [s]
    std::optional<Vec3d> pivot;  // default: the middle of the shape's bounds
};

enum class Sampling { lattice, fitted, poisson };
// How pictures show a volume; automatic: sand as grains, all else by its surface.
enum class Draw { automatic, surface, points };

// A body that is not there at the start but enters in copies.
struct EmitSpec {
    double start = 0, interval = 0;  // [s]
    int count = 1;
    Vec3d spread{0, 0, 0};  // [m]
    bool turn = false;
};

// Matter that enters in a strand through the section of the body's shape.
struct StreamSpec {
    Vec3d direction{0, -1, 0};          // out of the opening, where the shape stands
    std::optional<double> speed;        // [m/s]
    std::optional<double> volume_rate;  // [m3/s], in its place
    std::optional<double> pressure;     // [Pa]
    double jitter = 0.25;               // [spacings]
    double start = 0;                   // [s]
    std::optional<double> stop;         // [s]
    std::string carried_by;             // a collider that moves the opening
};

// The creep rate of a body that varies along a line: rate_from at one point, rate_to at the other.
struct FlowRateSpec {
    Vec3d from{0, 0, 0}, to{0, 0, 0};  // [m]
    double rate_from = 0, rate_to = 0;
};
// A part of a body with particles at another distance.
struct RefineSpec {
    ShapeSpec shape;
    double spacing = 0;  // [m]
};

struct BodySpec {
    std::string name;
    std::string material;
    ShapeSpec shape;                  // of a volume
    std::optional<ThinSpec> thin;     // or a sheet or curves
    Vec3d velocity{0, 0, 0};          // [m/s]
    Vec3d angular_velocity{0, 0, 0};  // about the middle of its particles [rad/s]
    std::optional<double> spacing;    // [m]; in place of particles_per_cell
    double particles_per_cell = 8;
    Sampling sampling = Sampling::fitted;
    double jitter = 0;  // of lattice particles, in spacings
    std::optional<RefineSpec> refine;
    std::optional<FlowRateSpec> flow_rate;
    std::optional<Vec3f> color;  // default: one of a palette, by position in the list
    Draw draw = Draw::automatic;
    std::optional<EmitSpec> emit;
    std::optional<StreamSpec> stream;

    // It is not there at the start.
    bool enters_later() const { return emit || stream; }
};

// A collider that matter can push.
struct PushedSpec {
    double mass = 0;       // [kg]
    double release = 0;    // moves as scripted until then [s]
    Vec3d guide{0, 0, 0};  // slides along this direction only; 0: free
};

// Holds matter and carries it along until it lets go.
struct GripSpec {
    std::string name;
    ShapeSpec shape;          // what is inside it at the start is held
    std::string body, group;  // or a group of a thin body's vertices
    MotionSpec motion;
    std::optional<double> release;  // [s]; default: never
};

// A collider's mesh that changes: one file a moment, all with the same triangles.
struct AnimationSpec {
    std::vector<std::string> files;  // absolute once read from a file
    double frame_rate = 24;          // [1/s]
    double start = 0;                // of the first [s]
    bool loop = false;               // the first follows on the last
    double scale = 1;
};

struct ColliderSpec {
    std::string name;
    ShapeSpec shape;
    std::optional<AnimationSpec> animation;  // in its place
    Contact contact = Contact::separate;
    double friction = 0;
    double adhesion = 0;
    MotionSpec motion;
    std::optional<PushedSpec> pushed;
    bool visible = true;
    Vec3f color{0.55f, 0.57f, 0.6f};
};

// Takes out the matter inside it.
struct SinkSpec {
    std::string name;
    ShapeSpec shape;
    MotionSpec motion;
    double start = 0;            // [s]
    std::optional<double> stop;  // [s]
    double interval = 0.01;      // [s]
};

struct SolverSpec : MpmSettings {
    Method method = Method::mpm;
    IncrementalSettings incremental;
    EmbeddedSettings embedded;
    ImplicitSettings implicit;
    Precision precision = Precision::single;
};

// What pictures look like; without a position the camera finds its own.
struct CameraSpec {
    std::optional<Vec3d> position;  // [m]
    std::optional<Vec3d> target;    // [m]
    Vec3d up{0, 1, 0};
    double field_of_view = 40;  // vertical [degrees]
};
struct PictureSpec {
    int width = 1280, height = 720;
    int samples = 16;
    Vec3f background{0.85f, 0.9f, 0.95f};
    bool ground = true;
};

struct Scene {
    std::string title;
    std::uint64_t seed = 1;
    Vec3d gravity{0, -9.81, 0};  // [m/s2]
    SolverSpec solver;
    TimeSettings time;
    OutputSettings output;
    std::vector<Material> materials;
    std::vector<BodySpec> bodies;
    std::vector<ColliderSpec> colliders;
    std::vector<GripSpec> grips;
    std::vector<SinkSpec> sinks;
    std::vector<Pull> pulls;
    CameraSpec camera;
    PictureSpec picture;

    std::string file;                     // what was read
    std::string quality;                  // the variant in force, "" for none
    std::map<std::string, Place> places;  // by key path, as in "bodies.0.material"
    std::vector<Mistake> warnings;

    // Where the value of a key path stands; if it is not in the file, the table it belongs to.
    Place place(std::string path) const;
};

// Between particles at rest [m].
double spacing_of(const Scene& scene, const BodySpec& body);

}  // namespace knead
