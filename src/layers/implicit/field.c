/* The field of each bone: samples of its patch, spread by farthest point; samples that close the patch where it ends
 * (at bends and at open borders); and the solve. */
#include "layers/implicit/implicit.h"

#include "mesh/corner.h"

/* Samples closer than this part of a patch's size say the same. */
#define SAME_PLACE 1e-3f
/* A box is wider than its samples by this part of the limb's thickness: skin between samples stands out a little. */
#define BOX_MARGIN 0.15f
/* The skin of a bone with a field agrees with it: this share of the patch has its normal within 60 degrees of the
 * field's, and lies within this part of the limb's thickness of it. */
#define AGREEING 0.85f
#define AGREEING_DISTANCE 0.3f

enum
{
    SAMPLES = PL_IMPLICIT_CENTRES + PL_IMPLICIT_CLOSINGS
};

typedef struct sampler
{
    const pleat_cloth *cloth;
    const pleat_host *host;
    pl_memory *memory;
    pl_arena *arena;
    pl_arena scratch;
    pl_implicit_skeleton *skeleton;
    uint32_t *shell;   /* per triangle */
    uint32_t *choice;  /* vertices of the patch that may be centres */
    float *distance;   /* of each to the nearest centre so far */
    float *shell_area; /* per shell: of a patch */
    uint8_t *seen;     /* per vertex: of an open border that is closed */
    uint32_t *queue;
    pleat_vec4 *points, *values; /* per vertex */
    uint32_t count;              /* samples so far */
    pl_f4 at[SAMPLES], normal[SAMPLES];
} sampler;

/* ---- The patch ---- */

static float triangle_area(const pleat_cloth *cloth, uint32_t t)
{
    const uint32_t *corner = &cloth->topology->triangles[3 * (size_t)t];
    pl_f4 a = pl_load(&cloth->rest[corner[0]]);
    return 0.5f * pl_length3(pl_cross(pl_load(&cloth->rest[corner[1]]) - a, pl_load(&cloth->rest[corner[2]]) - a));
}

static uint32_t shell_of(const sampler *s, uint32_t v)
{
    const pleat_topology *t = s->cloth->topology;
    return s->shell[t->ring_corner[t->ring_start[v]] / 3];
}

/* Of several shells over each other, or side by side, the one with most skin gives the shape. */
static uint32_t choose_vertices(sampler *s, const pl_implicit_bone *bone)
{
    const pleat_topology *t = s->cloth->topology;
    uint32_t best = PLEAT_NONE, count = 0;
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        uint32_t v = bone->vertices[i];
        for (uint32_t k = t->ring_start[v]; k < t->ring_start[v + 1]; ++k)
        {
            s->shell_area[shell_of(s, v)] += triangle_area(s->cloth, t->ring_corner[k] / 3);
        }
    }
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        uint32_t shell = shell_of(s, bone->vertices[i]);
        best = best == PLEAT_NONE || s->shell_area[shell] > s->shell_area[best] ? shell : best;
    }
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        uint32_t v = bone->vertices[i];
        s->shell_area[shell_of(s, v)] = 0;
        if (shell_of(s, v) == best && pl_length3(pl_load(&s->cloth->rest_normals[v])) > 0.5f)
        {
            s->choice[count++] = v;
        }
    }
    return count;
}

static void add_sample(sampler *s, pl_f4 at, pl_f4 normal)
{
    at[3] = normal[3] = 0;
    s->at[s->count] = at;
    s->normal[s->count++] = normal;
}

/* Farthest point: each centre is the vertex farthest from those before it, the first the farthest from the middle. */
static void spread_centres(sampler *s, const pl_implicit_bone *bone, uint32_t count)
{
    const pleat_vec4 *rest = s->cloth->rest;
    uint32_t next = 0;
    float least = 0, size = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        float from = pl_length3(pl_load(&rest[s->choice[i]]) - bone->middle);
        next = from > size ? i : next;
        size = fmaxf(size, from);
        s->distance[i] = INFINITY;
    }
    do
    {
        uint32_t v = s->choice[next];
        pl_f4 at = pl_load(&rest[v]);
        add_sample(s, at, pl_load(&s->cloth->rest_normals[v]));
        least = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            s->distance[i] = fminf(s->distance[i], pl_length3(pl_load(&rest[s->choice[i]]) - at));
            next = s->distance[i] > least ? i : next;
            least = fmaxf(least, s->distance[i]);
        }
    } while (s->count < PL_IMPLICIT_CENTRES && least > SAME_PLACE * size);
}

/* ---- Closings ---- */

static void close_at(sampler *s, pl_f4 base, pl_f4 out, float radius)
{
    if (s->count < SAMPLES && pl_dot3(out, out) > 0.5f)
    {
        add_sample(s, base + out * pl_splat(radius), out);
    }
}

