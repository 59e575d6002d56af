#include "knead/geometry/polygon2.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "knead/base/error.h"

namespace knead {

namespace {

using Corner = std::array<double, 2>;

// Twice the signed area of the triangle a b c.
double turn(const Corner& a, const Corner& b, const Corner& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

bool in_span(const Corner& a, const Corner& b, const Corner& p) {
    return std::min(a[0], b[0]) <= p[0] && p[0] <= std::max(a[0], b[0]) &&
           std::min(a[1], b[1]) <= p[1] && p[1] <= std::max(a[1], b[1]);
}

// Whether the closed segments a b and c d share a point.
bool meet(const Corner& a, const Corner& b, const Corner& c, const Corner& d) {
    const double p = turn(a, b, c), q = turn(a, b, d), r = turn(c, d, a), s = turn(c, d, b);
    if (((p > 0) != (q > 0)) && p != 0 && q != 0 && ((r > 0) != (s > 0)) && r != 0 && s != 0)
        return true;
    return (p == 0 && in_span(a, b, c)) || (q == 0 && in_span(a, b, d)) ||
           (r == 0 && in_span(c, d, a)) || (s == 0 && in_span(c, d, b));
}

using Pair = std::pair<std::size_t, std::size_t>;

// A line that sweeps over the outline from left to right. Edges that it crosses stand in the order
// in which it meets them; two that meet are neighbours in it before they do.  [Shamos 1976]
class Sweep {
public:
    explicit Sweep(const std::vector<Corner>& ring) : ring_(ring), crossed_(Below{this}) {}

    std::optional<Pair> run() {
        const std::size_t n = ring_.size();
        std::vector<Event> events;
        for (std::size_t e = 0; e < n; ++e)
            events.push_back({left(e), true, e}), events.push_back({right(e), false, e});
        std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
            return std::tuple(a.at, !a.begins, a.edge) < std::tuple(b.at, !b.begins, b.edge);
        });
        std::vector<Place> place(n);
        for (const Event& event : events) {
            const Place at =
                event.begins ? place[event.edge] = crossed_.insert(event.edge) : place[event.edge];
            const bool has_before = at != crossed_.begin();
            const Place before = has_before ? std::prev(at) : at, after = std::next(at);
            const bool has_after = after != crossed_.end();
            if (event.begins) {
                if (has_before && meets(*before, event.edge)) return ordered(*before, event.edge);
                if (has_after && meets(*after, event.edge)) return ordered(*after, event.edge);
            } else {
                if (has_before && has_after && meets(*before, *after))
                    return ordered(*before, *after);
                crossed_.erase(at);
            }
        }
        return {};
    }

private:
    struct Event {
        Corner at;
        bool begins;
        std::size_t edge;
    };
    // Whether edge a is below edge b where the later of the two begins.
    struct Below {
        const Sweep* sweep;
        bool operator()(std::size_t a, std::size_t b) const { return sweep->below(a, b); }
    };
    using Order = std::multiset<std::size_t, Below>;
    using Place = Order::iterator;
    const std::vector<Corner>& ring_;
    Order crossed_;

    const Corner& from(std::size_t e) const { return ring_[e]; }
    const Corner& to(std::size_t e) const { return ring_[(e + 1) % ring_.size()]; }
    const Corner& left(std::size_t e) const { return std::min(from(e), to(e)); }
    const Corner& right(std::size_t e) const { return std::max(from(e), to(e)); }
    bool below(std::size_t a, std::size_t b) const {
        if (a == b) return false;
        if (left(a) < left(b)) return side(a, left(b), right(b)) > 0;
        return side(b, left(a), right(a)) < 0;
    }
    // Above 0 where a point is above an edge; where it lies on it, another point decides.
    double side(std::size_t e, const Corner& p, const Corner& otherwise) const {
        const double first = turn(left(e), right(e), p);
        return first != 0 ? first : turn(left(e), right(e), otherwise);
    }
    bool meets(std::size_t a, std::size_t b) const {
        const std::size_t n = ring_.size();
        if ((a + 1) % n == b || (b + 1) % n == a) return false;  // neighbours share a corner
        return meet(from(a), to(a), from(b), to(b));
    }
    static Pair ordered(std::size_t a, std::size_t b) { return {std::min(a, b), std::max(a, b)}; }
};

// Two edges of the outline that meet, neighbours aside. Short outlines are searched pair by pair.
std::optional<Pair> crossing(const std::vector<Corner>& ring) {
    constexpr std::size_t few = 1000;
    const std::size_t n = ring.size();
    if (n > few) return Sweep(ring).run();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 2; j < n; ++j) {
            if (i == 0 && j + 1 == n) continue;  // neighbours around the end
            if (meet(ring[i], ring[i + 1], ring[j], ring[(j + 1) % n])) return Pair{i, j};
        }
    return {};
}

}  // namespace

std::vector<Corner> simple_counter_clockwise(const std::vector<Corner>& corners) {
    std::vector<Corner> ring;
    for (const Corner& c : corners) {
        if (!std::isfinite(c[0]) || !std::isfinite(c[1]))
            throw InputError(Place{}, fmt::format("a polygon corner is ({}, {})", c[0], c[1]),
                             "give finite numbers");
        if (ring.empty() || ring.back() != c) ring.push_back(c);
    }
    while (ring.size() > 1 && ring.front() == ring.back()) ring.pop_back();
    const std::size_t n = ring.size();
    double area = 0;
    for (std::size_t i = 0; i + 2 < n; ++i) area += turn(ring[0], ring[i + 1], ring[i + 2]);
    if (n < 3 || area == 0)
        throw InputError(Place{}, "the polygon has no area",
                         "give at least three corners that are not on one line");
    if (const auto pair = crossing(ring))
        throw InputError(Place{},
                         fmt::format("the polygon crosses itself: its edges {} and {} meet",
                                     pair->first + 1, pair->second + 1),
                         "order the corners along the outline");
    if (area < 0) std::reverse(ring.begin(), ring.end());
    return ring;
}

}  // namespace knead
