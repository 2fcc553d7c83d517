/* The clips of a bake: one, or all that a glTF file shall play. */
#ifndef PL_JOB_BAKE_CLIPS_H
#define PL_JOB_BAKE_CLIPS_H

#include "job/choice.h"
#include "job/outputs.h"

/* What stands for a clip's name in the name of an output. */
#define PL_CLIP_PLACEHOLDER "{clip}"

/* Fills desc->clip and its frames, or desc->clips where several are baked: all that change the shape of a chosen node,
 * or those that the job names, if an output can hold them and nothing that was asked for is of one clip. row gets the
 * same. In the job's arena. */
pleat_result pl_choose_clips(pl_job *job, const pleat_bake_job *asked, const pleat_model *model,
                             const pl_output_targets *targets, const pl_choice *choice, pleat_bake_desc *desc,
                             pl_clip_row *row, pleat_error *error);
/* Says which outputs hold the first clip alone, and which clips or frames are not baked at all. */
void pl_warn_of_other_clips(const pl_job *job, const pleat_bake_job *asked, const pleat_model *model,
                            const pleat_bake_desc *desc, const pl_output_targets *targets, bool morphs);

/* The path of an output for one clip of a model, in the arena; NULL without memory. {clip} in it becomes the clip's
 * name, with _ for what file names cannot hold, and a number where another clip would get the same. */
char *pl_clip_path(pl_arena *arena, const char *path, const pleat_model *model, uint32_t clip);
bool pl_has_placeholder(const char *path);

#endif
