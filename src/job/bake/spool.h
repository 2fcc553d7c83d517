/* --resume: the frames of a bake as they are computed, beside its first output. A bake that was killed goes on behind
 * the last whole frame and gives the same files, bit for bit. */
#ifndef APP_SPOOL_H
#define APP_SPOOL_H

#include "apps/pleat/bake_look.h"
#include "apps/pleat/session.h"

#include "pleat/bake.h"

typedef struct bake_spool bake_spool;

/* A number for the input, the look and the options that positions depend on, and for this version of pleat. Reads the
 * points of a clip that has some. */
pleat_result spool_identity(const pleat_bake_desc *desc, bake_look *look, const pleat_bake *bake,
                            const pleat_host *host, uint64_t *identity, pleat_error *error);

/* Opens PATH.resume or begins it. One of another identity, or one that another process is using, is an error that says
 * so. host must outlive the spool. */
pleat_result spool_open(const char *path, uint64_t identity, const pleat_bake *bake, const pleat_host *host,
                        bake_spool **out, pleat_error *error);
/* Frames it holds, from the first on. */
uint32_t spool_count(const bake_spool *spool);
/* Puts the bake where it was after a frame that the spool holds. */
pleat_result spool_replay(bake_spool *spool, uint32_t frame, pleat_bake *bake, pleat_error *error);
/* Adds the frame last computed, number spool_count. */
pleat_result spool_add(bake_spool *spool, const pleat_bake *bake, pleat_error *error);
/* done: the outputs have appeared, so the spool goes. NULL is fine. */
void spool_close(bake_spool *spool, bool done);

#endif
