/* The volume layer: options, binding, and the frame.
 *
 * D. Rohmer, S. Hahmann, M.-P. Cani, "Active Geometry for Game Characters", MIG 2010, section 3. What differs:
 *  - With Delta V = V(p) - V_target, eq. 3 as printed moves the wrong way; here the difference is V_target - V. The
 * norm in its denominator is the sum of gamma_k |grad_k V|^2.
 *  - The paper measures the whole mesh before each bone. Here the mesh is cut, once, into regions whose losses are
 *    measured apart (volume/regions.c), so that a bent elbow is paid for at the elbow, whatever the order of bones.
 *  - Holes are closed for the integral, shells have volumes of their own, and a last pass takes back what the rounding
 *    of positions did. */
#include "layers/volume/volume.h"

#include "base/length.h"
#include "base/pairs.h"
#include "base/parallel.h"
#include "layers/profile.h"

#include <stdio.h>
#include <string.h>

/* Shares of a volume below these are rounding, of matrices and of positions: nothing was lost. */
#define NOTHING_OF_GROUP 1e-6
#define NOTHING_OF_SHELL 8e-7
/* And so is a layer on the skin of this part of the distance from the origin: joints are rounded one by one. */
#define NOTHING_OF_PLACE 1e-7
/* A joint with less than this part of its shell to bring back has nothing to do: all of them together do not amount to
 * what is left unsettled. */
#define NOTHING_OF_JOINT 1e-9
/* The rest after all corrections that is not worth a pass: a fifth of what is promised. */
#define SETTLED 2e-7

enum
{
    TARGET_KEYS = 32, /* in the text */
    ATTEMPTS = 8      /* at one joint, where the first was limited; and at the last digits */
};

pleat_volume_shape pleat_volume_shape_default(void)
{
    return (pleat_volume_shape){
        .mu = {1, 1, 1}, .width = 0.6f, .fold_count = 4, .curve = {"0,0 0.5,1 1,0", "0,0 0.5,1 1,0", "0,0 0.5,1 1,0"}};
}

pleat_volume_options pleat_volume_options_default(void)
{
    pleat_volume_options options = {0};
    options.strength = 1;
    options.shape = pleat_volume_shape_default();
    options.breath_period = 4;
    options.limit = 1;
    return options;
}

#define OFFSET(member) offsetof(pleat_volume_options, member)
#define PROFILES "weights|bulge|muscle|folds|curve"
#define CURVES "points of its curve, x,height x,height ...: x grows along the limb, in any scale"

