/* Wrinkles in real time: creation, the order of an update, state.
 *
 * R. Gillette, "Augmentation of Coarse Meshes with Wrinkles", M.Sc. thesis, University of British Columbia, 2015. What
 * differs stands at the top of each file. All rules are in units of time and of length: the same character in metres or
 * centimetres, at 30 or 120 frames a second, gets about the same wrinkles. */
#include "layers/live/live.h"

#include <string.h>

/* A longer frame is a cut: nobody saw what happened in it. Seconds. */
static const float LONGEST_FRAME = 0.25f;
/* From the origin, in any unit. */
static const float FARTHEST = 1e9f;
/* The default width over the size of the cloth (twice from its middle to its farthest vertex): the thesis' 0.5 %. */
static const float DEFAULT_WIDTH = 0.005f;
/* Seeds are sown when nearly 1/30 s has passed: frames of 1/30 s may be a little short of it. */
static const float SOWING = 0.95f / PL_LIVE_RATE;

enum
{
    POINTS_OF_A_LINE = 32, /* in the mean */
    TOUCHES_OF_A_LINE = 48
};

/* ---- Options ---- */

pleat_live_options pleat_live_options_default(void)
{
    pleat_live_options options = {0};
    options.tau = 1.3f;
    options.arc = 3.14159265f;
    options.cap = 1.7f;
    options.strength = 1;
    options.spacing = 1.5f;
    options.shortest = 4;
    options.detail = 3;
    return options;
}

pleat_result pl_live_check_options(const pleat_live_options *o, pleat_error *error)
{
    const struct
    {
        const char *name;
        float value, low, high;
    } ranges[] = {
        {"tau", o->tau, 1.01f, 4},         {"width", o->width, 0, 1e6f},     {"arc", o->arc, 1.1f, 8},
        {"cap", o->cap, 1.05f, 3},         {"strength", o->strength, 0, 1},  {"spacing", o->spacing, 0.2f, 20},
        {"shortest", o->shortest, 1, 100}, {"tension", o->tension, 0, 1},    {"side", (float)o->side, 0, 2},
        {"detail", o->detail, 1, 16},      {"most", (float)o->most, 0, 4096}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i)
    {
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "live: %s is %g; it can be %g to %g", ranges[i].name,
                           (double)ranges[i].value, (double)ranges[i].low, (double)ranges[i].high);
        }
    }
    return PLEAT_OK;
}

/* ---- Creation ---- */

pleat_live_desc pleat_live_desc_default(void)
{
    pleat_live_desc desc = {0};
    desc.options = pleat_live_options_default();
    return desc;
}

static pleat_result check_desc(const pleat_live_desc *desc, pleat_error *error)
{
    PL_TRY(pl_live_check_options(&desc->options, error));
    if (!desc->triangles || desc->triangle_count == 0 || desc->triangle_count > UINT32_MAX / 6)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "live: triangle_count is %u; it must be 1 or more, with triangles",
                       desc->triangles ? desc->triangle_count : 0);
    }
    for (size_t c = 0; c < 3 * (size_t)desc->triangle_count; ++c)
    {
        if (desc->triangles[c] >= desc->vertex_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "live: corner %u of triangle %u is vertex %u; there are %u",
                           (unsigned)(c % 3), (unsigned)(c / 3), desc->triangles[c], desc->vertex_count);
        }
    }
    for (uint32_t v = 0; v < desc->vertex_count; ++v)
    {
        if (desc->weld && !pl_finite3(desc->weld[v]))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "live: weld[%u] is not finite; it must be a position", v);
        }
        if (desc->mask && !(desc->mask[v] >= 0 && desc->mask[v] <= 1))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "live: mask[%u] is %g; it can be 0 to 1", v,
                           (double)desc->mask[v]);
        }
    }
    return PLEAT_OK;
}

