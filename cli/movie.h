// Pictures to a movie, where ffmpeg is there to make it.
#pragma once

#include <string>
#include <vector>

namespace knead::cli {

// Writes an H.264 movie and returns an empty text, or else why there is none.
std::string write_movie(const std::string& path, const std::vector<std::string>& pictures,
                        double frame_rate);

}  // namespace knead::cli
