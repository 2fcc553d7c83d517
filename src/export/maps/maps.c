/* Displacement and normal maps of a stack's last frame, and maps of any value on its surface. */
#include "export/maps/maps.h"

#include "base/parallel.h"
#include "pleat/garment.h"

#include <string.h>

pleat_maps_desc pleat_maps_desc_default(void)
{
    pleat_maps_desc desc = {0};
    desc.size = 2048;
    desc.samples = 2;
    desc.margin = 8;
    return desc;
}

/* ---- Creation ---- */

static pleat_result check_desc(const pleat_maps_desc *desc, pleat_error *error)
{
    if (!desc->stack)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "maps: stack is NULL; it must be set");
    }
    if (desc->size < 16 || desc->size > 16384)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "maps: size is %u; it can be 16 to 16384", desc->size);
    }
    if (desc->samples < 1 || desc->samples > 4)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "maps: samples is %u; it can be 1 to 4", desc->samples);
    }
    if (desc->margin > 64)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "maps: margin is %u; it can be 0 to 64", desc->margin);
    }
    const pleat_mesh *mesh = desc->stack->mesh;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        bool drawn = (!desc->primitives || desc->primitives[p]) && mesh->primitives[p].triangle_count;
        if (drawn && !mesh->primitives[p].uvs)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "maps: the mesh '%.80s' has no texture coordinates", mesh->name);
        }
    }
    return PLEAT_OK;
}

static void gather_uvs(pleat_maps *maps)
{
    const pleat_stack *stack = maps->stack;
    for (uint32_t p = 0; p < stack->mesh->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &stack->mesh->primitives[p];
        if (primitive->uvs)
        {
            memcpy(maps->coarse_uvs + 2 * (size_t)stack->primitive_start[p], primitive->uvs,
                   2 * (size_t)primitive->vertex_count * sizeof(float));
        }
    }
}

/* Which triangles are drawn. */
static void choose_triangles(pleat_maps *maps, const bool *primitives)
{
    const pleat_stack *stack = maps->stack;
    const pleat_stack_shape *shape = &stack->shape;
    uint32_t coarse = 0;
    for (uint32_t p = 0; p < shape->primitive_count; ++p)
    {
        bool drawn = !primitives || primitives[p];
        uint32_t first = shape->first_triangle[p], last = shape->first_triangle[p + 1];
        memset(maps->skipped + first, drawn ? 0 : PL_RASTER_SKIP, last - first);
        memset(maps->coarse_drawn + coarse, drawn, stack->mesh->primitives[p].triangle_count);
        coarse += stack->mesh->primitives[p].triangle_count;
    }
}

/* Arrays that skirts have a part in. */
static pleat_result make_room_for_skirts(pleat_maps *maps, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_stack_shape *shape = &maps->stack->shape;
    size_t count = (size_t)shape->vertex_count + maps->skirt_count;
    size_t triangle_count = (size_t)shape->triangle_count + maps->skirt_count;
    float *start_uvs;
    PL_ARENA_NEW_OR_FAIL(start_uvs, &maps->arena, float, 2 * count, error);
    PL_ARENA_NEW_OR_FAIL(maps->uvs, &maps->arena, float, 2 * count, error);
    PL_ARENA_NEW_OR_FAIL(maps->values, &maps->arena, pl_f4, count, error);
    PL_ARENA_NEW_OR_FAIL(maps->triangles, &maps->arena, uint32_t, 3 * triangle_count, error);
    memcpy(start_uvs, maps->start_uvs, 2 * (size_t)shape->vertex_count * sizeof *start_uvs);
    maps->start_uvs = start_uvs;
    memcpy(maps->triangles, shape->triangles, 3 * (size_t)shape->triangle_count * sizeof *maps->triangles);
    for (uint32_t i = 0; i < maps->skirt_count; ++i)
    {
        uint32_t *corner = maps->triangles + 3 * ((size_t)shape->triangle_count + i);
        corner[0] = maps->skirts[i].a;
        corner[1] = maps->skirts[i].b;
        corner[2] = shape->vertex_count + i;
    }
fail:
    return result;
}