static pleat_result weld(pleat_live *live, const pleat_live_desc *desc, const pleat_host *host, pleat_error *error)
{
    const uint32_t *triangles = desc->triangles;
    uint32_t vertex_count = desc->vertex_count;
    if (desc->weld)
    {
        pleat_surface_desc surface = pleat_surface_desc_default();
        surface.render_count = desc->vertex_count;
        surface.positions = desc->weld;
        surface.triangle_count = desc->triangle_count;
        surface.triangles = desc->triangles;
        PL_TRY(pleat_surface_create(&surface, host, &live->surface, error));
        triangles = live->surface->triangles;
        vertex_count = live->surface->vertex_count;
    }
    return pleat_topology_create(vertex_count, desc->triangle_count, triangles, host, &live->topology, error);
}

static uint32_t render_vertex(const pleat_live *live, uint32_t v)
{
    return live->surface ? live->surface->vertex_render[v] : v;
}

static pleat_result keep_mask(pleat_live *live, const float *mask, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    if (mask)
    {
        PL_ARENA_NEW_OR_FAIL(live->mask, &live->arena, float, live->topology->vertex_count, error);
        for (uint32_t v = 0; v < live->topology->vertex_count; ++v)
        {
            live->mask[v] = mask[render_vertex(live, v)];
        }
    }
fail:
    return result;
}

/* Triangles beside each other over edges that two share. */
static pleat_result link_triangles(pleat_live *live, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_topology *topology = live->topology;
    uint32_t corners = 3 * topology->triangle_count, count = 0, *links;
    PL_NEW_OR_FAIL(links, &live->memory, uint32_t, corners, error); /* two for each of at most half of the corners */
    for (uint32_t c = 0; c < corners; ++c)
    {
        if (topology->twin[c] < PLEAT_NON_MANIFOLD && c < topology->twin[c])
        {
            links[2 * count] = c / 3;
            links[2 * count++ + 1] = topology->twin[c] / 3;
        }
    }
    result = pl_live_labeller_create(&live->arena, topology->triangle_count, count, links, &live->labeller, error);
    pl_free(&live->memory, links);
fail:
    return result;
}

/* A part of the block of state, aligned for vectors. */
static size_t part(size_t *size, size_t bytes)
{
    size_t at = *size;
    *size = (at + bytes + 31) & ~(size_t)31;
    return at;
}

static pleat_result make_state(pleat_live *live, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    size_t triangles = live->topology->triangle_count, vertices = live->topology->vertex_count, size = 0;
    size_t head = part(&size, sizeof *live->head), reference = part(&size, triangles * sizeof *live->reference);
    size_t paths = part(&size, live->most * sizeof *live->paths);
    size_t ring = part(&size, PL_LIVE_RING * vertices * sizeof *live->ring), labels = part(&size, triangles);
    char *block;
    PL_ARENA_NEW_OR_FAIL(block, &live->arena, char, size, error);
    live->state = block;
    live->state_size = size;
    live->head = (pl_live_head *)(void *)(block + head);
    live->reference = (pl_live_flat *)(void *)(block + reference);
    live->paths = (pl_live_path *)(void *)(block + paths);
    live->ring = (pleat_vec4 *)(void *)(block + ring);
    live->labels = (uint8_t *)(block + labels);
fail:
    return result;
}

static pleat_result make_room(pleat_live *live, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_arena *arena = &live->arena;
    uint32_t triangles = live->topology->triangle_count, vertices = live->topology->vertex_count;
    uint32_t scratch = triangles > 3 * live->most ? triangles : 3 * live->most;
    PL_TRY(make_state(live, error));
    PL_ARENA_NEW_OR_FAIL(live->now, arena, pleat_vec4, vertices, error);
    PL_ARENA_NEW_OR_FAIL(live->before, arena, pleat_vec4, vertices, error);
    PL_ARENA_NEW_OR_FAIL(live->field, arena, pleat_live_tensor, triangles, error);
    PL_ARENA_NEW_OR_FAIL(live->costs, arena, int32_t, PL_LIVE_LABELS * (size_t)triangles, error);
    PL_ARENA_NEW_OR_FAIL(live->lines, arena, pleat_live_wrinkle, live->most, error);
    PL_ARENA_NEW_OR_FAIL(live->balls, arena, pl_live_ball, live->most, error);
    PL_ARENA_NEW_OR_FAIL(live->points, arena, pleat_live_point, live->point_capacity, error);
    PL_ARENA_NEW_OR_FAIL(live->ways, arena, pleat_vec4, live->point_capacity, error);
    PL_ARENA_NEW_OR_FAIL(live->touched, arena, uint32_t, triangles, error);
    PL_ARENA_NEW_OR_FAIL(live->patches, arena, uint32_t, triangles, error);
    PL_ARENA_NEW_OR_FAIL(live->touches, arena, pl_live_touch, live->touch_capacity, error);
    PL_ARENA_NEW_OR_FAIL(live->stamps, arena, uint32_t, triangles, error);
    PL_ARENA_NEW_OR_FAIL(live->queue, arena, uint32_t, scratch, error);
    PL_ARENA_NEW_OR_FAIL(live->candidates, arena, uint32_t, scratch, error);
    PL_ARENA_NEW_OR_FAIL(live->packed, arena, uint8_t, PLEAT_LIVE_UPLOAD_BYTES, error);
    memset(live->touched, 0xff, triangles * sizeof *live->touched);
fail:
    return result;
}

