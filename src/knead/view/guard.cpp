#include "knead/view/guard.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "knead/base/error.h"

namespace knead::view {

Guard::Guard(int port, std::string token) : token_(std::move(token)) {
    for (const char* name : {"127.0.0.1", "localhost", "[::1]"})
        hosts_.push_back(fmt::format("{}:{}", name, port));
}

int Guard::refusal(const Asker& asker) const {
    const auto known = [&](const std::string& host) {
        return std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end();
    };
    if (asker.hosts.size() != 1 || !known(asker.hosts[0])) return 421;
    const std::string own = "http://" + asker.hosts[0];
    for (const std::string& origin : asker.origins)
        if (origin != own) return 403;
    if (asker.changes && asker.origins.size() != 1) return 403;
    if (!asker.is_secret && !asker.changes) return 0;
    return asker.tokens.size() == 1 && same_secret(asker.tokens[0], token_) ? 0 : 401;
}

std::string random_token() {
    std::array<unsigned char, 16> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw RunError("the system gives no random numbers");
    std::string text;
    for (const unsigned char b : bytes) text += fmt::format("{:02x}", b);
    return text;
}

bool same_secret(std::string_view a, std::string_view b) {
    unsigned difference = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < b.size(); ++i)
        difference |= static_cast<unsigned>((i < a.size() ? a[i] : 0) ^ b[i]);
    return difference == 0;
}

}  // namespace knead::view