static pleat_result make_room(pleat_maps *maps, const pleat_maps_desc *desc, const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_stack *stack = desc->stack;
    uint32_t count = stack->shape.vertex_count;
    uint32_t triangle_count = stack->shape.triangle_count;
    PL_ARENA_NEW_OR_FAIL(maps->coarse_uvs, &maps->arena, float, 2 * (size_t)stack->coarse_render_count, error);
    PL_ARENA_NEW_OR_FAIL(maps->coarse_drawn, &maps->arena, uint8_t, stack->surface->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(maps->skipped, &maps->arena, uint8_t, triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(maps->marks, &maps->arena, uint8_t, triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(maps->starts, &maps->arena, pl_map_place, count, error);
    PL_ARENA_NEW_OR_FAIL(maps->coarse_normals, &maps->arena, pleat_vec4, stack->coarse_count, error);
    PL_ARENA_NEW_OR_FAIL(maps->coarse_tangents, &maps->arena, pleat_vec4, stack->coarse_render_count, error);
    PL_ARENA_NEW_OR_FAIL(maps->bind_normals, &maps->arena, pleat_vec3, count, error);
    PL_ARENA_NEW_OR_FAIL(maps->places, &maps->arena, pl_map_place, count, error);
    PL_ARENA_NEW_OR_FAIL(maps->failed, &maps->arena, uint8_t, count, error);
    PL_ARENA_NEW_OR_FAIL(maps->start_uvs, &maps->arena, float, 2 * (size_t)count, error);
    gather_uvs(maps);
    choose_triangles(maps, desc->primitives);
    pl_maps_find_starts(maps);
    PL_TRY(pl_maps_make_skirts(maps, host, error));
    PL_TRY(make_room_for_skirts(maps, error));
    const pl_raster_size size = {.size = desc->size,
                                 .samples = desc->samples,
                                 .margin = desc->margin,
                                 .worker_count = pl_worker_count(host ? &host->tasks : NULL),
                                 .triangle_count = triangle_count + maps->skirt_count};
    PL_TRY(pl_raster_init(&maps->raster, &size, &maps->arena, error));
    PL_ARENA_NEW_OR_FAIL(maps->owners, &maps->arena, uint32_t, (size_t)desc->size * desc->size, error);
    PL_ARENA_NEW_OR_FAIL(maps->searched, &maps->arena, uint32_t, desc->size, error);
    PL_TRY(pl_maps_find_texels(maps, error));
    PL_TRY(pl_maps_find_seams(maps, error));
    PL_TRY(pleat_normals_create(stack->coarse_count, stack->surface->triangle_count, stack->surface->triangles,
                                stack->surface->triangles, host, &maps->normals, error));
    result = pleat_bvh_create(stack->shape.surface_count, stack->shape.bind, triangle_count,
                              stack->shape.surface_triangles, host, &maps->bvh, error);
fail:
    return result;
}

pleat_result pleat_maps_create(const pleat_maps_desc *desc, const pleat_host *host, pleat_maps **out,
                               pleat_error *error)
{
    *out = NULL;
    PL_TRY(check_desc(desc, error));
    pleat_maps *maps = PL_CREATE(pleat_maps, host);
    if (!maps)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the maps");
    }
    pl_arena_init(&maps->arena, &maps->memory);
    maps->stack = (pleat_stack *)desc->stack; /* its normals are scratch for the bind shape */
    pleat_result result = make_room(maps, desc, host, error);
    if (result != PLEAT_OK)
    {
        pleat_maps_destroy(maps);
        return result;
    }
    maps->coarse_positions = maps->stack->coarse_positions;
    *out = maps;
    return PLEAT_OK;
}

void pleat_maps_destroy(pleat_maps *maps)
{
    if (maps)
    {
        pleat_topology_destroy(maps->topology);
        pleat_normals_destroy(maps->normals);
        pleat_bvh_destroy(maps->bvh);
        pl_arena_free(&maps->arena);
        PL_DESTROY(maps);
    }
}

/* ---- Heights ---- */

/* Height, texture coordinate and normal of each render vertex of the refined surface. */
static void project_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    pleat_maps *maps = data;
    const pleat_stack *stack = maps->stack;
    (void)worker;
    for (uint32_t r = begin; r < end; ++r)
    {
        if (maps->starts[r].triangle == PLEAT_NONE)
        {
            maps->uvs[2 * (size_t)r] = maps->uvs[2 * (size_t)r + 1] = -1;
            maps->values[r] = pl_set(0, 0, 0, 1);
            continue;
        }
        pl_f4 wrinkled = pl_load(&stack->group_normals[stack->render_normal[r]]);
        float height;
        pl_map_place place;
        maps->failed[r] = !pl_maps_project(maps, maps->starts[r],
                                           pl_load(&maps->positions[stack->shape.render_vertex[r]]), &place, &height);
        maps->places[r] = place;
        pl_map_frame frame = pl_maps_frame(maps, &place);
        maps->uvs[2 * (size_t)r] = frame.u;
        maps->uvs[2 * (size_t)r + 1] = frame.v;
        maps->values[r] = pl_set(height, pl_dot3(wrinkled, frame.tangent), pl_dot3(wrinkled, frame.bitangent),
                                 pl_dot3(wrinkled, frame.normal));
    }
}

static float texture_area(const float *uvs, const uint32_t *corner)
{
    const float *a = uvs + 2 * (size_t)corner[0], *b = uvs + 2 * (size_t)corner[1], *c = uvs + 2 * (size_t)corner[2];
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The far corner of a skirt: its height, and its normal as this side's tangent space has it. */
static pl_f4 height_across(void *user, const pl_map_skirt *skirt)
{
    const pleat_maps *maps = user;
    const pleat_stack *stack = maps->stack;
    pl_f4 normal = pl_load(&stack->group_normals[stack->render_normal[skirt->other]]);
    pl_f4 seen = pl_maps_seen_across(maps, skirt, normal);
    return pl_set(maps->values[skirt->other][0], seen[0], seen[1], seen[2]);
}

/* A triangle may be where it belongs if each corner found its line and the lines did not turn it over. */
static void mark_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    pleat_maps *maps = data;
    (void)worker;
    for (uint32_t t = begin; t < end; ++t)
    {
        const uint32_t *corner = maps->stack->shape.triangles + 3 * (size_t)t;
        bool sure = !maps->failed[corner[0]] && !maps->failed[corner[1]] && !maps->failed[corner[2]] &&
                    texture_area(maps->uvs, corner) * texture_area(maps->start_uvs, corner) >= 0;
        maps->marks[t] = maps->skipped[t] | (sure ? 0 : PL_RASTER_UNSURE);
    }
}

/* The range of channels first..last over what is drawn. */
static pleat_height_range find_range(const pleat_maps *maps, uint32_t first, uint32_t last)
{
    float low = INFINITY, high = -INFINITY;
    for (uint32_t c = 0; c < 3 * maps->stack->shape.triangle_count; ++c)
    {
        uint32_t r = maps->stack->shape.triangles[c];
        for (uint32_t k = first; k <= last && !maps->skipped[c / 3]; ++k)
        {
            low = fminf(low, maps->values[r][k]);
            high = fmaxf(high, maps->values[r][k]);
        }
    }
    /* A mesh without displacement has some range all the same. */
    return high - low > 1e-9f ? (pleat_height_range){low, high} : (pleat_height_range){-1e-6f, 1e-6f};
}

static uint16_t word_of(float x)
{
    return (uint16_t)(fminf(fmaxf(x, 0), 1) * 65535.0f + 0.5f);
}

/* A job over the triangles of the shape; values scaled from the range to 0..1. */
static pl_raster_job job_of(const pleat_maps *maps, const float *uvs, pleat_height_range range,
                            const pleat_tasks *tasks)
{
    float scale = 1 / (range.high - range.low);
    uint16_t zero = word_of(-range.low * scale);
    uint32_t count = maps->stack->shape.triangle_count;
    return (pl_raster_job){.triangle_count = count + maps->skirt_count,
                           .skirt_first = count,
                           .triangles = maps->triangles,
                           .marks = maps->skipped,
                           .uvs = uvs,
                           .values = maps->values,
                           .width = 1,
                           .scale = pl_splat(scale),
                           .offset = pl_splat(-range.low * scale),
                           .empty = {zero, zero, zero, zero},
                           .tasks = tasks};
}

/* Channels 1..3 are a normal. */
static void want_normals(pl_raster_job *job, uint16_t *normals)
{
    job->out_more = normals;
    job->empty[1] = job->empty[2] = 32768;
    job->empty[3] = 65535;
}

/* What was drawn, continued past the borders of its charts. */
static void spread(pleat_maps *maps, const pl_raster_job *job)
{
    pl_maps_close_borders(maps, job);
    pl_raster_spread(&maps->raster, job);
}

static void draw(pleat_maps *maps, const pl_raster_job *job)
{
    pl_raster_draw(&maps->raster, job);
    spread(maps, job);
}

void pleat_maps_update(pleat_maps *maps, uint16_t *heights, uint16_t *normals, pleat_height_range *range,
                       const pleat_tasks *tasks)
{
    const pleat_stack_shape *shape = &maps->stack->shape;
    pleat_height_range own = {0, 0};
    range = range ? range : &own;
    maps->positions = maps->stack->positions;
    pl_maps_take_coarse(maps, maps->stack->coarse_positions, tasks);
    pl_parallel_for(tasks, shape->vertex_count, 256, project_range, maps);
    if (!(range->low < range->high))
    {
        *range = find_range(maps, 0, 0);
    }
    pl_parallel_for(tasks, shape->triangle_count, 1024, mark_range, maps);
    pl_maps_place_skirts(maps, maps->uvs);
    pl_maps_fill_skirts(maps, height_across, maps);
    pl_raster_job job = job_of(maps, maps->uvs, *range, tasks);
    job.marks = maps->marks;
    job.doubtful = true;
    job.out = heights;
    job.owners = maps->owners;
    want_normals(&job, normals);
    maps->repaired = 0;
    if (heights || normals)
    {
        pl_raster_draw(&maps->raster, &job);
        pl_maps_settle(maps, &job, *range);
        spread(maps, &job);
    }
    if (heights)
    {
        pl_maps_match_seams(maps, heights, *range);
    }
}

/* ---- Vectors ---- */

typedef struct vector_job
{
    pleat_maps *maps;
    const pleat_vec3 *changes; /* render vertices: vectors that are given; NULL: from the coarse mesh to the surface */
    bool normals;              /* normals into channels 1..3, in place of the vector's */
    bool seen;                 /* in the tangent space of each vertex, not in the axes of the world */
    bool bind;
} vector_job;

/* The vector of a render vertex, in the world's axes. */
static pl_f4 vector_of(const vector_job *job, uint32_t r, pl_f4 from)
{
    const pleat_maps *maps = job->maps;
    const pleat_stack *stack = maps->stack;
    if (job->normals && job->bind)
    {
        return pl_load3(&maps->bind_normals[r]);
    }
    if (job->normals)
    {
        return pl_load(&stack->group_normals[stack->render_normal[r]]);
    }
    if (job->changes)
    {
        return pl_load3(&job->changes[r]);
    }
    return pl_load(&maps->positions[stack->shape.render_vertex[r]]) - from;
}

/* As it stands in values: normals behind a first channel that is not used. */
static pl_f4 value_of(const vector_job *job, pl_f4 seen)
{
    return job->normals ? pl_set(0, seen[0], seen[1], seen[2]) : pl_set(seen[0], seen[1], seen[2], 0);
}

static void vector_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const vector_job *job = data;
    pleat_maps *maps = job->maps;
    (void)worker;
    for (uint32_t r = begin; r < end; ++r)
    {
        if (maps->starts[r].triangle == PLEAT_NONE)
        {
            maps->values[r] = pl_splat(0);
            continue;
        }
        pl_map_frame frame = pl_maps_frame(maps, &maps->starts[r]);
        pl_f4 vector = vector_of(job, r, frame.position);
        maps->values[r] = value_of(job, job->seen ? pl_maps_seen(&frame, vector) : vector);
    }
}