static uint32_t default_most(uint32_t triangles)
{
    uint32_t most = triangles / 6;
    return most < 24 ? 24 : most > 256 ? 256 : most;
}

pleat_result pleat_live_create(const pleat_live_desc *desc, const pleat_host *host, pleat_live **out,
                               pleat_error *error)
{
    *out = NULL;
    PL_TRY(check_desc(desc, error));
    pleat_live *live = PL_CREATE(pleat_live, host);
    if (!live)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for live wrinkles");
    }
    pl_arena_init(&live->arena, &live->memory);
    live->options = desc->options;
    live->render_count = desc->vertex_count;
    live->most = desc->options.most ? desc->options.most : default_most(desc->triangle_count);
    live->point_capacity = POINTS_OF_A_LINE * live->most;
    live->touch_capacity = TOUCHES_OF_A_LINE * live->most;
    pl_live_contour_make(&live->contour);
    pleat_result result = weld(live, desc, host, error);
    result = result == PLEAT_OK ? keep_mask(live, desc->mask, error) : result;
    result = result == PLEAT_OK ? link_triangles(live, error) : result;
    result = result == PLEAT_OK ? make_room(live, error) : result;
    if (result != PLEAT_OK)
    {
        pleat_live_destroy(live);
        return result;
    }
    pleat_live_reset(live);
    *out = live;
    return PLEAT_OK;
}

void pleat_live_destroy(pleat_live *live)
{
    if (live)
    {
        pleat_topology_destroy(live->topology);
        pleat_surface_destroy(live->surface);
        pl_arena_free(&live->arena);
        PL_DESTROY(live);
    }
}

/* ---- An update ---- */

/* Whether all are numbers, and such that products of four lengths are, too. */
static bool is_sound(const pleat_live *live, const pleat_vec3 *positions)
{
    bool sound = true;
    for (uint32_t v = 0; v < live->topology->vertex_count; ++v)
    {
        const pleat_vec3 *p = &positions[render_vertex(live, v)];
        sound = sound && fabsf(p->x) <= FARTHEST && fabsf(p->y) <= FARTHEST && fabsf(p->z) <= FARTHEST;
    }
    return sound;
}

/* Takes the positions over. Returns whether any has changed. */
static bool gather(pleat_live *live, const pleat_vec3 *positions)
{
    bool changed = false;
    for (uint32_t v = 0; v < live->topology->vertex_count; ++v)
    {
        const pleat_vec3 *p = &positions[render_vertex(live, v)];
        pleat_vec4 now = {p->x, p->y, p->z, 0};
        changed = changed || now.x != live->now[v].x || now.y != live->now[v].y || now.z != live->now[v].z;
        live->now[v] = now;
    }
    return changed;
}

