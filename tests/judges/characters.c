/* Writes built-in characters for the judges: characters FOLDER quick|long makes FOLDER/NAME.glb of those that are made
 * in a moment, or of those whose cloth is simulated over a dancer. */
#include "pleat/io.h"
#include "pleat/make.h"

#include <stdio.h>
#include <string.h>

static pleat_result write_character(const char *name, const char *folder, pleat_error *error)
{
    char path[4096];
    pleat_made *made = NULL;
    pleat_asset *asset = NULL;
    pleat_result result = pleat_make(name, NULL, NULL, &made, error);
    if (result == PLEAT_OK)
    {
        result = pleat_asset_from_model(pleat_made_model(made), name, NULL, &asset, error);
    }
    if (result == PLEAT_OK)
    {
        snprintf(path, sizeof path, "%s/%s.glb", folder, name);
        result = pleat_gltf_write(asset, NULL, path, NULL, error);
    }
    pleat_asset_destroy(asset);
    pleat_made_destroy(made);
    return result;
}

int main(int count, char **arguments)
{
    if (count != 3)
    {
        fprintf(stderr, "usage: characters FOLDER quick|long\n");
        return 2;
    }
    for (uint32_t i = 0; i < pleat_make_count(); ++i)
    {
        pleat_error error = {0};
        const char *name = pleat_make_name(i);
        bool slow = strcmp(name, "skirt") == 0 || strcmp(name, "shirt") == 0;
        if (slow != (strcmp(arguments[2], "long") == 0))
        {
            continue;
        }
        if (write_character(name, arguments[1], &error) != PLEAT_OK)
        {
            fprintf(stderr, "characters: %s\n", error.message);
            return 1;
        }
    }
    return 0;
}