static pl_f4 vector_across(void *user, const pl_map_skirt *skirt)
{
    const vector_job *job = user;
    const pleat_maps *maps = job->maps;
    pl_map_frame frame = pl_maps_frame(maps, &maps->starts[skirt->other]);
    pl_f4 vector = vector_of(job, skirt->other, frame.position);
    return value_of(job, job->seen ? pl_maps_seen_across(maps, skirt, vector) : vector);
}

static void find_vectors(vector_job *job, const pleat_tasks *tasks)
{
    pl_parallel_for(tasks, job->maps->stack->shape.vertex_count, 256, vector_range, job);
    pl_maps_place_skirts(job->maps, job->maps->start_uvs);
    pl_maps_fill_skirts(job->maps, vector_across, job);
}

/* A symmetric range, unless one is given: of each channel, or where vectors are still to be turned, of their length. */
static void settle_range(const pleat_maps *maps, uint32_t first, uint32_t last, bool length, pleat_height_range *range)
{
    if (range->low < range->high)
    {
        return;
    }
    pleat_height_range found = find_range(maps, first, last);
    range->high = fmaxf(fabsf(found.low), fabsf(found.high));
    for (uint32_t c = 0; length && c < 3 * maps->stack->shape.triangle_count; ++c)
    {
        if (!maps->skipped[c / 3])
        {
            range->high = fmaxf(range->high, pl_length3(maps->values[maps->stack->shape.triangles[c]]));
        }
    }
    range->low = -range->high;
}

