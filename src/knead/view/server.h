// The viewer's server: a page, and what it asks of a run. Pages hear by a stream of events that
// there is news, and fetch what they need.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "knead/view/http.h"
#include "knead/view/watched_run.h"

namespace knead::view {

// What a page may ask of the run that is shown.
class Control {
public:
    virtual ~Control() = default;
    // How it goes, as a JSON object; `version` of it grows with every change.
    virtual std::string state() = 0;
    virtual std::int64_t version() = 0;
    // "pause", "resume" or "stop"; "set" with "key.path=value" for each setting. InputError where
    // that cannot be done.
    virtual void act(const std::string& action, const std::vector<std::string>& settings) = 0;
};

inline constexpr int most_streams = 16;

class ViewServer {
public:
    // `control` is null where there is no run to ask. All must outlive it. Without `may_change`
    // pages can only look.
    ViewServer(WatchedRun& run, Control* control, bool may_change, int port);

    std::string link() const;  // with the token
    void serve();              // until stop()
    void stop() { http_.stop(); }

private:
    int admit(const HttpRequest& request) const;
    HttpResponse answer(const HttpRequest& request);
    HttpResponse data(const HttpRequest& request, const std::string& what);
    HttpResponse events();
    HttpResponse change(const HttpRequest& request);
    std::string described();
    std::int64_t version();

    WatchedRun& run_;
    Control* control_;
    bool may_change_;
    HttpServer http_;
    Guard guard_;
    std::atomic<int> streams_ = 0;
};

}  // namespace knead::view
