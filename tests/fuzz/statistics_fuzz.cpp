// Any bytes as stats.csv; every row has every column.
#include <cstdlib>

#include "knead/base/error.h"
#include "knead/sim/stats_file.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    try {
        const knead::StatsTable table =
            knead::parse_stats(std::string(reinterpret_cast<const char*>(data), size), "stats.csv");
        for (const auto& row : table.rows)
            if (row.size() != table.columns.size()) std::abort();
    } catch (const knead::InputError&) {
    }
    return 0;
}
