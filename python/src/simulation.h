// A scene that runs as far as Python asks, whatever its precision. Nothing here takes or gives back
// Python's lock.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "knead/io/frame.h"
#include "knead/particles/column.h"
#include "knead/particles/phase.h"
#include "knead/scene/run_session.h"
#include "knead/sim/statistics.h"

namespace knead::python {

struct SimulationRequest {
    Scene scene;
    std::string input;   // the scene's file, "" where it has none
    std::string folder;  // "": nothing is written
    Existing existing = Existing::refuse;
    int threads = 0;  // 0: all cores
};

// Numbers of one type, `width` a row; a symmetric matrix is given whole.
struct Numbers {
    enum class Type { float32, float64, int32, int64 };
    Type type = Type::float32;
    std::size_t rows = 0, width = 1;
    std::vector<char> bytes;
};

// A plane of a column as it lies in memory.
struct Plane {
    Numbers::Type type;
    void* data;
    std::size_t size;
};

struct PhaseInfo {
    std::string material;
    PhaseKind kind;
    std::size_t size;
    std::vector<std::string> columns;
};

class Simulation {
public:
    virtual ~Simulation() = default;

    // A substep; true: it completes a frame.
    virtual bool advance() = 0;
    // A folder's files are whole after these.
    virtual void conclude() = 0;
    virtual void stop() = 0;
    // Frames that are complete are in the folder after it.
    virtual void write_frames() = 0;
    // As stop, and the folder is left to others. Particles can be read, steps cannot be taken.
    virtual void close() = 0;
    // The last frame that a run to the end reaches.
    virtual void set_last_frame(int frame) = 0;

    virtual double time() const = 0;
    virtual double last_dt() const = 0;
    virtual int frame() const = 0;
    virtual std::int64_t substeps() const = 0;
    virtual std::size_t particles() const = 0;
    virtual FrameStatistics statistics() const = 0;       // of this moment
    virtual FrameStatistics last_statistics() const = 0;  // of the frame completed last
    virtual Frame make_frame() const = 0;
    virtual const Model& model() const = 0;

    // Those that some particle has.
    virtual std::vector<std::string> columns() const = 0;
    // Of volumes and vertices, by id; rows that have no such column are as at rest.
    virtual Numbers column(const std::string& name) const = 0;
    // One vector a row, in the order of column(): velocities; forces [N] that act until others are
    // set, none: an empty list.
    virtual void set_velocities(const std::vector<Vec3d>& v) = 0;
    virtual void set_forces(const std::vector<Vec3d>& f) = 0;

    virtual std::size_t phase_count() const = 0;
    virtual PhaseInfo phase(std::size_t index) const = 0;
    // Empty where the phase has no such column.
    virtual std::vector<Plane> planes(std::size_t phase, const std::string& column) = 0;
    // To be called before and after somebody writes to velocities in place.
    virtual void before_writing() = 0;
    virtual void after_writing() = 0;

    std::vector<Mistake> warnings;      // of the scene
    std::vector<std::string> troubles;  // since last asked
    std::atomic<int> views = 0;         // of memory that a step would move
};

std::shared_ptr<Simulation> make_simulation(SimulationRequest request);

}  // namespace knead::python
