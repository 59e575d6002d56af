// Some columns of a frame file, read without the others: what a live view asks for many times a
// second.
#pragma once

#include <string>
#include <vector>

#include "knead/base/input_file.h"
#include "knead/io/frame.h"

namespace knead {

class FrameColumns {
public:
    // Opens the file and reads its header. InputError where it is missing, broken or cut short.
    explicit FrameColumns(const std::string& path);

    int frame() const { return frame_; }
    double time() const { return time_; }  // [s]
    std::size_t count() const { return count_; }
    const std::vector<std::string>& names() const { return names_; }
    const std::vector<ColliderPose>& colliders() const { return colliders_; }
    bool has(const std::string& name) const;
    bool has_elements() const { return has_elements_; }  // triangles or segments: read_frame

    // The columns of these names, in one pass over the file; InputError where one is missing.
    std::vector<std::vector<float>> read(const std::vector<std::string>& names) const;
    // All columns of one row; `row` is below count().
    std::vector<double> row(std::size_t row) const;

private:
    std::string read_start() const;                       // with all of the header
    std::size_t place_of(const std::string& name) const;  // of its numbers in a row [bytes]
    void read_bytes(char* to, std::size_t bytes, std::size_t from) const;

    std::string path_;
    InputFile file_;
    int frame_ = 0;
    double time_ = 0;
    std::size_t count_ = 0, begin_ = 0;  // rows, and where they begin [bytes]
    std::vector<std::string> names_;     // four bytes each
    std::vector<char> is_whole_;         // of each column: integers
    std::vector<ColliderPose> colliders_;
    bool has_elements_ = false;
};

// Whether a frame is there with all the rows that its header promises.
bool is_whole_frame(const std::string& path);

}  // namespace knead
