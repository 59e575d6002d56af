// A small HTTP server on the loopback. It knows no runs: a handler answers every request. Requests
// and answers that take too long are cut off, bodies above 64 kB refused, and connections have a
// thread each, up to a limit.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "knead/view/guard.h"

namespace knead::view {

struct HttpRequest {
    std::string method, path;
    std::map<std::string, std::string> query;  // of several values the first
    std::string body;
    Asker asker;
};

struct HttpResponse {
    int status = 200;
    std::string type = "application/json";
    std::string body;
    // Where set, the answer is a stream: called again and again for the next piece, which may be
    // empty, until it returns false or whoever listens has gone.
    std::function<bool(std::string& piece)> stream;
};

inline constexpr std::size_t most_body_bytes = std::size_t{64} << 10;
inline constexpr std::size_t most_connections = 128;  // more wait their turn

class HttpServer {
public:
    // `admit` looks at a request before its body is read and returns 0, or the status it is refused
    // with. Both are called from several threads at once.
    using Admit = std::function<int(const HttpRequest&)>;
    using Answer = std::function<HttpResponse(const HttpRequest&)>;

    // Takes a port, 0: any that is free. RunError where it cannot be had.
    explicit HttpServer(int port);
    ~HttpServer();
    int port() const;
    // Serves until stop(). Streams end soon after it.
    void serve(Admit admit, Answer answer);
    void stop();
    bool is_stopping() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace knead::view
