/* pleat/io/image.h: pictures, textures and drawn curves. Part of libpleat_io. */
#ifndef PLEAT_IO_IMAGE_H
#define PLEAT_IO_IMAGE_H

#include "pleat/io/asset.h"
#include "pleat/io/file.h"

PLEAT_BEGIN

/* A picture or a texture: 8 or 16 bits a channel (16: native-endian uint16_t), 1 to 4 channels, rows from the top. */
typedef struct pleat_png
{
    uint32_t width, height;
    uint32_t channel_count, bits;
    const void *pixels;
    bool fast; /* less compression in a fifth of the time: for large textures */
} pleat_png;

/* A PNG or JPEG of any kind as 8 bits of red, green, blue and alpha, rows from the top; at most 16384 pixels a side.
 * Free with pleat_image_free, which takes an empty one, too. */
typedef struct pleat_image
{
    uint32_t width, height;
    uint8_t *pixels; /* #height by #width by 4 */
} pleat_image;
pleat_result pleat_image_read(const char *path, const pleat_host *host, pleat_image *image, pleat_error *error);
/* The same for bytes in memory; name stands for the path in messages. */
pleat_result pleat_image_decode(const void *bytes, size_t size, const char *name, const pleat_host *host,
                                pleat_image *image, pleat_error *error);
void pleat_image_free(const pleat_host *host, pleat_image *image);

/* What lies beyond the borders of a texture. */
typedef enum pleat_wrap
{
    PLEAT_WRAP_REPEAT,
    PLEAT_WRAP_CLAMP,
    PLEAT_WRAP_MIRROR
} pleat_wrap;

/* The picture of a material's base colour (sRGB, straight alpha), and how coordinates find their place in it. */
typedef struct pleat_texture
{
    pleat_image image; /* pixels NULL: the material has none that can be shown */
    pleat_wrap wrap_u, wrap_v;
    bool nearest;       /* texels stay squares */
    float transform[6]; /* u' = [0] u + [1] v + [2], v' = [3] u + [4] v + [5] */
} pleat_texture;

/* The texture of a material of an asset. What cannot be shown (a format that is not read, a second set of coordinates,
 * a file that is not there) is a warning to the asset's log, and no texture. Fails for want of memory alone. Free its
 * image with pleat_image_free and the asset's host. */
pleat_result pleat_asset_base_texture(const pleat_asset *asset, uint32_t material, pleat_texture *texture,
                                      pleat_error *error);

/* A drawn curve as the text of points that looks have: "x,height x,height ...", whole numbers from 0 to 999, at most 30
 * points, always shorter than size 256. Of an SVG the first polyline, polygon or path, moved by the transforms around
 * it; a polyline of at most 30 points from left to right keeps its points, everything else is sampled along its upper
 * side. Of a PNG the upper side of what is drawn in another tone than its corners have, or is not transparent. */
pleat_result pleat_curve_read(const char *path, const pleat_host *host, char *out, size_t size, pleat_error *error);
pleat_result pleat_curve_decode(const void *bytes, size_t byte_count, const char *name, const pleat_host *host,
                                char *out, size_t size, pleat_error *error);

/* outputs and host may be NULL. */
pleat_result pleat_png_write_in(const char *path, const pleat_png *png, pleat_outputs *outputs, const pleat_host *host,
                                pleat_error *error);
/* The same picture as an OpenEXR file of 32-bit floats 0..1, not compressed; 3 channels of 16 bits alone. */
pleat_result pleat_exr_write_in(const char *path, const pleat_png *picture, pleat_outputs *outputs,
                                const pleat_host *host, pleat_error *error);
/* A PNG, as a file by itself. */
pleat_result pleat_png_write(const char *path, uint32_t width, uint32_t height, uint32_t channel_count, uint32_t bits,
                             const void *pixels, pleat_error *error);

PLEAT_END

#endif