static const pleat_parameter parameters[] = {
    {"strength", PLEAT_VALUE_SHARE, OFFSET(strength), 0, 1, NULL, "how much of the lost volume comes back"},
    {"along", PLEAT_VALUE_SHARE, OFFSET(shape.mu[0]), 0, 1, NULL, "share of the correction along the limb"},
    {"front", PLEAT_VALUE_SHARE, OFFSET(shape.mu[1]), 0, 1, NULL, "share to the front and back of the limb"},
    {"side", PLEAT_VALUE_SHARE, OFFSET(shape.mu[2]), 0, 1, NULL, "share to the sides of the limb"},
    {"along_profile", PLEAT_VALUE_CHOICE, OFFSET(shape.profile[0]), 0, 0, PROFILES, "how that share is spread"},
    {"front_profile", PLEAT_VALUE_CHOICE, OFFSET(shape.profile[1]), 0, 0, PROFILES, "how that share is spread"},
    {"side_profile", PLEAT_VALUE_CHOICE, OFFSET(shape.profile[2]), 0, 0, PROFILES, "how that share is spread"},
    {"reach", PLEAT_VALUE_NUMBER, OFFSET(shape.reach), 0, 8, NULL,
     "how far beyond where weights blend skin moves, in half lengths of that region"},
    {"width", PLEAT_VALUE_NUMBER, OFFSET(shape.width), 0.05, 4, NULL, "of bulges, in half lengths of the region"},
    {"fold_count", PLEAT_VALUE_COUNT, OFFSET(shape.fold_count), 1, 32, NULL, "folds along the region"},
    {"turn", PLEAT_VALUE_ANGLE, OFFSET(shape.turn), -6.2831854, 6.2831854, NULL, "turns front and side about the limb"},
    {"around", PLEAT_VALUE_CHOICE, OFFSET(shape.around), 0, 0, "all|front|back", "which half of the limb moves"},
    {"along_curve", PLEAT_VALUE_CURVE, OFFSET(shape.curve[0]), 0, 0, NULL, CURVES},
    {"front_curve", PLEAT_VALUE_CURVE, OFFSET(shape.curve[1]), 0, 0, NULL, CURVES},
    {"side_curve", PLEAT_VALUE_CURVE, OFFSET(shape.curve[2]), 0, 0, NULL, CURVES},
    {"inflate", PLEAT_VALUE_SHARE, OFFSET(inflate), -0.95, 10, NULL, "volume added, of the rest volume"},
    {"breath", PLEAT_VALUE_SHARE, OFFSET(breath), -0.5, 1, NULL, "volume added at the height of a breath"},
    {"breath_period", PLEAT_VALUE_TIME, OFFSET(breath_period), 0.1, 1000, NULL, "how long a breath takes"},
    {"target", PLEAT_VALUE_TEXT, OFFSET(target), 0, 0, NULL,
     "volume added over time, as seconds,part seconds,part ...: 0,0 1.5,0.1 is 10 % more after 1.5 s"},
    {"inflate_joints", PLEAT_VALUE_TEXT, OFFSET(inflate_joints), 0, 0, NULL,
     "joints whose skin takes the added volume, by name with * and ?, separated by commas; nothing: all"},
    {"limit", PLEAT_VALUE_NUMBER, OFFSET(limit), 0.05, 10, NULL, "farthest move, in radii of the region"},
};

static void fill_defaults(void *options)
{
    *(pleat_volume_options *)options = pleat_volume_options_default();
}

static void take_joints(void *user, uint32_t count, const pleat_joint_options *own, void *room)
{
    pleat_volume_options *options = user;
    for (uint32_t i = 0; i < count; ++i)
    {
        const pleat_volume_options *o = own[i].options;
        ((pleat_volume_bone *)room)[i] = (pleat_volume_bone){own[i].joints, o->shape};
    }
    options->bone_count = count;
    options->bones = room;
}

/* ---- Checking ---- */

static pleat_result check_number(const char *where, const char *name, float value, float low, float high,
                                 pleat_error *error)
{
    if (!(value >= low && value <= high))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "volume: %s%s is %g; it can be %g to %g", where, name, (double)value,
                       (double)low, (double)high);
    }
    return PLEAT_OK;
}

static pleat_result check_text(const char *name, const char text[PLEAT_TEXT_LIMIT], pleat_error *error)
{
    if (!memchr(text, 0, PLEAT_TEXT_LIMIT))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "volume: %s is a text that ends with 0", name);
    }
    return PLEAT_OK;
}

static pleat_result check_curve(const char *where, int axis, const char curve[PLEAT_TEXT_LIMIT], pleat_error *error)
{
    static const char *const names[PLEAT_VOLUME_AXES] = {"along_curve", "front_curve", "side_curve"};
    pl_profile profile;
    pleat_error inner = {0};
    PL_TRY(check_text(names[axis], curve, error));
    if (pl_profile_parse(curve, &profile, &inner) != PLEAT_OK)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "volume: %s%s: %s", where, names[axis], inner.message);
    }
    return PLEAT_OK;
}

