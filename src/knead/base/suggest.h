// The word a person probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace knead {

// Damerau-Levenshtein (optimal string alignment): insertions, deletions, replacements and swaps of
// neighbours. Case and the difference between '-', '_' and ' ' do not count.
int edit_distance(std::string_view a, std::string_view b);

// The nearest of `known`, or "" when none is near. A common beginning counts in a word's favour, so
// that "visc" finds "viscosity"; of equals the first wins.
std::string nearest(std::string_view word, std::span<const std::string> known);

// `did you mean "X"?`, or "" when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace knead
