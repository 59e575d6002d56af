// PC2 point caches: the vertices of a mesh with constant topology over time, for the Mesh Cache
// modifier of Blender and others that read PointCache2.
#pragma once

#include <string>

#include "knead/io/atomic_file.h"
#include "knead/math/vec.h"

namespace knead {

class Pc2Writer {
public:
    // All samples must have that many points. `first` is the frame of the first sample, `step` the
    // frames from one to the next.
    Pc2Writer(const std::string& path, std::size_t points, std::size_t samples, double first,
              double step);

    // InputError where the number of points is another.
    void add(const std::vector<Vec3f>& positions);
    void finish();  // RunError where a sample is missing or the disk did not take everything

private:
    AtomicFile file_;
    std::string path_;
    std::size_t points_, left_;
};

}  // namespace knead
