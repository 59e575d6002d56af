// Who may ask the viewer's server what. It listens on the loopback alone, but every page that a
// browser shows can send requests there: the name by which it was asked (Host), the page that asks
// (Origin) and a secret that only the link holds (token) tell ours from others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace knead::view {

// What a request says of itself; a header that is there several times has several values.
struct Asker {
    std::vector<std::string> hosts, origins, tokens;
    bool changes = false;    // the run, or anything else
    bool is_secret = false;  // asks for data, not for a file of the page
};

class Guard {
public:
    Guard(int port, std::string token);

    const std::string& token() const { return token_; }
    // 0: may pass; 421: another Host; 403: another Origin, or none for a change; 401: no token.
    int refusal(const Asker& asker) const;

private:
    std::vector<std::string> hosts_;
    std::string token_;
};

// 128 random bits from the system, as hexadecimal digits.
std::string random_token();

// Whether both are the same, in a time that does not tell where they differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace knead::view
