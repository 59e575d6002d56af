// The explicit material point method on the GPU. Particles stay there from upload to download; a
// batch of steps runs without asking the host. What the host sees are plain types only, so that
// everything else compiles without CUDA.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "knead/geometry/collider.h"
#include "knead/materials/law.h"
#include "knead/mpm/foam/remove_subgrid.h"
#include "knead/mpm/foam/resample/avoid_a_void.h"
#include "knead/mpm/settings.h"
#include "knead/particles/phase.h"

namespace knead {

struct BatchReport {
    int taken = 0;         // steps, of those asked for
    bool ended = false;    // particles may come back, or the next step may have another length
    double max_speed = 0;  // after the last of them [m/s]
    double max_move = 0;   // largest displacement along an axis in one of them [cells]
    std::vector<double> strains;  // that any matter may have undergone, step by step
    bool lost = false;            // a particle moved further than its tile reaches
    std::int64_t bad_id = -1;     // of a particle that is no longer finite
};

class DeviceSolver {
public:
    DeviceSolver(const MpmSettings& settings, const std::vector<Collider>& colliders,
                 const Vec3d& gravity, std::vector<Law<float>> laws);
    ~DeviceSolver();

    void hold_belt(std::size_t collider, bool held);  // between batches
    // Takes the phases over; the host's copy is out of date after the next batch.
    void upload(const std::vector<Phase<float>>& phases);
    // Brings them back, as many as there are now. The next batch begins as if they had just been
    // uploaded, so that a resumed run goes on as an unbroken one does.
    void download(std::vector<Phase<float>>& phases);
    // Remembers them as they are now, within the GPU's memory, and goes on as after a download;
    // false: there is no room for that.
    bool take_snapshot();
    // Brings back what was remembered while batches run, from another thread. `table` are those
    // last uploaded or downloaded.
    void read_snapshot(const std::vector<Phase<float>>& table, std::vector<Phase<float>>& phases);
    // Largest rest volume over mass in each phase [m3/kg].
    std::vector<double> max_specific_volumes();

    // Up to heal.size() steps of dt from `time` on; fewer if particles must be sorted before, and
    // then the others must follow, unless the report says that it ended. Step k ends with healing
    // over heal[k], 0 for none. `speed` is what particles may reach.
    BatchReport advance(double time, double dt, double speed, std::span<const double> heal);

    // Between batches that ended: what remove_subgrid and avoid_a_void do on the host. Stress is
    // up to date afterwards.
    RemovalReport remove_slivers();
    ResampleReport resample(std::uint64_t seed, std::int64_t step, std::int64_t& next_id);

    std::size_t bytes() const;  // of the GPU's memory
    // Seconds in each stage, where it was asked to measure; from samples.
    void measure(bool on);
    std::vector<std::pair<std::string, double>> stages() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace knead
