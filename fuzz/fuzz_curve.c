/* Drawings from hostile bytes: a curve that was read has 2 to 30 points in order, none below 0. */
#include "fuzz.h"

#include "pleat/look.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[PLEAT_TEXT_LIMIT];
    pleat_host host = fuzz_host();
    pleat_error error = {0};
    pleat_result result = pleat_curve_decode(data, size, "fuzz", &host, text, sizeof text, &error);
    if (result != PLEAT_OK)
    {
        fuzz_failed(result, &error);
        return 0;
    }
    int x, y, length, count = 0, before = -1;
    const char *at = text;
    for (; sscanf(at, "%d,%d%n", &x, &y, &length) == 2; at += length, at += *at == ' ', ++count, before = x)
    {
        fuzz_must(x > before && x <= 999 && y >= 0 && y <= 999, "out of order", &error);
    }
    fuzz_must(*at == 0 && count >= 2 && count <= 30, "no curve", &error);
    return 0;
}
