/* The files of a bake: every frame goes into all point caches and mesh sequences; glTF comes at the end. */
#ifndef PL_JOB_BAKE_WRITERS_H
#define PL_JOB_BAKE_WRITERS_H

#include "job/bake/stretch.h"
#include "job/outputs.h"

#include "pleat/export/morphs.h"

typedef struct pl_bake_writers pl_bake_writers;

/* Opens a writer for each target that is not glTF. They hold all parts of the bake, or those that the job's garments
 * name. Everything that is passed must outlive the writers. */
pleat_result pl_writers_create(pl_job *job, const pleat_bake_job *asked, const pleat_asset *asset,
                               const pleat_bake *bake, const pl_output_targets *targets, pl_bake_writers **writers,
                               pleat_error *error);
void pl_writers_destroy(pl_bake_writers *writers);
/* The frame that the bake computed last; frames come in order. Of several clips, outputs that hold one take the first,
 * or there is one of them for each, if their name has a place for the clip's. */
pleat_result pl_writers_frame(pl_bake_writers *writers, uint32_t frame, pleat_error *error);
/* Writes the glTF files, and then lets everything appear under its name. morphs may be NULL: no mesh is replaced. */
pleat_result pl_writers_finish(pl_bake_writers *writers, const pleat_morphs *morphs, const pl_bake_stretch *stretch,
                               pleat_error *error);

#endif