static pleat_result check_keys(const pleat_volume_key *keys, uint32_t count, pleat_error *error)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        PL_TRY(check_number("keys' ", "extra", keys[i].extra, -0.95f, 100, error));
        if (!(i == 0 ? keys[i].time >= -INFINITY : keys[i].time > keys[i - 1].time))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "volume: keys[%u].time is %g; times must increase", i,
                           (double)keys[i].time);
        }
    }
    return PLEAT_OK;
}

static pleat_result parse_target(const char *text, pleat_volume_key keys[TARGET_KEYS], uint32_t *count,
                                 pleat_error *error)
{
    float pairs[2 * TARGET_KEYS];
    PL_TRY(pl_pairs_parse(text, "volume: target: key", "seconds,extra", TARGET_KEYS, pairs, count, error));
    for (uint32_t i = 0; i < *count; ++i)
    {
        keys[i] = (pleat_volume_key){pairs[2 * i], pairs[2 * i + 1]};
    }
    return check_keys(keys, *count, error);
}

static pleat_result check_shape(const char *where, const pleat_volume_shape *shape, pleat_error *error)
{
    float sum = 0;
    for (int a = 0; a < PLEAT_VOLUME_AXES; ++a)
    {
        PL_TRY(check_number(where, "mu", shape->mu[a], 0, 1, error));
        sum += shape->mu[a];
        if (shape->profile[a] > PLEAT_VOLUME_CURVE || shape->around > PLEAT_VOLUME_ONLY_BACK)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT,
                           "volume: %sprofile is %u and around %u; they can be 0 to %d and %d", where,
                           shape->profile[a], shape->around, PLEAT_VOLUME_CURVE, PLEAT_VOLUME_ONLY_BACK);
        }
        PL_TRY(check_curve(where, a, shape->curve[a], error));
    }
    if (!(sum > 0.01f))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "volume: the %smu of all axes add up to %g; it must be above 0",
                       where, (double)sum);
    }
    if (shape->fold_count < 1 || shape->fold_count > 32)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "volume: %sfold_count is %u; it can be 1 to 32", where,
                       shape->fold_count);
    }
    PL_TRY(check_number(where, "reach", shape->reach, 0, 8, error));
    PL_TRY(check_number(where, "width", shape->width, 0.05f, 4, error));
    return check_number(where, "turn", shape->turn, -6.2832f, 6.2832f, error);
}

static pleat_result check_options(const pleat_volume_options *options, pleat_error *error)
{
    PL_TRY(check_number("", "strength", options->strength, 0, 1, error));
    PL_TRY(check_shape("", &options->shape, error));
    for (uint32_t i = 0; i < options->bone_count; ++i)
    {
        if (!options->bones[i].joints)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "volume: bones[%u].joints is NULL; it must name joints", i);
        }
        PL_TRY(check_shape("bones' ", &options->bones[i].shape, error));
    }
    PL_TRY(check_number("", "inflate", options->inflate, -0.95f, 10, error));
    PL_TRY(check_number("", "breath", options->breath, -0.5f, 1, error));
    PL_TRY(check_number("", "breath_period", options->breath_period, 1e-3f, 1e6f, error));
    PL_TRY(check_number("", "limit", options->limit, 0.05f, 10, error));
    PL_TRY(check_text("target", options->target, error));
    PL_TRY(check_text("inflate_joints", options->inflate_joints, error));
    return check_keys(options->keys, options->key_count, error);
}

/* ---- The layer ---- */

typedef struct volume_layer
{
    pl_memory memory;
    pl_arena arena;
    pleat_volume_options options;
    uint32_t target_count;
    pleat_volume_key target[TARGET_KEYS]; /* of the text */
    pl_volume_bound bound;
    pl_volume_scratch scratch;
    pleat_vec4 *centres;
    pleat_vec4 *origins;
    double *block_volume;
    double *group_loss;
    uint8_t *shell_moves; /* per shell: something was lost */
    double *loss;         /* per joint: what it is to bring back */
    double *turn;         /* per joint: see turn_of */
    uint8_t *dirty;       /* blocks */
    double *shell_now;
    double *shell_target;
    double *shell_left;      /* what its joints could not bring back */
    double *shell_size;      /* sum of |loss| of its joints */
    uint32_t *shell_busiest; /* the joint that moves most, where a rest of rounding is best put; or PLEAT_NONE */
    /* Figures of the last frame. */
    uint32_t moved, limited;
    double lost, error;
    float highest;
} volume_layer;

