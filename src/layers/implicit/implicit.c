/* The implicit layer: options, create, and the frame.
 *
 * R. Vaillant et al., "Implicit Skinning: Real-Time Skin Deformation with Contact Modeling", ACM Trans. Graph. 32(4),
 * 2013, as F. Turchet, O. Fryazinov, M. Romeo, "Extending Implicit Skinning with Wrinkles", use it. What differs:
 *  - Fields are compared as distances, not through their compact support: bones of different thickness meet halfway.
 *  - They are evaluated, not read from grids: eight lanes at sixty centres cost what a look-up of four texels does,
 * with exact gradients and nothing to keep.
 *  - A path does not stop where gradients turn: it may not lead through a contact, which begins smoothly
 * (march_wide.c).
 *  - In tubes the contact is the plane between both limbs, which no vertex passes. */
#include "layers/implicit/implicit.h"

#include "base/length.h"
#include "base/parallel.h"

#include <stdio.h>
#include <string.h>

pleat_implicit_options pleat_implicit_options_default(void)
{
    return (pleat_implicit_options){.strength = 1, .bulge = 1, .smooth = 0.35f, .touch = 1};
}

#define OFFSET(member) offsetof(pleat_implicit_options, member)

static const pleat_parameter parameters[] = {
    {"strength", PLEAT_VALUE_SHARE, OFFSET(strength), 0, 1, NULL,
     "how far skin goes from dual quaternions to its fields"},
    {"bulge", PLEAT_VALUE_SHARE, OFFSET(bulge), 0, 2, NULL,
     "how much of the volume that a deep bend takes comes back beside the contact"},
    {"smooth", PLEAT_VALUE_NUMBER, OFFSET(smooth), 0, 1, NULL,
     "how far skin relaxes around a contact, in radii of the limb"},
    {"touch", PLEAT_VALUE_SHARE, OFFSET(touch), 0, 1, NULL,
     "how far skin goes out of limbs that are no neighbours, such as finger and thumb"},
};

enum
{
    PARAMETER_COUNT = sizeof parameters / sizeof parameters[0]
};

static void fill_defaults(void *options)
{
    *(pleat_implicit_options *)options = pleat_implicit_options_default();
}

static pleat_result check_options(const pleat_implicit_options *options, pleat_error *error)
{
    for (uint32_t i = 0; i < PARAMETER_COUNT; ++i)
    {
        const pleat_parameter *p = &parameters[i];
        float value = *(const float *)((const char *)options + p->offset);
        if (!((double)value >= p->low && (double)value <= p->high))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "implicit: %s is %g; it can be %g to %g", p->name, (double)value,
                           p->low, p->high);
        }
    }
    return PLEAT_OK;
}

/* ---- The layer ---- */

typedef struct implicit_layer
{
    pl_memory memory;
    pl_arena arena;
    pleat_implicit_options options;
    pl_implicit_bound bound;
    pl_implicit_pose pose;
    pleat_vec4 *in;      /* #V: skinned */
    pleat_vec4 *relaxed; /* #V: one sweep of the list */
    float *contact;      /* #V */
    uint32_t *list;      /* vertices at a contact */
    uint8_t *touched;    /* per block */
    /* Figures of the last frame. */
    uint32_t bent, moved, at_contact;
    float highest;
} implicit_layer;

static void destroy_layer(void *user)
{
    implicit_layer *layer = user;
    pl_arena_free(&layer->arena);
    PL_DESTROY(layer);
}

enum
{
    FAR_LIMIT = 65536 /* pairs of limbs near each other in a frame */
};

