#include "knead/view/export_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "knead/base/error.h"
#include "knead/io/frame_columns.h"
#include "knead/view/page.h"

namespace knead::view {

namespace {

using Json = nlohmann::ordered_json;

// Nothing but what stands in the page is run or asked for.
constexpr const char* policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
    "blob:";

std::string base64(std::string_view bytes) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t k) {
            return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u;
        };
        const unsigned three = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (std::size_t k = 0; k < 4; ++k)
            out += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

// Within a script nothing may look like its end, nor like a comment of HTML.
std::string within_script(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        out += text[i];
        const std::string_view next = text.substr(i + 1, 7);
        if (text[i] == '<' && (next == "/script" || next.starts_with("!--"))) out += '\\';
    }
    return out;
}

std::string json_in_page(const Json& json) {
    std::string out;
    for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace))
        c == '<' ? out += "\\u003c" : out += c;
    return out;
}

std::string text_in_page(std::string_view text) {
    std::string out;
    for (const char c : text) c == '<' ? out += "&lt;" : c == '&' ? out += "&amp;" : out += c;
    return out;
}

void add_data(std::string& html, const std::string& id, const std::string& message) {
    html += "<script type=\"application/octet-stream\" id=\"" + id + "\">" + base64(message) +
            "</script>\n";
}

// What the page is told of the run: nothing of where it lies.
Json description_of(WatchedRun& run, const std::vector<int>& frames, int every,
                    const std::string& column) {
    Json json = Json::parse(run.description());
    const std::filesystem::path folder(json["folder"].get<std::string>());
    json["folder"] = std::filesystem::absolute(folder).lexically_normal().filename().string();
    json["frames"] = frames;
    json["surfaces"] = Json::array();
    json["frame_rate"] = json["frame_rate"].get<double>() / every;
    json["may_change"] = false;
    json["control"] = nullptr;
    Json columns = Json::array();
    for (const Json& c : json["columns"])
        if (c["name"] == column) columns.push_back(c);
    if (!column.empty() && columns.empty())
        throw InputError({"--color-by"}, "the run has no column " + column,
                         "`knead info` of a frame lists them");
    json["columns"] = columns;
    return json;
}

int thinning_of(const WatchedRun& run, const std::vector<int>& frames, double megabytes) {
    constexpr double bytes_a_particle = 8;
    std::size_t most = 0;
    for (const int frame : frames)
        most = std::max(most, FrameColumns(run.folder().frame(frame)).count());
    const double all = bytes_a_particle * static_cast<double>(most * frames.size());
    return std::max(1, static_cast<int>(std::ceil(all / (1e6 * megabytes))));
}

}  // namespace

ExportedPage export_page(WatchedRun& run, const PageSettings& settings) {
    ExportedPage page;
    const auto files = run.folder().frame_files();
    if (files.empty())
        throw InputError({run.folder().path()}, "there are no frames in this folder",
                         "`knead run SCENE` makes some");
    const auto most = static_cast<std::size_t>(settings.frames);
    page.every = static_cast<int>((files.size() + most - 1) / most);
    std::vector<int> frames;
    for (std::size_t k = 0; k < files.size(); k += static_cast<std::size_t>(page.every))
        frames.push_back(frame_number(files[k]));
    page.frames = static_cast<int>(frames.size());
    page.particle = thinning_of(run, frames, settings.megabytes);

    const Json description = description_of(run, frames, page.every, settings.column);
    const std::string title = description["title"].get<std::string>();
    const Json range = settings.column.empty() ? Json{{"lo", 0}, {"hi", 1}}
                                               : Json::parse(run.range(settings.column));
    std::string& html = page.html;
    html = fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">"
        "<title>{}</title>\n<style>{}</style></head><body>\n",
        policy, text_in_page(title.empty() ? "knead" : title), page_file("/app.css")->bytes);
    html += "<script type=\"application/json\" id=\"knead-run\">" +
            json_in_page({{"run", description},
                          {"column", settings.column},
                          {"range", range},
                          {"statistics", Json::parse(run.statistics())}}) +
            "</script>\n<script type=\"text/plain\" id=\"knead-notices\">" +
            within_script(page_file("/notices.txt")->bytes) + "</script>\n";
    add_data(html, "knead-colliders", run.colliders());
    for (const int frame : frames)
        add_data(html, fmt::format("knead-frame-{}", frame),
                 run.frame(frame, settings.column, page.particle));
    html += "<script type=\"module\">" + within_script(page_file("/app.js")->bytes) +
            "</script>\n</body></html>\n";
    return page;
}

}  // namespace knead::view
