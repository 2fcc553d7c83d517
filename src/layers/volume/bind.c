/* Where each joint acts. With s the weight of a joint and all below it, the joint bends the skin where s lies between 0
 * and 1; the blend 4 s (1 - s) is 1 in the middle and 0 where one side rules alone. A region is one connected piece of
 * a joint's blend. A triangle counts its loss to the joint with the largest blend there. */
#include "layers/volume/volume.h"

#include "base/name.h"

#include <stdlib.h>
#include <string.h>

/* Traces of weights below this do not make a region; above it the blend starts smoothly. */
#define TRACE 0.08f

typedef struct binder
{
    const pleat_volume_options *options;
    bool adds;
    const pleat_cloth *cloth;
    const pleat_host *host;
    const pleat_skin *skin;
    pl_arena *arena;
    pl_arena scratch;
    pl_volume_bound *bound;
    pleat_topology *topology; /* of the closed triangles */
    uint32_t point_count;     /* closed vertices */
    uint32_t *parent;         /* joint -> joint of the skin, or PLEAT_NONE */
    uint32_t *order;          /* joints, parents first */
    uint8_t *below;           /* joint: is the one at work or below it */
    float *share;             /* s, per closed vertex */
    float *blend;
    float *area;      /* per closed vertex: of the triangles around it, at rest */
    float *best;      /* per closed triangle */
    uint32_t *region; /* per closed triangle: the joint */
    uint32_t *queue;
    uint8_t *reached;
    uint32_t *local_of;
    uint32_t *active;
    /* For regions that reach beyond their blend. */
    float *kept, *distance;
    uint32_t *waiting;
    uint8_t *waits;
    float *group_area;
    uint32_t joint_capacity, share_capacity;
} binder;

/* ---- Joints of the skin ---- */

static const char *joint_name(const binder *b, uint32_t joint)
{
    return b->cloth->model->nodes[b->skin->joints[joint]].name;
}

static const pleat_volume_shape *shape_of(const binder *b, uint32_t joint)
{
    for (uint32_t i = 0; i < b->options->bone_count; ++i)
    {
        if (pl_name_is_listed(b->options->bones[i].joints, joint_name(b, joint)))
        {
            return &b->options->bones[i].shape;
        }
    }
    return &b->options->shape;
}

static pleat_result order_joints(binder *b, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_model *model = b->cloth->model;
    uint32_t *joint_of, count = 0;
    PL_ARENA_NEW_OR_FAIL(joint_of, &b->scratch, uint32_t, model->node_count, error);
    PL_ARENA_NEW_OR_FAIL(b->parent, &b->scratch, uint32_t, b->skin->joint_count, error);
    PL_ARENA_NEW_OR_FAIL(b->order, &b->scratch, uint32_t, b->skin->joint_count, error);
    PL_ARENA_NEW_OR_FAIL(b->below, &b->scratch, uint8_t, (size_t)b->skin->joint_count + 1, error);
    memset(joint_of, 0xff, model->node_count * sizeof *joint_of);
    for (uint32_t j = b->skin->joint_count; j-- > 0;)
    {
        joint_of[b->skin->joints[j]] = j;
    }
    for (uint32_t i = 0; i < model->node_count; ++i)
    {
        uint32_t j = joint_of[model->node_order[i]];
        if (j != PLEAT_NONE)
        {
            b->order[count++] = j;
        }
    }
    for (uint32_t j = 0; j < b->skin->joint_count; ++j)
    {
        uint32_t node = b->skin->joints[j];
        if (joint_of[node] != j)
        {
            /* A node listed twice: the later one hangs on the first. */
            b->parent[j] = joint_of[node];
            b->order[count++] = j;
            continue;
        }
        do
        {
            node = model->nodes[node].parent;
        } while (node != PLEAT_NONE && joint_of[node] == PLEAT_NONE);
        b->parent[j] = node == PLEAT_NONE ? PLEAT_NONE : joint_of[node];
    }
fail:
    return result;
}

