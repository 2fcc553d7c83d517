/* PNG and JPEG from hostile bytes, as masks and textures are read: a picture has as many pixels as it says. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pleat_host host = fuzz_host();
    pleat_error error = {0};
    pleat_image image;
    pleat_result result = pleat_image_decode(data, size, "fuzz", &host, &image, &error);
    if (result != PLEAT_OK)
    {
        fuzz_failed(result, &error);
        return 0;
    }
    fuzz_must(image.width >= 1 && image.width <= 16384 && image.height >= 1 && image.height <= 16384, "size", &error);
    volatile uint32_t sum = 0;
    for (size_t i = 0; i < 4 * (size_t)image.width * image.height; ++i)
    {
        sum = sum + image.pixels[i];
    }
    pleat_image_free(&host, &image);
    return 0;
}
