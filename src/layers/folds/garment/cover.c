/* Cloth that is covered is held down: a shirt in trousers, a jacket under a belt, tights under a leotard. Folds would
 * come through what is worn over them, and where it lies close nobody sees them.
 *
 * From every vertex that folds may raise, rays go out at rest to what else is worn. Cloth covers the vertex that faces
 * out as the vertex does; a sheet with an inner side covers it from there on. What faces the vertex with nothing behind
 * is another part of the body, which clearance/near.c looks after. A fold may rise through half of the gap; the other
 * half is left to the crease above, which may be tucked in, and to what skinning makes of the gap.
 *
 * Beside the hem of what covers it cloth rises no steeper than 45 degrees, so that the hem lies on it. */
#include "layers/folds/garment/around.h"
#include "layers/folds/garment/lining.h"
#include "layers/folds/garment/worn.h"

#include "base/fail.h"

/* Cloth faces a ray, or turns its back, by more than this cosine. */
#define FACES 0.2f
/* Cloth that has less than this of its weights in common moves by itself. */
#define TOGETHER 0.05f
/* How far up a fold evening out takes a vertex, of half its width. */
#define EVENED 0.3f

/* How much of the gap a fold may take. */
#define SHARE 0.5f

typedef struct coverer
{
    pl_folds_layer *layer;
    const uint32_t *garments; /* of the plan */
    const pleat_cloth *cloth;
    const pl_ring_surface *surface;
    pl_arena scratch;
    float reach;     /* how far up is of interest */
    uint8_t *raised; /* by vertex: may folds raise it? */
    float *gaps;     /* by vertex: how far up it is covered; INFINITY: it is not */
    float *found;    /* the same of one mesh */
    uint32_t *over;  /* by vertex: the shell that covers it, or PLEAT_NONE */
    uint32_t *shell; /* by vertex: its own, where the cloth itself is asked */
    bool covered;    /* any of it */
} coverer;

/* What a ray meets: what covers, and how far away. */
typedef struct glance
{
    uint32_t triangle; /* PLEAT_NONE: nothing */
    float distance;
} glance;

/* How much a triangle faces the way a ray goes, -1 .. 1. */
static float facing(const pl_fold_worn *worn, uint32_t triangle, pl_f4 direction, float turn)
{
    const uint32_t *corner = worn->triangles + 3 * (size_t)triangle;
    pl_f4 a = pl_load(&worn->positions[corner[0]]);
    pl_f4 area = pl_cross(pl_load(&worn->positions[corner[1]]) - a, pl_load(&worn->positions[corner[2]]) - a);
    return turn * pl_dot3(pl_normalize3(area), pl_normalize3(direction));
}

static uint32_t strongest_joint(const pleat_cloth *cloth, uint32_t vertex)
{
    size_t first = (size_t)vertex * cloth->influence_count, best = first;
    for (size_t at = first; at < first + cloth->influence_count; ++at)
    {
        best = cloth->weights[at] > cloth->weights[best] ? at : best;
    }
    return cloth->joints[best];
}

/* Does a triangle of the cloth itself move with it, as a trimming? */
static bool is_trimming(const coverer *c, const pl_fold_worn *worn, uint32_t triangle)
{
    return worn->own && c->garments && c->garments[worn->triangles[3 * (size_t)triangle]] == PLEAT_NONE;
}

/* Looks from a vertex outwards (side 1) or inwards (-1) for cloth that faces out. */
static glance look(const coverer *c, const pl_fold_worn *worn, uint32_t vertex, float side)
{
    enum
    {
        MOST = 16 /* triangles that a ray passes */
    };
    const pleat_affine *way = &worn->ways[strongest_joint(c->cloth, vertex)];
    float turn = pl_affine_determinant(way) < 0 ? -side : side, from = 0, entered = INFINITY, close = 1e-3f * c->reach;
    pl_f4 place = pl_affine_point(way, pl_load(&c->cloth->rest[vertex]));
    pl_f4 direction = pl_affine_vector(way, pl_load(&c->cloth->rest_normals[vertex]) * pl_splat(side));
    for (uint32_t n = 0; n < MOST; ++n)
    {
        pleat_hit hit = pleat_bvh_ray(worn->bvh, pl_to(place), pl_to(direction), from, c->reach);
        if (hit.triangle == PLEAT_NONE)
        {
            break;
        }
        from = hit.distance + 1e-5f * c->reach;
        float faces = facing(worn, hit.triangle, direction, turn);
        if (worn->own && worn->shells[hit.triangle] == c->shell[vertex])
        {
            continue;
        }
        if (faces > FACES && !is_trimming(c, worn, hit.triangle))
        {
            bool thick = side > 0 && entered < hit.distance;
            bool together = !thick || pl_fold_worn_together(worn, c->cloth, vertex, hit.triangle) > TOGETHER;
            return together ? (glance){hit.triangle, thick ? entered : hit.distance} : (glance){PLEAT_NONE, 0};
        }
        entered = faces < -FACES && hit.distance > close && hit.distance < entered ? hit.distance : entered;
    }
    return (glance){PLEAT_NONE, 0};
}

