/* OpenEXR files of 32-bit floats, by scanlines, without compression: what game engines and browsers read where PNGs of
 * 16 bits come out as 8. The format is that of openexr.com's "OpenEXR File Layout". */
#include "io/file/output.h"
#include "pleat/io.h"

#include "base/memory.h"

#include <string.h>

enum
{
    HEADER_ROOM = 512,
    FLOAT_TYPE = 2,
    CHANNELS = 3
};

/* The header, as it grows. */
typedef struct header
{
    uint8_t bytes[HEADER_ROOM];
    size_t size;
} header;

static void put(header *h, const void *bytes, size_t size)
{
    memcpy(h->bytes + h->size, bytes, size);
    h->size += size;
}

static void put_word(header *h, uint32_t word)
{
    const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
    put(h, bytes, sizeof bytes);
}

static void put_float(header *h, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    put_word(h, word);
}

static void put_attribute(header *h, const char *name, const char *type, uint32_t size)
{
    put(h, name, strlen(name) + 1);
    put(h, type, strlen(type) + 1);
    put_word(h, size);
}

static void put_window(header *h, const char *name, const pleat_png *picture)
{
    put_attribute(h, name, "box2i", 16);
    put_word(h, 0);
    put_word(h, 0);
    put_word(h, picture->width - 1);
    put_word(h, picture->height - 1);
}

static void fill_header(header *h, const pleat_png *picture)
{
    const uint8_t zero = 0;
    put_word(h, 20000630); /* what every such file begins with */
    put_word(h, 2);
    put_attribute(h, "channels", "chlist", CHANNELS * 18 + 1);
    for (uint32_t i = 0; i < CHANNELS; ++i)
    {
        const char name[2] = {"BGR"[i], 0};
        put(h, name, sizeof name);
        put_word(h, FLOAT_TYPE);
        put_word(h, 0);
        put_word(h, 1);
        put_word(h, 1);
    }
    put(h, &zero, 1);
    put_attribute(h, "compression", "compression", 1);
    put(h, &zero, 1);
    put_window(h, "dataWindow", picture);
    put_window(h, "displayWindow", picture);
    put_attribute(h, "lineOrder", "lineOrder", 1);
    put(h, &zero, 1);
    put_attribute(h, "pixelAspectRatio", "float", 4);
    put_float(h, 1);
    put_attribute(h, "screenWindowCenter", "v2f", 8);
    put_float(h, 0);
    put_float(h, 0);
    put_attribute(h, "screenWindowWidth", "float", 4);
    put_float(h, 1);
    put(h, &zero, 1);
}

static void little_endian(uint8_t *out, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i)
    {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

/* Where each row begins. */
static pleat_result write_places(pl_output *output, const pleat_png *picture, size_t first, size_t row_size,
                                 pleat_error *error)
{
    for (uint32_t y = 0; y < picture->height; ++y)
    {
        uint8_t place[8];
        little_endian(place, first + (uint64_t)y * row_size, 8);
        PL_TRY(pl_output_write(output, place, sizeof place, error));
    }
    return PLEAT_OK;
}

/* Rows: blue, green, red, each for all columns. */
static pleat_result write_rows(pl_output *output, const pleat_png *picture, uint8_t *row, pleat_error *error)
{
    const uint16_t *pixels = picture->pixels;
    size_t size = (size_t)CHANNELS * 4 * picture->width;
    for (uint32_t y = 0; y < picture->height; ++y)
    {
        little_endian(row, y, 4);
        little_endian(row + 4, size, 4);
        uint8_t *at = row + 8;
        for (uint32_t channel = CHANNELS; channel-- > 0;)
        {
            for (uint32_t x = 0; x < picture->width; ++x, at += 4)
            {
                float value = (float)pixels[((size_t)y * picture->width + x) * CHANNELS + channel] / 65535.0f;
                uint32_t word;
                memcpy(&word, &value, sizeof word);
                little_endian(at, word, 4);
            }
        }
        PL_TRY(pl_output_write(output, row, size + 8, error));
    }
    return PLEAT_OK;
}

pleat_result pleat_exr_write_in(const char *path, const pleat_png *picture, pleat_outputs *outputs,
                                const pleat_host *host, pleat_error *error)
{
    pl_memory memory = pl_memory_from(host);
    pl_output *output = NULL;
    header h = {.size = 0};
    if (picture->channel_count != CHANNELS || picture->bits != 16 || !picture->pixels || picture->width < 1 ||
        picture->height < 1 || picture->width > 65536 || picture->height > 65536)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT,
                       "%s: a picture of %u x %u with %u channels of %u bits; for EXR it must have 3 of 16, and 1 to "
                       "65536 pixels a side",
                       path, picture->width, picture->height, picture->channel_count, picture->bits);
    }
    fill_header(&h, picture);
    size_t row_size = 8 + (size_t)CHANNELS * 4 * picture->width;
    uint8_t *row = pl_alloc(&memory, row_size, 1);
    if (!row)
    {
        return pl_fail_memory(&memory, error, "a row of an EXR");
    }
    pleat_result result = pl_output_begin(path, host, &output, error);
    if (result == PLEAT_OK)
    {
        result = pl_output_write(output, h.bytes, h.size, error);
        result = result == PLEAT_OK
                     ? write_places(output, picture, h.size + 8 * (size_t)picture->height, row_size, error)
                     : result;
        result = result == PLEAT_OK ? write_rows(output, picture, row, error) : result;
        if (result == PLEAT_OK)
        {
            result = pl_output_end(output, outputs, error);
        }
        else
        {
            pl_output_abort(output);
        }
    }
    pl_free(&memory, row);
    return result;
}