static void close_bends(sampler *s, const pl_implicit_bone *bone, uint32_t joint)
{
    for (uint32_t i = 0; i < bone->partner_count; ++i)
    {
        const pl_implicit_bend *bend = &s->skeleton->bends[bone->partners[i]];
        close_at(s, bend->base, bend->a == joint ? bend->out_of_a : -bend->into_b, bend->radius);
    }
}

static bool is_open(const sampler *s, uint32_t v, uint32_t joint)
{
    return s->skeleton->home[v] == joint && s->cloth->topology->vertex_flags[v] & PLEAT_VERTEX_BOUNDARY && !s->seen[v];
}

/* The vertices of one open border of the patch, from one of them on, into the queue. */
static uint32_t gather_border(sampler *s, uint32_t start, uint32_t joint)
{
    const pleat_topology *t = s->cloth->topology;
    uint32_t count = 1;
    s->queue[0] = start;
    s->seen[start] = 1;
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t k = t->ring_start[s->queue[i]]; k < t->ring_start[s->queue[i] + 1]; ++k)
        {
            for (uint32_t c = 0; c < 3; ++c)
            {
                uint32_t v = t->triangles[t->ring_corner[k] / 3 * 3 + c];
                if (is_open(s, v, joint))
                {
                    s->seen[v] = 1;
                    s->queue[count++] = v;
                }
            }
        }
    }
    return count;
}

/* Cuffs and hems: a cap over each, out of the patch. */
static void close_borders(sampler *s, const pl_implicit_bone *bone, uint32_t joint, uint32_t shell)
{
    const pleat_vec4 *rest = s->cloth->rest;
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        uint32_t v = bone->vertices[i];
        if (!is_open(s, v, joint) || shell_of(s, v) != shell)
        {
            continue;
        }
        uint32_t count = gather_border(s, v, joint);
        pl_f4 middle = pl_splat(0);
        float radius = 0;
        for (uint32_t k = 0; k < count; ++k)
        {
            middle += pl_load(&rest[s->queue[k]]) * pl_splat(1.0f / (float)count);
        }
        for (uint32_t k = 0; k < count; ++k)
        {
            radius += pl_length3(pl_load(&rest[s->queue[k]]) - middle) / (float)count;
        }
        if (radius > 0.2f * bone->thickness) /* a slit is closed as it is */
        {
            close_at(s, middle, pl_normalize3(middle - bone->middle), radius);
        }
    }
}

/* ---- Solving ---- */

static pleat_result solve_field(sampler *s, pl_implicit_bone *bone, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    double points[SAMPLES][3], normals[SAMPLES][3];
    float *terms;
    pl_f4 low = s->at[0], high = s->at[0], margin = pl_splat(BOX_MARGIN * bone->thickness);
    PL_ARENA_NEW_OR_FAIL(terms, s->arena, float, 8 * (size_t)s->count, error);
    for (uint32_t i = 0; i < s->count; ++i)
    {
        low = pl_min(low, s->at[i]);
        high = pl_max(high, s->at[i]);
    }
    pl_hrbf *field = &bone->field;
    *field = (pl_hrbf){.count = s->count, .terms = terms, .middle = (low + high) * pl_splat(0.5f)};
    field->size = 0.5f * pl_length3(high - low);
    pl_f4 scale = pl_splat(1 / field->size);
    field->depth = bone->thickness / field->size;
    field->low = (low - margin - field->middle) * scale;
    field->high = (high + margin - field->middle) * scale;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        for (int c = 0; c < 3; ++c)
        {
            points[i][c] = (double)((s->at[i][c] - field->middle[c]) / field->size);
            normals[i][c] = (double)s->normal[i][c];
        }
    }
    PL_TRY(pl_hrbf_solve(s->count, (const double(*)[3])points, (const double(*)[3])normals, s->memory, terms, error));
fail:
    return result;
}

/* The share of the patch that the field describes. */
static float agreement(const sampler *s, const pl_implicit_bone *bone, uint32_t count)
{
    uint32_t good = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        s->points[i] = s->cloth->rest[s->choice[i]];
    }
    pl_hrbf_evaluate(&bone->field, count, s->points, s->values);
    for (uint32_t i = 0; i < count; ++i)
    {
        pl_f4 normal = pl_load(&s->cloth->rest_normals[s->choice[i]]);
        bool turned = !(pl_dot3(pl_normalize3(pl_load(&s->values[i])), normal) > 0.5f);
        good += !turned && fabsf(s->values[i].w) < AGREEING_DISTANCE * bone->thickness;
    }
    return (float)good / (float)count;
}