/* s and the blend of one joint at all closed vertices; false if it blends nowhere. */
static bool blend_joint(binder *b, uint32_t joint)
{
    const pl_closed *closed = &b->bound->closed;
    const pleat_cloth *cloth = b->cloth;
    uint32_t width = cloth->influence_count;
    for (uint32_t i = 0; i < b->skin->joint_count; ++i)
    {
        uint32_t j = b->order[i];
        b->below[j] = j == joint || (b->parent[j] != PLEAT_NONE && b->below[b->parent[j]]);
    }
    for (uint32_t v = 0; v < closed->vertex_count; ++v)
    {
        float s = 0;
        for (uint32_t i = 0; i < width; ++i)
        {
            size_t at = (size_t)v * width + i;
            s += b->below[cloth->joints[at]] ? cloth->weights[at] : 0;
        }
        b->share[v] = fminf(fmaxf(s, 0), 1);
    }
    for (uint32_t h = 0; h < closed->hole_count; ++h)
    {
        uint32_t first = closed->hole_start[h], end = closed->hole_start[h + 1];
        float sum = 0;
        for (uint32_t i = first; i < end; ++i)
        {
            sum += b->share[closed->hole_vertex[i]];
        }
        b->share[closed->vertex_count + h] = sum / (float)(end - first);
    }
    bool any = false;
    for (uint32_t v = 0; v < b->point_count; ++v)
    {
        float blend = 4 * b->share[v] * (1 - b->share[v]);
        float above = blend > TRACE ? (blend - TRACE) / (1 - TRACE) : 0;
        b->blend[v] = above * above / (above + 0.5f) * 1.5f;
        any = any || b->blend[v] > 0;
    }
    return any;
}

/* ---- Regions ---- */

static void find_regions(binder *b)
{
    const pl_closed *closed = &b->bound->closed;
    memset(b->region, 0xff, closed->triangle_count * sizeof *b->region);
    for (uint32_t i = 0; b->skin && i < b->skin->joint_count; ++i)
    {
        uint32_t joint = b->order[i];
        if (!blend_joint(b, joint))
        {
            continue;
        }
        for (uint32_t t = 0; t < closed->triangle_count; ++t)
        {
            const uint32_t *corner = closed->triangles + 3 * (size_t)t;
            float blend = b->blend[corner[0]] + b->blend[corner[1]] + b->blend[corner[2]];
            if (blend > b->best[t])
            {
                b->best[t] = blend;
                b->region[t] = joint;
            }
        }
    }
}

static void *grow(pl_arena *arena, void *old, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
    {
        return old;
    }
    uint32_t wanted = *capacity ? 2 * *capacity : 32;
    void *grown = pl_arena_alloc(arena, wanted, size);
    if (grown)
    {
        if (count)
        {
            memcpy(grown, old, count * size);
        }
        *capacity = wanted;
    }
    return grown;
}

static pleat_result add_joint(binder *b, pl_volume_joint **joint, pleat_error *error)
{
    pl_volume_bound *bound = b->bound;
    void *grown = grow(b->arena, bound->joints, bound->joint_count, &b->joint_capacity, sizeof *bound->joints);
    if (!grown)
    {
        return pl_fail_memory(b->arena->memory, error, "joints");
    }
    bound->joints = grown;
    *joint = &bound->joints[bound->joint_count];
    memset(*joint, 0, sizeof **joint);
    return PLEAT_OK;
}

/* Of a triangle of the mesh; fans over holes have none. */
static float area_of(const binder *b, const uint32_t corner[3])
{
    pl_f4 p[3];
    for (int k = 0; k < 3; ++k)
    {
        if (corner[k] >= b->bound->closed.vertex_count)
        {
            return 0;
        }
        p[k] = pl_load(&b->cloth->rest[corner[k]]);
    }
    return 0.5f * pl_length3(pl_cross(p[1] - p[0], p[2] - p[0]));
}