/* Twice from the middle to the farthest vertex: does not depend on how the cloth is turned. */
static float size_of(const pleat_live *live)
{
    pl_d4 sum = {0};
    float farthest = 0;
    uint32_t count = 0;
    for (uint32_t v = 0; v < live->topology->vertex_count; ++v)
    {
        if (!(live->topology->vertex_flags[v] & PLEAT_VERTEX_ISOLATED))
        {
            sum += __builtin_convertvector(pl_load(&live->now[v]), pl_d4);
            ++count;
        }
    }
    pl_f4 middle = __builtin_convertvector(sum / (double)(count ? count : 1), pl_f4);
    for (uint32_t v = 0; v < live->topology->vertex_count; ++v)
    {
        if (!(live->topology->vertex_flags[v] & PLEAT_VERTEX_ISOLATED))
        {
            farthest = fmaxf(farthest, pl_length3(pl_load(&live->now[v]) - middle));
        }
    }
    return 2 * farthest;
}

static void first_sight(pleat_live *live)
{
    float width = live->options.width > 0 ? live->options.width : DEFAULT_WIDTH * size_of(live);
    live->head->seen = true;
    live->head->width = width > 0 ? width : 1; /* all in one point: nothing will wrinkle */
    pl_live_remember_all(live);
    pl_live_ring_restart(live);
}

static void follow_paths(pleat_live *live, float dt)
{
    pl_live_head *head = live->head;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < head->path_count; ++i)
    {
        pl_live_path *path = &live->paths[i];
        pl_live_relax(live, path, dt);
        head->crossings += pl_live_cross(live, path);
        if (!pl_live_grow(live, path, dt))
        {
            ++head->deaths;
            continue;
        }
        if (kept != i)
        {
            live->paths[kept] = *path;
        }
        ++kept;
    }
    memset(live->paths + kept, 0, (head->path_count - kept) * sizeof *live->paths); /* equal states, equal bytes */
    head->path_count = kept;
}

static void sow_in_time(pleat_live *live, float dt)
{
    pl_live_head *head = live->head;
    head->unsown += dt;
    if (head->unsown < SOWING)
    {
        return;
    }
    head->unsown = fminf(fmaxf(head->unsown - 1 / PL_LIVE_RATE, 0), 1 / PL_LIVE_RATE);
    for (uint32_t i = 0; i < head->path_count; ++i)
    {
        pl_live_limit(live, i);
    }
    if (head->detail > 0)
    {
        pl_live_sow(live);
    }
}

static void count_figures(pleat_live *live)
{
    pleat_live_figures *figures = &live->figures;
    figures->wrinkles = live->line_count;
    figures->points = live->point_count;
    figures->births = live->head->births;
    figures->deaths = live->head->deaths;
    figures->crossings = live->head->crossings;
    figures->width = live->head->width;
    figures->compressed = figures->stretched = 0;
    figures->highest = 0;
    for (uint32_t t = 0; t < live->topology->triangle_count; ++t)
    {
        figures->compressed += live->labels[t] == PLEAT_LIVE_COMPRESSED;
        figures->stretched += live->labels[t] == PLEAT_LIVE_STRETCHED;
    }
    for (uint32_t i = 0; i < live->line_count; ++i)
    {
        figures->highest = fmaxf(figures->highest, live->lines[i].height);
    }
}

static void finish(pleat_live *live)
{
    pl_live_touch_all(live);
    pl_live_pack(live);
    count_figures(live);
}

/* Learns nothing from how the cloth came to be as it is. */
static pleat_live_event cut(pleat_live *live, const pleat_tasks *tasks)
{
    memset(live->labels, PLEAT_LIVE_RESTING, live->topology->triangle_count);
    pl_live_ring_restart(live);
    pl_live_compare(live, tasks);
    live->head->cut_next = false;
    pl_live_draw_all(live);
    return PLEAT_LIVE_CUT;
}

static pleat_live_event move(pleat_live *live, float dt, const pleat_tasks *tasks)
{
    dt += live->head->waited;
    live->head->waited = 0;
    if (live->head->cut_next || dt > LONGEST_FRAME)
    {
        return cut(live, tasks);
    }
    pl_live_ring_push(live, dt);
    if (!pl_live_observe(live, dt, tasks))
    {
        pl_live_rescale(live);
        return cut(live, tasks);
    }
    follow_paths(live, dt);
    pl_live_draw_all(live);
    sow_in_time(live, dt);
    return PLEAT_LIVE_MOVED;
}