static void find_own_shells(coverer *c, const pl_fold_worn *worn)
{
    for (uint32_t i = 0; i < 3 * worn->triangle_count; ++i)
    {
        c->shell[worn->triangles[i]] = worn->shells[i / 3];
    }
}

/* A shell that lies beneath more of the cloth than over it is what the cloth is worn on, such as a body: where it comes
 * through, folds may well cover it again. balance: by shell, how much more of the cloth it lies over. */
static void weigh(const coverer *c, const pl_fold_worn *worn, int64_t *balance)
{
    for (uint32_t v = 0; v < c->cloth->topology->vertex_count; ++v)
    {
        if (c->raised[v])
        {
            glance below = look(c, worn, v, -1);
            if (below.triangle != PLEAT_NONE && worn->shells[below.triangle] != PLEAT_NONE)
            {
                --balance[worn->shells[below.triangle]];
            }
            if (c->over[v] != PLEAT_NONE)
            {
                ++balance[c->over[v]];
            }
        }
    }
}

static pleat_result ask(void *user, const pl_fold_worn *worn, pleat_error *error)
{
    coverer *c = user;
    bool any = false;
    pl_folds_ask_beneath(c->layer, c->cloth, c->surface, worn);
    if (worn->own)
    {
        find_own_shells(c, worn);
    }
    for (uint32_t v = 0; v < c->cloth->topology->vertex_count; ++v)
    {
        c->over[v] = PLEAT_NONE;
        glance above = c->raised[v] ? look(c, worn, v, 1) : (glance){PLEAT_NONE, 0};
        if (above.triangle != PLEAT_NONE && worn->shells[above.triangle] != PLEAT_NONE)
        {
            c->over[v] = worn->shells[above.triangle];
            c->found[v] = above.distance;
            any = true;
        }
    }
    if (!any)
    {
        return PLEAT_OK;
    }
    int64_t *balance = PL_ARENA_NEW(&c->scratch, int64_t, worn->shell_count);
    if (!balance)
    {
        return pl_fail_memory(&c->layer->memory, error, "what covers folds");
    }
    weigh(c, worn, balance);
    for (uint32_t v = 0; v < c->cloth->topology->vertex_count; ++v)
    {
        if (c->over[v] != PLEAT_NONE && balance[c->over[v]] > 0)
        {
            c->gaps[v] = fminf(c->gaps[v], c->found[v]);
            c->covered = true;
        }
    }
    return PLEAT_OK;
}

/* Lets gaps grow no faster than a slope over the cloth. found: of the pass before. True where anything changed. */
static bool spread(coverer *c, float slope)
{
    const pleat_topology *topology = c->cloth->topology;
    bool changed = false;
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        c->found[v] = c->gaps[v];
    }
    for (uint32_t e = 0; e < topology->edge_count; ++e)
    {
        uint32_t corner = topology->edge_corner[e], next = corner % 3 == 2 ? corner - 2 : corner + 1;
        uint32_t ends[2] = {topology->triangles[corner], topology->triangles[next]};
        float step = slope * pl_length3(pl_load(&c->cloth->rest[ends[1]]) - pl_load(&c->cloth->rest[ends[0]]));
        for (int i = 0; i < 2; ++i)
        {
            float most = c->found[ends[i]] + step;
            if (most < c->reach && most < c->gaps[ends[1 - i]])
            {
                c->gaps[ends[1 - i]] = most;
                changed = true;
            }
        }
    }
    return changed;
}

/* How high a fold may rise for a vertex at x: evening it out may take the vertex further up the fold. */
static float room_of(const pl_bound_ring *ring, const pl_fold_vertex *v, float gap)
{
    float x = fmaxf(fabsf(v->x) - EVENED, 0);
    return SHARE * gap / fmaxf(pl_profile_at(&ring->profile, v->x < 0 ? -x : x), 1e-3f);
}