/* Which groups' losses a region takes part in, by the area it rules there. */
static pleat_result add_shares(binder *b, const uint32_t *vertices, uint32_t count, uint32_t joint, bool *any,
                               pleat_error *error)
{
    pl_volume_bound *bound = b->bound;
    *any = false;
    for (int pass = 0; pass < 2; ++pass)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            for (uint32_t k = b->topology->ring_start[vertices[i]]; k < b->topology->ring_start[vertices[i] + 1]; ++k)
            {
                uint32_t t = b->topology->ring_corner[k] / 3, group = bound->groups.triangle_group[t];
                if (b->region[t] != joint)
                {
                    continue;
                }
                if (pass == 0)
                {
                    b->group_area[group] += b->blend[vertices[i]] * area_of(b, bound->closed.triangles + 3 * (size_t)t);
                    continue;
                }
                if (b->group_area[group] > 0)
                {
                    void *grown =
                        grow(b->arena, bound->shares, bound->share_count, &b->share_capacity, sizeof *bound->shares);
                    if (!grown)
                    {
                        return pl_fail_memory(b->arena->memory, error, "shares");
                    }
                    bound->shares = grown;
                    bound->shares[bound->share_count++] =
                        (pl_volume_share){group, bound->joint_count, b->group_area[group]};
                    *any = true;
                }
                b->group_area[group] = 0;
            }
        }
    }
    return PLEAT_OK;
}

static int compare_indices(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int compare_shares(const void *a, const void *b)
{
    const pl_volume_share *x = a, *y = b;
    return x->group != y->group ? (x->group > y->group) - (x->group < y->group)
                                : (x->joint > y->joint) - (x->joint < y->joint);
}

/* Vertices of a region that may move, ascending. */
static uint32_t find_active(binder *b, const uint32_t *vertices, uint32_t count)
{
    uint32_t active_count = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (vertices[i] < b->bound->closed.vertex_count && b->cloth->mask[vertices[i]] > 0)
        {
            b->active[active_count++] = vertices[i];
        }
    }
    qsort(b->active, active_count, sizeof *b->active, compare_indices);
    return active_count;
}

/* The joint at bound->joints[joint_count], from the blend in b->blend over b->active. */
static pleat_result finish_joint(binder *b, const pleat_volume_shape *shape, pl_f4 direction, uint32_t active_count,
                                 pl_volume_joint *joint, pleat_error *error)
{
    pl_volume_bound *bound = b->bound;
    pl_volume_spread spread = {.shape = shape,
                               .direction = direction,
                               .count = active_count,
                               .active = b->active,
                               .blend = b->blend,
                               .rest = b->cloth->rest,
                               .mask = b->cloth->mask,
                               .area = b->area};
    PL_TRY(pl_volume_spread_out(&spread, b->arena, joint, error));
    const pl_volume_part part = {&bound->closed, &bound->groups, b->topology, b->active, active_count, b->local_of};
    PL_TRY(pl_volume_localise(&part, b->host, b->arena, joint, error));
    joint->shell = bound->closed.shell[b->topology->ring_corner[b->topology->ring_start[b->active[0]]] / 3];
    bound->largest_local = joint->local_count > bound->largest_local ? joint->local_count : bound->largest_local;
    ++bound->joint_count;
    return PLEAT_OK;
}

/* From before the joint to beyond it: the covariance of s and position. */
static pl_f4 limb_direction(const binder *b, uint32_t active_count)
{
    double sum = 0, mean_s = 0;
    pl_f4 mean = pl_splat(0), direction = pl_splat(0);
    for (uint32_t i = 0; i < active_count; ++i)
    {
        uint32_t v = b->active[i];
        sum += (double)b->blend[v];
        mean_s += (double)(b->blend[v] * b->share[v]);
        mean += pl_load(&b->cloth->rest[v]) * pl_splat(b->blend[v]);
    }
    mean_s /= sum;
    mean = mean * pl_splat((float)(1 / sum));
    for (uint32_t i = 0; i < active_count; ++i)
    {
        uint32_t v = b->active[i];
        float weight = b->blend[v] * (b->share[v] - (float)mean_s);
        direction += (pl_load(&b->cloth->rest[v]) - mean) * pl_splat(weight);
    }
    return direction;
}

