// The part of knead bench that measures what foam's own stages cost.
#pragma once

namespace knead::cli {

// With one thread and with all (0: every core); 0 particles: about a million.
int bench_foam_features(int threads, int particles, bool json);

}  // namespace knead::cli
