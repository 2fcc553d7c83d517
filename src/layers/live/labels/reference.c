/* What is remembered of each triangle, learned from how it moves.
 *
 * R. Gillette, 2015, sec. 4.2. A triangle that is being compressed relaxes a little towards what it is; one that is
 * being stretched beyond what is remembered is remembered anew; one at rest stays. Shapes are kept as flat triangles,
 * so that turning and moving the cloth leaves them alone. */
#include "layers/live/live.h"

#include <stdlib.h>

/* What is left of the difference after 1/30 s of being compressed. */
static const float RELAXATION = 0.95f;
/* A step of the label between neighbours, in space and in time. */
static const float LABEL_STEP = 0.2f;
/* The cloth has jumped when over this share of its area has stretched or shrunk by more than this in 1/30 s. The
 * fastest blow of a game character does that to a few hundredths. */
static const float JUMP_SHARE = 0.25f, JUMP_STRETCH = 1.5f;

typedef struct job
{
    pleat_live *live;
    float keep; /* of the difference */
    bool learns;
} job;

static pl_live_flat lay(const pleat_live *live, const pleat_vec4 *positions, uint32_t t)
{
    const uint32_t *corner = live->topology->triangles + 3 * (size_t)t;
    return pl_live_lay(pl_load(&positions[corner[0]]), pl_load(&positions[corner[1]]), pl_load(&positions[corner[2]]));
}

/* ---- Costs ---- */

static void cost_triangles(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    pleat_live *live = ((job *)data)->live;
    (void)worker;
    for (uint32_t t = begin; t < end; ++t)
    {
        int32_t *costs = live->costs + PL_LIVE_LABELS * (size_t)t;
        pl_live_flat now = lay(live, live->now, t), before = lay(live, live->before, t);
        float small = 1, large = 1;
        if (now.c > 0 && before.c > 0)
        {
            pl_live_stretch stretch = pl_live_stretch_of(now, before);
            small = stretch.small;
            large = stretch.large;
        }
        pl_live_costs(small, large, costs);
        for (int label = 0; label < PL_LIVE_LABELS; ++label)
        {
            costs[label] += (int32_t)(LABEL_STEP * PL_LIVE_COST_UNIT) * abs(label - (int)live->labels[t]);
        }
        live->field[t].narrow = small; /* for the look at jumps; learning writes it anew */
        live->field[t].compression = large;
    }
}

static bool has_jumped(const pleat_live *live)
{
    double jumped = 0, whole = 0;
    for (uint32_t t = 0; t < live->topology->triangle_count; ++t)
    {
        pl_live_flat before = lay(live, live->before, t);
        double area = (double)(before.a * before.c);
        whole += area;
        jumped += live->field[t].narrow * JUMP_STRETCH < 1 || live->field[t].compression > JUMP_STRETCH ? area : 0;
    }
    return jumped > (double)JUMP_SHARE * whole;
}

/* ---- Learning ---- */

/* Each direction grows for itself, or both at once where both are over. */
static pl_live_stretch grown(const pleat_live *live, pl_live_stretch stretch)
{
    if (live->options.each_way)
    {
        stretch.large = fminf(stretch.large, 1);
        stretch.small = fminf(stretch.small, 1);
    }
    else if (stretch.small > 1)
    {
        stretch.large = stretch.small = 1;
    }
    return stretch;
}

static pl_live_stretch learn(pleat_live *live, uint32_t t, pl_live_flat now, pl_live_stretch stretch, float keep)
{
    pl_live_stretch next = stretch;
    if (live->labels[t] == PLEAT_LIVE_COMPRESSED)
    {
        next.small = keep * stretch.small + (1 - keep);
        next.large = keep * stretch.large + (1 - keep);
    }
    else if (live->labels[t] == PLEAT_LIVE_STRETCHED)
    {
        next = grown(live, stretch);
    }
    if (next.small != stretch.small || next.large != stretch.large)
    {
        live->reference[t] = pl_live_before(now, next);
    }
    return next;
}