/* The region with what lies around it, as far as the shape says; forget_around takes that back. */
static uint32_t take_around(binder *b, const pleat_volume_shape *shape, uint32_t *vertices, uint32_t count,
                            pl_f4 direction)
{
    if (!(shape->reach > 0))
    {
        return count;
    }
    memcpy(b->kept, b->blend, b->point_count * sizeof *b->kept);
    pl_volume_reach reach = {.topology = b->topology,
                             .vertex_count = b->bound->closed.vertex_count,
                             .rest = b->cloth->rest,
                             .direction = direction,
                             .blend = b->blend,
                             .distance = b->distance,
                             .queue = b->waiting,
                             .waits = b->waits};
    return pl_volume_reach_out(&reach, shape->reach, vertices, count);
}

static void forget_around(binder *b, const pleat_volume_shape *shape)
{
    if (shape->reach > 0)
    {
        memcpy(b->blend, b->kept, b->point_count * sizeof *b->kept);
    }
}

static pleat_result bind_region(binder *b, uint32_t joint, uint32_t *vertices, uint32_t count, pleat_error *error)
{
    const pleat_volume_shape *shape = shape_of(b, joint);
    pl_volume_joint *made;
    bool any;
    uint32_t active_count = find_active(b, vertices, count);
    if (active_count == 0)
    {
        return PLEAT_OK;
    }
    PL_TRY(add_shares(b, vertices, count, joint, &any, error));
    if (!any)
    {
        return PLEAT_OK; /* another joint has more to say everywhere */
    }
    PL_TRY(add_joint(b, &made, error));
    made->joint = joint;
    made->parent = b->parent[joint] == PLEAT_NONE ? b->skin->joint_count : b->parent[joint];
    pl_f4 direction = limb_direction(b, active_count);
    active_count = find_active(b, vertices, take_around(b, shape, vertices, count, direction));
    pleat_result result = finish_joint(b, shape, direction, active_count, made, error);
    forget_around(b, shape);
    return result;
}

/* The connected pieces of a joint's blend. */
static pleat_result bind_joint(binder *b, uint32_t joint, pleat_error *error)
{
    const pleat_topology *topology = b->topology;
    memset(b->reached, 0, b->point_count);
    for (uint32_t start = 0; start < b->point_count; ++start)
    {
        if (b->reached[start] || !(b->blend[start] > 0))
        {
            continue;
        }
        uint32_t count = 1;
        b->queue[0] = start;
        b->reached[start] = 1;
        for (uint32_t i = 0; i < count; ++i)
        {
            for (uint32_t k = topology->ring_start[b->queue[i]]; k < topology->ring_start[b->queue[i] + 1]; ++k)
            {
                for (uint32_t c = 0; c < 3; ++c)
                {
                    uint32_t v = topology->triangles[topology->ring_corner[k] / 3 * 3 + c];
                    if (!b->reached[v] && b->blend[v] > 0)
                    {
                        b->reached[v] = 1;
                        b->queue[count++] = v;
                    }
                }
            }
        }
        if (topology->ring_start[start] < topology->ring_start[start + 1])
        {
            PL_TRY(bind_region(b, joint, b->queue, count, error));
        }
    }
    return PLEAT_OK;
}

/* ---- Whole shells: for added volume, and for what joints cannot bring back ---- */

/* Everywhere alike, or where the joints that inflate rule. */
static void blend_everywhere(binder *b, const char *names)
{
    const pleat_cloth *cloth = b->cloth;
    for (uint32_t j = 0; names && j < b->skin->joint_count; ++j)
    {
        b->below[j] = pl_name_is_listed(names, joint_name(b, j));
    }
    for (uint32_t v = 0; v < b->bound->closed.vertex_count; ++v)
    {
        b->blend[v] = names ? 0 : 1;
        for (uint32_t i = 0; names && i < cloth->influence_count; ++i)
        {
            size_t at = (size_t)v * cloth->influence_count + i;
            bool counts = cloth->joints[at] < b->skin->joint_count && b->below[cloth->joints[at]];
            b->blend[v] += counts ? cloth->weights[at] : 0;
        }
    }
}

