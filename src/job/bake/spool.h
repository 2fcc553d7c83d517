/* Frames kept as they are computed, beside the first output. A bake that was killed goes on behind the last whole frame
 * and gives the same files, bit for bit. */
#ifndef PL_JOB_BAKE_SPOOL_H
#define PL_JOB_BAKE_SPOOL_H

#include "job/look.h"
#include "job/run.h"

typedef struct pl_bake_spool pl_bake_spool;

/* A number for the input, the look and the options that positions depend on, and for this version of pleat. Reads the
 * points of a clip that has some. */
pleat_result pl_spool_identity(const pleat_bake_desc *desc, const pl_job_look *look, const pleat_bake *bake,
                               const pleat_host *host, uint64_t *identity, pleat_error *error);

/* Opens PATH.resume or begins it. One of another identity, or one that another process is using, is an error that says
 * so. host must outlive the spool. */
pleat_result pl_spool_open(const char *path, uint64_t identity, const pleat_bake *bake, const pleat_host *host,
                           pl_bake_spool **out, pleat_error *error);
/* Frames it holds, from the first on. */
uint32_t pl_spool_count(const pl_bake_spool *spool);
/* Puts the bake where it was after a frame that the spool holds. */
pleat_result pl_spool_replay(pl_bake_spool *spool, uint32_t frame, pleat_bake *bake, pleat_error *error);
/* Adds the frame last computed, number pl_spool_count. */
pleat_result pl_spool_add(pl_bake_spool *spool, const pleat_bake *bake, pleat_error *error);
/* done: the outputs have appeared, so the spool goes. NULL is fine. */
void pl_spool_close(pl_bake_spool *spool, bool done);

#endif
