// What all frames of a run hold together, whichever of them are drawn, so that camera, ground and
// colours of a picture do not depend on which others are made.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "knead/geometry/box3.h"
#include "knead/io/frame.h"

namespace knead {

// A column of the frame, or "speed", which follows from the velocity. A column that only triangles
// and segments have is averaged to the rows that they join.
std::vector<float> values_of(const Frame& frame, const std::string& name);

struct ValueRange {
    double lo = Box3::huge, hi = -Box3::huge;

    bool empty() const { return lo > hi; }
    void add(double value);
    void add(const ValueRange& other);
};

// Around the particles of each frame that has some, as the run's statistics have it; where those
// are not complete, the frames are read.
std::vector<Box3> survey_boxes(const std::string& stats_file,
                               const std::vector<std::string>& frames);

// The least and greatest value of a column in all frames. What was found is kept in `file`, so that
// each frame is read once for each column. RunError where it cannot be written.
ValueRange survey_range(const std::string& file, const std::vector<std::string>& frames,
                        const std::string& column);

}  // namespace knead
