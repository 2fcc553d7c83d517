/* From the command line to a job: rows for the tables of commands that run one, and the members that those rows fill.
 */
#ifndef APP_REQUEST_H
#define APP_REQUEST_H

#include "bake_look.h"
#include "session.h"

#include "job/look.h"
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

/* How stretch becomes a colour, for attributes and textures alike. In the order of pleat_stretch_colors. */
#define STRETCH_COLORS "tension|tensor|area"
#define STRETCH_STRENGTH_OPTION                                                                                        \
    {                                                                                                                  \
        "stretch-strength", 0, OPTION_NUMBER, false, "N", "0.5", 0.001, 100, "the stretch that gives full colour"      \
    }

/* The rows above, --fps and --frames, as far as the command has them; file number index. */
pleat_job_input request_input(app_session *session, uint32_t index);
/* LOOK_OPTIONS. */
pleat_job_stack request_stack(app_session *session);
/* All values of an option that repeats; they live as long as the session. */
pleat_texts request_texts(app_session *session, const char *name);
/* The convention by its name, as an option's value; tension without one. */
pleat_stretch_colors stretch_colors_named(const char *name);

/* The look as jobs take it; it points into the bake_look and into the session. Returns an exit status. */
int request_look(app_session *session, bake_look *look, pl_job_look *out);

#endif
