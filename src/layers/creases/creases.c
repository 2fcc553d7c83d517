/* The creases layer: options, create, figures.
 *
 * F. Turchet, O. Fryazinov, M. Romeo, "Extending Implicit Skinning with Wrinkles". What differs:
 *  - Curves run along the hinge by default. Down the paper's angle field they run 41 to 89 degrees off it on a thumb.
 *  - They are laid once, where the joint turns the farthest, and come and go with the pose: nothing is carried from
 * frame to frame, and wrinkles form at the same place each time.
 *  - What brings them out is the turn of the joint from rest, over 70 degrees, not over some frames.
 *  - The constants s and T make a radius of 1.387 units; here lines are scaled so that a radius is what was asked for.
 */
#include "layers/creases/creases.h"

#include "base/length.h"
#include "layers/creases/frame.h"

#include <stdio.h>
#include <string.h>

#define DEGREES(x) ((x)*0.017453293f)

pleat_creases_options pleat_creases_options_default(void)
{
    return (pleat_creases_options){.direction_threshold = DEGREES(60),
                                   .seed_angle = DEGREES(25),
                                   .field_threshold = 0.02f,
                                   .angle = DEGREES(12),
                                   .displace = 0.6f,
                                   .appearance = DEGREES(70),
                                   .rings = 4,
                                   .detail = 4};
}

#define OFFSET(member) offsetof(pleat_creases_options, member)

static const pleat_parameter parameters[] = {
    {"radius", PLEAT_VALUE_LENGTH, OFFSET(radius), 0, 1, NULL,
     "of a crease (Wrinkle Radius); 0: an eighth of the limb's"},
    {"direction_threshold", PLEAT_VALUE_ANGLE, OFFSET(direction_threshold), 0, 3.1415927, NULL,
     "a curve that turns by more in a step ends"},
    {"seed_angle", PLEAT_VALUE_ANGLE, OFFSET(seed_angle), 0, 3.1415927, NULL,
     "least angle of both fields where a curve begins (Seed Angle Threshold)"},
    {"field_threshold", PLEAT_VALUE_NUMBER, OFFSET(field_threshold), 0, 0.5, NULL,
     "least value of the other bone's field where a curve begins"},
    {"angle", PLEAT_VALUE_ANGLE, OFFSET(angle), 0, 3.1415927, NULL,
     "a curve ends where both fields turn by less (Angle Threshold)"},
    {"seed_distance", PLEAT_VALUE_LENGTH, OFFSET(seed_distance), 0, 1, NULL,
     "between curves; 0: four and a half radii of a crease"},
    {"displace", PLEAT_VALUE_SHARE, OFFSET(displace), 0, 1, NULL,
     "how far a crease comes out of the skin, of its radius (Displace Strength)"},
    {"ramp", PLEAT_VALUE_CURVE, OFFSET(ramp), 0, 0, NULL,
     "how creases come with the turn of the joint, from 0,0 to 1,1 (Ramp Control); nothing: smoothly"},
    {"appearance", PLEAT_VALUE_ANGLE, OFFSET(appearance), 0.0174532, 3.1415927, NULL,
     "turn of the joint from rest at which creases are whole (Appearance Time)"},
    {"topology_bias", PLEAT_VALUE_SWITCH, OFFSET(topology_bias), 0, 0, NULL, "curves keep to edges of the mesh"},
    {"field", PLEAT_VALUE_CHOICE, OFFSET(field), 0, 0, "hinge|angle",
     "curves run along the joint's axis, or down the angle of both fields"},
    {"rings", PLEAT_VALUE_COUNT, OFFSET(rings), 0, 16, NULL, "rings of vertices over which the angle is smoothed"},
    {"detail", PLEAT_VALUE_NUMBER, OFFSET(detail), 1, 8, NULL, "edges of the refined mesh in a radius"},
    {"preview", PLEAT_VALUE_SWITCH, OFFSET(preview), 0, 0, NULL, "lift vertices near curves and project nothing: fast"},
};

enum
{
    PARAMETER_COUNT = sizeof parameters / sizeof parameters[0]
};

static void fill_defaults(void *options)
{
    *(pleat_creases_options *)options = pleat_creases_options_default();
}