static void destroy_layer(void *user)
{
    volume_layer *layer = user;
    pl_arena_free(&layer->arena);
    PL_DESTROY(layer);
}

/* The pointers in the options are the caller's; what frames need of them is kept. */
static pleat_result keep_keys(volume_layer *layer, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pleat_volume_key *keys;
    PL_ARENA_NEW_OR_FAIL(keys, &layer->arena, pleat_volume_key, layer->options.key_count, error);
    for (uint32_t i = 0; i < layer->options.key_count; ++i)
    {
        keys[i] = layer->options.keys[i];
    }
    layer->options.keys = keys;
    layer->options.bones = NULL;
    layer->options.bone_count = 0;
fail:
    return result;
}

static pleat_result make_room(volume_layer *layer, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pl_volume_bound *bound = &layer->bound;
    PL_TRY(pl_volume_make_scratch(bound, &layer->arena, &layer->scratch, error));
    PL_ARENA_NEW_OR_FAIL(layer->centres, &layer->arena, pleat_vec4, bound->closed.hole_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->origins, &layer->arena, pleat_vec4, bound->closed.shell_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->block_volume, &layer->arena, double, bound->groups.block_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->group_loss, &layer->arena, double, bound->groups.group_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->shell_moves, &layer->arena, uint8_t, bound->closed.shell_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->loss, &layer->arena, double, bound->joint_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->turn, &layer->arena, double, bound->joint_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->dirty, &layer->arena, uint8_t, bound->groups.block_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->shell_now, &layer->arena, double, bound->closed.shell_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->shell_target, &layer->arena, double, bound->closed.shell_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->shell_left, &layer->arena, double, bound->closed.shell_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->shell_size, &layer->arena, double, bound->closed.shell_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->shell_busiest, &layer->arena, uint32_t, bound->closed.shell_count, error);
fail:
    return result;
}

static pleat_result create_layer(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                                 void **out, pleat_error *error)
{
    *out = NULL;
    (void)plan;
    PL_TRY(check_options(options, error));
    volume_layer *layer = PL_CREATE(volume_layer, host);
    if (!layer)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the volume layer");
    }
    pl_arena_init(&layer->arena, &layer->memory);
    layer->options = *(const pleat_volume_options *)options;
    pleat_result result = parse_target(layer->options.target, layer->target, &layer->target_count, error);
    bool adds = layer->options.inflate != 0 || layer->options.breath != 0 || layer->options.key_count > 0 ||
                layer->target_count > 0;
    result =
        result == PLEAT_OK ? pl_volume_bind(options, adds, cloth, host, &layer->arena, &layer->bound, error) : result;
    result = result == PLEAT_OK ? keep_keys(layer, error) : result;
    result = result == PLEAT_OK ? make_room(layer, error) : result;
    if (result != PLEAT_OK)
    {
        destroy_layer(layer);
        return result;
    }
    *out = layer;
    return PLEAT_OK;
}

/* ---- Measuring ---- */

typedef struct measure_job
{
    volume_layer *layer;
    pl_volume_view view;
    bool dirty_only;
} measure_job;

static pl_volume_view view_of(const volume_layer *layer, const pleat_layer_frame *frame)
{
    return (pl_volume_view){&layer->bound.closed, &layer->bound.groups, frame->positions, layer->centres,
                            layer->origins};
}

