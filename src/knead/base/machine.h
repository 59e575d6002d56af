// What the machine has left for this process: memory and disk.
#pragma once

#include <string>

namespace knead {

// Memory that can still be taken without swapping or being killed [bytes]: what the kernel calls
// available, less where a control group or a limit on the address space allows less.
double available_memory();

// Free for an ordinary user on the disk that holds a path, or would hold it [bytes]; below 0 where
// that is not known.
double available_disk(const std::string& path);

// As in "1.5 GB".
std::string bytes_in_words(double bytes);

}  // namespace knead
