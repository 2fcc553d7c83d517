/* The look of a stack as a job asks for it: names and texts in, a checked pleat_stack_look out. */
#ifndef PL_JOB_LOOK_H
#define PL_JOB_LOOK_H

#include "pleat/job.h"
#include "pleat/stack.h"
#include "pleat/stack_look.h"

/* What of a stack does not depend on the input. A copy is another choice from the same stack. */
typedef struct pl_job_look
{
    pleat_stack_look *stack;
    const pleat_skin_method *method;
    pleat_layer_desc skin_layer; /* the method's own; its type is NULL where it has none */
    pleat_refine refine;
    uint32_t level;         /* of loop */
    uint64_t max_triangles; /* of keep: this, */
    float triangle_times;   /* or, where it is 0, so many times the input's */
    const char *mask;       /* as the job takes it, which comes before the look's; or NULL */
    bool unasked;           /* the layers are there by default: a file that they cannot act on goes without */
    uint32_t layer_count;   /* the stack's, or 0: without them */
    const pleat_layer_desc *layers;
} pl_job_look;

/* usual: without a layer that is named, the first of the table. The job's texts must outlive the look. Fails with
 * PLEAT_BAD_REQUEST for what the request alone makes wrong. */
pleat_result pl_job_look_open(const pleat_job_stack *asked, bool usual, const pleat_host *host, pl_job_look *look,
                              pleat_error *error);
void pl_job_look_close(pl_job_look *look); /* a zero one is fine */
/* Refuses settings and inputs of layers that are not in the stack. */
pleat_result pl_job_look_check_used(const pleat_job_stack *asked, const pl_job_look *look, pleat_error *error);
/* Refuses channels that no layer of the stack gives. */
pleat_result pl_job_look_check_channels(const pleat_job_given *channels, uint32_t count, const pl_job_look *look,
                                        pleat_error *error);
/* Fails where no layer of the stack gives frames meshes of their own. */
pleat_result pl_job_look_check_focus(const pl_job_look *look, pleat_error *error);

/* The stack's layers and that of its skinning method, by index; NULL past the last. */
const pleat_layer_type *pl_job_look_layer(const pl_job_look *look, uint32_t index);
/* Far from the world's origin it can be computed near it: no layer knows bodies, and none keeps state. */
bool pl_job_look_recentres(const pl_job_look *look);

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