/* Vectors are linear on triangles in the axes of the world, not in a frame that turns: so they are drawn there, and
 * turned texel by texel. */
static void draw_vectors(pleat_maps *maps, bool turned, pleat_height_range range, uint16_t *vectors,
                         const pleat_tasks *tasks)
{
    pl_raster_job job = job_of(maps, maps->start_uvs, range, tasks);
    job.width = 3;
    job.out = vectors;
    job.centres = true;
    pl_raster_draw(&maps->raster, &job);
    if (turned)
    {
        pl_maps_turn(maps, &job, range);
    }
    spread(maps, &job);
}

void pleat_maps_vectors(pleat_maps *maps, pleat_maps_shape of, pleat_maps_space space, uint16_t *vectors,
                        uint16_t *normals, pleat_height_range *range, const pleat_tasks *tasks)
{
    pleat_stack *stack = maps->stack;
    bool bind = of == PLEAT_MAPS_BIND, turned = space == PLEAT_MAPS_TANGENT;
    vector_job vector = {.maps = maps, .bind = bind};
    pleat_height_range own = {0, 0};
    range = range ? range : &own;
    maps->positions = bind ? stack->shape.bind : stack->positions;
    pl_maps_take_coarse(maps, bind ? stack->coarse_bind : stack->coarse_positions, tasks);
    find_vectors(&vector, tasks);
    settle_range(maps, 0, 2, turned, range);
    maps->repaired = 0;
    if (vectors)
    {
        draw_vectors(maps, turned, *range, vectors, tasks);
    }
    if (normals)
    {
        if (bind)
        {
            pleat_stack_base_normals(stack, maps->bind_normals);
        }
        vector.normals = vector.seen = true;
        find_vectors(&vector, tasks);
        pl_raster_job job = job_of(maps, maps->start_uvs, *range, tasks);
        want_normals(&job, normals);
        draw(maps, &job);
    }
    maps->drawn = pl_raster_drawn(&maps->raster);
}

