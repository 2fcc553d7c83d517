#include "io/image/jpeg.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

/* libjpeg leaves a broken file by a jump; what it says of it stays here. */
typedef struct jpeg_trap
{
    struct jpeg_error_mgr manager; /* first, as libjpeg hands out its address */
    jmp_buf back;
    char message[JMSG_LENGTH_MAX];
} jpeg_trap;

static void leave(j_common_ptr jpeg)
{
    jpeg_trap *trap = (jpeg_trap *)jpeg->err;
    trap->manager.format_message(jpeg, trap->message);
    longjmp(trap->back, 1);
}

/* Warnings are of files that end early or have stray bytes: what there is, is shown. */
static void stay_silent(j_common_ptr jpeg, int level)
{
    (void)jpeg;
    (void)level;
}

bool pl_jpeg_is(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    return size >= 3 && b[0] == 0xff && b[1] == 0xd8 && b[2] == 0xff;
}

/* Everything between creation and destruction of the decompressor; a jump back ends it. */
static pleat_result decode(struct jpeg_decompress_struct *jpeg, const char *name, pl_memory *memory, pleat_image *out,
                           pleat_error *error)
{
    jpeg_read_header(jpeg, TRUE);
    if (jpeg->image_width > PL_IMAGE_SIDE || jpeg->image_height > PL_IMAGE_SIDE)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: %u x %u pixels; each side can be 1 to %d", name,
                       jpeg->image_width, jpeg->image_height, PL_IMAGE_SIDE);
    }
    jpeg->out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(jpeg);
    out->width = jpeg->output_width;
    out->height = jpeg->output_height;
    out->pixels = PL_NEW(memory, uint8_t, 4 * (size_t)out->width * out->height);
    if (!out->pixels)
    {
        return pl_fail_memory(memory, error, "the pixels of a JPEG");
    }
    while (jpeg->output_scanline < jpeg->output_height)
    {
        JSAMPROW row = out->pixels + 4 * (size_t)jpeg->output_scanline * out->width;
        jpeg_read_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_decompress(jpeg);
    return PLEAT_OK;
}

pleat_result pl_jpeg_decode(const void *bytes, size_t size, const char *name, pl_memory *memory, pleat_image *out,
                            pleat_error *error)
{
    struct jpeg_decompress_struct jpeg;
    jpeg_trap trap = {.message = ""};
    pleat_result result;
    *out = (pleat_image){0};
    jpeg.err = jpeg_std_error(&trap.manager);
    trap.manager.error_exit = leave;
    trap.manager.emit_message = stay_silent;
    if (setjmp(trap.back))
    {
        result = pl_fail(error, PLEAT_BAD_DATA, "%.200s: a broken JPEG: %.100s", name, trap.message);
    }
    else
    {
        jpeg_create_decompress(&jpeg);
        jpeg_mem_src(&jpeg, bytes, size);
        result = decode(&jpeg, name, memory, out, error);
    }
    jpeg_destroy_decompress(&jpeg);
    if (result != PLEAT_OK)
    {
        pl_free(memory, out->pixels);
        *out = (pleat_image){0};
    }
    return result;
}
