// Any bytes as a frame of particles, looked at as every command does.
#include "knead/base/error.h"
#include "knead/io/frame_reader.h"
#include "knead/io/ply.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        const knead::Frame frame = knead::parse_frame(bytes, "frame.ply");
        if (frame.positions().size() != frame.count) std::abort();
        for (const knead::FrameColumn& column : frame.columns)
            if (column.size() != frame.count) std::abort();
        for (const auto& t : frame.triangles.corners)
            for (const auto row : t)
                if (static_cast<std::size_t>(row) >= frame.count) std::abort();
        for (const auto& e : frame.segments.corners)
            for (const auto row : e)
                if (static_cast<std::size_t>(row) >= frame.count) std::abort();
        for (const char* name : {"pscale", "vx", "body"})
            if (frame.find(name)) frame.floats(name);
        frame.integers("body");
    } catch (const knead::InputError&) {
    }
    return 0;
}
