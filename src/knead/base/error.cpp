#include "knead/base/error.h"

#include "knead/base/safe_text.h"

namespace knead {

std::string to_string(const Place& place) {
    std::string text = place.file;
    if (place.line > 0) text += ":" + std::to_string(place.line);
    if (place.line > 0 && place.column > 0) text += ":" + std::to_string(place.column);
    return text;
}

std::string to_string(const Mistake& mistake) {
    const std::string place = to_string(mistake.place);
    std::string text = place.empty() ? mistake.what : place + ": " + mistake.what;
    if (!mistake.remedy.empty()) text += "; " + mistake.remedy;
    return safe_text(text, true);
}

static std::string join(const std::vector<Mistake>& mistakes) {
    std::string text;
    for (const Mistake& m : mistakes) text += (text.empty() ? "" : "\n") + to_string(m);
    return text;
}

InputError::InputError(std::vector<Mistake> mistakes)
    : std::runtime_error(join(mistakes)), mistakes_(std::move(mistakes)) {}

InputError::InputError(Place place, std::string what, std::string remedy)
    : InputError(std::vector<Mistake>{{std::move(place), std::move(what), std::move(remedy)}}) {}

}  // namespace knead
