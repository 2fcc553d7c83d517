/* One character, or the same one before and after, in front of a camera: what pleat render and pleat demo draw. */
#ifndef APP_STAGE_H
#define APP_STAGE_H

#include "actor.h"
#include "session.h"

#include "job/inputs.h"

/* How two actors share the picture. */
typedef enum stage_compare
{
    STAGE_SIDE, /* next to each other */
    STAGE_SPLIT /* one view, cut in the middle */
} stage_compare;

/* Fill from stage_default, add actors, look over the clip, then draw or write. */
typedef struct app_stage
{
    app_session *session;
    app_actor actors[2];
    uint32_t actor_count;
    pleat_job_input input; /* of the actors that are files */
    pleat_job_stack stack;
    pleat_job_watch watch;
    pl_job job;
    pl_layer_inputs inputs; /* of the actor with layers */
    pl_job_look look;
    stage_compare compare;
    pleat_view view;
    uint32_t focus_node;    /* of the first actor, or PLEAT_NONE */
    float focus_radius;     /* metres */
    bool follow;            /* the camera goes along with the first actor's middle, at its height */
    uint32_t first, last;   /* frames that are shown; default: none */
    uint32_t columns, rows; /* of a contact sheet; 1 and 1 without */
    pleat_picture picture;  /* owned */
    pleat_picture spare;    /* owned, for STAGE_SPLIT */
    pleat_renderer *renderer;
    pleat_camera camera; /* found by stage_look_over, for where there is no focus */
    pleat_scene scene;   /* all but its drawables */
} app_stage;

app_stage stage_default(app_session *session);
/* Makes the picture and the renderer. */
pleat_result stage_open(app_stage *stage, uint32_t width, uint32_t height, pleat_error *error);
void stage_close(app_stage *stage); /* what was never opened is fine */
/* The model must outlive the stage; takes the bake, also on failure. */
pleat_result stage_add(app_stage *stage, const pleat_model *model, pleat_bake *bake, uint32_t overlays,
                       pleat_error *error);
/* Adds the files of the session's command line (that of pleat render) with its clip, look and overlays. Two files: the
 * layers are on the second. One: it is drawn with its layers, and with --compare also without. assets, zero before,
 * must outlive the stage, also on failure. Returns an exit status. */
int stage_add_files(app_stage *stage, pleat_asset *assets[2]);
/* Frames of the longest clip. */
uint32_t stage_frame_count(const app_stage *stage);

/* Finds ground, bounds and camera. The camera has in view the frames first to last, or, if still is not PLEAT_NONE,
 * that frame alone. */
pleat_result stage_look_over(app_stage *stage, uint32_t still, pleat_error *error);
/* Draws a frame of all actors into the stage's picture or a part of it. */
pleat_result stage_draw(app_stage *stage, uint32_t frame, const pleat_picture *picture, pleat_error *error);

/* One frame, or a sheet of frames from first to last, as PNG; a film of first to last. outputs may be NULL. */
pleat_result stage_write_picture(app_stage *stage, uint32_t frame, const char *path, pleat_error *error);
pleat_result stage_write_sheet(app_stage *stage, const char *path, pleat_error *error);
pleat_result stage_write_film(app_stage *stage, float fps, const char *path, pleat_outputs *outputs,
                              pleat_error *error);

#endif
