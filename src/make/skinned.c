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

/* Render vertices of a primitive: a vertex of the surface, once for each texture coordinate it has. */
typedef struct splitter
{
    const pl_skinned *skinned;
    uint32_t count;
    uint32_t *first;  /* per vertex: its last render vertex, or PLEAT_NONE */
    uint32_t *next;   /* per render vertex: another of the same vertex */
    uint32_t *kept;   /* per render vertex: the vertex */
    uint32_t *corner; /* per render vertex: a corner that has its texture coordinate */
} splitter;

static uint32_t render_vertex(splitter *work, uint32_t corner)
{
    uint32_t v = work->skinned->whole.triangles[corner];
    const float *uvs = work->skinned->uvs;
    for (uint32_t r = work->first[v]; r != PLEAT_NONE; r = work->next[r])
    {
        if (!uvs || memcmp(&uvs[2 * corner], &uvs[2 * work->corner[r]], 2 * sizeof *uvs) == 0)
        {
            return r;
        }
    }
    work->kept[work->count] = v;
    work->corner[work->count] = corner;
    work->next[work->count] = work->first[v];
    work->first[v] = work->count;
    return work->count++;
}

pleat_result pl_skinned_primitive(pl_maker *maker, const pl_skinned *skinned, uint8_t mask, uint8_t want,
                                  uint32_t material, pleat_primitive *primitive, uint32_t **source)
{
    const pl_whole *whole = &skinned->whole;
    splitter work = {.skinned = skinned};
    uint32_t triangle_count = 0, corner = 0;
    for (uint32_t t = 0; t < whole->triangle_count; ++t)
    {
        triangle_count += (whole->regions[t] & mask) == want;
    }
    uint32_t *triangles;
    PL_MAKE_NEW(work.first, maker, scratch, uint32_t, whole->vertex_count);
    PL_MAKE_NEW(work.next, maker, scratch, uint32_t, 3 * (size_t)triangle_count);
    PL_MAKE_NEW(work.kept, maker, scratch, uint32_t, 3 * (size_t)triangle_count);
    PL_MAKE_NEW(work.corner, maker, scratch, uint32_t, 3 * (size_t)triangle_count);
    PL_MAKE_NEW(triangles, maker, keep, uint32_t, 3 * (size_t)triangle_count);
    memset(work.first, 0xff, whole->vertex_count * sizeof *work.first);
    for (uint32_t c = 0; c < 3 * whole->triangle_count; ++c)
    {
        if ((whole->regions[c / 3] & mask) == want)
        {
            triangles[corner++] = render_vertex(&work, c);
        }
    }
    pleat_vec3 *positions, *normals;
    uint16_t *joints = NULL;
    float *weights = NULL, *uvs = NULL;
    PL_MAKE_NEW(positions, maker, keep, pleat_vec3, work.count);
    PL_MAKE_NEW(normals, maker, keep, pleat_vec3, work.count);
    if (skinned->joints)
    {
        PL_MAKE_NEW(joints, maker, keep, uint16_t, 4 * (size_t)work.count);
        PL_MAKE_NEW(weights, maker, keep, float, 4 * (size_t)work.count);
    }
    if (skinned->uvs)
    {
        PL_MAKE_NEW(uvs, maker, keep, float, 2 * (size_t)work.count);
    }
    for (uint32_t r = 0; r < work.count; ++r)
    {
        uint32_t v = work.kept[r];
        positions[r] = v3_float(whole->positions[v]);
        normals[r] = v3_float(skinned->normals[v]);
        if (joints)
        {
            memcpy(&joints[4 * r], &skinned->joints[4 * v], 4 * sizeof *joints);
            memcpy(&weights[4 * r], &skinned->weights[4 * v], 4 * sizeof *weights);
        }
        if (uvs)
        {
            memcpy(&uvs[2 * r], &skinned->uvs[2 * work.corner[r]], 2 * sizeof *uvs);
        }
    }
    *primitive = (pleat_primitive){.vertex_count = work.count,
                                   .triangle_count = triangle_count,
                                   .triangles = triangles,
                                   .positions = positions,
                                   .normals = normals,
                                   .uvs = uvs,
                                   .influence_count = joints ? 4 : 0,
                                   .joints = joints,
                                   .weights = weights,
                                   .material = material};
    if (source)
    {
        *source = work.kept;
    }
    return PLEAT_OK;
}