void pleat_maps_changes(pleat_maps *maps, const pleat_vec3 *changes, uint16_t *vectors, uint16_t *heights,
                        pleat_height_range *range, const pleat_tasks *tasks)
{
    uint32_t count = maps->stack->shape.vertex_count;
    vector_job vector = {.maps = maps, .changes = changes, .bind = true, .seen = !vectors};
    pleat_height_range own = {0, 0};
    range = range ? range : &own;
    pl_maps_take_coarse(maps, maps->stack->coarse_bind, tasks);
    find_vectors(&vector, tasks);
    settle_range(maps, vectors ? 0 : 2, 2, vectors != NULL, range);
    if (vectors)
    {
        draw_vectors(maps, true, *range, vectors, tasks);
    }
    if (heights)
    {
        if (vectors)
        {
            vector.seen = true;
            find_vectors(&vector, tasks);
        }
        for (uint32_t r = 0; r < count + maps->skirt_count; ++r)
        {
            maps->values[r][0] = maps->values[r][2];
        }
        pl_raster_job job = job_of(maps, maps->start_uvs, *range, tasks);
        job.out = heights;
        draw(maps, &job);
    }
}

/* ---- Any value ---- */

void pleat_maps_values(pleat_maps *maps, const float *values, uint32_t width, uint16_t *out, const pleat_tasks *tasks)
{
    const pleat_stack_shape *shape = &maps->stack->shape;
    for (uint32_t r = 0; r < shape->vertex_count; ++r)
    {
        pl_f4 value = pl_splat(0);
        for (uint32_t k = 0; k < width; ++k)
        {
            value[k] = values[(size_t)shape->render_vertex[r] * width + k];
        }
        maps->values[r] = value;
    }
    pl_maps_place_skirts(maps, maps->start_uvs);
    pl_maps_fill_skirts(maps, NULL, NULL);
    pl_raster_job job = job_of(maps, maps->start_uvs, (pleat_height_range){0, 1}, tasks);
    job.width = width;
    job.out = out;
    draw(maps, &job);
}

