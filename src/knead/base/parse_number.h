// A number that a person wrote as an argument.
#pragma once

#include <string>

namespace knead {

// The finite number that is all of `text`; `what` names it in the message of a mistake.
double parse_number(const std::string& text, const std::string& what);

}  // namespace knead