static void measure_blocks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const measure_job *job = data;
    volume_layer *layer = job->layer;
    (void)worker;
    for (uint32_t b = begin; b < end; ++b)
    {
        if (!job->dirty_only || layer->dirty[b])
        {
            layer->block_volume[b] = pl_volume_of_block(&job->view, b);
            layer->dirty[b] = 0;
        }
    }
}

/* Volumes of all shells; blocks that nothing touched since the last time keep theirs. */
static void measure_shells(volume_layer *layer, const pleat_layer_frame *frame, bool dirty_only)
{
    const pl_volume_groups *groups = &layer->bound.groups;
    measure_job job = {layer, view_of(layer, frame), dirty_only};
    pl_parallel_for(frame->tasks, groups->block_count, 4, measure_blocks, &job);
    for (uint32_t s = 0; s < layer->bound.closed.shell_count; ++s)
    {
        layer->shell_now[s] = 0;
    }
    for (uint32_t g = 0; g < groups->group_count; ++g)
    {
        for (uint32_t i = 0; i < groups->groups[g].block_count; ++i)
        {
            layer->shell_now[groups->groups[g].shell] += layer->block_volume[groups->groups[g].first_block + i];
        }
    }
}

/* ---- Losses ---- */

/* What keys add at a time. */
static double keyed(const pleat_volume_key *keys, uint32_t count, float time)
{
    uint32_t i = 0;
    while (i < count && keys[i].time <= time)
    {
        ++i;
    }
    if (count == 0 || i == 0 || i == count)
    {
        return count ? (double)keys[i ? count - 1 : 0].extra : 0;
    }
    const pleat_volume_key *a = &keys[i - 1], *b = &keys[i];
    double t = ((double)time - (double)a->time) / ((double)b->time - (double)a->time);
    return (double)a->extra + t * ((double)b->extra - (double)a->extra);
}

/* Volume added at a time, of the rest volume. */
static double extra_at(const volume_layer *layer, float time)
{
    const pleat_volume_options *options = &layer->options;
    double phase = 6.283185307179586 * (double)time / (double)options->breath_period;
    double extra = (double)options->inflate + (double)options->breath * 0.5 * (1 - cos(phase));
    extra += keyed(options->keys, options->key_count, time) + keyed(layer->target, layer->target_count, time);
    return extra > -0.95 ? extra : -0.95;
}

/* How far a joint is turned against the one before it: |M - N|^2 is 4 (1 - cos) of the angle for rotations. */
static double turn_of(const pleat_affine *joints, const pl_volume_joint *joint)
{
    double sum = 0;
    for (int r = 0; r < 3 && joints && joint->joint != PLEAT_NONE; ++r)
    {
        for (int c = 0; c < 3; ++c)
        {
            double d = (double)joints[joint->joint].row[r][c] - (double)joints[joint->parent].row[r][c];
            sum += d * d;
        }
    }
    return sum > 1e-9 ? sum : 0;
}

/* The loss of a group goes to its joints by the area each rules and how far it is turned. */
static void share_loss(volume_layer *layer, uint32_t first, uint32_t end, double loss)
{
    const pl_volume_bound *bound = &layer->bound;
    double sum[2] = {0, 0};
    for (uint32_t i = first; i < end; ++i)
    {
        const pl_volume_share *share = &bound->shares[i];
        sum[0] += (double)share->area;
        sum[1] += (double)share->area * layer->turn[share->joint];
    }
    for (uint32_t i = first; i < end; ++i)
    {
        const pl_volume_share *share = &bound->shares[i];
        double part = sum[1] > 0 ? layer->turn[share->joint] / sum[1] : 1 / sum[0];
        layer->loss[share->joint] += loss * (double)share->area * part;
    }
}

