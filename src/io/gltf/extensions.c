/* Which extensions a file may require. */
#include "io/gltf/gltf.h"

#include <fnmatch.h>
#include <string.h>

/* Read here, or without influence on shape and motion. */
static const char *const known[] = {
    "KHR_mesh_quantization",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_materials_*",
    "KHR_texture_*",
    "EXT_texture_*",
    "MSFT_texture_*",
    "KHR_lights_*",
    "EXT_lights_*",
    "KHR_xmp*",
    "KHR_animation_pointer",
    "KHR_node_visibility",
    "KHR_node_selectability",
    "KHR_node_hoverability",
};

static bool is_known(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    {
        if (fnmatch(known[i], name, 0) == 0)
        {
            return true;
        }
    }
    return false;
}

pleat_result pl_gltf_fail_draco(const pl_gltf *g, const char *place)
{
    return pl_gltf_fail(
        g, PLEAT_UNSUPPORTED,
        "%s: the mesh is compressed with Draco (KHR_draco_mesh_compression), which pleat does not read; "
        "decode the file first, for example with: gltf-transform copy in.glb out.glb, or by import and "
        "export in Blender",
        place);
}

pleat_result pl_gltf_check_extensions(pl_gltf *g)
{
    json_t *required;
    uint32_t count;
    PL_TRY(pl_json_array(g, g->root, "extensionsRequired", "", &required, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        const char *name = json_string_value(json_array_get(required, i));
        if (!name)
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "extensionsRequired[%u] is no string", i);
        }
        if (strcmp(name, "KHR_draco_mesh_compression") == 0)
        {
            return pl_gltf_fail_draco(g, pl_at("extensionsRequired[%u]", i).text);
        }
        if (!is_known(name))
        {
            return pl_gltf_fail(g, PLEAT_UNSUPPORTED,
                                "extensionsRequired[%u] is %.80s, an extension that pleat does not read", i, name);
        }
    }
    return PLEAT_OK;
}
