/* bake --stretch: how the cloth is stretched, as attributes of the vertices of a glTF file. */
#ifndef APP_BAKE_STRETCH_H
#define APP_BAKE_STRETCH_H

#include "apps/pleat/session.h"

#include "base/memory.h"
#include "pleat/io.h"
#include "pleat/export/morphs.h"
#include "pleat/export/stretches.h"

/* How stretch becomes a colour: rows for the table of a command, for attributes and textures alike. In the order of
 * pleat_stretch_colors. */
#define STRETCH_COLORS "tension|tensor|area"
#define STRETCH_STRENGTH_OPTION                                                                                        \
    {                                                                                                                  \
        "stretch-strength", 0, OPTION_NUMBER, false, "N", "0.5", 0.001, 100, "the stretch that gives full colour"      \
    }

typedef struct bake_stretch
{
    bool wanted;
    bool most;      /* over the clip; else of one frame */
    uint32_t frame; /* of the clip */
    bool colored;
    pleat_stretch_colors colors;
    float strength;
    pleat_stretches *list;
} bake_stretch;

/* Reads the options. Returns an exit status, having said what is wrong. */
int stretch_open(const app_session *session, bake_stretch *stretch);
/* The convention by its name, as an option's value; tension without one. */
pleat_stretch_colors stretch_colors_named(const char *name);
/* Refuses a frame that is not baked, and outputs that hold no attributes. */
int stretch_check(const app_session *session, const bake_stretch *stretch, uint32_t first_frame, uint32_t frame_count,
                  bool gltf);
pleat_result stretch_begin(bake_stretch *stretch, const pleat_bake *bake, const pleat_host *host, pleat_error *error);
/* After each frame of the bake, counted from its first. */
void stretch_frame(bake_stretch *stretch, uint32_t frame, uint32_t first_frame, const pleat_tasks *tasks);
/* Adds the attributes to the edits of a file, and edits for the meshes that have none. Lives in the arena. */
pleat_result stretch_edit(const bake_stretch *stretch, const pleat_bake *bake, const pleat_model *model,
                          pl_arena *arena, pleat_gltf_edits *edits, pleat_error *error);
void stretch_close(bake_stretch *stretch);

#endif
