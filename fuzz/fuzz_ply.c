/* PLY from hostile bytes: read, written back, and read again. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pleat_host host = fuzz_host();
    pleat_asset *asset;
    pleat_error error = {0};
    pleat_result result = pleat_asset_parse(PLEAT_FORMAT_PLY, data, size, "fuzz", &host, &asset, &error);
    if (result != PLEAT_OK)
    {
        fuzz_failed(result, &error);
        return 0;
    }
    fuzz_round_trip(asset, ".ply");
    pleat_asset_destroy(asset);
    return 0;
}
