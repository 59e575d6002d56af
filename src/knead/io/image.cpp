#include "knead/io/image.h"

#include <png.h>

#include "knead/base/error.h"
#include "knead/io/atomic_file.h"
#include "knead/io/ply.h"

namespace knead {

void write_png(const std::string& path, const Image& image) {
    png_image info{};
    info.version = PNG_IMAGE_VERSION;
    info.width = static_cast<png_uint_32>(image.width);
    info.height = static_cast<png_uint_32>(image.height);
    info.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(info);
    std::vector<std::uint8_t> bytes(size);
    if (!png_image_write_to_memory(&info, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr))
        throw RunError(path + ": cannot be written: " + info.message);
    AtomicFile file(path);
    file.write(bytes.data(), size);
    file.commit();
}

Image read_png(const std::string& path) {
    const std::string bytes = read_bytes(path);
    png_image info{};
    info.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&info, bytes.data(), bytes.size()))
        throw InputError({path}, info.message);
    info.format = PNG_FORMAT_RGB;
    Image image(static_cast<int>(info.width), static_cast<int>(info.height));
    if (!png_image_finish_read(&info, nullptr, image.rgb.data(), 0, nullptr))
        throw InputError({path}, info.message);
    return image;
}

}  // namespace knead
