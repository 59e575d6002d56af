// Seconds a stage, under the name the stage has in the code.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace knead {

class Profile {
public:
    void add(const char* stage, double seconds) {
        for (auto& [name, total] : stages_)
            if (name == stage) {
                total += seconds;
                return;
            }
        stages_.emplace_back(stage, seconds);
    }
    const std::vector<std::pair<std::string, double>>& stages() const { return stages_; }

private:
    std::vector<std::pair<std::string, double>> stages_;
};

// Adds the time from its making to its end.
class StageTimer {
public:
    StageTimer(Profile& profile, const char* stage)
        : profile_(profile), stage_(stage), start_(std::chrono::steady_clock::now()) {}
    ~StageTimer() {
        const auto spent = std::chrono::steady_clock::now() - start_;
        profile_.add(stage_, std::chrono::duration<double>(spent).count());
    }
    StageTimer(const StageTimer&) = delete;
    StageTimer& operator=(const StageTimer&) = delete;

private:
    Profile& profile_;
    const char* stage_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace knead
