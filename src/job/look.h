/* A look as the jobs see it: what of a stack does not depend on the input. */
#ifndef PL_JOB_LOOK_H
#define PL_JOB_LOOK_H

#include "pleat/layer.h"
#include "pleat/layers/wrinkles.h"
#include "pleat/stack.h"

enum
{
    PL_LOOK_LAYERS = 16 /* a stack has at most */
};

typedef struct pl_job_look
{
    pleat_skinning skinning;
    pleat_refine refine;
    uint32_t level;         /* of loop */
    uint64_t max_triangles; /* of keep: this, */
    float triangle_times;   /* or, where it is 0, so many times the input's */
    const char *mask;       /* as the job takes it, which comes before the look's; or NULL */
    bool unasked;           /* the layers are there by default: a file that they cannot act on goes without */
    uint32_t layer_count;
    pleat_layer_desc layers[PL_LOOK_LAYERS];
    pleat_wrinkles_options *wrinkles; /* of the layer, where what the input gives it is put; NULL: no such layer */
    const char *text;                 /* all parameters, as a look file */
} pl_job_look;

/* What a stack does with garments that nobody named. */
typedef enum pl_garment_use
{
    PL_GARMENT_UNUSED,  /* nothing: they are not looked for */
    PL_GARMENT_WELCOME, /* acts on them if there are any */
    PL_GARMENT_NEEDED   /* acts on them; it is an error if there are none */
} pl_garment_use;

/* True if the garments differ from their plain skinning in more than the method. */
static inline bool pl_look_shapes(const pl_job_look *look)
{
    return look->layer_count > 0 || look->level > 0;
}

static inline pl_garment_use pl_look_garment_use(const pl_job_look *look)
{
    return look->level == 0 && look->unasked ? PL_GARMENT_WELCOME
           : pl_look_shapes(look)            ? PL_GARMENT_NEEDED
                                             : PL_GARMENT_UNUSED;
}

#endif
