#include "knead/view/server.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "knead/base/error.h"
#include "knead/view/page.h"

namespace knead::view {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view api = "/api/";

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HttpResponse trouble(int status, const std::string& what) {
    return {status, "application/json", text_of({{"error", what}}), {}};
}

HttpResponse message(std::string bytes) {
    return {200, "application/octet-stream", std::move(bytes), {}};
}

// A whole number and nothing else; -1 where it is none.
std::int64_t number_of(std::string_view text) {
    std::int64_t n = -1;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), n);
    const bool good = !text.empty() && text.size() <= 10 && text[0] != '-' &&
                      end.ec == std::errc{} && end.ptr == text.data() + text.size();
    return good ? n : -1;
}

std::string parameter(const HttpRequest& request, const char* name) {
    const auto found = request.query.find(name);
    return found == request.query.end() ? "" : found->second;
}

// The number at the end of "frame/12".
int number_after(const std::string& what, std::string_view word) {
    if (what.rfind(word, 0) != 0) return -1;
    const std::int64_t n = number_of(std::string_view(what).substr(word.size()));
    return n <= 99999999 ? static_cast<int>(n) : -1;
}

}  // namespace

ViewServer::ViewServer(WatchedRun& run, Control* control, bool may_change, int port)
    : run_(run),
      control_(control),
      may_change_(may_change),
      http_(port),
      guard_(http_.port(), random_token()) {}

std::string ViewServer::link() const {
    return fmt::format("http://127.0.0.1:{}/#token={}", http_.port(), guard_.token());
}

void ViewServer::serve() {
    http_.serve([this](const HttpRequest& request) { return admit(request); },
                [this](const HttpRequest& request) { return answer(request); });
}

int ViewServer::admit(const HttpRequest& request) const {
    Asker asker = request.asker;
    asker.changes = request.method != "GET";
    asker.is_secret = request.path.rfind(api, 0) == 0;
    return guard_.refusal(asker);
}

HttpResponse ViewServer::answer(const HttpRequest& request) {
    try {
        if (request.path.rfind(api, 0) == 0) {
            const std::string what = request.path.substr(api.size());
            if (request.method == "GET") return data(request, what);
            return what == "control" ? change(request) : trouble(404, "there is nothing here");
        }
        const auto file = page_file(request.path);
        if (request.method != "GET" || !file) return trouble(404, "there is nothing here");
        return {200, file->type, std::string(file->bytes), {}};
    } catch (const InputError& error) {
        return trouble(request.method == "GET" ? 404 : 400, error.what());
    } catch (const std::exception& error) {
        return trouble(500, error.what());
    }
}

HttpResponse ViewServer::data(const HttpRequest& request, const std::string& what) {
    const std::string column = parameter(request, "column");
    if (what == "run") return {200, "application/json", described(), {}};
    if (what == "stats") return {200, "application/json", run_.statistics(), {}};
    if (what == "range") return {200, "application/json", run_.range(column), {}};
    if (what == "colliders") return message(run_.colliders());
    if (what == "events") return events();
    if (const int n = number_after(what, "frame/"); n >= 0) return message(run_.frame(n, column));
    if (const int n = number_after(what, "surface/"); n >= 0)
        return message(run_.surface(n, column));
    if (const int n = number_after(what, "pick/"); n >= 0) {
        const std::string vertex = parameter(request, "vertex");
        const std::string point = vertex.empty() ? parameter(request, "point") : vertex;
        return {200, "application/json", run_.pick(n, number_of(point), !vertex.empty()), {}};
    }
    return trouble(404, "there is nothing here");
}

std::string ViewServer::described() {
    Json json = Json::parse(run_.description());
    json["may_change"] = may_change_ && control_;
    json["control"] = control_ ? Json::parse(control_->state()) : Json(nullptr);
    return text_of(json);
}

std::int64_t ViewServer::version() { return run_.look() + (control_ ? control_->version() : 0); }

HttpResponse ViewServer::events() {
    // Counted as long as the stream lives.
    const std::shared_ptr<void> counted(nullptr, [this](void*) { --streams_; });
    if (++streams_ > most_streams) return trouble(503, "too many pages listen; close one");
    HttpResponse response{200, "text/event-stream", "", {}};
    response.stream = [this, counted, last = std::int64_t{-1},
                       quiet = 0](std::string& piece) mutable {
        if (last >= 0) std::this_thread::sleep_for(std::chrono::milliseconds(150));
        const std::int64_t now = version();
        if (now != last) {
            piece = fmt::format("data: {{\"version\":{}}}\n\n", now);
            last = now, quiet = 0;
        } else if (++quiet >= 20) {
            piece = ":\n\n";  // finds out who has gone
            quiet = 0;
        }
        return true;
    };
    return response;
}

HttpResponse ViewServer::change(const HttpRequest& request) {
    if (!may_change_) return trouble(403, "this server only shows; start it with --control");
    if (!control_) return trouble(409, "this run is not this server's; give it the scene");
    const Json body = Json::parse(request.body, nullptr, false);
    if (!body.is_object() || !body.contains("action") || !body["action"].is_string())
        return trouble(400, "the body must be an object with an action");
    std::vector<std::string> settings;
    if (body.contains("settings")) {
        if (!body["settings"].is_array()) return trouble(400, "settings must be a list of texts");
        for (const Json& s : body["settings"]) {
            if (!s.is_string()) return trouble(400, "settings must be a list of texts");
            settings.push_back(s.get<std::string>());
        }
    }
    control_->act(body["action"].get<std::string>(), settings);
    return {200, "application/json", control_->state(), {}};
}

}  // namespace knead::view
