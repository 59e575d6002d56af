// stats.csv: one row a frame, fixed columns first, the solver's own after them. Numbers are printed
// so that they read back to the same bits.
#pragma once

#include <string>
#include <vector>

#include "knead/sim/statistics.h"

namespace knead {

// Name and value of every column.
std::vector<std::pair<std::string, double>> stats_row(const FrameStatistics& row);

std::string stats_header(const FrameStatistics& row);
std::string stats_line(const FrameStatistics& row);

// Adds a row, and the header before the first one. A row that does not fit on the disk leaves the
// file as it was (RunError).
void append_stats(const std::string& path, const FrameStatistics& row);

// Drops the rows after `frame`, and one that was cut short.
void truncate_stats(const std::string& path, int frame);

// How many rows there are, one for each frame from 0 on, all with the columns of the header. 0
// where there is no such file.
int whole_stats_rows(const std::string& path);

struct StatsTable {
    std::vector<std::string> columns;
    std::vector<std::vector<double>> rows;
};

// InputError with the line where the file is missing or no such table. A last line without its end
// is being written: it is left out.
StatsTable read_stats(const std::string& path);
StatsTable parse_stats(const std::string& text, const std::string& name);

}  // namespace knead
