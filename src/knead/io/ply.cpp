#include "knead/io/ply.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include "knead/base/error.h"
#include "knead/base/input_file.h"
#include "knead/geometry/ply_header.h"

namespace knead {

namespace {

class Parser {
public:
    Parser(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    PlyFile parse() {
        PlyHeader header = read_ply_header(bytes_, name_);
        if (header.layout != PlyLayout::little_endian) fail("unknown PLY format");
        at_ = header.end;
        file_.comments = std::move(header.comments);
        for (const PlyElementHeader& e : header.elements) read_element(e);
        return std::move(file_);
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw InputError({name_}, what, "knead reads binary little-endian PLY");
    }

    void read_element(const PlyElementHeader& d) {
        // a count that the rest of the file cannot hold must not be allocated
        std::size_t least = 0;
        for (const PlyProperty& p : d.properties) least += p.least_size();
        if (d.count > 0 && (least == 0 || d.count > (bytes_.size() - at_) / least))
            fail(fmt::format("the file is cut short: {} rows of '{}' are promised", d.count,
                             d.name));
        PlyElement e{d.name, d.count, {}, {}};
        for (const PlyProperty& p : d.properties) {
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

    void read_row(const PlyElementHeader& d, std::size_t i, PlyElement& e) {
        std::size_t column = 0, list = 0;
        for (const PlyProperty& p : d.properties) {
            if (p.is_list) {
                PlyList& l = e.lists[list++];
                const auto n = integer(p.count_type);
                if (n < 0 || static_cast<std::size_t>(n) > bytes_.size() - at_)
                    fail("the file is cut short: a list ends beyond it");
                for (std::int32_t k = 0; k < n; ++k)
                    if (is_real(p.type))
                        l.reals.push_back(real(p.type));
                    else
                        l.values.push_back(integer(p.type));
                l.starts.push_back(l.starts.back() + static_cast<std::size_t>(n));
            } else if (is_real(p.type)) {
                std::get<std::vector<float>>(e.columns[column++].values)[i] = real(p.type);
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

    float real(PlyType type) {
        return type == PlyType::f32 ? take<float>() : narrow(take<double>());
    }
    std::int32_t integer(PlyType type) {
        switch (type) {
            case PlyType::i8:
                return take<std::int8_t>();
            case PlyType::u8:
                return take<std::uint8_t>();
            case PlyType::i16:
                return take<std::int16_t>();
            case PlyType::u16:
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

std::string read_bytes(const std::string& path) { return read_input(path, frame_input); }

}  // namespace knead
