// What surface, render and export share: which frames of a run are meant, and how options are read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "knead/base/error.h"
#include "knead/math/vec.h"
#include "knead/picture/run_view.h"

namespace knead::cli {

// Frame numbers from --frames: "all", "7", "10-20", "1-240x2", "3,5-10", "10-", "-20"; a colon may
// stand for the dash and for the x. Both ends are included.
struct FrameRange {
    int first = 0;
    int last = -1;  // below 0: to the end
    int step = 1;
};
using FrameRanges = std::vector<FrameRange>;
constexpr const char* frames_value = "A-BxSTEP";
constexpr const char* frames_help = "frames to take, as in 7, 1-240, 1-240x2 or 3,5-10";
FrameRanges parse_frames(const std::string& text);  // InputError where it is none of these

// Those of the frames that lie within one of the ranges. InputError where there are none.
std::vector<std::string> select_frames(const std::vector<std::string>& frames,
                                       const FrameRanges& ranges);

// From one of them to the next, where that is always the same; 1 otherwise.
int spacing_of_frames(const std::vector<std::string>& frames);

// Whether a file was made after all that it is made from (--missing).
bool is_up_to_date(const std::string& file, const std::vector<std::string>& sources);

// Surfaces that were made from other frames than those that are there now, as when a run was made
// again: they are taken, with a warning.
void warn_of_old_surfaces(const RunView& run, const std::vector<std::string>& frames);

// Adds a mistake about an option where it is not as it must be.
void require(bool good, const char* option, const char* what, std::vector<Mistake>& mistakes);
std::pair<double, double> parse_pair(const std::string& option, const std::string& text);  // "0,1"
Vec3d parse_vector(const std::string& option, const std::string& text);  // "1,2,3"

}  // namespace knead::cli