static pleat_live_tensor tensor_of(const pleat_live *live, uint32_t t, pl_live_stretch stretch)
{
    const uint32_t *corner = live->topology->triangles + 3 * (size_t)t;
    pl_f4 along = pl_live_along(pl_load(&live->now[corner[0]]), pl_load(&live->now[corner[1]]),
                                pl_load(&live->now[corner[2]]), stretch);
    float compression = 1 / stretch.small, drag = 1 + live->options.tension * (stretch.large - 1);
    pleat_live_tensor tensor = {.compression = fmaxf(1, fmaxf(compression, drag)),
                                .narrow = stretch.small / stretch.large};
    pl_store3(&tensor.along, along);
    return tensor;
}

static void learn_triangles(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const job *j = data;
    pleat_live *live = j->live;
    (void)worker;
    for (uint32_t t = begin; t < end; ++t)
    {
        pl_live_flat now = lay(live, live->now, t);
        if (!(now.c > 0))
        {
            live->field[t] = (pleat_live_tensor){{0, 0, 0}, 0, 1};
            continue;
        }
        if (!(live->reference[t].c > 0))
        {
            live->reference[t] = now; /* the first time that it has an area */
        }
        pl_live_stretch stretch = pl_live_stretch_of(now, live->reference[t]);
        live->field[t] = tensor_of(live, t, j->learns ? learn(live, t, now, stretch, j->keep) : stretch);
    }
}

bool pl_live_observe(pleat_live *live, float dt, const pleat_tasks *tasks)
{
    job j = {live, powf(RELAXATION, PL_LIVE_RATE * dt), true};
    uint32_t count = live->topology->triangle_count;
    pl_parallel_for(tasks, count, PL_LIVE_GRAIN, cost_triangles, &j);
    if (has_jumped(live))
    {
        return false;
    }
    live->figures.cut =
        pl_live_label(live->labeller, live->costs, (int32_t)(LABEL_STEP * PL_LIVE_COST_UNIT), live->labels);
    pl_parallel_for(tasks, count, PL_LIVE_GRAIN, learn_triangles, &j);
    return true;
}

void pl_live_compare(pleat_live *live, const pleat_tasks *tasks)
{
    job j = {live, 1, false};
    pl_parallel_for(tasks, live->topology->triangle_count, PL_LIVE_GRAIN, learn_triangles, &j);
}

void pl_live_remember_all(pleat_live *live)
{
    for (uint32_t t = 0; t < live->topology->triangle_count; ++t)
    {
        live->reference[t] = lay(live, live->now, t);
        live->labels[t] = PLEAT_LIVE_RESTING;
    }
}

/* ---- Jumps ---- */

/* The middle one of so many values, which it reorders. */
static float median(float *values, uint32_t count)
{
    uint32_t low = 0, high = count - 1, middle = count / 2;
    while (low < high)
    {
        float pivot = values[low + (high - low) / 2];
        uint32_t i = low, j = high;
        for (;;)
        {
            while (values[i] < pivot)
            {
                ++i;
            }
            while (values[j] > pivot)
            {
                --j;
            }
            if (i >= j)
            {
                break;
            }
            float swapped = values[i];
            values[i++] = values[j];
            values[j--] = swapped;
        }
        low = j < middle ? j + 1 : low;
        high = j < middle ? high : j;
    }
    return values[middle];
}

void pl_live_rescale(pleat_live *live)
{
    uint32_t count = 0;
    float *growth = (float *)(void *)live->candidates;
    for (uint32_t t = 0; t < live->topology->triangle_count; ++t)
    {
        pl_live_flat now = lay(live, live->now, t), before = lay(live, live->before, t);
        if (now.c > 0 && before.c > 0)
        {
            growth[count++] = sqrtf(now.a * now.c / (before.a * before.c));
        }
    }
    if (count == 0)
    {
        return;
    }
    float scale = median(growth, count);
    for (uint32_t t = 0; t < live->topology->triangle_count; ++t)
    {
        pl_live_flat *r = &live->reference[t];
        *r = (pl_live_flat){r->a * scale, r->b * scale, r->c * scale};
    }
}