/* Samples that all lie in a plane, or on a line, are no body. */
static bool is_flat(const sampler *s)
{
    pl_f4 a = s->at[0], far = a, normal = pl_splat(0);
    float size = 0, wide = 0, deep = 0;
    for (uint32_t i = 1; i < s->count; ++i)
    {
        far = pl_length3(s->at[i] - a) > size ? s->at[i] : far;
        size = fmaxf(size, pl_length3(s->at[i] - a));
    }
    pl_f4 line = pl_normalize3(far - a);
    for (uint32_t i = 1; i < s->count; ++i)
    {
        pl_f4 across = pl_cross(line, s->at[i] - a);
        normal = pl_length3(across) > wide ? across : normal;
        wide = fmaxf(wide, pl_length3(across));
    }
    normal = pl_normalize3(normal);
    for (uint32_t i = 1; i < s->count; ++i)
    {
        deep = fmaxf(deep, fabsf(pl_dot3(normal, s->at[i] - a)));
    }
    return !(deep > 0.02f * size);
}

/* NULL: made; else why there is none. *result: what failed beyond the patch itself. */
static const char *make_field(sampler *s, pl_implicit_bone *bone, uint32_t joint, pleat_result *result,
                              pleat_error *error)
{
    uint32_t count = choose_vertices(s, bone);
    s->count = 0;
    if (count < PL_IMPLICIT_LEAST)
    {
        return "it has too little skin of its own";
    }
    spread_centres(s, bone, count);
    if (s->count < PL_IMPLICIT_LEAST)
    {
        return "its vertices coincide";
    }
    if (is_flat(s))
    {
        return "its skin is flat";
    }
    close_bends(s, bone, joint);
    close_borders(s, bone, joint, shell_of(s, s->choice[0]));
    pleat_error inner = {0};
    pleat_result solved = solve_field(s, bone, &inner);
    if (solved == PLEAT_BAD_DATA)
    {
        return "its samples coincide";
    }
    if (solved != PLEAT_OK)
    {
        *result = pl_fail(error, solved, "%s", inner.message);
        return NULL;
    }
    return agreement(s, bone, count) > AGREEING ? NULL : "its skin does not close around it";
}

static bool is_in_a_tube(const pl_implicit_skeleton *s, const pl_implicit_bone *bone)
{
    bool any = false;
    for (uint32_t i = 0; i < bone->partner_count; ++i)
    {
        any |= s->bends[bone->partners[i]].tube;
    }
    return any;
}

static pleat_result make_all(sampler *s, pleat_error *error)
{
    const pleat_cloth *cloth = s->cloth;
    const pleat_skin *skin = &cloth->model->skins[cloth->model->nodes[cloth->node].skin];
    for (uint32_t j = 0; j < s->skeleton->joint_count; ++j)
    {
        pl_implicit_bone *bone = &s->skeleton->bones[j];
        if (bone->vertex_count == 0 || bone->partner_count == 0)
        {
            continue;
        }
        pleat_result result = PLEAT_OK;
        const char *why = make_field(s, bone, j, &result, error);
        PL_TRY(result);
        bone->usable = !why;
        if (why && is_in_a_tube(s->skeleton, bone))
        {
            pl_log(s->host, PLEAT_WARNING, "implicit: \"%s\" bends by dual quaternions alone: %s",
                   cloth->model->nodes[skin->joints[j]].name, why);
        }
    }
    return PLEAT_OK;
}

static pleat_result make_room(sampler *s, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_topology *t = s->cloth->topology;
    PL_ARENA_NEW_OR_FAIL(s->shell, &s->scratch, uint32_t, t->triangle_count, error);
    uint32_t shells = pleat_topology_shells(t, s->shell);
    PL_ARENA_NEW_OR_FAIL(s->shell_area, &s->scratch, float, shells, error);
    PL_ARENA_NEW_OR_FAIL(s->choice, &s->scratch, uint32_t, t->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(s->distance, &s->scratch, float, t->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(s->seen, &s->scratch, uint8_t, t->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(s->queue, &s->scratch, uint32_t, t->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(s->points, &s->scratch, pleat_vec4, (size_t)t->vertex_count + PL_IMPLICIT_LANES, error);
    PL_ARENA_NEW_OR_FAIL(s->values, &s->scratch, pleat_vec4, (size_t)t->vertex_count + PL_IMPLICIT_LANES, error);
fail:
    return result;
}

pleat_result pl_implicit_make_fields(const pleat_cloth *cloth, const pleat_host *host, pl_arena *arena,
                                     pl_implicit_skeleton *skeleton, pleat_error *error)
{
    pl_memory memory = pl_memory_from(host);
    sampler s = {.cloth = cloth, .host = host, .memory = &memory, .arena = arena, .skeleton = skeleton};
    pl_arena_init(&s.scratch, &memory);
    pleat_result result = make_room(&s, error);
    result = result == PLEAT_OK ? make_all(&s, error) : result;
    pl_arena_free(&s.scratch);
    return result;
}
