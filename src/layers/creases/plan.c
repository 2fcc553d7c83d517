/* What creases know before the first frame: how joints turn over the clip, and where curves lie because of it. */
#include "layers/creases/creases.h"

#include "base/pairs.h"

/* Joints that never turn by this much (10 degrees) get no creases. */
#define LEAST_TURN 0.1745f
/* Where no clip says how a joint turns, it is taken to turn the way it is bent at rest, if it is by 5 degrees, by a
 * right angle. */
#define LEAST_REST_BEND 0.0873f
#define GUESSED_TURN 1.5708f
/* The part of a turn's axis across the limb, from which on it bends more than it twists. */
#define MOSTLY_BENT 0.7071f
/* Turns count up to 140 degrees, with the bend at rest: beyond, limbs lie on each other, and every angle is large. */
#define MOST_TURN 2.443f
/* Detail reaches this many radii from a crease's line. */
#define DETAIL_REACH 1.4f
/* Each level halves edges: asked for when they are this much too long, they come out right in the mean. */
#define ENOUGH 1.4f

enum
{
    SAMPLES = 64, /* of the clip */
    FINEST = 4    /* levels */
};

/* ---- Hinges ---- */

typedef struct watcher
{
    const pleat_cloth *cloth;
    const pleat_layer_preview *preview;
    pl_crease_plan *plan;
    pleat_affine *joints;
    pl_f4 *rotations;
    pl_f4 *sums; /* by bend: turns of all frames, as axis times angle */
} watcher;

/* The turn of b against a since rest, as a unit quaternion with a real part of 0 or more. */
static pl_f4 turn_of(const watcher *w, const pl_implicit_bend *bend)
{
    pl_f4 turn = pl_quat_mul(pl_quat_conjugate(w->rotations[bend->a]), w->rotations[bend->b]);
    return turn[3] < 0 ? -turn : turn;
}

static void watch_frame(watcher *w, uint32_t skin)
{
    const pl_implicit_skeleton *s = &w->plan->bound.skeleton;
    pleat_pose_joints(w->preview->pose(w->preview->user), skin, w->joints);
    for (uint32_t j = 0; j < s->joint_count; ++j)
    {
        pleat_affine stretch, world = pl_affine_mul(&w->joints[j], &w->plan->bound.from_rest);
        pl_affine_polar(&world, &w->rotations[j], &stretch);
    }
    for (uint32_t i = 0; i < s->bend_count; ++i)
    {
        pl_f4 turn = turn_of(w, &s->bends[i]);
        float sine = pl_length3(turn), angle = 2 * atan2f(sine, turn[3]);
        if (!s->bends[i].tube || !(sine > 1e-6f) || !isfinite(angle))
        {
            continue;
        }
        pl_f4 vector = turn * pl_splat(angle / sine);
        vector[3] = 0;
        float sign = pl_dot3(vector, w->sums[i]) < 0 ? 0.0f : 1.0f; /* the way back counts not against the way there */
        w->sums[i] += vector * pl_splat(sign * angle);
        pl_crease_hinge *hinge = &w->plan->hinges[i];
        hinge->angle = fmaxf(hinge->angle, angle);
    }
}

/* The axis is the mean over the frames, by the square of the angle. A joint that twists its limb more than it bends it
 * is taken by what it bends. */
static void settle_hinge(const watcher *w, uint32_t i)
{
    const pl_implicit_bend *bend = &w->plan->bound.skeleton.bends[i];
    pl_crease_hinge *hinge = &w->plan->hinges[i];
    pl_f4 sum = w->sums[i] - bend->along * pl_splat(pl_dot3(w->sums[i], bend->along));
    hinge->angle *= pl_length3(w->sums[i]) > 0 ? pl_length3(sum) / pl_length3(w->sums[i]) : 0;
    if (!w->preview && bend->tube)
    {
        sum = pl_cross(bend->out_of_a, bend->into_b);
        hinge->angle = asinf(fminf(pl_length3(sum), 1)) > LEAST_REST_BEND ? GUESSED_TURN : 0;
    }
    else if (pl_length3(sum) > MOSTLY_BENT * pl_length3(w->sums[i]))
    {
        sum = w->sums[i];
    }
    float rest = acosf(fminf(fmaxf(pl_dot3(bend->out_of_a, bend->into_b), -1), 1));
    hinge->angle = fminf(hinge->angle, fmaxf(MOST_TURN - rest, LEAST_TURN));
    hinge->axis = pl_normalize3(sum);
    hinge->turns = bend->tube && hinge->angle >= LEAST_TURN && pl_length3(hinge->axis) > 0.5f;
}

