#include "knead/view/page.h"

#include <iterator>

#include "page_config.h"  // KNEAD_PAGE, or KNEAD_NO_PAGE; written by cmake/build_page.cmake

#ifdef KNEAD_PAGE
// The assembler puts the bytes of each file between two labels.
#define KNEAD_FILE(NAME, FILE)                                                                \
    asm(".section .rodata\n.balign 16\nknead_page_" #NAME ":\n.incbin \"" KNEAD_PAGE "/" FILE \
        "\"\nknead_page_" #NAME "_end:\n.byte 0\n.previous\n");                               \
    extern "C" const char knead_page_##NAME[];                                                \
    extern "C" const char knead_page_##NAME##_end[];

KNEAD_FILE(html, "index.html")
KNEAD_FILE(js, "app.js")
KNEAD_FILE(css, "app.css")
KNEAD_FILE(worker, "worker.js")
KNEAD_FILE(icon, "icon.svg")
KNEAD_FILE(notices, "notices.txt")
#endif

namespace knead::view {

#ifdef KNEAD_PAGE
namespace {
struct Named {
    std::string_view path;
    PageFile file;
};
const Named* files(std::size_t& count) {
#define KNEAD_BYTES(NAME)                                                                        \
    std::string_view {                                                                           \
        knead_page_##NAME, static_cast<std::size_t>(knead_page_##NAME##_end - knead_page_##NAME) \
    }
    static const Named all[] = {
        {"/", {KNEAD_BYTES(html), "text/html; charset=utf-8"}},
        {"/app.js", {KNEAD_BYTES(js), "text/javascript; charset=utf-8"}},
        {"/app.css", {KNEAD_BYTES(css), "text/css; charset=utf-8"}},
        {"/worker.js", {KNEAD_BYTES(worker), "text/javascript; charset=utf-8"}},
        {"/icon.svg", {KNEAD_BYTES(icon), "image/svg+xml"}},
        {"/notices.txt", {KNEAD_BYTES(notices), "text/plain; charset=utf-8"}}};
    count = std::size(all);
    return all;
}
}  // namespace

std::optional<PageFile> page_file(std::string_view path) {
    std::size_t count = 0;
    const Named* all = files(count);
    for (std::size_t i = 0; i < count; ++i)
        if (all[i].path == path) return all[i].file;
    return {};
}
bool has_page() { return !page_file("/")->bytes.empty(); }
#else
std::optional<PageFile> page_file(std::string_view) { return {}; }
bool has_page() { return false; }
#endif

std::string why_no_page() {
#ifdef KNEAD_PAGE
    return {};
#else
    return KNEAD_NO_PAGE;
#endif
}

}  // namespace knead::view
