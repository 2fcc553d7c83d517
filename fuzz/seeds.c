/* Writes each glTF file that is given as a small GLB into a folder: pleat_fuzz_seeds FOLDER FILE... */
#include "pleat/io.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    LARGEST = 64 * 1024 /* larger seeds slow the search down */
};

int main(int count, char **arguments)
{
    int written = 0;
    for (int i = 2; i < count; ++i)
    {
        char out[2048];
        const char *slash = strrchr(arguments[i], '/');
        snprintf(out, sizeof out, "%s/%s.glb", arguments[1], slash ? slash + 1 : arguments[i]);
        pleat_asset *asset;
        if (pleat_asset_load(arguments[i], NULL, NULL, &asset, NULL) != PLEAT_OK)
        {
            continue;
        }
        struct stat status;
        if (pleat_gltf_write(asset, NULL, out, NULL, NULL) == PLEAT_OK && stat(out, &status) == 0)
        {
            if (status.st_size > LARGEST)
            {
                unlink(out);
            }
            else
            {
                ++written;
            }
        }
        pleat_asset_destroy(asset);
    }
    printf("%d seeds\n", written);
    return 0;
}
