// From the words on the command line to a command and its options.
#pragma once

#include <vector>

#include "command.h"

namespace knead::cli {

// Parses, runs the command that was asked for and returns the exit code. Wrong usage is explained
// on stderr and gives 2; errors that a command throws pass through.
int dispatch(int argc, const char* const* argv, const std::vector<Command>& commands);

}  // namespace knead::cli