static pleat_result make_room(implicit_layer *layer, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pl_implicit_bound *bound = &layer->bound;
    PL_ARENA_NEW_OR_FAIL(layer->pose.bones, &layer->arena, pl_implicit_posed_bone, bound->skeleton.joint_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->pose.bends, &layer->arena, pl_implicit_posed_bend, bound->skeleton.bend_count, error);
    uint64_t pairs = (uint64_t)bound->skeleton.joint_count * bound->skeleton.joint_count;
    layer->pose.far_capacity = pairs < FAR_LIMIT ? (uint32_t)pairs : FAR_LIMIT;
    PL_ARENA_NEW_OR_FAIL(layer->pose.far, &layer->arena, uint32_t, layer->pose.far_capacity, error);
    PL_ARENA_NEW_OR_FAIL(layer->pose.far_first, &layer->arena, uint32_t, (size_t)bound->skeleton.joint_count + 1,
                         error);
    PL_ARENA_NEW_OR_FAIL(layer->in, &layer->arena, pleat_vec4, bound->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->relaxed, &layer->arena, pleat_vec4, bound->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->contact, &layer->arena, float, bound->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->list, &layer->arena, uint32_t, bound->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->touched, &layer->arena, uint8_t, bound->block_count, error);
fail:
    return result;
}

static pleat_result create_layer(const void *user, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                                 void **out, pleat_error *error)
{
    const pleat_implicit_options *options = user;
    (void)plan;
    *out = NULL;
    PL_TRY(check_options(options, error));
    implicit_layer *layer = PL_CREATE(implicit_layer, host);
    if (!layer)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the implicit layer");
    }
    pl_arena_init(&layer->arena, &layer->memory);
    layer->options = *options;
    pleat_result result = PLEAT_OK;
    if (cloth->influence_count && cloth->model->nodes[cloth->node].skin != PLEAT_NONE)
    {
        result = pl_implicit_bind(options, cloth, host, &layer->arena, &layer->bound, error);
    }
    result = result == PLEAT_OK ? make_room(layer, error) : result;
    if (result != PLEAT_OK)
    {
        destroy_layer(layer);
        return result;
    }
    *out = layer;
    return PLEAT_OK;
}

/* ---- The frame ---- */

static void march_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    pl_implicit_march_run(data, begin, end);
}

static void hold_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    pl_implicit_hold_run(data, begin, end);
}

static void touch_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    pl_implicit_touch_run(data, begin, end);
}

/* The vertices at a contact, in the order of blocks. */
static uint32_t list_contacts(implicit_layer *layer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < layer->bound.block_count; ++i)
    {
        const pl_implicit_block *block = &layer->bound.blocks[i];
        for (uint32_t k = 0; k < block->count && layer->touched[i]; ++k)
        {
            uint32_t v = block->vertices[k];
            if (layer->contact[v] > 0)
            {
                layer->list[count++] = v;
            }
        }
    }
    return count;
}

typedef struct sweep_job
{
    const implicit_layer *layer;
    pleat_vec4 *positions;
} sweep_job;

/* Halfway to the mean of the neighbours, where the contact is whole. */
static void sweep_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const sweep_job *job = data;
    const pl_implicit_bound *bound = &job->layer->bound;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        uint32_t v = job->layer->list[i], first = bound->ring_start[v], last = bound->ring_start[v + 1];
        pl_f4 sum = pl_splat(0), at = pl_load(&job->positions[v]);
        for (uint32_t k = first; k < last; ++k)
        {
            sum += pl_load(&job->positions[bound->ring[k]]);
        }
        pl_f4 mean = sum * pl_splat(1.0f / (float)(last - first));
        pl_store(&job->layer->relaxed[i], at + (mean - at) * pl_splat(0.5f * job->layer->contact[v]));
    }
}

static void relax(implicit_layer *layer, const pleat_layer_frame *frame, uint32_t count)
{
    sweep_job job = {layer, frame->positions};
    for (uint32_t sweep = 0; sweep < layer->bound.sweeps; ++sweep)
    {
        pl_parallel_for(frame->tasks, count, 1024, sweep_range, &job);
        for (uint32_t i = 0; i < count; ++i)
        {
            frame->positions[layer->list[i]] = layer->relaxed[i];
        }
    }
}

static void take_figures(implicit_layer *layer, const pleat_layer_frame *frame)
{
    const pl_implicit_bound *bound = &layer->bound;
    for (uint32_t i = 0; i < bound->block_count; ++i)
    {
        for (uint32_t k = 0; k < bound->blocks[i].count && layer->touched[i]; ++k)
        {
            uint32_t v = bound->blocks[i].vertices[k];
            float way = pl_length3(pl_load(&frame->positions[v]) - pl_load(&layer->in[v]));
            layer->moved += way > 0;
            layer->highest = fmaxf(layer->highest, way);
        }
    }
    for (uint32_t i = 0; i < bound->skeleton.bend_count; ++i)
    {
        layer->bent += layer->pose.bends[i].strength > 0;
    }
}

