/* Bones and bends: which skin is whose, and what hangs on what.
 *
 * Each vertex is at home on the bone that moves it most. Bones whose patches share a border may bend against each
 * other: a bone and the nearest one above it in the skeleton first; what then hangs on nothing is joined along its
 * longest border, so that a flat list of joints (as WebXR gives for hands) has limbs too. */
#include "layers/implicit/implicit.h"

#include <stdlib.h>

/* A tube's patch goes round on both sides: seen along the limb, of so many sectors */
#define SECTORS 48u
/* no more than these in a row (a quarter) hold no skin within this many radii of the joint, */
#define SECTORS_EMPTY 12u
#define NEAR_JOINT 2.0f
/* and both bones are at least as long as this many radii: discs of a spine are not. */
#define TUBE_LENGTH 1.2f
/* Joints closer to each other than this many radii do not say where a bone points. */
#define LEAST_LENGTH 0.5f
/* A joint farther than this many radii from the middle of its border lies outside of the limb. */
#define JOINT_INSIDE 0.5f

typedef struct border
{
    uint32_t a, b; /* bones, a < b */
    uint32_t vertex;
} border;

typedef struct finder
{
    const pleat_cloth *cloth;
    const pleat_skin *skin;
    pl_arena *arena;
    pl_arena scratch;
    pl_implicit_skeleton *skeleton;
    uint32_t *parent; /* joint -> nearest joint above that has a patch, or PLEAT_NONE */
    uint32_t *group;  /* joint -> a joint of the same connected piece */
    border *borders;  /* sorted by pair */
    uint32_t border_count;
    uint32_t *first; /* of each pair in borders, and one more */
    uint32_t pair_count;
    pl_f4 *origins; /* joints at rest */
} finder;

/* ---- Patches ---- */

static uint32_t home_of(const finder *f, uint32_t v)
{
    const pleat_cloth *cloth = f->cloth;
    size_t first = (size_t)v * cloth->influence_count;
    uint32_t best = PLEAT_NONE;
    float most = 0;
    for (size_t i = first; i < first + cloth->influence_count; ++i)
    {
        if (cloth->weights[i] > most && cloth->joints[i] < f->skin->joint_count)
        {
            most = cloth->weights[i];
            best = cloth->joints[i];
        }
    }
    return best;
}

