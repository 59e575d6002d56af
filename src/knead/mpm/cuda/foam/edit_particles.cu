#include "knead/mpm/cuda/foam/edit_particles.h"

namespace knead {

// Cells of half the grid's spacing serve both.
void ParticleEdits::bin_points(std::span<DevicePhase> phases, double dx, cudaStream_t stream) {
    if (!points_are_binned_) points_.build(phases, dx / 2, algorithms_, stream);
    points_are_binned_ = true;
}

RemovalReport ParticleEdits::remove_slivers(std::span<DevicePhase> phases, double dx,
                                            cudaStream_t stream) {
    if (!Slivers::any_can_tear(phases)) return {};
    bin_points(phases, dx, stream);
    const Removed removed = slivers_.remove(phases, points_, algorithms_, stream);
    if (removed.count > 0) points_are_binned_ = false;
    return {removed.count, removed.mass};
}

ResampleReport ParticleEdits::resample(std::span<DevicePhase> phases, double dx, std::uint64_t seed,
                                       std::int64_t step, std::int64_t& next_id,
                                       cudaStream_t stream) {
    ResampleReport report;
    int particles = 0;
    for (const DevicePhase& phase : phases) particles += phase.size();
    if (particles == 0) return report;
    report.before = report.after = take_inventory_(phases, stream);
    for (DevicePhase& phase : phases) rescale_to_dilation(phase, stream);

    bin_points(phases, dx, stream);
    const double* const depth = depth_.measure(points_, stream);
    const int darts = darts_.throw_all(points_, depth, seed, static_cast<std::uint64_t>(step),
                                       algorithms_, stream);
    report.merged = merges_.find(phases, points_, algorithms_, stream);
    report.inserted =
        births_.add(phases, points_, darts_.places(), darts, next_id, algorithms_, stream);
    if (report.merged > 0) merges_.merge(phases, algorithms_, stream);
    if (!report.changed()) return report;
    points_are_binned_ = false;
    report.after = take_inventory_(phases, stream);
    return report;
}

std::size_t ParticleEdits::bytes() const {
    return algorithms_.bytes() + points_.bytes() + depth_.bytes() + darts_.bytes() +
           births_.bytes() + merges_.bytes() + slivers_.bytes();
}

}  // namespace knead
