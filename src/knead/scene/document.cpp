#include "knead/scene/document.h"

#include "knead/scene/keys.h"

namespace knead {

namespace {

std::string cell(std::string text) {
    for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2)
        text.insert(i, "\\");
    return text;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

// A default is TOML unless it is words.
std::string default_of(const KeyInfo& key) {
    if (key.required) return "**required**";
    const bool words = key.fallback.find(' ') != std::string::npos &&
                       key.fallback.find_first_of("[\"") == std::string::npos;
    return words ? key.fallback : code(key.fallback);
}

std::string heading(const std::string& path) {
    if (path.empty()) return "Top of the file";
    if (path.ends_with("[]")) {
        std::string name = path.substr(0, path.size() - 2);
        for (std::size_t i; (i = name.find("[]")) != std::string::npos;) name.erase(i, 2);
        return "`[[" + name + "]]`";
    }
    if (path.starts_with("SHAPE")) return path == "SHAPE" ? "Shapes" : "`" + path.substr(6) + "`";
    std::string name = path;
    for (std::size_t i; (i = name.find("[]")) != std::string::npos;) name.erase(i, 2);
    return "`[" + name + "]`";
}

}  // namespace

std::string document_keys() {
    std::string out;
    for (const TableInfo& table : all_tables()) {
        const bool form = table.path.starts_with("SHAPE.");
        out += (form ? "\n#### " : "\n### ") + heading(table.path) + "\n\n";
        out += static_cast<char>(std::toupper(table.doc[0])) + table.doc.substr(1) + ".\n\n";
        out +=
            "| key | type | unit | default | allowed | |\n| --- | --- | --- | --- | --- | --- |\n";
        for (const KeyInfo& key : table.keys)
            out += "| `" + key.name + "` | " + cell(key.type) + " | " + key.unit + " | " +
                   cell(default_of(key)) + " | " + key.range + " | " + cell(key.doc) + " |\n";
    }
    return out;
}

}  // namespace knead