/* What each group has lost, and whether that is more than rounding anywhere in its shell. */
static void measure_groups(volume_layer *layer, const pleat_layer_frame *frame)
{
    const pl_volume_bound *bound = &layer->bound;
    pl_volume_view view = view_of(layer, frame);
    for (uint32_t s = 0; s < bound->closed.shell_count; ++s)
    {
        double rest = bound->closed.shell_volume[s];
        layer->shell_moves[s] = fabs(rest - layer->shell_now[s]) > NOTHING_OF_SHELL * fabs(rest);
    }
    for (uint32_t i = 0; i < bound->share_count; ++i)
    {
        uint32_t g = bound->shares[i].group;
        const pl_volume_group *group = &bound->groups.groups[g];
        if (i > 0 && bound->shares[i - 1].group == g)
        {
            continue;
        }
        double now = pl_volume_of_loops(&view, g);
        for (uint32_t b = 0; b < group->block_count; ++b)
        {
            now += layer->block_volume[group->first_block + b];
        }
        double loss = group->rest_volume - now;
        const pleat_vec4 *at = &layer->origins[group->shell];
        double far = (double)fmaxf(fmaxf(fabsf(at->x), fabsf(at->y)), fabsf(at->z));
        double nothing = fmax(NOTHING_OF_GROUP * fabs(group->rest_volume), NOTHING_OF_PLACE * far * group->rest_area);
        layer->shell_moves[group->shell] |= fabs(loss) > nothing;
        layer->group_loss[g] = fabs(loss) > NOTHING_OF_GROUP * fabs(group->rest_volume) ? loss : 0;
    }
}

static void find_losses(volume_layer *layer, const pleat_layer_frame *frame)
{
    const pl_volume_bound *bound = &layer->bound;
    measure_groups(layer, frame);
    for (uint32_t j = 0; j < bound->joint_count; ++j)
    {
        layer->loss[j] = 0;
        layer->turn[j] = turn_of(frame->joints, &bound->joints[j]);
    }
    for (uint32_t first = 0, end; first < bound->share_count; first = end)
    {
        uint32_t g = bound->shares[first].group;
        for (end = first; end < bound->share_count && bound->shares[end].group == g;)
        {
            ++end;
        }
        if (layer->shell_moves[bound->groups.groups[g].shell] && layer->group_loss[g] != 0)
        {
            share_loss(layer, first, end, layer->group_loss[g] * (double)layer->options.strength);
        }
    }
}

/* The targets of the shells, and what each joint is to add for them. */
static void find_targets(volume_layer *layer, const pleat_layer_frame *frame)
{
    const pl_volume_bound *bound = &layer->bound;
    double extra = extra_at(layer, frame->time), strength = (double)layer->options.strength;
    layer->lost = 0;
    for (uint32_t s = 0; s < bound->closed.shell_count; ++s)
    {
        double rest = bound->closed.shell_volume[s], now = layer->shell_now[s];
        layer->lost = fmax(layer->lost, fabs(now - rest) / fabs(rest));
        layer->shell_target[s] = (strength < 1 ? now + (rest - now) * strength : rest) + rest * extra;
    }
    for (uint32_t j = 0; j < bound->joint_count; ++j)
    {
        const pl_volume_joint *joint = &bound->joints[j];
        if (joint->adds)
        {
            double missing = bound->closed.shell_volume[joint->shell] * extra;
            if (frame->joints == NULL)
            {
                missing = layer->shell_target[joint->shell] - layer->shell_now[joint->shell];
            }
            bool nothing = fabs(missing) <= NOTHING_OF_SHELL * fabs(layer->shell_target[joint->shell]);
            layer->loss[j] = nothing ? 0 : missing;
        }
    }
}

/* What no group has measured (traces of weights outside of all regions, rounding of matrices) goes to the joints that
 * are at work anyway, by their losses: a thousandth of them, as a rule. */
