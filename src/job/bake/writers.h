/* The files of a bake: every frame goes into all point caches and mesh sequences; glTF comes at the end. */
#ifndef APP_BAKE_WRITERS_H
#define APP_BAKE_WRITERS_H

#include "job/bake/stretch.h"
#include "apps/pleat/session.h"
#include "job/outputs.h"

#include "pleat/bake.h"
#include "pleat/io.h"
#include "pleat/export/morphs.h"

typedef struct bake_writers bake_writers;

/* --topology frame: each frame has a mesh of its own. */
bool topology_by_frame(const app_session *session);

/* Opens a writer for each target that is not glTF. They hold all parts of the bake, or those that --garment names.
 * Everything that is passed must outlive the writers. */
pleat_result writers_create(app_session *session, const pleat_asset *asset, const pleat_bake *bake,
                            const bake_targets *targets, bake_writers **writers, pleat_error *error);
void writers_destroy(bake_writers *writers);
bool writers_want_gltf(const bake_writers *writers);
/* The frame that the bake computed last; frames come in order. Of several clips, outputs that hold one take the first,
 * or there is one of them for each, if their name has a place for the clip's. */
pleat_result writers_frame(bake_writers *writers, uint32_t frame, pleat_error *error);
/* Writes the glTF files, and then lets everything appear under its name. morphs may be NULL: no mesh is replaced. */
pleat_result writers_finish(bake_writers *writers, const pleat_morphs *morphs, const bake_stretch *stretch,
                            pleat_error *error);

#endif
