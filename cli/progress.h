// How a run looks to whoever watches: a bar on a terminal, plain lines elsewhere, JSON for
// programs, or nothing.
#pragma once

#include <atomic>
#include <memory>

#include "knead/sim/run.h"

namespace knead::cli {

enum class Show { bar, lines, json, nothing };

// `stop` turns true when whoever reads standard output has left.
std::unique_ptr<RunObserver> make_progress(Show show, const Model& model, const std::string& how,
                                           std::atomic<bool>& stop);

std::string duration(double seconds);       // "4.2 s", "3 min 20 s", "2 h 5 min"
std::string count_text(std::size_t count);  // "1,234,567"

}  // namespace knead::cli
