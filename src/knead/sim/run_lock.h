// One run at a time writes into a folder. The lock is on a file descriptor of its process, so it
// goes with the process, however that ends, and others can ask for it without taking it.
#pragma once

#include <string>
#include <vector>

#include "knead/sim/run_folder.h"

namespace knead {

// Held while a run writes into the folder. RunError where another run holds it. Makes the folder
// where there is none, and removes it again unless it is to be kept.
class RunLock {
public:
    explicit RunLock(const RunFolder& folder);
    ~RunLock();
    RunLock(const RunLock&) = delete;
    RunLock& operator=(const RunLock&) = delete;

    void keep() { kept_ = true; }

private:
    bool open_file();
    void make_folders(const std::string& folder);
    std::string path_;
    int file_ = -1;
    bool made_file_ = false, kept_ = false;
    std::vector<std::string> made_folders_;  // outermost first
};

// Who holds the lock in that file: "process 123 on render7", or "a process" that did not sign; ""
// where nobody does.
std::string lock_holder(const std::string& path);

}  // namespace knead
