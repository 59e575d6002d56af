// Which instructions this program was built to use, and whether this machine has them.
#pragma once

#include <string>
#include <vector>

namespace knead::cli {

struct ProcessorFeature {
    std::string name;
    bool built;      // the compiler was allowed to use it
    bool supported;  // this machine has it
};

std::vector<ProcessorFeature> processor_features();

// Names of the instructions that this build uses and this machine lacks; empty: all is well.
std::string missing_instructions();

}  // namespace knead::cli
