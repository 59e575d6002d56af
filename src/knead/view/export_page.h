// A run as one page that plays without a server: the viewer's page with thinned frames in it.
#pragma once

#include <string>

#include "knead/view/watched_run.h"

namespace knead::view {

struct PageSettings {
    std::string column;    // that particles can be coloured by; "": by body alone
    int frames = 100;      // at the most, evenly spread
    double megabytes = 8;  // for the particles of volumes of all frames, before they are text
};

struct ExportedPage {
    std::string html;
    int frames = 0;    // that it holds
    int every = 1;     // of the run's frames the first, and every so manyth after it
    int particle = 1;  // of the particles every so manyth; their spheres are larger for it
};

// InputError where the run has no frames or no such column.
ExportedPage export_page(WatchedRun& run, const PageSettings& settings);

}  // namespace knead::view
