// Why a run fails, in words.
#pragma once

#include <string>

namespace knead {

struct Failure {
    std::string what;
    bool is_told = false;  // by us: the message says where it happened and what can be done
};

// Of the exception that is being handled: to be called where it is caught.
Failure failure_in_flight();

}  // namespace knead