/* A region without a joint for each shell, over the blend; made receives their numbers. */
static pleat_result bind_shells(binder *b, bool adds, uint32_t *made, pleat_error *error)
{
    const pleat_volume_shape even = pleat_volume_shape_default();
    const pl_closed *closed = &b->bound->closed;
    for (uint32_t s = 0; s < closed->shell_count; ++s)
    {
        uint32_t count = 0;
        for (uint32_t v = 0; v < closed->vertex_count; ++v)
        {
            uint32_t ring = b->topology->ring_start[v];
            if (ring < b->topology->ring_start[v + 1] && closed->shell[b->topology->ring_corner[ring] / 3] == s &&
                b->blend[v] > 0)
            {
                b->queue[count++] = v;
            }
        }
        uint32_t active_count = find_active(b, b->queue, count);
        made[s] = active_count ? b->bound->joint_count : PLEAT_NONE;
        if (active_count)
        {
            pl_volume_joint *joint;
            PL_TRY(add_joint(b, &joint, error));
            joint->joint = joint->parent = PLEAT_NONE;
            joint->adds = adds;
            PL_TRY(finish_joint(b, &even, pl_set(0, 1, 0, 0), active_count, joint, error));
        }
    }
    return PLEAT_OK;
}

static pleat_result bind_whole_shells(binder *b, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    bool adds = b->adds;
    const char *names = adds && b->skin && b->options->inflate_joints[0] ? b->options->inflate_joints : NULL;
    uint32_t *made;
    PL_ARENA_NEW_OR_FAIL(b->bound->keeper, b->arena, uint32_t, b->bound->closed.shell_count, error);
    PL_ARENA_NEW_OR_FAIL(made, &b->scratch, uint32_t, b->bound->closed.shell_count, error);
    blend_everywhere(b, NULL);
    /* Without a skin nobody else can bring lost volume back. */
    result = bind_shells(b, !names && (adds || !b->skin), b->bound->keeper, error);
    if (result == PLEAT_OK && names)
    {
        blend_everywhere(b, names);
        result = bind_shells(b, true, made, error);
    }
fail:
    return result;
}

/* ---- All of it ---- */