static pleat_result find_hinges(watcher *w, pl_arena *scratch, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_cloth *cloth = w->cloth;
    pl_implicit_skeleton *s = &w->plan->bound.skeleton;
    uint32_t skin = cloth->model->nodes[cloth->node].skin;
    PL_ARENA_NEW_OR_FAIL(w->plan->hinges, &w->plan->arena, pl_crease_hinge, s->bend_count, error);
    PL_ARENA_NEW_OR_FAIL(w->joints, scratch, pleat_affine, s->joint_count, error);
    PL_ARENA_NEW_OR_FAIL(w->rotations, scratch, pl_f4, s->joint_count, error);
    PL_ARENA_NEW_OR_FAIL(w->sums, scratch, pl_f4, s->bend_count, error);
    if (!w->preview || !w->preview->look || cloth->frame_count == 0)
    {
        w->preview = NULL;
    }
    uint32_t count = cloth->frame_count < SAMPLES ? cloth->frame_count : SAMPLES;
    for (uint32_t i = 0; i < count && w->preview; ++i)
    {
        uint32_t frame = count > 1 ? (uint32_t)((uint64_t)i * (cloth->frame_count - 1) / (count - 1)) : 0;
        PL_TRY(w->preview->look(w->preview->user, frame, NULL, error));
        watch_frame(w, skin);
    }
    for (uint32_t i = 0; i < s->bend_count; ++i)
    {
        const pl_implicit_bend *bend = &s->bends[i];
        bool usable = s->bones[bend->a].usable && s->bones[bend->b].usable;
        settle_hinge(w, i);
        w->plan->hinges[i].turns &= usable;
    }
fail:
    return result;
}

/* ---- The ramp ---- */

static pleat_result parse_ramp(pl_crease_plan *plan, pleat_error *error)
{
    const char *text = plan->options.ramp;
    if (!memchr(text, 0, PLEAT_TEXT_LIMIT))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "creases: ramp is a text that ends with 0");
    }
    if (!text[0])
    {
        return PLEAT_OK;
    }
    uint32_t count;
    PL_TRY(pl_pairs_parse(text, "creases: ramp: point", "x,y", PL_RAMP_POINTS, &plan->ramp[0][0], &count, error));
    const float(*p)[2] = (const float(*)[2])plan->ramp;
    bool good = count >= 2 && p[0][0] == 0 && p[0][1] == 0 && p[count - 1][0] == 1 && p[count - 1][1] == 1;
    for (uint32_t i = 1; i < count; ++i)
    {
        good = good && p[i][0] > p[i - 1][0] && p[i][1] >= p[i - 1][1];
    }
    plan->ramp_count = count;
    return good ? PLEAT_OK
                : pl_fail(error, PLEAT_BAD_ARGUMENT,
                          "creases: ramp is \"%s\"; it goes from 0,0 to 1,1 and falls nowhere", text);
}

float pl_crease_ramp(const pl_crease_plan *plan, float turn)
{
    float x = fminf(fmaxf(turn / plan->options.appearance, 0), 1);
    if (plan->ramp_count == 0)
    {
        return pl_smooth_step(x);
    }
    uint32_t i = 1;
    while (i + 1 < plan->ramp_count && plan->ramp[i][0] < x)
    {
        ++i;
    }
    const float *from = plan->ramp[i - 1], *to = plan->ramp[i];
    return from[1] + (to[1] - from[1]) * (x - from[0]) / (to[0] - from[0]);
}

/* ---- Making ---- */

static pleat_result lay_curves(const pleat_cloth *cloth, pl_crease_plan *plan, pl_arena *scratch, pleat_error *error)
{
    pl_crease_angles angles = {0};
    PL_TRY(pl_crease_make_angles(cloth, scratch, &angles, error));
    for (uint32_t i = 0; i < plan->bound.skeleton.bend_count; ++i)
    {
        if (plan->hinges[i].turns)
        {
            pl_crease_fill_angles(cloth, plan, i, &angles);
            PL_TRY(pl_crease_trace(cloth, &angles, i, plan, error));
        }
    }
    return PLEAT_OK;
}

