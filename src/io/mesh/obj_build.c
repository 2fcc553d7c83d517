/* An OBJ file as a model: one mesh, one primitive for each material that has faces.
 *
 * A render vertex is a (position, uv, normal) that some corner uses. Within a primitive they are in the order of the
 * file's positions (then of uvs and normals), so that a mesh without seams keeps the file's order. With a single
 * primitive also vertices that no face uses are kept: then the render vertices of such a mesh are exactly the file's,
 * and point caches made for the file fit. */
#include "io/mesh/obj.h"

#include "io/mesh/points.h"

#include <string.h>

/* What a primitive is made of. */
typedef struct part
{
    uint32_t material; /* number of a name */
    uint32_t triangle_count, vertex_count;
    uint32_t first_vertex; /* within the mesh */
    bool has_uvs, has_normals;
    uint32_t *triangles;
    pleat_vec3 *positions, *normals;
    float *uvs, *colors;
} part;

typedef struct builder
{
    pleat_asset *asset;
    const pl_obj *obj;
    pleat_error *error;
    uint32_t part_count;
    part *parts;
    uint32_t *part_of;  /* of each material name */
    uint32_t *starts;   /* position_count + 1: where each position's corners begin in order */
    uint32_t *order;    /* corners by position, then part, uv and normal */
    uint32_t *vertices; /* render vertex of each corner, within its part */
    uint32_t *sources;  /* position of each render vertex of the mesh */
} builder;

static uint32_t part_of_corner(const builder *b, uint32_t corner)
{
    return b->part_of[b->obj->materials[corner / 3]];
}

static int compare_corners(const builder *b, uint32_t first, uint32_t second)
{
    const pl_obj_corner *a = &b->obj->corners[first];
    const pl_obj_corner *c = &b->obj->corners[second];
    const uint32_t keys[3][2] = {
        {part_of_corner(b, first), part_of_corner(b, second)}, {a->uv, c->uv}, {a->normal, c->normal}};
    for (int k = 0; k < 3; ++k)
    {
        if (keys[k][0] != keys[k][1])
        {
            return keys[k][0] < keys[k][1] ? -1 : 1;
        }
    }
    return 0;
}

/* Heap sort of a position's corners: no file can make it slow. */
static void sift(const builder *b, uint32_t *items, uint32_t root, uint32_t count)
{
    for (;;)
    {
        uint32_t child = 2 * root + 1;
        if (child >= count)
        {
            return;
        }
        child += child + 1 < count && compare_corners(b, items[child], items[child + 1]) < 0;
        if (compare_corners(b, items[root], items[child]) >= 0)
        {
            return;
        }
        uint32_t held = items[root];
        items[root] = items[child];
        items[child] = held;
        root = child;
    }
}

static void sort_corners(const builder *b, uint32_t *items, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;)
    {
        sift(b, items, i, count);
    }
    for (uint32_t left = count; left > 1; --left)
    {
        uint32_t held = items[0];
        items[0] = items[left - 1];
        items[left - 1] = held;
        sift(b, items, 0, left - 1);
    }
}

/* Fills starts and order. */
static void bucket_corners(builder *b)
{
    const pl_obj *obj = b->obj;
    size_t corner_count = 3 * (size_t)obj->triangle_count;
    for (size_t c = 0; c < corner_count; ++c)
    {
        ++b->starts[obj->corners[c].position];
    }
    uint32_t sum = 0;
    for (uint32_t p = 0; p <= obj->position_count; ++p)
    {
        uint32_t count = b->starts[p];
        b->starts[p] = sum;
        sum += count;
    }
    for (size_t c = 0; c < corner_count; ++c)
    {
        b->order[b->starts[obj->corners[c].position]++] = (uint32_t)c;
    }
    /* Filling moved each start to the next one's place. */
    memmove(b->starts + 1, b->starts, (size_t)obj->position_count * sizeof *b->starts);
    b->starts[0] = 0;
    for (uint32_t p = 0; p < obj->position_count; ++p)
    {
        sort_corners(b, b->order + b->starts[p], b->starts[p + 1] - b->starts[p]);
    }
}

/* A part for each material that has faces, in the order of their first use by usemtl; one without faces if there are
 * none.
 */
