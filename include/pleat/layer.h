/* pleat/layer.h: what every layer is, and the table of those there are.
 *
 * A layer is planned once (where it needs detail), bound once (to the cloth) and updated per frame. Coarse layers run
 * after skinning, on the input's welded surface; then the surface is refined, and fine layers run on the result. Within
 * a stage layers run in the order of their stack; each sees the positions that the one before it left.
 *
 * A kind of layer says all of itself in one pleat_layer_type: looks, help, reports and pages are made from it. */
#ifndef PLEAT_LAYER_H
#define PLEAT_LAYER_H

#include "pleat/body.h"
#include "pleat/curves.h"
#include "pleat/parameter.h"
#include "pleat/rig.h"

PLEAT_BEGIN

/* A garment as layers see it: one welded surface at rest, and a way to see it move. While a layer is planned this is
 * the input's surface, while it is bound the refined one, or for a coarse layer the input's again. Everything stays
 * valid as long as the stack. */
typedef struct pleat_cloth
{
    const pleat_model *model;
    uint32_t node; /* the mesh's node */
    pleat_skinning skinning;
    const pleat_topology *topology;  /* #V vertices, #T triangles */
    const pleat_vec4 *rest;          /* #V: the bind pose, in the size the cloth has in the world */
    const pleat_vec4 *rest_normals;  /* #V, unit */
    pleat_affine to_rest;            /* from the mesh's own space, which joint matrices start from, to that of rest */
    uint32_t influence_count;        /* 4 or 8; 0: not skinned */
    const uint16_t *joints;          /* #V by influence_count, into the skin's joints (and one more: the node itself) */
    const float *weights;            /* #V by influence_count */
    const float *mask;               /* #V: 0 nothing may move here, 1 free */
    float height;                    /* of the whole character at rest: what default lengths are fractions of */
    float triangle_times;            /* how many times its triangles it may get by refinement; INFINITY: any */
    uint32_t shot_count;             /* clips that are known beforehand, one after the other; 0: none */
    const pleat_shot *shots;         /* a first frame owes nothing to the one before it */
    float clip_start, clip_step;     /* seconds of the first frame, and between frames */
    uint32_t frame_count;            /* frames of all shots; 0 without any */
    const uint32_t *coarse_triangle; /* #T -> triangle when planned; NULL while planning and for coarse layers */
    const uint32_t *vertex_triangle; /* #V -> a triangle when planned, and the place in it; likewise */
    const float *vertex_barycentric; /* #V by 3 */
} pleat_cloth;

/* One frame as a layer sees it. */
typedef struct pleat_layer_frame
{
    float time;                 /* seconds of the clip */
    double row_time;            /* seconds as the preview counts: its frame f lies at clip_start + f * clip_step; the
                                   same as time, but in the second and later shots */
    float step;                 /* seconds since the frame before; 0 for a first one: state begins anew */
    const pleat_affine *joints; /* skinning matrices of the node's skin and one more, the node's own; or NULL */
    const pleat_affine *worlds; /* of all nodes */
    pleat_vec4 *positions;      /* #V, world space: in the cloth as it came, out the layer's result */
    const pleat_vec4 *normals;  /* #V of the incoming positions, unit */
    const pleat_tasks *tasks;
} pleat_layer_frame;

/* Lets a layer see the clip beforehand: positions (#V, may be NULL) and the pose of a frame, or between it and the next
 * of its shot where the number is not a whole one. Positions are those that skinning and the coarse layers leave (for a
 * coarse layer: those before it). */
typedef struct pleat_layer_preview
{
    pleat_result (*look)(void *user, double frame, pleat_vec4 *positions, pleat_error *error);
    const pleat_pose *(*pose)(void *user); /* of what was last looked at */
    void *user;
} pleat_layer_preview;

/* Curves on the coarse surface, each as places one after the other. */
typedef struct pleat_lines
{
    uint32_t line_count;
    const uint32_t *first_place; /* line_count + 1, into places */
    const pleat_place *places;
} pleat_lines;

/* ---- What a layer says of itself -------------------------------------------------------------------------------- */

typedef enum pleat_stage
{
    PLEAT_STAGE_FINE,  /* after refinement */
    PLEAT_STAGE_COARSE /* on the input's welded surface, before it is refined */
} pleat_stage;

