// The one source that includes cpp-httplib.
#include "knead/view/http.h"

#include <fmt/format.h>
#include <httplib.h>
#include <poll.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "knead/base/error.h"

namespace knead::view {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto request_time = std::chrono::seconds(10);  // to say all of it
constexpr auto answer_time = std::chrono::seconds(60);   // to read all of it
constexpr auto wait_time = std::chrono::seconds(5);      // without a byte
constexpr std::size_t most_request_bytes = most_body_bytes + (std::size_t{64} << 10);
constexpr int requests_a_connection = 1000;

// A thread for every connection, made when there is none free, up to a limit.
class ConnectionThreads : public httplib::TaskQueue {
public:
    void enqueue(std::function<void()> job) override {
        const std::scoped_lock lock(mutex_);
        jobs_.push_back(std::move(job));
        if (idle_ < jobs_.size() && threads_.size() < most_connections)
            threads_.emplace_back([this] { work(); });
        wake_.notify_one();
    }
    void shutdown() override {
        {
            const std::scoped_lock lock(mutex_);
            closed_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

private:
    void work() {
        for (;;) {
            std::unique_lock lock(mutex_);
            ++idle_;
            wake_.wait(lock, [&] { return closed_ || !jobs_.empty(); });
            --idle_;
            if (jobs_.empty()) return;
            const std::function<void()> job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            job();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_;
    std::vector<std::thread> threads_;
    std::size_t idle_ = 0;
    bool closed_ = false;
};

// A socket that gives up on whoever is too slow or says too much.
class TimedStream : public httplib::Stream {
public:
    TimedStream(int socket, const std::atomic<bool>& stopping)
        : socket_(socket), stopping_(stopping) {}

    void request_begins() {
        read_until_ = Clock::now() + request_time;
        bytes_left_ = most_request_bytes;
    }
    void answer_begins(bool is_stream) {
        write_until_ = is_stream ? Clock::time_point::max() : Clock::now() + answer_time;
    }
    // Waits for the next request; false: none came.
    bool wait_for_more() const {
        return !buffered() ? wait(POLLIN, Clock::now() + wait_time) : true;
    }

    bool is_readable() const override { return buffered() || wait(POLLIN, read_until_); }
    bool is_writable() const override { return wait(POLLOUT, write_until_); }
    ssize_t read(char* to, std::size_t size) override {
        if (!buffered()) {
            if (!wait(POLLIN, read_until_)) return -1;
            const ssize_t n = recv(socket_, buffer_, sizeof buffer_, 0);
            if (n <= 0) return n;
            begin_ = 0, end_ = static_cast<std::size_t>(n);
        }
        const std::size_t n = std::min(size, end_ - begin_);
        if (n > bytes_left_ || Clock::now() > read_until_) return -1;
        bytes_left_ -= n;
        std::memcpy(to, buffer_ + begin_, n);
        begin_ += n;
        return static_cast<ssize_t>(n);
    }
    ssize_t write(const char* from, std::size_t size) override {
        if (!wait(POLLOUT, write_until_)) return -1;
        return send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    void get_remote_ip_and_port(std::string& ip, int& port) const override {
        ip = "127.0.0.1", port = 0;
    }
    void get_local_ip_and_port(std::string& ip, int& port) const override {
        ip = "127.0.0.1", port = 0;
    }
    socket_t socket() const override { return socket_; }

private:
    bool buffered() const { return begin_ < end_; }
    bool wait(short what, Clock::time_point until) const {
        until = std::min(until, Clock::now() + wait_time);
        while (!stopping_ && Clock::now() < until) {
            pollfd p{socket_, what, 0};
            const int n = poll(&p, 1, 100);
            if (n > 0) return true;
            if (n < 0 && errno != EINTR) return false;
        }
        return false;
    }

    int socket_;
    const std::atomic<bool>& stopping_;
    char buffer_[8192];
    std::size_t begin_ = 0, end_ = 0, bytes_left_ = 0;
    Clock::time_point read_until_{}, write_until_{};
};

// What the browser must not do with an answer.
const std::pair<const char*, const char*> headers[] = {
    {"Content-Security-Policy",
     "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"}};

HttpRequest request_of(const httplib::Request& from) {
    HttpRequest to{from.method, from.path, {}, from.body, {}};
    for (const auto& [name, value] : from.params) to.query.emplace(name, value);
    const auto all = [&](const char* name, std::vector<std::string>& values) {
        const auto range = from.headers.equal_range(name);
        for (auto h = range.first; h != range.second; ++h) values.push_back(h->second);
    };
    all("Host", to.asker.hosts);
    all("Origin", to.asker.origins);
    all("X-Knead-Token", to.asker.tokens);
    return to;
}

// What no page of ours sends.
int unusual(const httplib::Request& request) {
    if (request.method != "GET" && request.method != "POST") return 405;
    if (request.target.size() > 512) return 414;
    if (request.has_header("Transfer-Encoding")) return 411;
    if (request.has_header("Range") || request.has_header("Content-Encoding")) return 400;
    if (request.method == "GET" && request.has_header("Content-Length")) return 400;
    return 0;
}

}  // namespace

class HttpServer::Impl : public httplib::Server {
public:
    bool take_port(int port) {
        new_task_queue = [] { return new ConnectionThreads; };
        set_tcp_nodelay(true);
        set_payload_max_length(most_body_bytes);
        // A port that another program listens on must not be shared with it.
        set_socket_options([](socket_t socket) {
            const int yes = 1;
            setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        });
        if (port == 0) return (port_ = bind_to_any_port("127.0.0.1")) > 0;
        port_ = port;
        return bind_to_port("127.0.0.1", port);
    }

    void serve(Admit admit, Answer answer) {
        admit_ = std::move(admit);
        answer_ = std::move(answer);
        set_pre_routing_handler([this](const httplib::Request& q, httplib::Response& a) {
            return before_the_body(q, a) ? HandlerResponse::Handled : HandlerResponse::Unhandled;
        });
        Post("/.*", [this](const httplib::Request& q, httplib::Response& a) {
            give(answer_(request_of(q)), a);
        });
        set_error_handler([](const httplib::Request&, httplib::Response& a) {
            for (const auto& [name, value] : headers)
                if (!a.has_header(name)) a.set_header(name, value);
            if (a.body.empty()) a.set_content(fmt::format("{}\n", a.status), "text/plain");
        });
        if (!stopping_) listen_after_bind();
    }

    int port_ = 0;
    std::atomic<bool> stopping_ = false;

private:
    // Refuses what may not pass, and answers what has no body.
    bool before_the_body(const httplib::Request& q, httplib::Response& a) {
        const HttpRequest request = request_of(q);
        int refusal = admit_(request);
        if (refusal == 0) refusal = unusual(q);
        if (refusal != 0) {
            a.set_header("Connection", "close");  // what follows was not read
            give({refusal, "text/plain", fmt::format("{}\n", refusal), {}}, a);
            return true;
        }
        if (q.method != "GET") return false;
        give(answer_(request), a);
        return true;
    }

    void give(HttpResponse from, httplib::Response& to) {
        to.status = from.status;
        for (const auto& [name, value] : headers) to.set_header(name, value);
        stream()->answer_begins(static_cast<bool>(from.stream));
        if (!from.stream) {
            to.set_header("Content-Type", from.type);
            to.body = std::move(from.body);
            return;
        }
        to.set_header("Connection", "close");
        to.set_chunked_content_provider(
            from.type, [this, next = std::move(from.stream)](std::size_t, httplib::DataSink& sink) {
                std::string piece;
                const bool more = !stopping_ && next(piece);
                if (!piece.empty() && !sink.write(piece.data(), piece.size())) return false;
                if (!more) sink.done();
                return true;
            });
    }

    // Of the connection that this thread serves.
    static TimedStream*& stream() {
        thread_local TimedStream* mine = nullptr;
        return mine;
    }

    bool process_and_close_socket(socket_t socket) override {
        TimedStream mine(socket, stopping_);
        stream() = &mine;
        bool good = true, closed = false;
        for (int left = requests_a_connection; good && !closed && left > 0; --left) {
            if (!mine.wait_for_more()) break;
            mine.request_begins();
            mine.answer_begins(false);
            good = process_request(mine, left == 1, closed, nullptr);
        }
        stream() = nullptr;
        shutdown(socket, SHUT_RDWR);
        close(socket);
        return good;
    }

    Admit admit_;
    Answer answer_;
};

HttpServer::HttpServer(int port) : impl_(std::make_unique<Impl>()) {
    if (!impl_->take_port(port))
        throw RunError(port == 0 ? "no port of this machine is free"
                                 : fmt::format("port {} is taken by another program; without "
                                               "--port a free one is found",
                                               port));
}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return impl_->port_; }

void HttpServer::serve(Admit admit, Answer answer) {
    impl_->serve(std::move(admit), std::move(answer));
}

void HttpServer::stop() {
    impl_->stopping_ = true;
    impl_->stop();
}

bool HttpServer::is_stopping() const { return impl_->stopping_; }

}  // namespace knead::view
