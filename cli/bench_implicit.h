// The part of knead bench that measures the implicit method.
#pragma once

namespace knead::cli {

// With one thread and with all (0: every core); 0 particles: 40 thousand, and 5 to 200 thousand for
// stiff matter.
int bench_implicit(int threads, int particles, bool json);

}  // namespace knead::cli
