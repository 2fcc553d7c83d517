/* From a whole surface to primitives with weights; see skinned.h. */
#include "make/skinned.h"

#include <assert.h>

/* The four largest of all weights, made to add up to 1. */
static void choose_four(const double *weights, uint32_t count, uint16_t joints[4], float out[4])
{
    bool taken[PL_SKINNED_JOINTS] = {false};
    double best[4] = {0}, sum = 0;
    for (uint32_t k = 0; k < 4; ++k)
    {
        uint32_t largest = PLEAT_NONE;
        for (uint32_t j = 0; j < count; ++j)
        {
            if (!taken[j] && weights[j] > 1e-4 && (largest == PLEAT_NONE || weights[j] > weights[largest]))
            {
                largest = j;
            }
        }
        joints[k] = 0;
        if (largest != PLEAT_NONE)
        {
            taken[largest] = true;
            joints[k] = (uint16_t)largest;
            best[k] = weights[largest];
            sum += best[k];
        }
    }
    for (uint32_t k = 0; k < 4; ++k)
    {
        out[k] = (float)(best[k] / sum);
    }
}

static uint16_t other_side(const pl_skinned_desc *desc, uint16_t joint)
{
    if (joint < desc->left)
    {
        return joint;
    }
    return (uint16_t)(joint < desc->left + desc->side ? joint + desc->side : joint - desc->side);
}

pleat_result pl_skinned_make(pl_maker *maker, const pl_patch *patch, const pl_skinned_desc *desc, pl_skinned *skinned)
{
    assert(desc->joint_count <= PL_SKINNED_JOINTS);
    *skinned = (pl_skinned){0};
    PL_TRY(desc->side ? pl_patch_mirror(maker, patch, &skinned->whole)
                      : pl_patch_alone(maker, patch, desc->shift, &skinned->whole));
    uint32_t count = skinned->whole.vertex_count;
    PL_MAKE_NEW(skinned->normals, maker, scratch, pl_v3, count);
    PL_MAKE_NEW(skinned->joints, maker, scratch, uint16_t, 4 * (size_t)count);
    PL_MAKE_NEW(skinned->weights, maker, scratch, float, 4 * (size_t)count);
    for (uint32_t v = 0; v < count; ++v)
    {
        uint32_t source = skinned->whole.source[v];
        if (source == v)
        {
            double weights[PL_SKINNED_JOINTS];
            desc->weights_at(desc->weights_user, patch->positions[v], weights);
            choose_four(weights, desc->joint_count, &skinned->joints[4 * v], &skinned->weights[4 * v]);
            continue;
        }
        for (uint32_t k = 0; k < 4; ++k)
        {
            float weight = skinned->weights[4 * source + k];
            skinned->weights[4 * v + k] = weight;
            skinned->joints[4 * v + k] = weight > 0 ? other_side(desc, skinned->joints[4 * source + k]) : 0;
        }
    }
    pl_skinned_normals(skinned);
    return PLEAT_OK;
}

void pl_skinned_normals(pl_skinned *skinned)
{
    const pl_whole *whole = &skinned->whole;
    memset(skinned->normals, 0, whole->vertex_count * sizeof *skinned->normals);
    for (uint32_t t = 0; t < whole->triangle_count; ++t)
    {
        const uint32_t *v = &whole->triangles[3 * t];
        pl_v3 a = whole->positions[v[0]];
        pl_v3 normal = v3_cross(v3_sub(whole->positions[v[1]], a), v3_sub(whole->positions[v[2]], a));
        for (uint32_t k = 0; k < 3; ++k)
        {
            skinned->normals[v[k]] = v3_add(skinned->normals[v[k]], normal);
        }
    }
    for (uint32_t v = 0; v < whole->vertex_count; ++v)
    {
        uint32_t source = whole->source[v];
        /* The plane's own vertices look along it, and the right side is the left, to the last bit. */
        pl_v3 normal = source == v ? v3_unit(skinned->normals[v]) : v3_mirror(skinned->normals[source]);
        normal.x = whole->positions[v].x == 0 ? 0 : normal.x;
        skinned->normals[v] = normal;
    }
}

pleat_result pl_skinned_primitive(pl_maker *maker, const pl_skinned *skinned, uint8_t mask, uint8_t want,
                                  uint32_t material, pleat_primitive *primitive)
{
    const pl_whole *whole = &skinned->whole;
    uint32_t *renamed, *kept;
    PL_MAKE_NEW(renamed, maker, scratch, uint32_t, whole->vertex_count);
    PL_MAKE_NEW(kept, maker, scratch, uint32_t, whole->vertex_count);
    memset(renamed, 0xff, whole->vertex_count * sizeof *renamed);
    uint32_t vertex_count = 0, triangle_count = 0;
    for (uint32_t t = 0; t < whole->triangle_count; ++t)
    {
        triangle_count += (whole->regions[t] & mask) == want;
    }
    uint32_t *triangles;
    PL_MAKE_NEW(triangles, maker, keep, uint32_t, 3 * (size_t)triangle_count);
    uint32_t corner = 0;
    for (uint32_t c = 0; c < 3 * whole->triangle_count; ++c)
    {
        uint32_t v = whole->triangles[c];
        if ((whole->regions[c / 3] & mask) != want)
        {
            continue;
        }
        if (renamed[v] == PLEAT_NONE)
        {
            kept[vertex_count] = v;
            renamed[v] = vertex_count++;
        }
        triangles[corner++] = renamed[v];
    }
    pleat_vec3 *positions, *normals;
    uint16_t *joints;
    float *weights;
    PL_MAKE_NEW(positions, maker, keep, pleat_vec3, vertex_count);
    PL_MAKE_NEW(normals, maker, keep, pleat_vec3, vertex_count);
    PL_MAKE_NEW(joints, maker, keep, uint16_t, 4 * (size_t)vertex_count);
    PL_MAKE_NEW(weights, maker, keep, float, 4 * (size_t)vertex_count);
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        positions[v] = v3_float(whole->positions[kept[v]]);
        normals[v] = v3_float(skinned->normals[kept[v]]);
        memcpy(&joints[4 * v], &skinned->joints[4 * kept[v]], 4 * sizeof *joints);
        memcpy(&weights[4 * v], &skinned->weights[4 * kept[v]], 4 * sizeof *weights);
    }
    *primitive = (pleat_primitive){.vertex_count = vertex_count,
                                   .triangle_count = triangle_count,
                                   .triangles = triangles,
                                   .positions = positions,
                                   .normals = normals,
                                   .influence_count = 4,
                                   .joints = joints,
                                   .weights = weights,
                                   .material = material};
    return PLEAT_OK;
}