static void update_layer(void *user, const pleat_layer_frame *frame)
{
    implicit_layer *layer = user;
    const pl_implicit_bound *bound = &layer->bound;
    layer->bent = layer->moved = layer->at_contact = 0;
    layer->highest = 0;
    if (!frame->joints || bound->block_count == 0)
    {
        return;
    }
    bool bent = pl_implicit_pose_frame(&layer->options, bound, frame->joints, &layer->pose);
    bool far = layer->options.touch > 0 && pl_implicit_pose_far(bound, &layer->pose);
    if (!bent && !far)
    {
        return;
    }
    memcpy(layer->in, frame->positions, bound->vertex_count * sizeof *layer->in);
    pl_implicit_march march = {.options = &layer->options,
                               .bound = bound,
                               .pose = &layer->pose,
                               .in = layer->in,
                               .out = frame->positions,
                               .contact = layer->contact,
                               .touched = layer->touched};
    pl_parallel_for(frame->tasks, bound->block_count, 32, march_range, &march);
    layer->at_contact = list_contacts(layer);
    relax(layer, frame, layer->at_contact);
    pl_parallel_for(frame->tasks, bound->block_count, 32, hold_range, &march);
    if (far)
    {
        pl_parallel_for(frame->tasks, bound->block_count, 32, touch_range, &march);
    }
    take_figures(layer, frame);
}

static void mark_moves(const void *user, uint8_t *marks)
{
    const implicit_layer *layer = user;
    for (uint32_t i = 0; i < layer->bound.block_count; ++i)
    {
        for (uint32_t k = 0; k < layer->bound.blocks[i].count; ++k)
        {
            marks[layer->bound.blocks[i].vertices[k]] = 1;
        }
    }
}

static uint32_t count_bones(const implicit_layer *layer)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < layer->bound.skeleton.joint_count; ++j)
    {
        count += layer->bound.skeleton.bones[j].usable;
    }
    return count;
}

static uint32_t count_bends(const implicit_layer *layer)
{
    const pl_implicit_skeleton *s = &layer->bound.skeleton;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->bend_count; ++i)
    {
        count += s->bends[i].tube && s->bones[s->bends[i].a].usable && s->bones[s->bends[i].b].usable;
    }
    return count;
}

/* In the order of measure. */
static const pleat_layer_figure figures[] = {
    {"bones", "", "joints whose skin has a field"},    {"bends", "", "joints that bend a limb and are looked after"},
    {"bent", "", "of these, the ones that were bent"}, {"moved", "", "vertices that were moved"},
    {"contact", "", "vertices at a contact"},          {"highest", "m", "farthest move"},
};

static void measure(const void *user, double *values)
{
    const implicit_layer *layer = user;
    const double now[] = {count_bones(layer), count_bends(layer), layer->bent,
                          layer->moved,       layer->at_contact,  (double)layer->highest};
    memcpy(values, now, sizeof now);
}

static void tell(const double *largest, char *out, size_t size)
{
    double bends = largest[1], bent = largest[2], highest = largest[5];
    char farthest[PL_LENGTH_TEXT];
    pl_length_text(highest, farthest);
    if (!(bends > 0))
    {
        snprintf(out, size, "nothing to do; no joint bends a limb that closes around it");
        return;
    }
    snprintf(out, size, "%.0f of %.0f bends at work, skin moved by up to %s", bent, bends, farthest);
}

const pleat_layer_type pleat_implicit_layer = {
    .name = "implicit",
    .summary = "limbs that keep their volume where they bend, and touch instead of passing through",
    .stage = PLEAT_STAGE_COARSE,
    .needs = PLEAT_NEED_SKIN,
    .options_size = sizeof(pleat_implicit_options),
    .defaults = fill_defaults,
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .create = create_layer,
    .destroy = destroy_layer,
    .no_normals = true,
    .update = update_layer,
    .moves = mark_moves,
    .figures = figures,
    .figure_count = sizeof figures / sizeof figures[0],
    .measure = measure,
    .tell = tell,
};