static void share_rest(volume_layer *layer)
{
    const pl_volume_bound *bound = &layer->bound;
    for (uint32_t s = 0; s < bound->closed.shell_count; ++s)
    {
        layer->shell_left[s] = layer->shell_target[s] - layer->shell_now[s];
        layer->shell_size[s] = 0;
        layer->shell_busiest[s] = PLEAT_NONE;
    }
    for (uint32_t j = 0; j < bound->joint_count; ++j)
    {
        uint32_t s = bound->joints[j].shell;
        double size = fabs(layer->loss[j]);
        layer->shell_left[s] -= layer->loss[j];
        layer->shell_size[s] += size;
        if (size > 0 && (layer->shell_busiest[s] == PLEAT_NONE || size > fabs(layer->loss[layer->shell_busiest[s]])))
        {
            layer->shell_busiest[s] = j;
        }
    }
    for (uint32_t j = 0; j < bound->joint_count; ++j)
    {
        uint32_t s = bound->joints[j].shell;
        if (layer->loss[j] != 0)
        {
            layer->loss[j] += layer->shell_left[s] * fabs(layer->loss[j]) / layer->shell_size[s];
        }
    }
}

/* ---- The frame ---- */

static void mark_dirty(volume_layer *layer, const pl_volume_joint *joint)
{
    for (uint32_t i = 0; i < joint->block_count; ++i)
    {
        layer->dirty[joint->blocks[i]] = 1;
    }
}

/* True if anything moved. Later rounds, of shells as small as the buckle of a belt, have the whole shell to choose
 * from.
 */
static bool settle_shells(volume_layer *layer, const pleat_layer_frame *frame, int round)
{
    const pl_volume_bound *bound = &layer->bound;
    bool any = false;
    for (uint32_t s = 0; s < bound->closed.shell_count; ++s)
    {
        double left = layer->shell_target[s] - layer->shell_now[s];
        uint32_t j = layer->shell_busiest[s];
        j = j != PLEAT_NONE && round > 0 ? bound->keeper[s] : j;
        if (j != PLEAT_NONE && fabs(left) > SETTLED * fabs(layer->shell_target[s]) &&
            fabs(left) < 1e-3 * fabs(layer->shell_target[s]))
        {
            pl_volume_settle(&bound->closed, &bound->joints[j], left, 0.25 * SETTLED * fabs(layer->shell_target[s]),
                             &layer->scratch, frame->positions, layer->centres);
            mark_dirty(layer, &bound->joints[j]);
            any = true;
        }
    }
    return any;
}

/* Corrects a joint by an amount; returns what could not be done. Where the skin has turned away from an axis after
 * moves along others, a second attempt sees that; the limit holds for all of them together. */
static double correct_joint(volume_layer *layer, const pleat_layer_frame *frame, uint32_t j, double amount)
{
    const pl_volume_joint *joint = &layer->bound.joints[j];
    double left = amount;
    float room = layer->options.limit;
    bool limited = true;
    for (int attempt = 0; attempt < ATTEMPTS && limited && room > 0; ++attempt)
    {
        pl_volume_moved moved = pl_volume_correct(&layer->bound.closed, joint, left, room, &layer->scratch,
                                                  frame->positions, layer->centres);
        limited = moved.limited;
        left -= moved.change;
        room -= moved.farthest / joint->radius;
        layer->highest = fmaxf(layer->highest, moved.farthest);
    }
    mark_dirty(layer, joint);
    layer->limited += limited;
    ++layer->moved;
    return limited ? left : 0;
}

/* One joint after the other; what some could not do goes to their whole shells. */
static void correct_joints(volume_layer *layer, const pleat_layer_frame *frame)
{
    const pl_volume_bound *bound = &layer->bound;
    for (uint32_t s = 0; s < bound->closed.shell_count; ++s)
    {
        layer->shell_left[s] = 0;
    }
    for (uint32_t j = 0; j < bound->joint_count; ++j)
    {
        uint32_t s = bound->joints[j].shell;
        if (fabs(layer->loss[j]) > NOTHING_OF_JOINT * fabs(layer->shell_target[s]))
        {
            layer->shell_left[s] += correct_joint(layer, frame, j, layer->loss[j]);
        }
    }
    for (uint32_t s = 0; s < bound->closed.shell_count; ++s)
    {
        if (fabs(layer->shell_left[s]) > NOTHING_OF_JOINT * fabs(layer->shell_target[s]) &&
            bound->keeper[s] != PLEAT_NONE)
        {
            correct_joint(layer, frame, bound->keeper[s], layer->shell_left[s]);
        }
    }
}

