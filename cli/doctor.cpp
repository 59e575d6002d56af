// knead doctor: what this machine offers, and what would help where something is missing.
#include <H5public.h>
#include <embree3/rtcore_config.h>
#include <fmt/format.h>
#include <oneapi/tbb/version.h>
#include <openvdb/version.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "command.h"
#include "knead/base/machine.h"
#include "knead/base/version.h"
#include "knead/cuda/gpu.h"
#include "knead/parallel/exec.h"
#include "processor.h"

namespace fs = std::filesystem;

namespace knead::cli {

namespace {

void line(const std::string& what, const std::string& answer) {
    fmt::print("{:<14}{}\n", what, answer);
}

// The full path of a program on PATH, or nothing.
std::string find_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string candidate = folder + "/" + name;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return {};
}

std::string first_line(const std::string& file) {
    std::ifstream in(file);
    std::string text;
    std::getline(in, text);
    return text;
}

std::string processor_name() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string text; std::getline(in, text);)
        if (text.rfind("model name", 0) == 0) return text.substr(text.find(':') + 2);
    return "unknown";
}

std::string memory() {
    const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
    const double free = static_cast<double>(sysconf(_SC_AVPHYS_PAGES));
    const double page = static_cast<double>(sysconf(_SC_PAGESIZE));
    return bytes_in_words(pages * page) + ", " + bytes_in_words(free * page) + " unused";
}

std::string instructions() {
    std::string text;
    for (const ProcessorFeature& f : processor_features())
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", f.name,
                            f.built       ? "used"
                            : f.supported ? "here but not used"
                                          : "not here");
    return text.empty() ? "not an x86 processor" : text;
}

void report_gpu() {
    const std::string driver = first_line("/proc/driver/nvidia/version");
    const std::string nvcc = find_program("nvcc");
    line("GPU driver", driver.empty() ? "none of NVIDIA's found" : driver);
    line("CUDA compiler", nvcc.empty() ? "nvcc is not on PATH" : nvcc);
    const std::string why = why_no_gpu();
    line("GPU", why.empty() ? describe_gpu() : "none to use: " + why);
    if (const std::string lacks = why.empty() ? what_gpu_lacks() : ""; !lacks.empty())
        line("GPU lacks", lacks);
    line("backends", why.empty() ? "cpu, cuda" : "cpu");
}

int doctor() {
    line("knead", fmt::format("{}, built for {} with {}", version(), built_for(), built_with()));
    line("processor", processor_name());
    line("threads",
         fmt::format("{} used of {}", thread_count(), std::thread::hardware_concurrency()));
    line("instructions", instructions());
    line("memory", memory());
    report_gpu();
    const std::string ffmpeg = find_program("ffmpeg");
    line("movies", ffmpeg.empty() ? "no ffmpeg: `knead render` will write pictures only" : ffmpeg);

    unsigned major = 0, minor = 0, patch = 0;
    H5get_libversion(&major, &minor, &patch);
    line("libraries", fmt::format("oneTBB {}, OpenVDB {}, Embree {}, HDF5 {}.{}.{}, fmt {}.{}.{}",
                                  TBB_runtime_version(), OPENVDB_LIBRARY_VERSION_STRING,
                                  RTC_VERSION_STRING, major, minor, patch, FMT_VERSION / 10000,
                                  FMT_VERSION / 100 % 100, FMT_VERSION % 100));

    std::error_code failed;
    const fs::space_info disk = fs::space(".", failed);
    line("disk here",
         failed ? failed.message() : bytes_in_words(static_cast<double>(disk.available)) + " free");
    line("write here", access(".", W_OK) == 0 ? "yes" : "no: runs need `--out DIR` elsewhere");
    return 0;
}

}  // namespace

Command command_doctor() {
    return {"doctor", "say what this machine offers: threads, SIMD, GPU, codecs", "knead doctor",
            [](Arguments&) {}, doctor};
}

}  // namespace knead::cli
