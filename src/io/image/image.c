/* Pictures in: 8 bits of red, green, blue and alpha, whatever the file has. PNG through libpng, JPEG in jpeg.c. */
#include "io/image/jpeg.h"

#include <png.h>

static pleat_result decode_png(const void *bytes, size_t size, const char *name, pl_memory *memory, pleat_image *out,
                               pleat_error *error)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&png, bytes, size))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: not a PNG or JPEG that can be read: %.100s", name, png.message);
    }
    if (png.width > PL_IMAGE_SIDE || png.height > PL_IMAGE_SIDE)
    {
        uint32_t width = png.width, height = png.height;
        png_image_free(&png);
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: %u x %u pixels; each side can be 1 to %d", name, width, height,
                       PL_IMAGE_SIDE);
    }
    png.format = PNG_FORMAT_RGBA;
    uint8_t *pixels = PL_NEW(memory, uint8_t, PNG_IMAGE_SIZE(png));
    if (!pixels)
    {
        png_image_free(&png);
        return pl_fail_memory(memory, error, "the pixels of a PNG");
    }
    if (!png_image_finish_read(&png, NULL, pixels, 0, NULL))
    {
        pl_free(memory, pixels);
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: a broken PNG: %.100s", name, png.message);
    }
    *out = (pleat_image){png.width, png.height, pixels};
    return PLEAT_OK;
}

pleat_result pleat_image_decode(const void *bytes, size_t size, const char *name, const pleat_host *host,
                                pleat_image *out, pleat_error *error)
{
    pl_memory memory = pl_memory_from(host);
    *out = (pleat_image){0};
    return pl_jpeg_is(bytes, size) ? pl_jpeg_decode(bytes, size, name, &memory, out, error)
                                   : decode_png(bytes, size, name, &memory, out, error);
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