static pleat_result make_patches(finder *f, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_implicit_skeleton *s = f->skeleton;
    uint32_t count = f->cloth->topology->vertex_count, *all, *next;
    PL_ARENA_NEW_OR_FAIL(s->bones, f->arena, pl_implicit_bone, s->joint_count, error);
    PL_ARENA_NEW_OR_FAIL(s->home, f->arena, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(all, f->arena, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(next, &f->scratch, uint32_t, s->joint_count, error);
    for (uint32_t v = 0; v < count; ++v)
    {
        bool lone = f->cloth->topology->vertex_flags[v] & PLEAT_VERTEX_ISOLATED;
        s->home[v] = lone ? PLEAT_NONE : home_of(f, v);
        if (s->home[v] != PLEAT_NONE)
        {
            ++s->bones[s->home[v]].vertex_count;
        }
    }
    for (uint32_t j = 0, first = 0; j < s->joint_count; first += s->bones[j++].vertex_count)
    {
        s->bones[j].vertices = all + first;
        next[j] = first;
    }
    for (uint32_t v = 0; v < count; ++v)
    {
        if (s->home[v] != PLEAT_NONE)
        {
            all[next[s->home[v]]++] = v;
        }
    }
fail:
    return result;
}

/* ---- Who hangs on whom ---- */

static pleat_result find_parents(finder *f, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_model *model = f->cloth->model;
    const pl_implicit_skeleton *s = f->skeleton;
    uint32_t *joint_of;
    PL_ARENA_NEW_OR_FAIL(joint_of, &f->scratch, uint32_t, model->node_count, error);
    PL_ARENA_NEW_OR_FAIL(f->parent, &f->scratch, uint32_t, s->joint_count, error);
    memset(joint_of, 0xff, model->node_count * sizeof *joint_of);
    for (uint32_t j = s->joint_count; j-- > 0;)
    {
        if (s->bones[j].vertex_count)
        {
            joint_of[f->skin->joints[j]] = j;
        }
    }
    for (uint32_t j = 0; j < s->joint_count; ++j)
    {
        uint32_t node = model->nodes[f->skin->joints[j]].parent;
        while (node != PLEAT_NONE && joint_of[node] == PLEAT_NONE)
        {
            node = model->nodes[node].parent;
        }
        f->parent[j] = node == PLEAT_NONE ? PLEAT_NONE : joint_of[node];
    }
fail:
    return result;
}

static int compare_borders(const void *x, const void *y)
{
    const border *p = x, *q = y;
    if (p->a != q->a)
    {
        return p->a < q->a ? -1 : 1;
    }
    if (p->b != q->b)
    {
        return p->b < q->b ? -1 : 1;
    }
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

/* Vertices on edges between two patches, each once for a pair. */
static pleat_result find_borders(finder *f, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_topology *t = f->cloth->topology;
    const uint32_t *home = f->skeleton->home;
    PL_ARENA_NEW_OR_FAIL(f->borders, &f->scratch, border, 2 * (size_t)t->edge_count, error);
    for (uint32_t e = 0; e < t->edge_count; ++e)
    {
        uint32_t c = t->edge_corner[e];
        uint32_t u = t->triangles[c], v = t->triangles[c % 3 == 2 ? c - 2 : c + 1];
        uint32_t a = home[u], b = home[v];
        if (a != b && a != PLEAT_NONE && b != PLEAT_NONE)
        {
            f->borders[f->border_count++] = (border){a < b ? a : b, a < b ? b : a, u};
            f->borders[f->border_count++] = (border){a < b ? a : b, a < b ? b : a, v};
        }
    }
    qsort(f->borders, f->border_count, sizeof *f->borders, compare_borders);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->border_count; ++i)
    {
        if (kept == 0 || compare_borders(&f->borders[i], &f->borders[kept - 1]) != 0)
        {
            f->borders[kept++] = f->borders[i];
        }
    }
    f->border_count = kept;
    PL_ARENA_NEW_OR_FAIL(f->first, &f->scratch, uint32_t, (size_t)kept + 1, error);
    for (uint32_t i = 0; i < kept; ++i)
    {
        if (i == 0 || f->borders[i].a != f->borders[i - 1].a || f->borders[i].b != f->borders[i - 1].b)
        {
            f->first[f->pair_count++] = i;
        }
    }
    f->first[f->pair_count] = kept;
fail:
    return result;
}

static uint32_t group_of(finder *f, uint32_t joint)
{
    while (f->group[joint] != joint)
    {
        joint = f->group[joint] = f->group[f->group[joint]];
    }
    return joint;
}

static pl_f4 border_middle(const finder *f, uint32_t pair)
{
    pl_f4 sum = pl_splat(0);
    for (uint32_t i = f->first[pair]; i < f->first[pair + 1]; ++i)
    {
        sum += pl_load(&f->cloth->rest[f->borders[i].vertex]);
    }
    return sum * pl_splat(1.0f / (float)(f->first[pair + 1] - f->first[pair]));
}

/* A bend at the border of a pair; the one below has its joint there. */
static void add_bend(finder *f, uint32_t pair, uint32_t above, uint32_t below)
{
    pl_implicit_skeleton *s = f->skeleton;
    pl_f4 middle = border_middle(f, pair);
    float sum = 0;
    for (uint32_t i = f->first[pair]; i < f->first[pair + 1]; ++i)
    {
        sum += pl_length3(pl_load(&f->cloth->rest[f->borders[i].vertex]) - middle);
    }
    s->bends[s->bend_count++] = (pl_implicit_bend){.a = above,
                                                   .b = below,
                                                   .origin = f->origins[below],
                                                   .base = middle,
                                                   .radius = sum / (float)(f->first[pair + 1] - f->first[pair])};
    f->group[group_of(f, below)] = group_of(f, above);
}

/* The pair with the longest border that would join two pieces; pair_count: none. */
static uint32_t longest_pair(finder *f)
{
    uint32_t best = f->pair_count, most = 0;
    for (uint32_t p = 0; p < f->pair_count; ++p)
    {
        uint32_t length = f->first[p + 1] - f->first[p];
        const border *at = &f->borders[f->first[p]];
        if (length > most && group_of(f, at->a) != group_of(f, at->b))
        {
            most = length;
            best = p;
        }
    }
    return best;
}

static pleat_result find_bends(finder *f, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_implicit_skeleton *s = f->skeleton;
    PL_ARENA_NEW_OR_FAIL(s->bends, f->arena, pl_implicit_bend, f->pair_count, error);
    PL_ARENA_NEW_OR_FAIL(f->group, &f->scratch, uint32_t, s->joint_count, error);
    for (uint32_t j = 0; j < s->joint_count; ++j)
    {
        f->group[j] = j;
    }
    for (uint32_t p = 0; p < f->pair_count; ++p)
    {
        const border *at = &f->borders[f->first[p]];
        bool up = f->parent[at->a] == at->b, down = f->parent[at->b] == at->a;
        if ((up || down) && group_of(f, at->a) != group_of(f, at->b))
        {
            add_bend(f, p, down ? at->a : at->b, down ? at->b : at->a);
        }
    }
    for (uint32_t p = longest_pair(f); p < f->pair_count; p = longest_pair(f))
    {
        const border *at = &f->borders[f->first[p]];
        pl_f4 middle = border_middle(f, p);
        bool first = pl_length3(f->origins[at->a] - middle) < pl_length3(f->origins[at->b] - middle);
        add_bend(f, p, first ? at->b : at->a, first ? at->a : at->b);
    }
fail:
    return result;
}

static void add_partner(pl_implicit_skeleton *s, pl_implicit_bone *bone, uint32_t bend)
{
    if (bone->partner_count < PL_IMPLICIT_PARTNERS)
    {
        bone->partners[bone->partner_count++] = bend;
        return;
    }
    uint32_t least = 0;
    for (uint32_t i = 1; i < PL_IMPLICIT_PARTNERS; ++i)
    {
        least = s->bends[bone->partners[i]].radius < s->bends[bone->partners[least]].radius ? i : least;
    }
    if (s->bends[bend].radius > s->bends[bone->partners[least]].radius)
    {
        bone->partners[least] = bend;
    }
}

/* ---- Shapes ---- */

/* From the joint that a bone hangs on, or its only end, through its patch. */
static void find_direction(const finder *f, pl_implicit_bone *bone, uint32_t joint)
{
    const pl_implicit_skeleton *s = f->skeleton;
    const pleat_vec4 *rest = f->cloth->rest;
    pl_f4 sum = pl_splat(0), start = f->origins[joint];
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        sum += pl_load(&rest[bone->vertices[i]]);
    }
    bone->middle = sum * pl_splat(bone->vertex_count ? 1.0f / (float)bone->vertex_count : 0);
    for (uint32_t i = 0; i < bone->partner_count; ++i)
    {
        const pl_implicit_bend *bend = &s->bends[bone->partners[i]];
        start = s->bones + bend->b == bone ? bend->origin : start;
    }
    bone->direction = pl_normalize3(bone->middle - start);
    float thickness = 0;
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        pl_f4 from = pl_load(&rest[bone->vertices[i]]) - start;
        thickness += pl_length3(from - bone->direction * pl_splat(pl_dot3(from, bone->direction)));
    }
    bone->thickness = bone->vertex_count ? thickness / (float)bone->vertex_count : 0;
}