static pleat_result check_options(const pleat_creases_options *options, pleat_error *error)
{
    for (uint32_t i = 0; i < PARAMETER_COUNT; ++i)
    {
        const pleat_parameter *p = &parameters[i];
        const char *at = (const char *)options + p->offset;
        bool is_number = p->kind == PLEAT_VALUE_LENGTH || p->kind == PLEAT_VALUE_ANGLE ||
                         p->kind == PLEAT_VALUE_NUMBER || p->kind == PLEAT_VALUE_SHARE;
        double value = is_number                      ? (double)*(const float *)at
                       : p->kind == PLEAT_VALUE_COUNT ? *(const uint32_t *)at
                                                      : 0;
        if ((is_number || p->kind == PLEAT_VALUE_COUNT) && !(value >= p->low && value <= p->high))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "creases: %s is %g; it can be %g to %g", p->name, value, p->low,
                           p->high);
        }
    }
    if (options->field > PLEAT_CREASE_ANGLE)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "creases: field is %u; it can be 0 or 1", options->field);
    }
    return PLEAT_OK;
}

/* ---- The layer ---- */

typedef struct crease_layer
{
    pl_memory memory;
    pl_arena arena;
    pl_crease_frame frame;
    uint32_t up;
} crease_layer;

static pleat_result make_plan(const void *options, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                              const pleat_host *host, void **plan, pleat_error *error)
{
    *plan = NULL;
    PL_TRY(check_options(options, error));
    return pl_crease_plan_make(options, coarse, preview, host, plan, error);
}

static void destroy_layer(void *user)
{
    crease_layer *layer = user;
    pl_arena_free(&layer->arena);
    PL_DESTROY(layer);
}

static pleat_result create_layer(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                                 void **out, pleat_error *error)
{
    (void)options;
    *out = NULL;
    crease_layer *layer = PL_CREATE(crease_layer, host);
    if (!layer)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the creases layer");
    }
    pl_arena_init(&layer->arena, &layer->memory);
    layer->frame.plan = plan;
    layer->frame.arena = &layer->arena;
    pleat_result result = pl_crease_frame_bind(&layer->frame, cloth, error);
    if (result != PLEAT_OK)
    {
        destroy_layer(layer);
        return result;
    }
    *out = layer;
    return PLEAT_OK;
}

static void update_layer(void *user, const pleat_layer_frame *frame)
{
    crease_layer *layer = user;
    layer->up = pl_crease_frame_update(&layer->frame, frame);
}

static void mark_moves(const void *user, uint8_t *marks)
{
    const crease_layer *layer = user;
    for (uint32_t i = 0; i < layer->frame.vertex_count; ++i)
    {
        marks[layer->frame.vertices[i]] = 1;
    }
}

/* In the order of measure. */
static const pleat_layer_figure figures[] = {
    {"creases", "", "curves across joints"},
    {"up", "", "of these, the ones that showed"},
    {"moved", "", "vertices that were moved"},
    {"highest", "m", "farthest move"},
};

static void measure(const void *user, double *values)
{
    const crease_layer *layer = user;
    const double now[] = {layer->frame.plan->crease_count, layer->up, layer->frame.moved, (double)layer->frame.highest};
    memcpy(values, now, sizeof now);
}

static void tell(const double *largest, char *out, size_t size)
{
    double creases = largest[0], up = largest[1], highest = largest[3];
    char high[PL_LENGTH_TEXT];
    pl_length_text(highest, high);
    if (!(creases > 0))
    {
        snprintf(out, size, "none; no joint of a limb turns by 10 degrees");
        return;
    }
    snprintf(out, size, "%.0f, of which up to %.0f show, up to %s high", creases, up, high);
}

const pleat_layer_type pleat_creases_layer = {
    .name = "creases",
    .summary = "wrinkles of skin across joints that bend",
    .needs = PLEAT_NEED_SKIN | PLEAT_NEED_CLIP,
    .options_size = sizeof(pleat_creases_options),
    .defaults = fill_defaults,
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .plan = make_plan,
    .wants = pl_crease_plan_wants,
    .plan_destroy = pl_crease_plan_destroy,
    .create = create_layer,
    .destroy = destroy_layer,
    .update = update_layer,
    .moves = mark_moves,
    .figures = figures,
    .figure_count = sizeof figures / sizeof figures[0],
    .measure = measure,
    .tell = tell,
};