static pleat_result prepare(binder *b, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_closed *closed = &b->bound->closed;
    PL_TRY(pl_volume_close(b->cloth, b->host, b->arena, closed, error));
    b->point_count = closed->vertex_count + closed->hole_count;
    if (b->point_count < closed->vertex_count || b->point_count > UINT32_MAX / sizeof(pleat_vec4))
    {
        return pl_fail(error, PLEAT_UNSUPPORTED, "volume: %u vertices; at most %u can be", closed->vertex_count,
                       (uint32_t)(UINT32_MAX / sizeof(pleat_vec4)));
    }
    PL_ARENA_NEW_OR_FAIL(b->share, &b->scratch, float, b->point_count, error);
    PL_ARENA_NEW_OR_FAIL(b->blend, &b->scratch, float, b->point_count, error);
    PL_ARENA_NEW_OR_FAIL(b->area, &b->scratch, float, b->point_count, error);
    PL_ARENA_NEW_OR_FAIL(b->best, &b->scratch, float, closed->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(b->region, &b->scratch, uint32_t, closed->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(b->queue, &b->scratch, uint32_t, b->point_count, error);
    PL_ARENA_NEW_OR_FAIL(b->reached, &b->scratch, uint8_t, b->point_count, error);
    PL_ARENA_NEW_OR_FAIL(b->local_of, &b->scratch, uint32_t, b->point_count, error);
    PL_ARENA_NEW_OR_FAIL(b->active, &b->scratch, uint32_t, b->point_count, error);
    PL_ARENA_NEW_OR_FAIL(b->kept, &b->scratch, float, b->point_count, error);
    PL_ARENA_NEW_OR_FAIL(b->distance, &b->scratch, float, b->point_count, error);
    PL_ARENA_NEW_OR_FAIL(b->waiting, &b->scratch, uint32_t, b->point_count, error);
    PL_ARENA_NEW_OR_FAIL(b->waits, &b->scratch, uint8_t, b->point_count, error);
    memset(b->local_of, 0xff, b->point_count * sizeof *b->local_of);
    result =
        pleat_topology_create(b->point_count, closed->triangle_count, closed->triangles, b->host, &b->topology, error);
fail:
    return result;
}

static void find_areas(binder *b)
{
    const pl_closed *closed = &b->bound->closed;
    for (uint32_t t = 0; t < closed->triangle_count; ++t)
    {
        const uint32_t *corner = closed->triangles + 3 * (size_t)t;
        float area = area_of(b, corner);
        for (int k = 0; k < 3; ++k)
        {
            b->area[corner[k]] += area;
        }
    }
}

/* Volumes at rest, measured as frames measure them. */
static pleat_result measure_rest(binder *b, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_volume_groups *groups = &b->bound->groups;
    pl_closed *closed = &b->bound->closed;
    pleat_vec4 *centres, *origins;
    PL_ARENA_NEW_OR_FAIL(centres, &b->scratch, pleat_vec4, closed->hole_count, error);
    PL_ARENA_NEW_OR_FAIL(origins, &b->scratch, pleat_vec4, closed->shell_count, error);
    pl_volume_centres(closed, b->cloth->rest, centres);
    pl_volume_origins(groups, closed, b->cloth->rest, origins);
    pl_volume_view view = {closed, groups, b->cloth->rest, centres, origins};
    memset(closed->shell_volume, 0, closed->shell_count * sizeof *closed->shell_volume);
    for (uint32_t t = 0; t < closed->triangle_count; ++t)
    {
        groups->groups[groups->triangle_group[t]].rest_area += (double)area_of(b, closed->triangles + 3 * (size_t)t);
    }
    for (uint32_t g = 0; g < groups->group_count; ++g)
    {
        pl_volume_group *group = &groups->groups[g];
        double sum = 0;
        for (uint32_t i = 0; i < group->block_count; ++i)
        {
            sum += pl_volume_of_block(&view, group->first_block + i);
        }
        closed->shell_volume[group->shell] += sum;
        group->rest_volume = sum + pl_volume_of_loops(&view, g);
    }
fail:
    return result;
}

static pleat_result bind_all(binder *b, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    PL_TRY(prepare(b, error));
    if (b->skin)
    {
        PL_TRY(order_joints(b, error));
    }
    find_areas(b);
    find_regions(b);
    PL_TRY(pl_volume_group_triangles(&b->bound->closed, b->topology, b->region, b->host, b->arena, &b->bound->groups,
                                     error));
    PL_TRY(measure_rest(b, error));
    PL_ARENA_NEW_OR_FAIL(b->group_area, &b->scratch, float, b->bound->groups.group_count, error);
    for (uint32_t i = 0; b->skin && i < b->skin->joint_count; ++i)
    {
        if (blend_joint(b, b->order[i]))
        {
            PL_TRY(bind_joint(b, b->order[i], error));
        }
    }
    if (b->bound->share_count)
    {
        qsort(b->bound->shares, b->bound->share_count, sizeof *b->bound->shares, compare_shares);
    }
    result = bind_whole_shells(b, error);
fail:
    return result;
}

pleat_result pl_volume_bind(const pleat_volume_options *options, bool adds, const pleat_cloth *cloth,
                            const pleat_host *host, pl_arena *arena, pl_volume_bound *bound, pleat_error *error)
{
    pl_memory scratch_memory = pl_memory_from(host);
    uint32_t skin = cloth->model->nodes[cloth->node].skin;
    binder b = {.options = options, .adds = adds, .cloth = cloth, .host = host, .arena = arena, .bound = bound};
    b.skin = skin == PLEAT_NONE || cloth->influence_count == 0 ? NULL : &cloth->model->skins[skin];
    pl_arena_init(&b.scratch, &scratch_memory);
    pleat_result result = bind_all(&b, error);
    pleat_topology_destroy(b.topology);
    pl_arena_free(&b.scratch);
    return result;
}

pleat_result pl_volume_make_scratch(const pl_volume_bound *bound, pl_arena *arena, pl_volume_scratch *scratch,
                                    pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    size_t local = (size_t)bound->largest_local + 7;
    PL_ARENA_NEW_OR_FAIL(scratch->points, arena, pleat_vec4, local, error);
    PL_ARENA_NEW_OR_FAIL(scratch->slopes, arena, pleat_vec4, local, error);
    PL_ARENA_NEW_OR_FAIL(scratch->directions, arena, pleat_vec4, local, error);
    PL_ARENA_NEW_OR_FAIL(scratch->rows, arena, pleat_vec4, 3 * local, error);
fail:
    return result;
}
