// Pictures to a movie, where ffmpeg is there to make it.
#pragma once

#include <string>
#include <vector>

namespace knead {

// Writes an H.264 movie; false where there is no ffmpeg. RunError where it cannot be made.
bool write_movie(const std::string& path, const std::vector<std::string>& pictures,
                 double frame_rate);

}  // namespace knead