/* Where a bone comes from, seen from its bend: its own joint; the middle of its skin where that is the same place. */
static pl_f4 start_of(const finder *f, const pl_implicit_bend *bend)
{
    pl_f4 start = f->origins[bend->a];
    bool apart = pl_length3(start - bend->base) > LEAST_LENGTH * bend->radius;
    return apart ? start : f->skeleton->bones[bend->a].middle;
}

/* The mean of the joints right below one; false where there are none. */
static bool joints_below(const finder *f, uint32_t joint, pl_f4 *out)
{
    const pleat_node *nodes = f->cloth->model->nodes;
    pl_f4 sum = pl_splat(0);
    uint32_t count = 0;
    for (uint32_t j = 0; j < f->skin->joint_count; ++j)
    {
        if (nodes[f->skin->joints[j]].parent == f->skin->joints[joint])
        {
            sum += f->origins[j];
            ++count;
        }
    }
    *out = sum * pl_splat(count ? 1.0f / (float)count : 0);
    return count > 0;
}

/* And where one goes to: the bends of what hangs on it; the joints below it, though they have no skin here (a sleeve
 * ends before the hand); or the middle of its skin. */
static pl_f4 end_of(const finder *f, const pl_implicit_bend *bend)
{
    const pl_implicit_skeleton *s = f->skeleton;
    const pl_implicit_bone *bone = &s->bones[bend->b];
    pl_f4 sum = pl_splat(0), end;
    uint32_t count = 0;
    for (uint32_t i = 0; i < bone->partner_count; ++i)
    {
        const pl_implicit_bend *next = &s->bends[bone->partners[i]];
        if (next->a == bend->b)
        {
            sum += next->origin;
            ++count;
        }
    }
    end = sum * pl_splat(count ? 1.0f / (float)count : 0);
    bool known = count > 0 || joints_below(f, bend->b, &end);
    bool apart = known && pl_length3(end - bend->base) > LEAST_LENGTH * bend->radius;
    return apart ? end : bone->middle;
}

