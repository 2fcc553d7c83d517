#include "layers/wrinkles/shape/crumple.h"

/* What a triangle shows towards the normal of a vertex, of its area at rest: cloth that shows less than the first is
 * crumpled, and sound from the second on. Cloth pushed together to 28 % of its length is a sheet still. */
static const float CRUMPLED = 0.06f, SOUND = 0.28f;

/* Triangles that show less than this at rest are a crease of the garment (a hem, a pleat) and tell nothing. */
static const float FLAT_AT_REST = 0.5f;

static pl_f4 area_of(const pleat_topology *topology, const pleat_vec4 *positions, uint32_t triangle)
{
    const uint32_t *corner = topology->triangles + 3 * (size_t)triangle;
    pl_f4 a = pl_load(&positions[corner[0]]);
    return pl_cross(pl_load(&positions[corner[1]]) - a, pl_load(&positions[corner[2]]) - a);
}

/* Unit, or zero. */
static void find_normals(pl_wrinkle_crumple *crumple, const pleat_vec4 *positions)
{
    const pleat_topology *topology = crumple->topology;
    memset(crumple->normals, 0, topology->vertex_count * sizeof *crumple->normals);
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        pl_f4 area = area_of(topology, positions, t);
        for (uint32_t k = 0; k < 3; ++k)
        {
            crumple->normals[topology->triangles[3 * (size_t)t + k]] += area;
        }
    }
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        crumple->normals[v] = pl_normalize3(crumple->normals[v]);
    }
}

pleat_result pl_wrinkle_crumple_make(pl_wrinkle_crumple *crumple, const pleat_topology *topology,
                                     const pleat_vec4 *rest, pl_arena *arena, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    *crumple = (pl_wrinkle_crumple){.topology = topology};
    PL_ARENA_NEW_OR_FAIL(crumple->per_area, arena, float, 3 * (size_t)topology->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(crumple->normals, arena, pl_f4, topology->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(crumple->soundness, arena, float, topology->vertex_count, error);
    find_normals(crumple, rest);
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        pl_f4 area = area_of(topology, rest, t);
        float size = pl_length3(area);
        for (uint32_t k = 0; k < 3; ++k)
        {
            size_t c = 3 * (size_t)t + k;
            bool tells = pl_dot3(area, crumple->normals[topology->triangles[c]]) > FLAT_AT_REST * size;
            crumple->per_area[c] = tells ? 1 / size : 0;
        }
    }
fail:
    return result;
}

bool pl_wrinkle_crumple_update(pl_wrinkle_crumple *crumple, const pleat_vec4 *positions)
{
    const pleat_topology *topology = crumple->topology;
    float *least = crumple->soundness;
    bool any = false;
    find_normals(crumple, positions);
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        least[v] = SOUND;
    }
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        pl_f4 area = area_of(topology, positions, t);
        for (uint32_t k = 0; k < 3; ++k)
        {
            size_t c = 3 * (size_t)t + k;
            uint32_t v = topology->triangles[c];
            float shown = pl_dot3(area, crumple->normals[v]) * crumple->per_area[c];
            least[v] = crumple->per_area[c] > 0 && shown < least[v] ? shown : least[v];
        }
    }
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        float t = fmaxf((least[v] - CRUMPLED) / (SOUND - CRUMPLED), 0);
        any |= t < 1;
        crumple->soundness[v] = t * t * (3 - 2 * t);
    }
    return any;
}

float pl_wrinkle_soundness(const pl_wrinkle_crumple *crumple, uint32_t triangle, const float barycentric[3])
{
    const uint32_t *corner = crumple->topology->triangles + 3 * (size_t)triangle;
    float sum = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        sum += barycentric[k] * crumple->soundness[corner[k]];
    }
    return fminf(fmaxf(sum, 0), 1);
}
