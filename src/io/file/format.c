#include "pleat/io.h"

#include <string.h>
#include <strings.h>

pleat_format pleat_format_of(const char *path)
{
    static const struct
    {
        const char *ending;
        pleat_format format;
    } endings[] = {
        {".gltf", PLEAT_FORMAT_GLTF}, {".glb", PLEAT_FORMAT_GLB}, {".vrm", PLEAT_FORMAT_GLB},
        {".obj", PLEAT_FORMAT_OBJ},   {".ply", PLEAT_FORMAT_PLY}, {".pc2", PLEAT_FORMAT_PC2},
        {".mdd", PLEAT_FORMAT_MDD},
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; ++i)
    {
        if (strcasecmp(dot, endings[i].ending) == 0)
        {
            return endings[i].format;
        }
    }
    return PLEAT_FORMAT_UNKNOWN;
}