static uint32_t longest_gap(uint64_t seen)
{
    uint32_t longest = 0, run = 0;
    for (uint32_t i = 0; i < 2 * SECTORS; ++i)
    {
        run = seen >> i % SECTORS & 1 ? 0 : run + 1;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* True if a bone's skin goes round the limb at a joint and on for long enough. */
static bool goes_round(const finder *f, const pl_implicit_bend *bend, const pl_implicit_bone *bone)
{
    pl_f4 x = pl_perpendicular(bend->along), y = pl_cross(bend->along, x);
    uint64_t seen = 0;
    float reach = 0;
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        pl_f4 from = pl_load(&f->cloth->rest[bone->vertices[i]]) - bend->base;
        float along = fabsf(pl_dot3(from, bend->along));
        reach = fmaxf(reach, along);
        if (along < NEAR_JOINT * bend->radius)
        {
            float turn = (atan2f(pl_dot3(from, y), pl_dot3(from, x)) + 3.1415927f) / 6.2831855f;
            uint32_t sector = (uint32_t)(turn * (float)SECTORS);
            seen |= (uint64_t)1 << (sector < SECTORS ? sector : SECTORS - 1);
        }
    }
    return longest_gap(seen) <= SECTORS_EMPTY && reach > TUBE_LENGTH * bend->radius;
}

/* Bends that hang on a bone: a pelvis has three, and goes on in none of them. */
static uint32_t count_below(const finder *f, uint32_t joint)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->skeleton->bend_count; ++i)
    {
        count += f->skeleton->bends[i].a == joint;
    }
    return count;
}

static void shape_bend(const finder *f, pl_implicit_bend *bend)
{
    const pl_implicit_bone *a = &f->skeleton->bones[bend->a], *b = &f->skeleton->bones[bend->b];
    bool inside = pl_length3(bend->origin - bend->base) < JOINT_INSIDE * bend->radius;
    bend->base = inside ? bend->origin : bend->base;
    bend->out_of_a = pl_normalize3(bend->base - start_of(f, bend));
    bend->into_b = pl_normalize3(end_of(f, bend) - bend->base);
    bend->along = pl_normalize3(bend->out_of_a + bend->into_b);
    bend->tube = inside && count_below(f, bend->a) == 1 && goes_round(f, bend, a) && goes_round(f, bend, b);
}

static pleat_result find_origins(finder *f, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    PL_ARENA_NEW_OR_FAIL(f->origins, &f->scratch, pl_f4, f->skin->joint_count, error);
    for (uint32_t j = 0; j < f->skin->joint_count; ++j)
    {
        pleat_affine bind;
        pl_f4 origin = pl_splat(0);
        if (pl_affine_inverse(&f->skin->inverse_binds[j], &bind))
        {
            origin = pl_set(bind.row[0][3], bind.row[1][3], bind.row[2][3], 0);
        }
        f->origins[j] = pl_affine_point(&f->cloth->to_rest, origin);
    }
fail:
    return result;
}

static pleat_result find_all(finder *f, pleat_error *error)
{
    pl_implicit_skeleton *s = f->skeleton;
    s->joint_count = f->skin->joint_count;
    PL_TRY(make_patches(f, error));
    PL_TRY(find_parents(f, error));
    PL_TRY(find_borders(f, error));
    PL_TRY(find_origins(f, error));
    PL_TRY(find_bends(f, error));
    for (uint32_t i = 0; i < s->bend_count; ++i)
    {
        add_partner(s, &s->bones[s->bends[i].a], i);
        add_partner(s, &s->bones[s->bends[i].b], i);
    }
    for (uint32_t j = 0; j < s->joint_count; ++j)
    {
        find_direction(f, &s->bones[j], j);
    }
    for (uint32_t i = 0; i < s->bend_count; ++i)
    {
        shape_bend(f, &s->bends[i]);
    }
    return PLEAT_OK;
}

pleat_result pl_implicit_find_skeleton(const pleat_cloth *cloth, const pleat_host *host, pl_arena *arena,
                                       pl_implicit_skeleton *skeleton, pleat_error *error)
{
    const pleat_node *node = &cloth->model->nodes[cloth->node];
    pl_memory memory = pl_memory_from(host);
    finder f = {.cloth = cloth, .skin = &cloth->model->skins[node->skin], .arena = arena, .skeleton = skeleton};
    pl_arena_init(&f.scratch, &memory);
    pleat_result result = find_all(&f, error);
    pl_arena_free(&f.scratch);
    return result;
}