static void find_parts(builder *b)
{
    const pl_obj *obj = b->obj;
    for (uint32_t t = 0; t < obj->triangle_count; ++t)
    {
        ++b->parts[obj->materials[t]].triangle_count;
    }
    for (uint32_t m = 0; m < obj->material_count; ++m)
    {
        part found = b->parts[m];
        found.material = m;
        b->part_of[m] = b->part_count;
        b->parts[b->part_count] = found;
        b->part_count += found.triangle_count > 0;
    }
    if (b->part_count == 0)
    {
        b->parts[0] = (part){0};
        b->part_count = 1;
    }
}

static void write_vertex(builder *b, part *to, uint32_t v, uint32_t position, uint32_t uv, uint32_t normal)
{
    const pl_obj *obj = b->obj;
    b->sources[to->first_vertex + v] = position;
    to->positions[v] = obj->positions[position];
    if (to->normals && normal != PLEAT_NONE)
    {
        to->normals[v] = obj->normals[normal];
    }
    if (to->uvs && uv != PLEAT_NONE)
    {
        to->uvs[2 * (size_t)v] = obj->uvs[2 * (size_t)uv];
        to->uvs[2 * (size_t)v + 1] = 1.0f - obj->uvs[2 * (size_t)uv + 1];
    }
    if (to->colors)
    {
        memcpy(&to->colors[4 * (size_t)v], &obj->colors[3 * (size_t)position], 3 * sizeof(float));
        to->colors[4 * (size_t)v + 3] = 1;
    }
}

/* Numbers the render vertices of each part, or, the second time, writes them. */
static void make_vertices(builder *b, bool writing)
{
    for (uint32_t i = 0; i < b->part_count; ++i)
    {
        b->parts[i].vertex_count = 0;
    }
    for (uint32_t p = 0; p < b->obj->position_count; ++p)
    {
        uint32_t begin = b->starts[p];
        uint32_t end = b->starts[p + 1];
        if (begin == end && b->part_count == 1)
        {
            uint32_t v = b->parts[0].vertex_count++;
            if (writing)
            {
                write_vertex(b, &b->parts[0], v, p, PLEAT_NONE, PLEAT_NONE);
            }
        }
        for (uint32_t i = begin; i < end; ++i)
        {
            const pl_obj_corner *corner = &b->obj->corners[b->order[i]];
            part *to = &b->parts[part_of_corner(b, b->order[i])];
            if (i == begin || compare_corners(b, b->order[i], b->order[i - 1]) != 0)
            {
                uint32_t v = to->vertex_count++;
                to->has_uvs |= corner->uv != PLEAT_NONE;
                to->has_normals |= corner->normal != PLEAT_NONE;
                if (writing)
                {
                    write_vertex(b, to, v, p, corner->uv, corner->normal);
                }
            }
            b->vertices[b->order[i]] = to->vertex_count - 1;
        }
    }
}

static bool allocate_part(builder *b, part *to)
{
    pl_arena *arena = &b->asset->arena;
    size_t count = to->vertex_count;
    to->positions = PL_ARENA_NEW(arena, pleat_vec3, count);
    to->normals = to->has_normals ? PL_ARENA_NEW(arena, pleat_vec3, count) : NULL;
    to->uvs = to->has_uvs ? PL_ARENA_NEW(arena, float, 2 * count) : NULL;
    to->colors = b->obj->colors ? PL_ARENA_NEW(arena, float, 4 * count) : NULL;
    to->triangles = PL_ARENA_NEW(arena, uint32_t, 3 * (size_t)to->triangle_count);
    return to->positions && (to->normals || !to->has_normals) && (to->uvs || !to->has_uvs) &&
           (to->colors || !b->obj->colors) && to->triangles;
}

static void fill_triangles(builder *b)
{
    for (uint32_t i = 0; i < b->part_count; ++i)
    {
        b->parts[i].triangle_count = 0;
    }
    for (uint32_t t = 0; t < b->obj->triangle_count; ++t)
    {
        part *to = &b->parts[part_of_corner(b, 3 * t)];
        memcpy(&to->triangles[3 * (size_t)to->triangle_count], &b->vertices[3 * (size_t)t], 3 * sizeof(uint32_t));
        ++to->triangle_count;
    }
}

