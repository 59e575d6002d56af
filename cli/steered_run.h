// A run in a process of its own, `knead run`, that pages of the live view can steer.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "knead/view/server.h"

namespace knead::cli {

class SteeredRun : public view::Control {
public:
    // `first` are the arguments of the first `knead run`, without the program; it runs in `folder`.
    SteeredRun(const std::vector<std::string>& first, std::string folder);
    // Stops the run and waits for its checkpoint.
    ~SteeredRun() override;

    std::string state() override;
    std::int64_t version() override;
    void act(const std::string& action, const std::vector<std::string>& settings) override;

    // Waits until there is something to see, or the run has ended without; false then.
    bool wait_for_a_frame();
    std::vector<std::string> said();  // by the run, on its standard error
    bool was_refused();               // it ended since its scene or its folder is not right

private:
    void start(const std::vector<std::string>& arguments);
    void listen(int output, int error);
    void heard(const std::string& line);
    void stop(std::unique_lock<std::mutex>& lock);
    void signal(int number) const;

    std::string folder_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::thread listener_;
    pid_t child_ = -1;
    bool was_refused_ = false;
    std::string state_ = "starting";
    std::string progress_ = "{}";  // the last line of the run, JSON
    std::deque<std::string> said_;
    std::int64_t version_ = 0;
};

}  // namespace knead::cli
