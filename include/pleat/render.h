/* pleat/render.h: pictures of a moving character, with no window. Part of libpleat_gpu (libepoxy and EGL); reads and
 * writes no file.
 *
 * A scene is plain arrays in metres, world space, +Y up. The same scene gives the same pixels on every run and for
 * any number of driver threads. Colours of materials and lights are linear; pictures and text colours are sRGB. */
#ifndef PLEAT_RENDER_H
#define PLEAT_RENDER_H

#include "pleat/draw.h"

PLEAT_BEGIN

/* ---- Scenes ---- */

typedef enum pleat_shading
{
    PLEAT_SHADING_PLAIN, /* matte clay with a soft highlight */
    PLEAT_SHADING_CLOTH, /* flat diffuse and sheen at grazing angles */
    PLEAT_SHADING_SKIN   /* light bleeds, red furthest, around the terminator */
} pleat_shading;

/* A picture on a mesh: sRGB with straight alpha, 8 bits each, rows from the top. A renderer keeps it by its address, so
 * pixels stay as they are as long as the renderer that drew them lives. */
typedef struct pleat_paint
{
    uint32_t width, height;
    const uint8_t *pixels;   /* #height by #width by 4 */
    bool clamp_u, clamp_v;   /* at the borders, */
    bool mirror_u, mirror_v; /* or mirrored; else repeated */
    bool nearest;            /* texels stay squares */
    float transform[6];      /* of coordinates: u' = [0] u + [1] v + [2], v' = [3] u + [4] v + [5] */
} pleat_paint;

/* One mesh of one material. */
typedef struct pleat_drawable
{
    uint32_t vertex_count;       /* #V */
    uint32_t triangle_count;     /* #T */
    const pleat_vec3 *positions; /* #V, finite */
    const pleat_vec3 *normals;   /* #V, any length above 0; NULL: flat triangles */
    const uint32_t *triangles;   /* #T by 3, each below #V */
    const float *colors;         /* #V by 4, linear; rgb multiplies base_color; or NULL */
    const float *uvs;            /* #V by 2, v downwards; or NULL */
    const pleat_paint *paint;    /* with uvs: multiplies base_color and colors; or NULL */
    float base_alpha;            /* default 1; times that of colors and paint: how much is there */
    float cutoff;                /* above 0: what has less alpha is not there, the rest is whole. 0, the default: all is
                                  * there, or, where it blends, as much as alpha says */
    bool blends;                 /* default false */
    const float *stretches;      /* #V, coloured by the scene's scale in place of the base colour; or NULL */
    pleat_shading shading;       /* default plain */
    float base_color[3];         /* linear, 0..1; default light grey */
    float roughness;             /* 0..1; default 0.6 */
    bool double_sided;           /* default true; else triangles that run clockwise as seen are not drawn */
    bool wireframe;              /* each edge as a fine line */
    bool points;                 /* each vertex as a dot */
} pleat_drawable;

pleat_drawable pleat_drawable_default(void);

/* A line on (or near) a surface. */
typedef struct pleat_curve_drawable
{
    uint32_t point_count;
    const pleat_vec4 *points;
    bool closed;
    float width; /* pixels; default 2 */
    pleat_rgba color;
} pleat_curve_drawable;

/* A small flat ellipse: half axes a and b around a centre. */
typedef struct pleat_ellipse_drawable
{
    pleat_vec4 center, a, b;
    pleat_rgba color;
} pleat_ellipse_drawable;

typedef struct pleat_bounds
{
    pleat_vec4 low, high;
} pleat_bounds;

/* low above high: nothing yet. */
pleat_bounds pleat_bounds_empty(void);
void pleat_bounds_add(pleat_bounds *bounds, uint32_t count, const pleat_vec3 *points);

/* A light that shines from far away. Angles follow the camera, so that a model looks alike from all sides: azimuth 0
 * comes from the camera, 90 from its right; elevation 90 from straight above. */
typedef struct pleat_light
{
    float azimuth, elevation; /* degrees */
    float color[3];           /* linear, times strength */
    float strength;           /* at least 0 */
} pleat_light;