/* What a layer cannot do without (bits of needs). */
typedef enum pleat_need
{
    PLEAT_NEED_SKIN = 1,   /* joints that move the mesh */
    PLEAT_NEED_REST = 2,   /* a rest shape that frames are compared with */
    PLEAT_NEED_CLIP = 4,   /* the whole clip beforehand; without one it knows less */
    PLEAT_NEED_BODY = 8,   /* a body to lie on */
    PLEAT_NEED_POINTS = 16 /* an animation of points, in the place of joints */
} pleat_need;

/* What a host can hand to a layer besides parameters: a pointer in its options. */
typedef enum pleat_input_kind
{
    PLEAT_INPUT_CURVES,    /* const pleat_wrinkle_list *: of a file */
    PLEAT_INPUT_BODY,      /* const pleat_body *: meshes by name, or a file of its own */
    PLEAT_INPUT_NEIGHBOURS /* const pleat_neighbours *: all other meshes of the scene; nobody has to name them */
} pleat_input_kind;

typedef struct pleat_layer_input
{
    const char *name; /* "body": what hosts call it, the option --body; NULL where nobody has to name it */
    pleat_input_kind kind;
    size_t offset;     /* offsetof the pointer in the options; NULL there: none. What it points to outlives the layer */
    const char *value; /* how help names what is given: "FILE" */
    const char *help;  /* one line */
} pleat_layer_input;

/* A channel besides positions. */
typedef enum pleat_channel_kind
{
    PLEAT_CHANNEL_CURVES /* clip_curves and curves below */
} pleat_channel_kind;

typedef struct pleat_layer_channel
{
    const char *name; /* "wrinkles-out": the option that writes it */
    pleat_channel_kind kind;
    const char *value; /* "FILE" */
    const char *help;
} pleat_layer_channel;

/* A figure of a frame. Reports give the largest and the mean over the frames. */
typedef struct pleat_layer_figure
{
    const char *name;
    const char *unit; /* "m", "s", "rad", "1" for a share of a whole, or "" for a number of things */
    const char *help; /* one line */
} pleat_layer_figure;

/* The options of some joints: a whole struct, in which what can be set by joint has their values. */
typedef struct pleat_joint_options
{
    const char *joints; /* names with * and ?, separated by commas */
    const void *options;
} pleat_joint_options;

enum
{
    PLEAT_FIGURE_LIMIT = 32 /* figures of one layer */
};

