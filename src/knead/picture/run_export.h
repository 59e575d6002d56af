// The frames of a run in the format of another program, one file a frame.
#pragma once

#include <optional>

#include "knead/picture/formats.h"
#include "knead/picture/run_view.h"

namespace knead {

enum class ExportWhat { points, surface, colliders, thin };

class RunExport {
public:
    // `run` and `format` must outlive it. InputError where the format cannot hold what is wanted.
    RunExport(const RunView& run, const ExportFormat& format, ExportWhat what, std::string out);

    // Where a frame goes.
    std::string file_of(const std::string& frame_file) const;
    // Returns what was written, and whether it holds nothing.
    struct Written {
        std::string path;
        bool empty = false;
    };
    Written write(const std::string& frame_file);
    // Lists a frame that was written before.
    void keep(const std::string& frame_file);
    // Whether the format holds all frames in one file a body: then write_series takes them all.
    bool is_series() const;
    std::vector<std::string> write_series(const std::vector<std::string>& frame_files) const;
    // The list of all files written; nothing where the format has none.
    std::optional<std::string> write_index() const;

private:
    // What is known of a frame once it is written.
    struct Content {
        double time = 0;  // [s]
        bool empty = false;
    };
    Content write_to(const std::string& path, const std::string& frame_file) const;
    std::vector<std::string> body_names() const;
    SurfaceMesh surface_of(const std::string& frame_file) const;

    const RunView& run_;
    const ExportFormat& format_;
    ExportWhat what_;
    std::string out_, stem_;
    ExportFormat::Series series_;
};

}  // namespace knead