/* Light, ground and background. */
typedef struct pleat_studio
{
    pleat_light key; /* casts the shadow */
    pleat_light fill;
    pleat_light rim;
    float key_size;               /* degrees across, 0..30: the softness of its shadow */
    float sky[3], floor_light[3]; /* linear light from above and below */
    float exposure;               /* factor */
    float occlusion;              /* 0..2: how dark hollows get */
    float occlusion_reach;        /* share of the picture's height, above 0..0.5: how far occluders are looked for */
    float cavity;                 /* 0..2: how much ridges are lifted and furrows lowered */
    float cavity_reach;           /* share of the picture's height, above 0..0.1 */
    bool ground;                  /* catch shadows at ground_height */
    float ground_height;          /* metres */
    float ground_shade;           /* 0..1: depth of the shadow on the ground */
    pleat_rgba background_top, background_bottom;
} pleat_studio;

pleat_studio pleat_studio_default(void);

typedef struct pleat_camera
{
    pleat_vec4 eye, target;
    float field; /* degrees from top to bottom, 1..120 */
} pleat_camera;

/* Where the camera looks from. */
typedef struct pleat_view
{
    float orbit;     /* degrees around +Y from the front (+Z); 90: from +X */
    float elevation; /* degrees above the horizon, -89..89; default 8 */
    float field;     /* degrees; default 24 */
    float margin;    /* share of the picture left free on each side, 0..0.45; default 0.06 */
} pleat_view;

pleat_view pleat_view_default(void);

/* The nearest camera for a view that has all points in the picture, found while they pass by: begin, add the points of
 * every frame that is to be shown, then ask for the camera. */
typedef struct pleat_framing
{
    pleat_view view;
    float across_tangent, along_tangent;
    float across_low, across_high, along_low, along_high, near_most, far_most;
} pleat_framing;

pleat_framing pleat_framing_begin(const pleat_view *view, uint32_t width, uint32_t height);
void pleat_framing_add(pleat_framing *framing, uint32_t count, const pleat_vec3 *points);
/* With no points: as for a box of 1 m around the origin. */
pleat_camera pleat_framing_camera(const pleat_framing *framing);
/* The same for the corners of a box. */
pleat_camera pleat_camera_frame(const pleat_bounds *bounds, const pleat_view *view, uint32_t width, uint32_t height);
/* A camera with a ball of the radius filling the picture's smaller side. */
pleat_camera pleat_camera_focus(pleat_vec4 point, float radius, const pleat_view *view, uint32_t width,
                                uint32_t height);

typedef struct pleat_scene
{
    uint32_t drawable_count;
    const pleat_drawable *drawables;
    uint32_t curve_count;
    const pleat_curve_drawable *curves;
    uint32_t ellipse_count;
    const pleat_ellipse_drawable *ellipses;
    /* Of the whole scene, over all frames of a film: what lies outside is cut off. Default empty: of this frame. */
    pleat_bounds bounds;
    pleat_stretch_scale stretch_scale;
    pleat_studio studio;
} pleat_scene;

pleat_scene pleat_scene_default(void);

/* ---- The renderer ---- */

typedef struct pleat_renderer_options
{
    uint32_t samples;     /* a pixel: 1, 2, 4 or 8, at most what the driver gives; default 4 */
    uint32_t shadow_size; /* texels, 64..8192; default 2048 */
} pleat_renderer_options;

pleat_renderer_options pleat_renderer_options_default(void);

typedef struct pleat_renderer pleat_renderer;

/* Opens a context of its own (OpenGL 4.1 core through EGL, no display needed). UNSUPPORTED, naming the packages,
 * where there is no driver. A renderer is used by one thread at a time. */
pleat_result pleat_renderer_create(const pleat_renderer_options *options, const pleat_host *host,
                                   pleat_renderer **renderer, pleat_error *error);
void pleat_renderer_destroy(pleat_renderer *renderer); /* NULL is fine */
/* The driver's own name for itself. */
const char *pleat_renderer_driver(const pleat_renderer *renderer);
/* Draws the scene into a picture of any size within 1..8192 (targets are remade when the size changes). */
pleat_result pleat_renderer_draw(pleat_renderer *renderer, const pleat_scene *scene, const pleat_camera *camera,
                                 const pleat_picture *picture, pleat_error *error);

PLEAT_END

#endif
