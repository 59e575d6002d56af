#include "processor.h"

namespace knead::cli {

std::vector<ProcessorFeature> processor_features() {
    std::vector<ProcessorFeature> features;
#if defined(__x86_64__)
#if defined(__AVX2__)
    const bool avx2 = true;
#else
    const bool avx2 = false;
#endif
#if defined(__FMA__)
    const bool fma = true;
#else
    const bool fma = false;
#endif
#if defined(__BMI2__)
    const bool bmi2 = true;
#else
    const bool bmi2 = false;
#endif
#if defined(__AVX512F__)
    const bool avx512 = true;
#else
    const bool avx512 = false;
#endif
    __builtin_cpu_init();
    features.push_back({"avx2", avx2, __builtin_cpu_supports("avx2") != 0});
    features.push_back({"fma", fma, __builtin_cpu_supports("fma") != 0});
    features.push_back({"bmi2", bmi2, __builtin_cpu_supports("bmi2") != 0});
    features.push_back({"avx512f", avx512, __builtin_cpu_supports("avx512f") != 0});
#endif
    return features;
}

std::string missing_instructions() {
    std::string names;
    for (const ProcessorFeature& f : processor_features())
        if (f.built && !f.supported) names += (names.empty() ? "" : ", ") + f.name;
    return names;
}

}  // namespace knead::cli
