// Checkpoints: the whole state of a run in one HDF5 file that appears whole or not at all. The
// file starts with a page of text that says what it holds and guards every byte with a hash, which
// is verified before HDF5 sees the file; h5dump and h5py read it as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knead/base/error.h"
#include "knead/sim/state.h"

namespace knead {

// What stands on the first page.
struct CheckpointHeader {
    std::string version;  // of the knead that wrote it
    std::string precision;
    int frame = 0;
    double time = 0;  // [s]
    std::int64_t step = 0;
    std::uint64_t particles = 0;
    std::uint64_t model_hash = 0;
};

// A state, and for one in the middle of a frame the state that a roll-back would return to.
template <class Real>
struct Checkpoint {
    State<Real> state;
    std::optional<State<Real>> frame_start;
    std::string file{};  // that it was read from
};

// RunError where the disk does not take it; what stood there before is then still there.
template <class Real>
void save_checkpoint(const std::string& path, const State<Real>& state,
                     const State<Real>* frame_start, std::uint64_t model_hash);

// Reads and verifies every byte. InputError where the file is missing, cut short or damaged.
CheckpointHeader verify_checkpoint(const std::string& path);

// A checkpoint that is whole, but of another scene, precision or knead.
class ForeignCheckpoint : public InputError {
public:
    using InputError::InputError;
};

// Verifies, and also refuses a foreign checkpoint. Whether what it holds can be is for
// check_checkpoint (sim/check_state.h), which knows the scene.
template <class Real>
Checkpoint<Real> load_checkpoint(const std::string& path, std::uint64_t model_hash);

}  // namespace knead
