/* A layer of one's own, in a file of its own: a wave runs through the cloth. Registered by main.c beside it; --layer,
 * --set, --print-look and --help then know it, and nothing else had to change. See docs/own-layer.md. */
#include "wave.h"

#include <math.h>
#include <stdlib.h>

typedef struct wave_options
{
    float height, length, period;
} wave_options;

typedef struct wave
{
    const pleat_cloth *cloth;
    wave_options options;
    float highest;
} wave;

static void defaults(void *options)
{
    *(wave_options *)options = (wave_options){.height = 0.01f, .length = 0.2f, .period = 1};
}

static pleat_result create(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                           void **layer, pleat_error *error)
{
    (void)plan, (void)host;
    wave *made = *layer = malloc(sizeof *made);
    if (!made)
        return *error = (pleat_error){PLEAT_NO_MEMORY, "out of memory for the wave"}, PLEAT_NO_MEMORY;
    *made = (wave){.cloth = cloth, .options = *(const wave_options *)options};
    return PLEAT_OK;
}

/* Along the normal, by where the vertex is at rest; the mask says how much. */
static void update(void *layer, const pleat_layer_frame *frame)
{
    wave *w = layer;
    const wave_options *o = &w->options;
    w->highest = 0;
    for (uint32_t v = 0; v < w->cloth->topology->vertex_count; ++v)
    {
        float phase = 6.2831853f * (w->cloth->rest[v].y / o->length - frame->time / o->period);
        float up = w->cloth->mask[v] * o->height * sinf(phase);
        frame->positions[v].x += up * frame->normals[v].x;
        frame->positions[v].y += up * frame->normals[v].y;
        frame->positions[v].z += up * frame->normals[v].z;
        w->highest = fmaxf(w->highest, fabsf(up));
    }
}

static void measure(const void *layer, double *values)
{
    values[0] = (double)((const wave *)layer)->highest;
}

static const pleat_parameter parameters[] = {
    {"height", PLEAT_VALUE_LENGTH, offsetof(wave_options, height), 0, 1, NULL, "height of the wave"},
    {"length", PLEAT_VALUE_LENGTH, offsetof(wave_options, length), 1e-3, 100, NULL, "from one crest to the next"},
    {"period", PLEAT_VALUE_TIME, offsetof(wave_options, period), 1e-3, 1000, NULL, "how long a wave takes"}};
static const pleat_layer_figure figures[] = {{"highest", "m", "farthest move"}};

const pleat_layer_type wave_layer = {.name = "wave",
                                     .summary = "a wave runs through the cloth",
                                     .needs = PLEAT_NEED_REST,
                                     .options_size = sizeof(wave_options),
                                     .defaults = defaults,
                                     .parameters = parameters,
                                     .parameter_count = 3,
                                     .create = create,
                                     .destroy = free,
                                     .update = update,
                                     .figures = figures,
                                     .figure_count = 1,
                                     .measure = measure};
