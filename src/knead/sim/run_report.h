// run.json: how a run was made and how it goes. It holds wall times, so it differs between runs
// that are otherwise the same.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "knead/sim/model.h"
#include "knead/sim/state.h"

namespace knead {

// Values that were changed while the run went on: from this frame's end on, as --set takes them.
struct RunChange {
    int frame = 0;
    std::vector<std::string> settings;
};

struct RunReport {
    std::string title;
    std::string status;  // starting, running, stopped, finished or failed
    std::string error;   // of a failed run
    std::string backend;
    std::string precision;
    std::uint64_t seed = 0;
    int threads = 0;
    int frame = 0;   // completed
    int frames = 0;  // wanted
    std::size_t particles = 0;
    std::int64_t substeps = 0;
    int resumed_from = -1;  // the frame that this part of the run started with
    bool scripted = false;  // a program changed particles: the scene alone does not repeat it
    double limit = 0;       // on the next step [s]; 0: not known
    std::string limited_by;
    std::vector<RunChange> changes;
    double wall_seconds = 0;                             // of this part
    std::vector<std::pair<std::string, double>> stages;  // seconds of this part, by stage
};

// What follows from the run itself.
template <class Real>
RunReport report_of(const Model& model, const State<Real>& state);

void write_report(const std::string& path, const RunReport& report);

// The changes that a report names; none where there is no report.
std::vector<RunChange> read_changes(const std::string& path);

// Whether a report says that a program changed particles.
bool was_scripted(const std::string& path);

// The status in a report; "" where there is none.
std::string report_status(const std::string& path);

}  // namespace knead
