#include "knead/scene/read_toml.h"

#include <algorithm>
#include <sstream>

// Nested deeper than any scene needs, and shallow enough for every stack.
#define TOML_MAX_NESTED_VALUES 48
#define TOML_EXCEPTIONS 0
// The packaged library knows neither of the two, so the parser is compiled here.
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace knead {

namespace {

constexpr std::size_t largest_file = std::size_t{16} << 20;
constexpr int most_syntax_mistakes = 20;
constexpr int most_dots = 16;

Place place_of(const toml::source_region& source, const std::string& file) {
    return {file, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
}

Value convert(const toml::node& node, const std::string& file);

Value convert_table(const toml::table& table, const std::string& file) {
    Value out;
    for (const auto& [key, node] : table) {
        Entry entry{std::string(key.str()), place_of(key.source(), file), convert(node, file)};
        // Tables born from a header or a dotted key carry no place of their own.
        if (entry.value.place.line == 0) entry.value.place = entry.place;
        out.entries.push_back(std::move(entry));
    }
    // toml++ sorts by name; a person's order is that of the file.
    std::stable_sort(out.entries.begin(), out.entries.end(), [](const Entry& a, const Entry& b) {
        return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
    return out;
}

template <class T>
std::string print(const T& date) {
    std::ostringstream text;
    text << date;
    return text.str();
}

Value convert(const toml::node& node, const std::string& file) {
    Value out;
    if (const auto* b = node.as_boolean()) {
        out = Value::of(b->get());
    } else if (const auto* i = node.as_integer()) {
        out = Value::of(i->get());
    } else if (const auto* d = node.as_floating_point()) {
        out = Value::of(d->get());
    } else if (const auto* s = node.as_string()) {
        out = Value::of(s->get());
    } else if (const auto* a = node.as_array()) {
        out = Value::list({});
        for (const auto& item : *a) out.items.push_back(convert(item, file));
    } else if (const auto* t = node.as_table()) {
        out = convert_table(*t, file);
    } else {
        out.kind = Value::Kind::date;
        if (const auto* date = node.as_date()) out.text = print(date->get());
        if (const auto* time = node.as_time()) out.text = print(time->get());
        if (const auto* both = node.as_date_time()) out.text = print(both->get());
    }
    out.place = place_of(node.source(), file);
    return out;
}

// A key of thousands of dots would nest tables deeper than the stack. Finds such a line. Marks that
// end a key do not count as such in quotes, so dots behind quotes are counted apart, by line.
int line_of_endless_key(std::string_view text) {
    int line = 1, dots = 0, dots_behind_quotes = 0;
    char last = '\n';
    for (const char c : text) {
        if (c == '.' && (last == '"' || last == '\'')) ++dots_behind_quotes;
        if (c == '.') dots = last == '.' ? 0 : dots + 1;  // two in a row are no key
        if (c == '\n') ++line, dots_behind_quotes = 0;
        if (c == '\n' || c == '=' || c == ',' || c == '{' || c == '[' || c == '#') dots = 0;
        if (c != ' ' && c != '\t') last = c;
        if (dots > most_dots || dots_behind_quotes > most_dots) return line;
    }
    return 0;
}

std::string remedy_for(const std::string& what) {
    if (what.find("inline table") != std::string::npos)
        return "an inline table {...} stands on one line, its keys apart by commas";
    if (what.find("redefine") != std::string::npos || what.find("duplicate") != std::string::npos)
        return "keep one of the two";
    if (what.find("value") != std::string::npos)
        return "text needs quotes, numbers look like 1, -2.5 or 1e-3, lists like [1, 2, 3]";
    return "see https://toml.io for how TOML is written";
}

Mistake syntax_mistake(const toml::parse_error& error, const std::string& file) {
    std::string what = std::string(error.description());
    if (what.rfind("Error while parsing", 0) == 0) what = "while reading" + what.substr(19);
    return {place_of(error.source(), file), "not TOML: " + what, remedy_for(what)};
}

struct Line {
    std::size_t begin, end;
};

Line find_line(std::string_view text, int number) {
    std::size_t begin = 0;
    for (int i = 1; i < number; ++i) {
        const std::size_t next = text.find('\n', begin);
        if (next == std::string_view::npos) return {text.size(), text.size()};
        begin = next + 1;
    }
    return {begin, std::min(text.find('\n', begin), text.size())};
}

// Can the rest be read without this line? Only when all before it is whole, and it is a
// `key = value` that neither opens a table nor runs on into the next line.
bool stands_alone(std::string_view text, const Line& line) {
    const std::string_view words = text.substr(line.begin, line.end - line.begin);
    const std::size_t first = words.find_first_not_of(" \t");
    if (first == std::string_view::npos || words[first] == '[') return false;
    if (words.find('=') == std::string_view::npos) return false;
    const auto count = [&](char c) { return std::count(words.begin(), words.end(), c); };
    if (count('[') != count(']') || count('{') != count('}')) return false;
    if (words.find("\"\"\"") != std::string_view::npos) return false;
    if (words.find("'''") != std::string_view::npos) return false;
    return static_cast<bool>(toml::parse(text.substr(0, line.begin)));
}

}  // namespace

TomlReading read_toml(std::string_view text, const std::string& file) {
    TomlReading out;
    const auto refuse = [&](int line, const char* what, const char* remedy) {
        out.mistakes.push_back({Place{file, line, line ? 1 : 0}, what, remedy});
        return out;
    };
    if (text.size() > largest_file)
        return refuse(0, "the file is larger than 16 MiB", "keep big data in meshes");
    if (const int line = line_of_endless_key(text))
        return refuse(line, "more than 16 dots in one key", "nest less deeply");

    std::string rest(text);
    for (int attempt = 0; attempt < most_syntax_mistakes; ++attempt) {
        const toml::parse_result parsed = toml::parse(rest);
        if (parsed) {
            out.tree = convert_table(parsed.table(), file);
            out.tree->place = Place{file, 1, 1};
            return out;
        }
        out.mistakes.push_back(syntax_mistake(parsed.error(), file));
        const Line line = find_line(rest, out.mistakes.back().place.line);
        if (!stands_alone(rest, line)) return out;
        std::fill(rest.begin() + static_cast<std::ptrdiff_t>(line.begin),
                  rest.begin() + static_cast<std::ptrdiff_t>(line.end), ' ');
    }
    return out;
}

std::optional<Value> read_toml_value(std::string_view text) {
    if (text.size() > largest_file || line_of_endless_key(text)) return {};
    const toml::parse_result parsed = toml::parse("value = " + std::string(text));
    if (!parsed || parsed.table().size() != 1) return {};
    return convert(*parsed.table().get("value"), "");
}

}  // namespace knead