static void update_layer(void *user, const pleat_layer_frame *frame)
{
    volume_layer *layer = user;
    const pl_volume_bound *bound = &layer->bound;
    layer->moved = layer->limited = 0;
    layer->highest = 0;
    layer->error = 0;
    pl_volume_centres(&bound->closed, frame->positions, layer->centres);
    pl_volume_origins(&bound->groups, &bound->closed, frame->positions, layer->origins);
    measure_shells(layer, frame, false);
    find_losses(layer, frame);
    find_targets(layer, frame);
    share_rest(layer);
    correct_joints(layer, frame);
    if (layer->moved)
    {
        measure_shells(layer, frame, true);
        for (int round = 0; round < ATTEMPTS && settle_shells(layer, frame, round); ++round)
        {
            measure_shells(layer, frame, true);
        }
    }
    for (uint32_t s = 0; s < bound->closed.shell_count; ++s)
    {
        double target = layer->shell_target[s];
        layer->error = fmax(layer->error, fabs(layer->shell_now[s] - target) / fabs(target));
    }
}

/* In the order of measure. */
static const pleat_layer_figure figures[] = {
    {"shells", "", "closed parts of the mesh, each with a volume of its own"},
    {"joints", "", "joints whose regions can be corrected"},
    {"moved", "", "regions that were corrected"},
    {"lost", "1", "largest share of a shell's volume that was missing or too much before"},
    {"error", "1", "largest |V - target| / target afterwards"},
    {"highest", "m", "farthest move"},
    {"limited", "", "regions whose correction met the limit"},
};

static void measure(const void *user, double *values)
{
    const volume_layer *layer = user;
    uint32_t joint_count = 0;
    for (uint32_t j = 0; j < layer->bound.joint_count; ++j)
    {
        joint_count += layer->bound.joints[j].joint != PLEAT_NONE;
    }
    const double now[] = {layer->bound.closed.shell_count, joint_count,   layer->moved, layer->lost, layer->error,
                          (double)layer->highest,          layer->limited};
    memcpy(values, now, sizeof now);
}

static void tell(const double *largest, char *out, size_t size)
{
    double shells = largest[0], lost = largest[3], error = largest[4], highest = largest[5];
    char farthest[PL_LENGTH_TEXT];
    pl_length_text(highest, farthest);
    if (!(shells > 0))
    {
        snprintf(out, size, "not kept; no part of it encloses any");
        return;
    }
    snprintf(out, size, "up to %.2g %% lost, at most %.2g %% afterwards; the farthest move is %s", 100 * lost,
             100 * error, farthest);
}

const pleat_layer_type pleat_volume_layer = {
    .name = "volume",
    .summary = "skinning that keeps its volume: skin bulges where plain skinning collapses",
    .needs = PLEAT_NEED_SKIN | PLEAT_NEED_REST,
    .options_size = sizeof(pleat_volume_options),
    .defaults = fill_defaults,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .joint_from = offsetof(pleat_volume_options, shape),
    .joint_to = offsetof(pleat_volume_options, shape) + sizeof(pleat_volume_shape),
    .joint_size = sizeof(pleat_volume_bone),
    .take_joints = take_joints,
    .create = create_layer,
    .destroy = destroy_layer,
    .no_normals = true,
    .update = update_layer,
    .figures = figures,
    .figure_count = sizeof figures / sizeof figures[0],
    .measure = measure,
    .tell = tell,
};
