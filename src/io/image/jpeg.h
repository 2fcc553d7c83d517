/* JPEG in, through libjpeg: what textures of characters often are. */
#ifndef PL_IO_IMAGE_JPEG_H
#define PL_IO_IMAGE_JPEG_H

#include "base/memory.h"
#include "pleat/io/image.h"

enum
{
    PL_IMAGE_SIDE = 16384 /* pixels a side of any picture that is read */
};

/* By its first bytes. */
bool pl_jpeg_is(const void *bytes, size_t size);
/* As pleat_image_decode. */
pleat_result pl_jpeg_decode(const void *bytes, size_t size, const char *name, pl_memory *memory, pleat_image *out,
                            pleat_error *error);

#endif
