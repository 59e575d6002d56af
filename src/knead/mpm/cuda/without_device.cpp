// Stands in for the CUDA sources where knead is built with KNEAD_DEVICE=none.
#include "knead/base/error.h"
#include "knead/cuda/gpu.h"
#include "knead/mpm/cuda/device_solver.h"

namespace knead {

std::string why_no_gpu() {
    return "this knead was built without CUDA: nvcc was not found, or KNEAD_DEVICE was none";
}
std::string describe_gpu() { return "none"; }
std::string what_gpu_lacks() { return {}; }
double gpu_copy_bandwidth() { return 0; }

struct DeviceSolver::Parts {};
DeviceSolver::DeviceSolver(const MpmSettings&, const std::vector<Collider>&, const Vec3d&,
                           std::vector<Law<float>>) {  // NOLINT: as the one with CUDA takes it
    throw RunError(why_no_gpu());
}
DeviceSolver::~DeviceSolver() = default;
void DeviceSolver::hold_belt(std::size_t, bool) {}
void DeviceSolver::upload(const std::vector<Phase<float>>&) {}
void DeviceSolver::download(std::vector<Phase<float>>&) {}
bool DeviceSolver::take_snapshot() { return false; }
void DeviceSolver::read_snapshot(const std::vector<Phase<float>>&, std::vector<Phase<float>>&) {}
std::vector<double> DeviceSolver::max_specific_volumes() { return {}; }
BatchReport DeviceSolver::advance(double, double, double, std::span<const double>) { return {}; }
RemovalReport DeviceSolver::remove_slivers() { return {}; }
ResampleReport DeviceSolver::resample(std::uint64_t, std::int64_t, std::int64_t&) { return {}; }
std::size_t DeviceSolver::bytes() const { return 0; }
void DeviceSolver::measure(bool) {}
std::vector<std::pair<std::string, double>> DeviceSolver::stages() const { return {}; }

}  // namespace knead
