/* What commands that read a character share: the options for it, loading, choosing clip and garment. */
#ifndef APP_INPUT_H
#define APP_INPUT_H

#include "apps/pleat/session.h"

#include "pleat/io.h"

/* Rows for a command's table. */
#define INPUT_POINTS_OPTION                                                                                            \
    {                                                                                                                  \
        "points", 0, OPTION_PATH, false, "FILE", NULL, 0, 0,                                                           \
            "a .pc2, .mdd or mesh sequence that moves the (single) mesh in FILE"                                       \
    }
#define INPUT_CLIP_OPTION                                                                                              \
    {                                                                                                                  \
        "clip", 0, OPTION_TEXT, false, "NAME", NULL, 0, 0,                                                             \
            "the animation, by name (* and ? allowed); default: the first"                                             \
    }
#define INPUT_GARMENT_OPTION                                                                                           \
    {                                                                                                                  \
        "garment", 'g', OPTION_TEXT, true, "PATTERN", NULL, 0, 0, "a mesh, node or material by name, with * and ?"     \
    }

/* Loads the command's file number index with its --points, if it has that option; points and sequences play at fps. On
 * failure says why and gives NULL. */
pleat_asset *load_input(app_session *session, uint32_t index, double fps);

/* The clip that --clip names, or the first; *index is PLEAT_NONE for a model without one. Returns an exit status. */
int choose_clip(const app_session *session, const pleat_model *model, uint32_t *index);

/* Primitives of nodes of the scene, in scene order. */
typedef struct part_choice
{
    uint32_t node, primitive;
} part_choice;

/* What --garment names; *parts is malloc'ed. With no --garment *count is 0. A pattern that fits nothing is an error
 * that lists the names. Returns an exit status. */
int choose_garment(const app_session *session, const pleat_model *model, part_choice **parts, uint32_t *count);

#endif