bool pleat_maps_joint_mask(const pleat_maps *maps, const char *joints, float *out)
{
    const pleat_stack *stack = maps->stack;
    const pleat_stack_shape *shape = &stack->shape;
    bool any = false;
    for (uint32_t i = 0; stack->skin && i < stack->skin->joint_count; ++i)
    {
        any |= pleat_name_matches(joints, stack->model->nodes[stack->skin->joints[i]].name);
    }
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        float sum = 0;
        for (uint32_t i = 0; stack->skin && i < shape->influence_count; ++i)
        {
            size_t at = (size_t)v * shape->influence_count + i;
            uint32_t joint = shape->joints[at];
            bool fits = shape->weights[at] > 0 && joint < stack->skin->joint_count &&
                        pleat_name_matches(joints, stack->model->nodes[stack->skin->joints[joint]].name);
            sum += fits ? shape->weights[at] : 0;
        }
        out[v] = sum;
    }
    return any;
}

pleat_maps_cover pleat_maps_get_cover(const pleat_maps *maps)
{
    float texels = (float)maps->raster.size * (float)maps->raster.size, drawn = (float)maps->drawn;
    return (pleat_maps_cover){drawn / texels, drawn > 0 ? (float)maps->shared / drawn : 0,
                              drawn > 0 ? (float)maps->repaired / drawn : 0};
}

pleat_maps_coarse pleat_maps_get_coarse(const pleat_maps *maps)
{
    const pleat_stack *stack = maps->stack;
    return (pleat_maps_coarse){stack->coarse_count,
                               stack->coarse_render_count,
                               stack->surface->triangle_count,
                               stack->surface->triangles,
                               stack->surface->render_triangles,
                               maps->coarse_positions,
                               maps->coarse_normals,
                               maps->coarse_tangents,
                               maps->coarse_uvs};
}
