/* From the command line to a job: rows for the tables of commands that run one, and the members that those rows fill.
 */
#ifndef APP_REQUEST_H
#define APP_REQUEST_H

#include "session.h"

#include "pleat/job.h"

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

/* Rows for the table of a command that makes a stack: request_stack reads them. The command also
 * takes_inputs. */
#define LOOK_OPTIONS                                                                                                    \
    {"skin", 0, OPTION_SKIN, false, NULL, NULL, 0, 0, "how joints move skin"},                                          \
        {"layer", 0, OPTION_LAYER, true, NULL, NULL, 0, 0, "on garments"},                                              \
        {"mask", 0,      OPTION_TEXT,                                                                                   \
         false,  "FILE", NULL,                                                                                          \
         0,      0,      "layers act where this PNG, or 'color' of vertices, is white"},                                \
        {"refine", 0, OPTION_CHOICE, false, "keep|loop", NULL, 0, 0, "add triangles and keep the rest; or Loop's way"}, \
        {"max-triangles", 0, OPTION_TEXT, false, "N|4x", NULL, 0, 0, "of keep: a number, or times the input's; 6x"},    \
        {"level", 0, OPTION_WHOLE, false, "N", "0", 0, 6, "of loop: subdivide the garments this often in any case"},    \
        {"look", 0, OPTION_PATH, false, "FILE", NULL, 0, 0, "a look file: the parameters of the stack as JSON"},        \
    {                                                                                                                   \
        "set", 0, OPTION_TEXT, true, "KEY=VALUE", NULL, 0, 0,                                                           \
            "one parameter, such as folds.width=2cm, over the look's"                                                   \
    }

/* How stretch becomes a colour, for attributes and textures alike. In the order of pleat_stretch_colors. */
#define STRETCH_COLORS "tension|tensor|area"
#define STRETCH_STRENGTH_OPTION                                                                                        \
    {                                                                                                                  \
        "stretch-strength", 0, OPTION_NUMBER, false, "N", "0.5", 0.001, 100, "the stretch that gives full colour"      \
    }

/* The rows above, --fps and --frames, as far as the command has them; file number index. */
pleat_job_input request_input(app_session *session, uint32_t index);
/* LOOK_OPTIONS, and the inputs of layers. */
pleat_job_stack request_stack(app_session *session);
/* The channels of layers that are to be written; they live as long as the session. */
const pleat_job_given *request_channels(app_session *session, uint32_t *count);
/* All values of an option that repeats; they live as long as the session. */
pleat_texts request_texts(app_session *session, const char *name);
/* The convention by its name, as an option's value; tension without one. */
pleat_stretch_colors stretch_colors_named(const char *name);

#endif
