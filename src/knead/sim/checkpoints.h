// The checkpoints of a run: when one is due, and where the run could be resumed.
#pragma once

#include <string>

#include "knead/base/error.h"
#include "knead/sim/run_clock.h"
#include "knead/sim/run_folder.h"

namespace knead {

class Checkpoints {
public:
    // `every` is the wall time between two of them [s]; 0: after every frame.
    Checkpoints(const RunFolder& folder, std::uint64_t model_hash, double every)
        : folder_(folder), model_hash_(model_hash), every_(every) {}

    void resumed_at(const std::string& file, int frame) { last_ = file, last_frame_ = frame; }
    bool is_due() const {
        return !folder_.is_none() && (every_ <= 0 || clock_.seconds() >= every_);
    }
    // A frame that takes longer than the time between checkpoints gets its own.
    bool is_overdue() const {
        return !folder_.is_none() && every_ > 0 && clock_.seconds() > 2 * every_;
    }

    template <class Real>
    void save(const State<Real>& state, const State<Real>* frame_start);

    int last_frame() const { return last_frame_; }  // -1: there is none
    const std::string& last() const { return last_; }
    std::string where_to_resume() const;

    // Trouble with files gets the advice that goes with it.
    template <class Work>
    void with_advice(const Work& work) const {
        try {
            work();
        } catch (const RunError& error) {
            const std::string what = error.what(), advice = where_to_resume();
            if (what.ends_with(advice)) throw;
            throw RunError(what + "; " + advice);
        }
    }

private:
    const RunFolder& folder_;
    std::uint64_t model_hash_;
    double every_;
    Stopwatch clock_;
    std::string last_;
    int last_frame_ = -1;
};

}  // namespace knead
