// The files of the page: built from web/ and put into the program, where npm was there to build
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace knead::view {

struct PageFile {
    std::string_view bytes;
    const char* type;
};

// "/", "/app.js", ...; nothing where there is no such file.
std::optional<PageFile> page_file(std::string_view path);
bool has_page();
// Why there is none, and what to do about it; "" where there is one.
std::string why_no_page();

}  // namespace knead::view
