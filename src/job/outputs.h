/* What a bake is to write: checked before any work is done, so that a long bake does not end in an error that was
 * visible from the start. */
#ifndef PL_JOB_OUTPUTS_H
#define PL_JOB_OUTPUTS_H

#include "job/run.h"

typedef struct pl_output_target
{
    const char *given;   /* as the job has it */
    char *path;          /* what the writer gets: for a folder, the path of the meshes in it */
    pleat_format format; /* by the ending; a folder gets OBJ meshes */
    bool folder;
    bool made_folder; /* it was not there before */
} pl_output_target;

/* Lives in the job's arena. */
typedef struct pl_output_targets
{
    pl_output_target *list;
    uint32_t count;
} pl_output_targets;

static inline bool pl_target_is_gltf(const pl_output_target *target)
{
    return target->format == PLEAT_FORMAT_GLB || target->format == PLEAT_FORMAT_GLTF;
}

static inline bool pl_target_is_cache(const pl_output_target *target)
{
    return target->format == PLEAT_FORMAT_PC2 || target->format == PLEAT_FORMAT_MDD;
}

static inline bool pl_target_is_mesh(const pl_output_target *target)
{
    return target->format == PLEAT_FORMAT_OBJ || target->format == PLEAT_FORMAT_PLY;
}

/* Looks at every output. Refuses endings that nothing writes, the same file twice, the input itself, and folders that
 * are not there. make: for a job that runs: announces them to the host's files, and makes the folders that outputs name
 * themselves; give up on them after a failure, too. */
pleat_result pl_outputs_choose(pl_job *job, const pleat_texts *outputs, bool make, pl_output_targets *targets,
                               pleat_error *error);
/* Announces one more file that will be written. What is there already among inputs, or will be written too, is a fault
 * of the request. */
pleat_result pl_outputs_announce(const pl_job *job, const char *path, pleat_error *error);
/* Any of them is glTF. */
bool pl_outputs_want_gltf(const pl_output_targets *targets);
/* Two caches of one name, such as walk.pc2 and walk.mdd: what lies beside them is the same. */
bool pl_target_shares_sidecars(pl_job *job, const pl_output_target *a, const pl_output_target *b);
/* Folders that were made for nothing are removed. */
void pl_outputs_give_up(const pl_output_targets *targets);

#endif
