// The part of knead bench that measures the embedded method at several sizes.
#pragma once

namespace knead::cli {

// With one thread and with all (0: every core); 0 particles: 5, 50 and 500 thousand.
int bench_embedded(int threads, int particles, bool json);

}  // namespace knead::cli
