#pragma once

namespace knead::cli {

// Explicit against implicit steps of cloth and yarn; the exit code.
int bench_cloth_implicit(int threads, bool json);

}  // namespace knead::cli
