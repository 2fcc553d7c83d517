/* How the cloth is stretched, as attributes of the vertices of a glTF file. */
#ifndef PL_JOB_BAKE_STRETCH_H
#define PL_JOB_BAKE_STRETCH_H

#include "job/run.h"

typedef struct pl_bake_stretch
{
    const pleat_job_stretch *asked;
    pleat_stretches *list; /* NULL: not wanted */
} pl_bake_stretch;

/* Refuses a frame that is not baked, and outputs that hold no attributes. */
pleat_result pl_stretch_check(const pleat_job_stretch *asked, uint32_t first_frame, uint32_t frame_count, bool gltf,
                              pleat_error *error);
pleat_result pl_stretch_begin(pl_bake_stretch *stretch, const pleat_job_stretch *asked, const pleat_bake *bake,
                              const pleat_host *host, pleat_error *error);
/* After each frame of the bake, numbered as in its clip. */
void pl_stretch_frame(const pl_bake_stretch *stretch, uint32_t frame, const pleat_tasks *tasks);
/* Adds the attributes to the edits of a file, and edits for the meshes that have none. Lives in the arena. */
pleat_result pl_stretch_edit(const pl_bake_stretch *stretch, const pleat_bake *bake, const pleat_model *model,
                             pl_arena *arena, pleat_gltf_edits *edits, pleat_error *error);
void pl_stretch_close(pl_bake_stretch *stretch);

#endif
