#include "knead/base/suggest.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace knead {

namespace {

constexpr std::size_t longest_word = 100;  // longer ones are no typing slips

char plain(char c) {
    if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    return c == '-' || c == ' ' ? '_' : c;
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
    std::size_t n = 0;
    while (n < a.size() && n < b.size() && plain(a[n]) == plain(b[n])) ++n;
    return n;
}

// How unlike two words are; at or below 1 is near. Up to a third of the letters may be wrong, and a
// word may be cut short after its third letter.
double unlikeness(std::string_view word, std::string_view known) {
    const std::size_t prefix = common_prefix(word, known);
    const double allowed =
        std::max(1.0, static_cast<double>(std::max(word.size(), known.size())) / 3);
    const double distance = edit_distance(word, known);
    const bool cut_short = prefix == word.size() && prefix >= 3;
    if (cut_short) return std::min(0.9, distance / allowed);
    return (distance - std::min(0.5, 0.1 * static_cast<double>(prefix))) / allowed;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
    std::vector<int> two_back, back(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        two_back = std::exchange(back, row);
        row[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const char p = plain(a[i - 1]), q = plain(b[j - 1]);
            row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + (p == q ? 0 : 1)});
            const bool swapped =
                i > 1 && j > 1 && p == plain(b[j - 2]) && q == plain(a[i - 2]) && p != q;
            if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
        }
    }
    return row[b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> known) {
    if (word.empty() || word.size() > longest_word) return {};
    const std::string* best = nullptr;
    double least = 1;
    for (const std::string& candidate : known) {
        if (candidate.empty() || candidate.size() > longest_word) continue;
        const double d = unlikeness(word, candidate);
        if (d < least || (!best && d <= least)) best = &candidate, least = d;
    }
    return best ? *best : std::string();
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
    const std::string found = nearest(word, known);
    return found.empty() ? found : "did you mean \"" + found + "\"?";
}

}  // namespace knead
