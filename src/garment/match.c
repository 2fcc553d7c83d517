/* Parts of a model by name. */
#include "pleat/garment.h"

#include "base/name.h"

#include <string.h>

bool pleat_name_matches(const char *pattern, const char *name)
{
    return pl_name_matches(pattern, strlen(pattern), name);
}

bool pleat_part_matches(const pleat_model *model, uint32_t node, uint32_t primitive, const char *pattern)
{
    const pleat_node *owner = &model->nodes[node];
    if (pleat_name_matches(pattern, owner->name))
    {
        return true;
    }
    if (owner->mesh == PLEAT_NONE)
    {
        return false;
    }
    const pleat_mesh *mesh = &model->meshes[owner->mesh];
    uint32_t material = mesh->primitives[primitive].material;
    return pleat_name_matches(pattern, mesh->name) ||
           (material != PLEAT_NONE && pleat_name_matches(pattern, model->materials[material].name));
}
