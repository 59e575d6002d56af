// The first page of a checkpoint: text, padded to the size of HDF5's user block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "knead/sim/checkpoint.h"

namespace knead {

inline constexpr std::size_t checkpoint_page = 512;

// The page for these contents; `payload` are the bytes that follow it.
std::string checkpoint_page_of(const CheckpointHeader& header, std::string_view payload);

// The contents of a file that starts with a page, all of it verified. `name` is for messages.
CheckpointHeader parse_checkpoint_page(std::string_view file, const std::string& name);

}  // namespace knead
