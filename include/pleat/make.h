/* pleat/make.h: the built-in characters, made by code. Part of libpleat_make, which needs the core alone.
 *
 * Every character is a plain model (pleat/model.h): nodes, meshes, a skin, clips. It is made the same, bit for bit, on
 * every run. Units are metres and seconds, +Y is up, characters face +Z and stand on y = 0; clips are baked at 30 fps.
 *
 *   arm        a cylinder on two bones; mesh "sleeve"; clips bend, twist
 *   dancer     a person of 1.70 m; meshes skin, leotard, tights; clips arabesque, squat, twist
 *   hand       a hand with palm, thumb and four fingers, closed; clips bend, pinch
 *   belly      a round body, closed; clip sit
 *   rectangle  flat cloth that is compressed; clip compress
 *   towel      hanging cloth, pushed by a ball; clip push
 *   skirt      the dancer in a skirt; clip arabesque
 *   shirt      the dancer in a loose shirt; clip twist
 *
 * The cloth of rectangle, towel, skirt and shirt moves by morph targets, one a frame (so that any viewer plays it), and
 * the same positions are the clip's points. Its base shape is the rest shape: the cloth as it was cut and sewn. */
#ifndef PLEAT_MAKE_H
#define PLEAT_MAKE_H

#include "pleat/model.h"

PLEAT_BEGIN

typedef struct pleat_make_options
{
    uint32_t arm_around;  /* vertices in a ring of the arm: 3..4096, default 72 */
    uint32_t arm_along;   /* rings of the arm: 2..65536, default 300 */
    float arm_blend;      /* metres from the joint to where one bone rules alone: above 0, at most 0.3; default 0.08 */
    uint32_t cloth_quads; /* quads along a side of the rectangle: 2..512, default 20 */
} pleat_make_options;

pleat_make_options pleat_make_options_default(void);

/* A made character; owns its model. */
typedef struct pleat_made pleat_made;

/* Makes the character of that name. options may be NULL for the defaults; an unknown name is an error that lists
 * the known ones. */
pleat_result pleat_make(const char *name, const pleat_make_options *options, const pleat_host *host, pleat_made **made,
                        pleat_error *error);
void pleat_made_destroy(pleat_made *made); /* NULL is fine */
/* Valid until the destroy. */
const pleat_model *pleat_made_model(const pleat_made *made);

/* The names there are, in the order above, and a line about each; NULL from pleat_make_count() on. */
uint32_t pleat_make_count(void);
const char *pleat_make_name(uint32_t index);
const char *pleat_make_about(uint32_t index);

PLEAT_END

#endif
