/* What -o names: checked before any work is done, so that a long bake does not end in an error that was visible from
 * the start. */
#ifndef APP_TARGETS_H
#define APP_TARGETS_H

#include "apps/pleat/session.h"

#include "pleat/io.h"

typedef struct bake_target
{
    const char *given;   /* as typed */
    char *path;          /* what the writer gets: for a folder, the path of the meshes in it */
    pleat_format format; /* by the ending; a folder gets OBJ meshes */
    bool folder;
    bool made_folder; /* it was not there before */
} bake_target;

typedef struct bake_targets
{
    bake_target *list;
    uint32_t count;
} bake_targets;

/* Reads every -o. Refuses endings that nothing writes, the same file twice, the input itself, and folders that are not
 * there (a folder behind -o itself is made). Returns an exit status, having said why. */
int targets_open(const app_session *session, bake_targets *targets);
/* Two caches of one name, such as walk.pc2 and walk.mdd: what lies beside them is the same. */
bool target_shares_sidecars(const bake_target *a, const bake_target *b);
/* done false: folders that were made for nothing are removed. */
void targets_free(bake_targets *targets, bool done);

#endif
