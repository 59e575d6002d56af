// What surface, render and export share: which frames of a run are meant, and how options are read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "knead/base/error.h"
#include "knead/math/vec.h"

namespace knead::cli {

// Frame numbers from --frames: "all", "7", "10:20", "10:", ":20", "0:100:5"; both ends included.
struct FrameRange {
    int first = 0;
    int last = -1;  // below 0: to the end
    int step = 1;
};
FrameRange parse_range(const std::string& text);  // InputError where it is none of these

// Those of the frames that lie within the range. InputError where there are none.
std::vector<std::string> select_frames(const std::vector<std::string>& frames,
                                       const FrameRange& range);

// Adds a mistake about an option where it is not as it must be.
void require(bool good, const char* option, const char* what, std::vector<Mistake>& mistakes);
std::pair<double, double> parse_pair(const std::string& option, const std::string& text);  // "0,1"
Vec3d parse_vector(const std::string& option, const std::string& text);  // "1,2,3"

}  // namespace knead::cli