/* The parts' arrays, and the map from render vertices to the file's. */
static pleat_result fill_parts(builder *b)
{
    make_vertices(b, false);
    uint32_t total = 0;
    for (uint32_t i = 0; i < b->part_count; ++i)
    {
        b->parts[i].first_vertex = total;
        total += b->parts[i].vertex_count;
        if (!allocate_part(b, &b->parts[i]))
        {
            return pl_fail_memory(&b->asset->memory, b->error, b->obj->name);
        }
    }
    b->sources = PL_ARENA_NEW(&b->asset->arena, uint32_t, total);
    if (!b->sources)
    {
        return pl_fail_memory(&b->asset->memory, b->error, b->obj->name);
    }
    make_vertices(b, true);
    fill_triangles(b);
    b->asset->source_points = b->sources;
    b->asset->source_point_count = b->obj->position_count;
    return PLEAT_OK;
}

static pleat_result make_model(builder *b)
{
    pleat_asset *asset = b->asset;
    const pl_obj *obj = b->obj;
    pleat_primitive *primitives = PL_ARENA_NEW(&asset->arena, pleat_primitive, b->part_count);
    pleat_material *materials = PL_ARENA_NEW(&asset->arena, pleat_material, b->part_count);
    bool named = obj->object_name && obj->object_name[0];
    pleat_mesh mesh = {.primitive_count = b->part_count, .primitives = primitives};
    mesh.name = named ? pl_arena_string(&asset->arena, obj->object_name, strlen(obj->object_name))
                      : pl_points_title(asset, asset->name);
    if (!primitives || !materials || !mesh.name)
    {
        return pl_fail_memory(&asset->memory, b->error, obj->name);
    }
    for (uint32_t i = 0; i < b->part_count; ++i)
    {
        const part *from = &b->parts[i];
        primitives[i] = (pleat_primitive){
            .vertex_count = from->vertex_count,
            .triangle_count = from->triangle_count,
            .triangles = from->triangles,
            .positions = from->positions,
            .normals = from->normals,
            .uvs = from->uvs,
            .colors = from->colors,
            .material = PLEAT_NONE,
        };
        const char *name = obj->material_names[from->material];
        if (from->material == 0)
        {
            continue; /* faces before any usemtl */
        }
        pleat_material *material = &materials[asset->model.material_count];
        *material = (pleat_material){.base_color = {0.8f, 0.8f, 0.8f, 1}, .roughness = 0.9f};
        material->name = pl_arena_string(&asset->arena, name, strlen(name));
        if (!material->name)
        {
            return pl_fail_memory(&asset->memory, b->error, obj->name);
        }
        primitives[i].material = asset->model.material_count++;
    }
    asset->model.materials = materials;
    return pl_asset_set_mesh(asset, &mesh, b->error);
}

static pleat_result build(builder *b)
{
    const pl_obj *obj = b->obj;
    pl_memory *memory = obj->memory;
    pleat_result result = PLEAT_OK;
    size_t corner_count = 3 * (size_t)obj->triangle_count;
    PL_NEW_OR_FAIL(b->parts, memory, part, (size_t)obj->material_count + 1, b->error);
    PL_NEW_OR_FAIL(b->part_of, memory, uint32_t, obj->material_count, b->error);
    PL_NEW_OR_FAIL(b->starts, memory, uint32_t, (size_t)obj->position_count + 1, b->error);
    PL_NEW_OR_FAIL(b->order, memory, uint32_t, corner_count, b->error);
    PL_NEW_OR_FAIL(b->vertices, memory, uint32_t, corner_count, b->error);
    find_parts(b);
    bucket_corners(b);
    result = fill_parts(b);
    if (result == PLEAT_OK)
    {
        result = make_model(b);
    }
fail:
    pl_free(memory, b->vertices);
    pl_free(memory, b->order);
    pl_free(memory, b->starts);
    pl_free(memory, b->part_of);
    pl_free(memory, b->parts);
    return result;
}

pleat_result pl_obj_load(pleat_asset *asset, const uint8_t *bytes, size_t size, pleat_error *error)
{
    pl_obj obj;
    PL_TRY(pl_obj_read((const char *)bytes, size, asset->name, &asset->memory, &asset->host, &obj, error));
    builder b = {.asset = asset, .obj = &obj, .error = error};
    pleat_result result = build(&b);
    pl_obj_free(&obj);
    return result;
}
