/* OBJ from hostile bytes: read, written back, and read again; and as a frame of a sequence. */
#include "fuzz.h"

#include "io/mesh/obj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pleat_host host = fuzz_host();
    pleat_asset *asset;
    pleat_error error = {0};
    pleat_result result = pleat_asset_parse(PLEAT_FORMAT_OBJ, data, size, "fuzz", &host, &asset, &error);
    if (result != PLEAT_OK)
    {
        fuzz_failed(result, &error);
        return 0;
    }
    uint32_t count = asset->source_point_count;
    pleat_vec3 *positions = malloc(count * sizeof *positions);
    fuzz_must(pl_obj_read_positions((const char *)data, size, "fuzz", count, positions, &error) == PLEAT_OK,
              "positions", &error);
    free(positions);
    fuzz_round_trip(asset, ".obj");
    pleat_asset_destroy(asset);
    return 0;
}
