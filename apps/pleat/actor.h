/* A character on the stage: the frames of a model's clip as what the renderer draws, with the overlays asked for. */
#ifndef APP_ACTOR_H
#define APP_ACTOR_H

#include "pleat/bake.h"
#include "pleat/io.h"
#include "pleat/mesh.h"
#include "pleat/render.h"
#include "pleat/strain.h"

/* Overlays, as bits. */
enum
{
    OVERLAY_STRAIN = 1,
    OVERLAY_TENSOR = 2,
    OVERLAY_CURVES = 4,
    OVERLAY_WIRE = 8,
    OVERLAY_VERTICES = 16
};

typedef struct app_curves app_curves;

typedef struct app_actor
{
    const pleat_model *model;
    pleat_bake *bake; /* owned */
    const pleat_bake_shape *shape;
    uint32_t overlays;
    float height; /* metres at rest */
    pleat_vec3 *positions, *normals;
    uint32_t *triangles;       /* counted from each part's first vertex */
    pleat_drawable *drawables; /* one a part */
    pleat_host host;
    pleat_texture *textures; /* one a material of the asset */
    pleat_paint *paints;     /* the same as the renderer takes them */
    uint32_t texture_count;
    bool sided; /* what is drawn from one side only is known, from the first frame on */

    /* For the overlays that need the stretch against the rest shape; NULL without them. */
    pleat_surface *surface;
    pleat_strain *strain;
    pleat_vec4 *places;                  /* of the surface's vertices */
    pleat_stretch *tensors;              /* of triangles */
    float *smallest, *largest, *weights; /* means at the surface's vertices */
    float *stretches;                    /* at render vertices */
    pleat_ellipse_drawable *ellipses;
    uint32_t ellipse_count;
    app_curves *curves;
    uint32_t curve_count;
} app_actor;

/* Takes the bake, also on failure. host may be NULL. */
pleat_result actor_create(app_actor *actor, const pleat_model *model, pleat_bake *bake, uint32_t overlays,
                          const pleat_host *host, pleat_error *error);
/* Colours the actor with the textures, base and vertex colours of the asset that its model is of. */
pleat_result actor_paint(app_actor *actor, const pleat_asset *asset, pleat_error *error);
void actor_destroy(app_actor *actor); /* a zero one is fine */

/* Computes a frame; past the end: the last. */
pleat_result actor_frame(app_actor *actor, uint32_t frame, const pleat_tasks *tasks, pleat_error *error);
/* Puts the frame last computed into the scene. The actor must outlive it. */
void actor_show(const app_actor *actor, pleat_scene *scene);
/* The node whose name fits, or PLEAT_NONE; and where it is in the frame last computed. */
uint32_t actor_find_node(const app_actor *actor, const char *pattern);
pleat_vec4 actor_node_place(const app_actor *actor, uint32_t node);

/* The middle of all vertices of the frame last computed. */
pleat_vec4 actor_middle(const app_actor *actor);

/* In actor_overlay.c: makes and fills what the overlays need. */
pleat_result actor_overlay_create(app_actor *actor, const pleat_host *host, pleat_error *error);
void actor_overlay_update(app_actor *actor, uint32_t frame, const pleat_tasks *tasks);
/* In actor_curves.c: lines along which wrinkles run. */
pleat_result actor_curves_create(app_actor *actor, const pleat_host *host, pleat_error *error);
void actor_curves_destroy(app_actor *actor);
void actor_curves_update(app_actor *actor, uint32_t frame, const pleat_tasks *tasks);
const pleat_curve_drawable *actor_curves_shown(const app_actor *actor); /* curve_count, or NULL */

#endif
