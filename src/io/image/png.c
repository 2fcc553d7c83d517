/* PNG out, through libpng. The bytes depend on the pixels and the library's version alone: no time stamp, fixed
 * compression. */
#include "io/file/output.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

typedef struct png_state
{
    pl_output *output;
    pleat_error *error;
    pleat_result result;
} png_state;

static void write_png_bytes(png_structp png, png_bytep bytes, png_size_t size)
{
    png_state *state = png_get_io_ptr(png);
    state->result = pl_output_write(state->output, bytes, size, state->error);
    if (state->result != PLEAT_OK)
    {
        png_longjmp(png, 1);
    }
}

static void flush_png_bytes(png_structp png)
{
    (void)png;
}

static void fail_png(png_structp png, png_const_charp message)
{
    png_state *state = png_get_error_ptr(png);
    state->result =
        pl_fail(state->error, PLEAT_FILE_ERROR, "%.300s: libpng: %.100s", pl_output_path(state->output), message);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static pleat_result check_image(const char *path, const pleat_png *png, pleat_error *error)
{
    if (png->width == 0 || png->height == 0 || png->width > PNG_USER_WIDTH_MAX || png->height > PNG_USER_HEIGHT_MAX)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: the picture is %u x %u; each side can be 1 to %u", path,
                       png->width, png->height, PNG_USER_WIDTH_MAX);
    }
    if (png->channel_count < 1 || png->channel_count > 4)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: channel_count is %u; it can be 1 to 4", path,
                       png->channel_count);
    }
    if (png->bits != 8 && png->bits != 16)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: bits is %u; it can be 8 or 16", path, png->bits);
    }
    return PLEAT_OK;
}

static void write_picture(png_structp png, png_infop info, const pleat_png *picture)
{
    static const int color_types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                      PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_compression_level(png, picture->fast ? 1 : 6);
    if (picture->fast)
    {
        png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
    }
    png_set_IHDR(png, info, picture->width, picture->height, (int)picture->bits,
                 color_types[picture->channel_count - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (picture->bits == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    {
        png_set_swap(png);
    }
    size_t stride = (size_t)picture->width * picture->channel_count * (picture->bits / 8);
    for (uint32_t y = 0; y < picture->height; ++y)
    {
        png_write_row(png, (png_const_bytep)picture->pixels + y * stride);
    }
    png_write_end(png, info);
}

pleat_result pleat_png_write_in(const char *path, const pleat_png *picture, pleat_outputs *outputs,
                                const pleat_host *host, pleat_error *error)
{
    PL_TRY(check_image(path, picture, error));
    png_state state = {.error = error};
    PL_TRY(pl_output_begin(path, host, &state.output, error));
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &state, fail_png, ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info)
    {
        png_destroy_write_struct(&png, NULL);
        pl_output_abort(state.output);
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for a PNG");
    }
    if (setjmp(png_jmpbuf(png)))
    {
        png_destroy_write_struct(&png, &info);
        pl_output_abort(state.output);
        return state.result;
    }
    png_set_write_fn(png, &state, write_png_bytes, flush_png_bytes);
    write_picture(png, info, picture);
    png_destroy_write_struct(&png, &info);
    return pl_output_end(state.output, outputs, error);
}

pleat_result pleat_png_write(const char *path, uint32_t width, uint32_t height, uint32_t channel_count, uint32_t bits,
                             const void *pixels, pleat_error *error)
{
    pleat_png png = {width, height, channel_count, bits, pixels, false};
    return pleat_png_write_in(path, &png, NULL, NULL, error);
}
