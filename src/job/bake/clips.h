/* The clips of a bake: one, or all that a glTF file shall play. */
#ifndef APP_BAKE_CLIPS_H
#define APP_BAKE_CLIPS_H

#include "job/choice.h"
#include "job/outputs.h"

/* What stands for a clip's name in the name of an output. */
#define CLIP_PLACEHOLDER "{clip}"

/* Fills desc->clip, and desc->clips where several are baked: all that change the shape of a chosen node, or those that
 * --clip fits, if an output can hold them and nothing that was asked for is of one clip. The list is the choice's.
 * Returns an exit status, having said why. */
int choose_clips(const app_session *session, const pleat_model *model, const bake_targets *targets,
                 stack_choice *choice, pleat_bake_desc *desc);
/* Says which outputs hold the first clip alone, and which clips are not baked at all. */
void warn_of_other_clips(app_session *session, const pleat_model *model, const pleat_bake_desc *desc,
                         const bake_targets *targets, bool morphs);

/* The path of an output for one clip of a model, malloc'ed; NULL without memory. {clip} in it becomes the clip's
 * name, with _ for what file names cannot hold, and a number where another clip would get the same. */
char *clip_path(const char *path, const pleat_model *model, uint32_t clip);
bool has_placeholder(const char *path);

#endif