static pleat_result fill_plan(pl_crease_plan *plan, const pleat_cloth *cloth, const pleat_layer_preview *preview,
                              const pleat_host *host, pl_arena *scratch, pleat_error *error)
{
    PL_TRY(parse_ramp(plan, error));
    plan->topology = cloth->topology;
    plan->rest = cloth->rest;
    if (cloth->influence_count == 0 || cloth->model->nodes[cloth->node].skin == PLEAT_NONE ||
        !pl_affine_inverse(&cloth->to_rest, &plan->bound.from_rest))
    {
        return PLEAT_OK;
    }
    PL_TRY(pl_implicit_find_skeleton(cloth, host, &plan->arena, &plan->bound.skeleton, error));
    PL_TRY(pl_implicit_make_fields(cloth, host, &plan->arena, &plan->bound.skeleton, error));
    watcher w = {.cloth = cloth, .preview = preview, .plan = plan};
    PL_TRY(find_hinges(&w, scratch, error));
    return lay_curves(cloth, plan, scratch, error);
}

pleat_result pl_crease_plan_make(const pleat_creases_options *options, const pleat_cloth *coarse,
                                 const pleat_layer_preview *preview, const pleat_host *host, void **out,
                                 pleat_error *error)
{
    *out = NULL;
    pl_crease_plan *plan = PL_CREATE(pl_crease_plan, host);
    if (!plan)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the plan of creases");
    }
    pl_memory memory = pl_memory_from(host);
    pl_arena scratch;
    pl_arena_init(&plan->arena, &plan->memory);
    pl_arena_init(&scratch, &memory);
    plan->options = *options;
    pleat_result result = fill_plan(plan, coarse, preview, host, &scratch, error);
    pl_arena_free(&scratch);
    if (result != PLEAT_OK)
    {
        pl_crease_plan_destroy(plan);
        return result;
    }
    *out = plan;
    return PLEAT_OK;
}

void pl_crease_plan_destroy(void *user)
{
    pl_crease_plan *plan = user;
    if (plan)
    {
        pl_free(&plan->memory, plan->creases);
        pl_free(&plan->memory, plan->points);
        pl_arena_free(&plan->arena);
        PL_DESTROY(plan);
    }
}

/* ---- Detail ---- */

/* The triangle's corners on the rest surface. */
static void corners_of(const pl_crease_plan *plan, const pleat_vec4 *rest, uint32_t triangle, const float *barycentric,
                       pl_f4 out[3])
{
    const uint32_t *corner = &plan->topology->triangles[3 * (size_t)triangle];
    for (int k = 0; k < 3; ++k)
    {
        out[k] = pl_splat(0);
        for (int c = 0; c < 3; ++c)
        {
            out[k] += pl_load(&rest[corner[c]]) * pl_splat(barycentric[3 * k + c]);
        }
    }
}

bool pl_crease_plan_wants(void *user, uint32_t triangle, const float barycentric[9], uint32_t level)
{
    const pl_crease_plan *plan = user;
    pl_f4 corner[3];
    if (level >= FINEST)
    {
        return false;
    }
    corners_of(plan, plan->rest, triangle, barycentric, corner);
    pl_f4 middle = (corner[0] + corner[1] + corner[2]) * pl_splat(1.0f / 3);
    float size =
        (pl_length3(corner[1] - corner[0]) + pl_length3(corner[2] - corner[1]) + pl_length3(corner[0] - corner[2])) / 3;
    for (uint32_t c = 0; c < plan->crease_count; ++c)
    {
        const pl_crease *crease = &plan->creases[c];
        float near = DETAIL_REACH * crease->radius + 0.6f * size; /* the middle, and half of the triangle */
        if (size * plan->options.detail <= ENOUGH * crease->radius ||
            pl_length3(middle - crease->middle) > crease->reach + near)
        {
            continue;
        }
        for (uint32_t i = 0; i < crease->count; ++i)
        {
            if (pl_length3(plan->points[crease->first + i].rest - middle) < near)
            {
                return true;
            }
        }
    }
    return false;
}
