// Errors that speak to whoever can act.
//   InputError    a person wrote something wrong: scene, mesh, option, checkpoint (exit code 2)
//   RunError      the run itself failed: disk full, numbers gone wrong, memory (exit code 1)
// Broken invariants of our own stop at a CHECK (base/check.h) instead.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace knead {

// Where in a file something stands. Line and column start at 1; 0 means unknown.
struct Place {
    std::string file;
    int line = 0;
    int column = 0;
};

std::string to_string(const Place& place);

// One mistake: where, what, and what to do about it.
struct Mistake {
    Place place;
    std::string what;
    std::string remedy;
};

// For a terminal: control characters in names are written out.
std::string to_string(const Mistake& mistake);

class InputError : public std::runtime_error {
public:
    explicit InputError(std::vector<Mistake> mistakes);
    InputError(Place place, std::string what, std::string remedy = {});
    const std::vector<Mistake>& mistakes() const { return mistakes_; }

private:
    std::vector<Mistake> mistakes_;
};

// Does work on what stands in a file; mistakes that name no place get that file's.
template <class Work>
auto in_file(const std::string& file, const Work& work) {
    try {
        return work();
    } catch (const InputError& error) {
        std::vector<Mistake> mistakes = error.mistakes();
        for (Mistake& m : mistakes)
            if (m.place.file.empty()) m.place.file = file;
        throw InputError(std::move(mistakes));
    }
}

class RunError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace knead