static pleat_result note_rooms(coverer *c, pl_bound_ring *ring, pleat_error *error)
{
    uint32_t folds = ring->station_count * ring->fold_count;
    float most = PL_FOLD_STEEP * ring->width;
    float *rooms = PL_ARENA_NEW(&c->scratch, float, folds);
    ring->obstacles.covers = PL_ARENA_NEW(&c->layer->arena, pl_fold_pinch, folds);
    if (!rooms || !ring->obstacles.covers)
    {
        return pl_fail_memory(&c->layer->memory, error, "what covers folds");
    }
    for (uint32_t i = 0; i < folds; ++i)
    {
        rooms[i] = most;
    }
    for (uint32_t cell = 0; cell < folds; ++cell)
    {
        uint32_t station = cell / ring->fold_count, k = cell % ring->fold_count;
        uint32_t next = pl_fold_station_after(ring, station) * ring->fold_count + k;
        for (uint32_t i = ring->cloth.first_vertex[cell]; i < ring->cloth.first_vertex[cell + 1]; ++i)
        {
            const pl_fold_vertex *v = &ring->cloth.vertices[i];
            float room = room_of(ring, v, c->gaps[v->vertex]);
            rooms[cell] = fminf(rooms[cell], room);
            rooms[next] = fminf(rooms[next], room);
        }
    }
    for (uint32_t i = 0; i < folds; ++i)
    {
        if (rooms[i] < most)
        {
            ring->obstacles.covers[ring->obstacles.cover_count++] = (pl_fold_pinch){i, rooms[i]};
        }
    }
    return PLEAT_OK;
}

static pleat_result settle_covers(coverer *c, pleat_error *error)
{
    enum
    {
        PASSES = 100
    };
    spread(c, 0); /* all corners of a triangle that is covered in part are covered */
    for (uint32_t i = 0; i < PASSES && spread(c, 1 / SHARE); ++i)
    {
    }
    for (uint32_t r = 0; r < c->layer->ring_count; ++r)
    {
        PL_TRY(note_rooms(c, &c->layer->rings[r], error));
    }
    return PLEAT_OK;
}

static pleat_result look_around(coverer *c, const pleat_host *host, pleat_error *error)
{
    uint32_t count = c->cloth->topology->vertex_count;
    c->raised = PL_ARENA_NEW(&c->scratch, uint8_t, count);
    c->gaps = PL_ARENA_NEW(&c->scratch, float, count);
    c->found = PL_ARENA_NEW(&c->scratch, float, count);
    c->over = PL_ARENA_NEW(&c->scratch, uint32_t, count);
    c->shell = PL_ARENA_NEW(&c->scratch, uint32_t, count);
    if (!c->raised || !c->gaps || !c->found || !c->over || !c->shell)
    {
        return pl_fail_memory(&c->layer->memory, error, "what covers folds");
    }
    for (uint32_t v = 0; v < count; ++v)
    {
        c->gaps[v] = INFINITY;
    }
    for (uint32_t r = 0; r < c->layer->ring_count; ++r)
    {
        c->reach = fmaxf(c->reach, PL_FOLD_STEEP / SHARE * c->layer->rings[r].width);
    }
    pl_folds_mark_rings(c->layer, c->raised);
    PL_TRY(pl_folds_each_worn(c->cloth, host, ask, c, error));
    return c->covered ? settle_covers(c, error) : PLEAT_OK;
}

pleat_result pl_folds_look_around(pl_folds_layer *layer, const pl_folds_plan *plan, const pleat_cloth *cloth,
                                  const pl_ring_surface *surface, const pleat_host *host, pleat_error *error)
{
    PL_TRY(pl_folds_prepare_beneath(layer, error));
    if (!layer->ring_count)
    {
        return PLEAT_OK;
    }
    coverer c = {.layer = layer, .garments = plan->garments, .cloth = cloth, .surface = surface};
    pl_arena_init(&c.scratch, &layer->memory);
    pleat_result result = look_around(&c, host, error);
    pl_arena_free(&c.scratch);
    return result;
}

void pl_folds_hold_down(const pl_bound_ring *ring, float *rooms)
{
    for (uint32_t n = 0; n < ring->obstacles.cover_count; ++n)
    {
        const pl_fold_pinch *cover = &ring->obstacles.covers[n];
        rooms[cover->fold] = fminf(rooms[cover->fold], cover->room);
    }
}
