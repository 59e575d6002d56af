// The version of this build.
#pragma once

namespace knead {

const char* version();     // as in "0.1.0"
const char* built_for();   // the instruction set, as in "x86-64-v3"
const char* built_with();  // the compiler, as in "GNU 12.2.0"

}  // namespace knead