static void forget_frame(pleat_live *live)
{
    live->line_count = live->point_count = 0;
    pl_live_touch_all(live);
    pl_live_pack(live);
    live->figures = (pleat_live_figures){0};
}

pleat_live_event pleat_live_update(pleat_live *live, const pleat_vec3 *positions, float dt, const pleat_tasks *tasks)
{
    if (live->head->seen && !(live->head->detail > 0) && live->head->path_count == 0)
    {
        live->head->cut_next = true; /* nobody looks at what happens now */
        live->head->waited = 0;
        forget_frame(live);
        return PLEAT_LIVE_STILL;
    }
    if (!(dt * 0 == 0) || !is_sound(live, positions))
    {
        live->head->waited += dt > 0 && dt < LONGEST_FRAME ? dt : 0;
        return PLEAT_LIVE_BAD;
    }
    bool changed = gather(live, positions);
    pleat_live_event event = PLEAT_LIVE_STILL;
    if (!live->head->seen)
    {
        first_sight(live);
        pl_live_compare(live, tasks);
        event = PLEAT_LIVE_MOVED;
    }
    else if (dt > 0)
    {
        event = move(live, dt, tasks);
    }
    else
    {
        if (changed)
        {
            pl_live_ring_restart(live); /* turned back, or put elsewhere: that was no motion */
        }
        pl_live_draw_all(live);
    }
    finish(live);
    return event;
}

void pleat_live_set_detail(pleat_live *live, float detail)
{
    live->head->detail = detail > 0 ? fminf(detail, 1) : 0;
}

void pleat_live_cut(pleat_live *live)
{
    live->head->cut_next = true;
}

void pleat_live_reset(pleat_live *live)
{
    memset(live->state, 0, live->state_size);
    live->head->vertex_count = live->topology->vertex_count;
    live->head->triangle_count = live->topology->triangle_count;
    live->head->most = live->most;
    live->head->detail = 1;
    forget_frame(live);
}

void pl_live_show(pleat_live *live, const pleat_vec3 *positions, uint32_t wrinkle_count, const pleat_wrinkle *wrinkles,
                  const pleat_wrinkle_point *points)
{
    gather(live, positions);
    live->line_count = live->point_count = 0;
    for (uint32_t w = 0; w < wrinkle_count && live->line_count < live->most; ++w)
    {
        const pleat_wrinkle_point *from = points + wrinkles[w].first_point;
        uint32_t count = wrinkles[w].point_count;
        if (count > live->point_capacity - live->point_count)
        {
            break;
        }
        pl_live_show_line(live, wrinkles[w].id, count, from);
    }
    pl_live_touch_all(live);
}

/* ---- Results and state ---- */

uint32_t pleat_live_wrinkles(const pleat_live *live, const pleat_live_wrinkle **wrinkles,
                             const pleat_live_point **points)
{
    *wrinkles = live->lines;
    *points = live->points;
    return live->line_count;
}

pleat_live_buffers pleat_live_packed(const pleat_live *live)
{
    return live->buffers;
}

const uint8_t *pleat_live_labels(const pleat_live *live)
{
    return live->labels;
}

const pleat_live_tensor *pleat_live_tensors(const pleat_live *live)
{
    return live->field;
}

pleat_live_figures pleat_live_last(const pleat_live *live)
{
    return live->figures;
}

size_t pleat_live_state_size(const pleat_live *live)
{
    return live->state_size;
}

void pleat_live_state_save(const pleat_live *live, void *state)
{
    memcpy(state, live->state, live->state_size);
}

pleat_result pleat_live_state_restore(pleat_live *live, const void *state, pleat_error *error)
{
    pl_live_head head;
    memcpy(&head, state, sizeof head);
    if (head.vertex_count != live->head->vertex_count || head.triangle_count != live->head->triangle_count ||
        head.most != live->most || head.path_count > live->most)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT,
                       "live: the state is of %u vertices, %u triangles and %u wrinkles; this has %u, %u and %u",
                       head.vertex_count, head.triangle_count, head.most, live->head->vertex_count,
                       live->head->triangle_count, live->most);
    }
    memcpy(live->state, state, live->state_size);
    forget_frame(live);
    return PLEAT_OK;
}
