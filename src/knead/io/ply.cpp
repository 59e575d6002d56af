#include "knead/io/ply.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "knead/base/error.h"
#include "knead/io/atomic_file.h"

namespace knead {

namespace {

enum class Scalar { i8, u8, i16, u16, i32, u32, f32, f64 };

struct Property {
    std::string name;
    Scalar type = Scalar::f32;
    bool is_list = false;
    Scalar count_type = Scalar::u8;
};

struct Declaration {
    std::string name;
    std::size_t count = 0;
    std::vector<Property> properties;
};

std::size_t width_of(Scalar s) {
    constexpr std::size_t widths[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return widths[static_cast<int>(s)];
}

bool is_real(Scalar s) { return s == Scalar::f32 || s == Scalar::f64; }

class Parser {
public:
    Parser(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    PlyFile parse() {
        read_header();
        for (const Declaration& d : declarations_) read_element(d);
        return std::move(file_);
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw InputError({name_, line_, 0}, what, "knead reads binary little-endian PLY");
    }

    std::string next_line() {
        const std::size_t end = bytes_.find('\n', at_);
        if (end == std::string_view::npos || end - at_ > 4096) fail("the PLY header has no end");
        std::string line(bytes_.substr(at_, end - at_));
        if (!line.empty() && line.back() == '\r') line.pop_back();
        at_ = end + 1;
        ++line_;
        return line;
    }

    void read_header() {
        if (next_line() != "ply") fail("this is no PLY file");
        if (next_line() != "format binary_little_endian 1.0") fail("unknown PLY format");
        for (;;) {
            const std::string line = next_line();
            std::istringstream words(line);
            std::string word;
            words >> word;
            if (word == "end_header") break;
            if (word == "comment") {
                file_.comments.push_back(line.size() > 8 ? line.substr(8) : "");
            } else if (word == "element") {
                read_declaration(words);
            } else if (word == "property") {
                read_property(words);
            } else if (word != "obj_info") {
                fail("unknown word '" + word + "' in the PLY header");
            }
        }
        line_ = 0;
    }

    void read_declaration(std::istringstream& words) {
        Declaration d;
        long long count = -1;
        if (!(words >> d.name >> count) || count < 0) fail("element without a name or a count");
        d.count = static_cast<std::size_t>(count);
        declarations_.push_back(d);
    }

    void read_property(std::istringstream& words) {
        if (declarations_.empty()) fail("property before any element");
        Property p;
        std::string type;
        words >> type;
        if (type == "list") {
            p.is_list = true;
            words >> type;
            p.count_type = scalar(type);
            words >> type;
            if (is_real(p.count_type)) fail("list with a count that is not a whole number");
        }
        p.type = scalar(type);
        if (!(words >> p.name)) fail("property without a name");
        if (p.is_list && is_real(p.type)) fail("list of numbers that are not whole");
        declarations_.back().properties.push_back(p);
    }

    Scalar scalar(const std::string& type) const {
        static const std::pair<const char*, Scalar> names[] = {
            {"char", Scalar::i8},     {"int8", Scalar::i8},     {"uchar", Scalar::u8},
            {"uint8", Scalar::u8},    {"short", Scalar::i16},   {"int16", Scalar::i16},
            {"ushort", Scalar::u16},  {"uint16", Scalar::u16},  {"int", Scalar::i32},
            {"int32", Scalar::i32},   {"uint", Scalar::u32},    {"uint32", Scalar::u32},
            {"float", Scalar::f32},   {"float32", Scalar::f32}, {"double", Scalar::f64},
            {"float64", Scalar::f64},
        };
        for (const auto& [name, s] : names)
            if (type == name) return s;
        fail("unknown property type '" + type + "'");
    }

    void read_element(const Declaration& d) {
        // a count that the rest of the file cannot hold must not be allocated
        std::size_t least = 0;
        for (const Property& p : d.properties) least += width_of(p.is_list ? p.count_type : p.type);
        if (d.count > 0 && (least == 0 || d.count > (bytes_.size() - at_) / least))
            fail(fmt::format("the file is cut short: {} rows of '{}' are promised", d.count,
                             d.name));
        PlyElement e{d.name, d.count, {}, {}};
        for (const Property& p : d.properties) {
            if (p.is_list)
                e.lists.push_back({p.name, {0}, {}});
            else if (is_real(p.type))
                e.columns.push_back({p.name, std::vector<float>(d.count)});
            else
                e.columns.push_back({p.name, std::vector<std::int32_t>(d.count)});
        }
        for (std::size_t i = 0; i < d.count; ++i) read_row(d, i, e);
        file_.elements.push_back(std::move(e));
    }

    void read_row(const Declaration& d, std::size_t i, PlyElement& e) {
        std::size_t column = 0, list = 0;
        for (const Property& p : d.properties) {
            if (p.is_list) {
                PlyList& l = e.lists[list++];
                const auto n = integer(p.count_type);
                if (n < 0 || static_cast<std::size_t>(n) > bytes_.size() - at_)
                    fail("the file is cut short: a list ends beyond it");
                for (std::int32_t k = 0; k < n; ++k) l.values.push_back(integer(p.type));
                l.starts.push_back(l.values.size());
            } else if (is_real(p.type)) {
                auto& out = std::get<std::vector<float>>(e.columns[column++].values);
                out[i] = p.type == Scalar::f32 ? take<float>() : narrow(take<double>());
            } else {
                std::get<std::vector<std::int32_t>>(e.columns[column++].values)[i] =
                    integer(p.type);
            }
        }
    }

    static float narrow(double a) {
        constexpr double top = 3.4e38;  // beyond it the conversion would be undefined
        return std::abs(a) > top ? std::copysign(INFINITY, static_cast<float>(a > 0 ? 1 : -1))
                                 : static_cast<float>(a);
    }

    std::int32_t integer(Scalar type) {
        switch (type) {
            case Scalar::i8:
                return take<std::int8_t>();
            case Scalar::u8:
                return take<std::uint8_t>();
            case Scalar::i16:
                return take<std::int16_t>();
            case Scalar::u16:
                return take<std::uint16_t>();
            default:
                return take<std::int32_t>();
        }
    }

    template <class T>
    T take() {
        if (bytes_.size() - at_ < sizeof(T)) fail("the file is cut short");
        T value;
        std::memcpy(&value, bytes_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }

    std::string_view bytes_;
    const std::string& name_;
    std::size_t at_ = 0;
    int line_ = 0;
    std::vector<Declaration> declarations_;
    PlyFile file_;
};

}  // namespace

const PlyElement* PlyFile::find(const std::string& name) const {
    for (const PlyElement& e : elements)
        if (e.name == name) return &e;
    return nullptr;
}

void PlyFile::read_stamp(int& frame, double& time) const {
    for (const std::string& comment : comments) {
        const char* end = comment.data() + comment.size();
        if (comment.starts_with("frame ")) std::from_chars(comment.data() + 6, end, frame);
        if (comment.starts_with("time ")) std::from_chars(comment.data() + 5, end, time);
    }
}

PlyFile parse_ply(std::string_view bytes, const std::string& name) {
    return Parser(bytes, name).parse();
}

std::string read_bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream bytes;
    if (!in || !(bytes << in.rdbuf())) throw InputError({path}, "the file cannot be read");
    return std::move(bytes).str();
}

}  // namespace knead
