/* PNG in, through libpng: 8 bits of red, green, blue and alpha, whatever the file has. */
#include "pleat/io.h"

#include "base/memory.h"

#include <png.h>

enum
{
    SIDE_LIMIT = 16384
};

pleat_result pleat_image_decode(const void *bytes, size_t size, const char *name, const pleat_host *host,
                                pleat_image *out, pleat_error *error)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    pl_memory memory = pl_memory_from(host);
    *out = (pleat_image){0};
    if (!png_image_begin_read_from_memory(&png, bytes, size))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: not a PNG that can be read: %.100s", name, png.message);
    }
    if (png.width > SIDE_LIMIT || png.height > SIDE_LIMIT)
    {
        uint32_t width = png.width, height = png.height;
        png_image_free(&png);
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: %u x %u pixels; each side can be 1 to %d", name, width, height,
                       SIDE_LIMIT);
    }
    png.format = PNG_FORMAT_RGBA;
    uint8_t *pixels = PL_NEW(&memory, uint8_t, PNG_IMAGE_SIZE(png));
    if (!pixels)
    {
        png_image_free(&png);
        return pl_fail_memory(&memory, error, "the pixels of a PNG");
    }
    if (!png_image_finish_read(&png, NULL, pixels, 0, NULL))
    {
        pl_free(&memory, pixels);
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: a broken PNG: %.100s", name, png.message);
    }
    *out = (pleat_image){png.width, png.height, pixels};
    return PLEAT_OK;
}

pleat_result pleat_image_read(const char *path, const pleat_host *host, pleat_image *out, pleat_error *error)
{
    void *bytes;
    size_t size;
    *out = (pleat_image){0};
    PL_TRY(pleat_file_read(path, host, &bytes, &size, error));
    pleat_result result = pleat_image_decode(bytes, size, path, host, out, error);
    pleat_file_free(host, bytes, size);
    return result;
}

void pleat_image_free(const pleat_host *host, pleat_image *image)
{
    pl_memory memory = pl_memory_from(host);
    pl_free(&memory, image->pixels);
    *image = (pleat_image){0};
}