/* A kind of layer. What may be NULL or 0 says so; everything else has to be there. */
typedef struct pleat_layer_type
{
    const char *name;    /* one word in small letters: its key in looks, and what --layer takes */
    const char *summary; /* one line: what it does; may be NULL */
    pleat_stage stage;   /* 0: fine */
    uint32_t needs;      /* pleat_need bits; 0: nothing */

    /* Its options: a plain struct that can be copied, and the table of what people change in it. */
    size_t options_size;
    void (*defaults)(void *options);
    const pleat_parameter *parameters; /* parameter_count; may be NULL */
    uint32_t parameter_count;
    size_t joint_from, joint_to; /* parameters whose offset lies here, joint_to not included, can be set by joint */
    /* Puts the options of joints into the options; the first that fits a joint counts. room: count * joint_size bytes,
     * any alignment, which like own lives as long as the options. NULL where nothing can be set by joint. */
    size_t joint_size;
    void (*take_joints)(void *options, uint32_t count, const pleat_joint_options *own, void *room);
    const pleat_layer_input *inputs; /* input_count; may be NULL */
    uint32_t input_count;
    /* May be NULL. Says, as warnings of the host, what in the options changes nothing. */
    void (*review)(const void *options, const pleat_host *host);

    /* May be NULL. Looks over the rest shape and the clip; *plan is the layer's own and is given to wants and create.
     */
    pleat_result (*plan)(const void *options, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                         const pleat_host *host, void **plan, pleat_error *error);
    /* May be NULL: no refinement. As in pleat_loop_desc. */
    bool (*wants)(void *plan, uint32_t coarse_triangle, const float barycentric[9], uint32_t level);
    /* May be NULL: wants says all. The same question where triangles are few: how high, in the rest's unit, what the
     * layer raises there shows, if a piece of a coarse triangle (3 corners by 3) is too coarse for that; else 0. */
    float (*misses)(void *plan, uint32_t coarse_triangle, const float barycentric[9]);
    /* May be NULL. Which way ridges run at a place of a coarse triangle, unit, or left at zero: edges may be longer. */
    void (*along)(void *plan, uint32_t coarse_triangle, const float barycentric[3], pleat_vec4 *out);
    /* May be NULL: the plan is the same for every frame. From here on the plan speaks of one time of the clip alone:
     * wants, what is created from it, and *lines, which should become edges of the mesh and are valid until the next
     * call. For fine layers. */
    pleat_result (*focus)(void *plan, float time, pleat_lines *lines, pleat_error *error);
    void (*plan_destroy)(void *plan); /* NULL is a legal plan; may be NULL where there is no plan */
    pleat_result (*create)(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                           void **layer, pleat_error *error);
    /* May be NULL. Once, after create: lets the layer see the clip on the cloth that it is bound to. Not called for
     * fine layers where the mesh changes from frame to frame. */
    pleat_result (*rehearse)(void *layer, const pleat_cloth *cloth, const pleat_layer_preview *preview,
                             const pleat_host *host, pleat_error *error);
    void (*destroy)(void *layer);

    bool no_normals; /* update does not look at the frame's normals: they may be an earlier state's */
    /* Never allocates. Zero compression gives the positions back bit for bit. */
    void (*update)(void *layer, const pleat_layer_frame *frame);
    /* May be NULL: any vertex may move. Sets marks (#V bytes) to 1 where the layer ever moves a vertex. */
    void (*moves)(const void *layer, uint8_t *marks);
    /* State carried from frame to frame: its size in bytes, the same as long as the layer lives, copied out and in. All
     * three NULL: it keeps none, and a frame depends on its time alone. */
    size_t (*state_size)(const void *layer);
    void (*state_save)(const void *layer, void *state);
    void (*state_restore)(void *layer, const void *state);

    /* Figures of the last update, for the report: at most PLEAT_FIGURE_LIMIT; may be NULL. */
    const pleat_layer_figure *figures;
    uint32_t figure_count;
    void (*measure)(const void *layer, double *values); /* figure_count of them; NULL where there are no figures */
    /* May be NULL: all figures are listed. What a layer did, for people, in one line that goes on behind its name and a
     * colon; from the largest of each figure. */
    void (*tell)(const double *largest, char *out, size_t size);

    /* Channels besides positions. */
    const pleat_layer_channel *channels; /* channel_count; may be NULL */
    uint32_t channel_count;
    /* Curves, where it gives them: of the whole clip, valid as long as the layer (NULL without a clip); and those of
     * the last update, whose first_point goes into *points: returns how many. */
    const pleat_wrinkle_set *(*clip_curves)(const void *layer);
    uint32_t (*curves)(const void *layer, const pleat_wrinkle **wrinkles, const pleat_wrinkle_point **points);
} pleat_layer_type;

/* A layer in a stack: its kind and its options (options_size bytes). */
typedef struct pleat_layer_desc
{
    const pleat_layer_type *type;
    const void *options;
} pleat_layer_desc;

/* A skinning method: one of the two blends, and perhaps a coarse layer that corrects it wherever joints move the mesh,
 * garment or not, and whatever the mask. */
typedef struct pleat_skin_method
{
    const char *name;    /* what --skin takes */
    const char *summary; /* one line */
    pleat_skinning skinning;
    const pleat_layer_type *layer; /* of PLEAT_STAGE_COARSE; or NULL */
} pleat_skin_method;

/* ---- The table of layers ------------------------------------------------------------------------------------------
 */

/* The layers there are: the library's own, then those that the host has registered. Index 0 is what a bake does where
 * nobody says otherwise. NULL past the last, and for a name that there is not. */
uint32_t pleat_layer_count(void);
const pleat_layer_type *pleat_layer_at(uint32_t index);
const pleat_layer_type *pleat_layer_find(const char *name);
/* Adds a layer of the host's own, which must last as long as the process. Call it before anything else of this library,
 * from one thread. Fails for a type that lacks something, for a name that is taken or is no word, and for the 17th. */
pleat_result pleat_layer_register(const pleat_layer_type *type, pleat_error *error);

/* The same of skinning methods. Index 0 is the default. */
uint32_t pleat_skin_method_count(void);
const pleat_skin_method *pleat_skin_method_at(uint32_t index);
const pleat_skin_method *pleat_skin_method_find(const char *name);

PLEAT_END

#endif
