/* pleat/model.h: a model is what a file holds, as plain arrays.
 *
 * io fills it, rig poses it, the bake runs over it. Nothing here owns memory: the loader (or the program that builds
 * a model by hand) does, and every pointer stays valid and unchanged while anything uses the model. A model that
 * pleat loaded is valid: every index is in range, the node tree has no cycle, every number is finite. A model built
 * by hand is checked by pleat_model_validate. */
#ifndef PLEAT_MODEL_H
#define PLEAT_MODEL_H

#include "pleat/base.h"

PLEAT_BEGIN

/* Coordinates, in whatever unit, lie between minus this and this: cubes of them are still numbers in floats. */
#define PLEAT_FARTHEST 1e12f

/* One morph target of a primitive: differences to the base, or NULL where the target has none. */
typedef struct pleat_target
{
    const pleat_vec3 *positions; /* #V or NULL */
    const pleat_vec3 *normals;   /* #V or NULL */
} pleat_target;

/* Render vertices and triangles of one material. Strips, fans and non-indexed triangles are already lists here;
 * points and lines have triangle_count 0. Triangles that use one vertex twice are kept. */
typedef struct pleat_primitive
{
    uint32_t vertex_count;       /* #V */
    uint32_t triangle_count;     /* #T */
    const uint32_t *triangles;   /* #T by 3, render vertices */
    const pleat_vec3 *positions; /* #V, in the mesh's own space */
    const pleat_vec3 *normals;   /* #V or NULL */
    const float *tangents;       /* #V by 4 or NULL; w is the sign of the bitangent */
    const float *uvs;            /* #V by 2 (set 0) or NULL; v grows downwards as in glTF */
    const float *colors;         /* #V by 4 (set 0), linear, or NULL */
    uint32_t influence_count;    /* 0 (not skinned), 4 or 8 */
    const uint16_t *joints;      /* #V by influence_count: indices into the skin's joints; NULL if 0 */
    const float *weights;        /* #V by influence_count, at least 0, sum 1 for each vertex; NULL if 0 */
    const pleat_target *targets; /* the mesh's target_count, or NULL */
    uint32_t material;           /* index, or PLEAT_NONE */
} pleat_primitive;

typedef struct pleat_mesh
{
    const char *name; /* never NULL, may be "" */
    uint32_t primitive_count;
    const pleat_primitive *primitives;
    uint32_t target_count;
    const float *weights;            /* target_count default weights, or NULL for zeros */
    const char *const *target_names; /* target_count, or NULL */
} pleat_mesh;

typedef enum pleat_alpha
{
    PLEAT_ALPHA_OPAQUE,
    PLEAT_ALPHA_MASK, /* there or not, by alpha_cutoff */
    PLEAT_ALPHA_BLEND
} pleat_alpha;

typedef struct pleat_material
{
    const char *name;    /* never NULL */
    float base_color[4]; /* linear */
    float roughness;     /* 0..1 */
    bool double_sided;
    pleat_alpha alpha;  /* what alphas of colours and textures mean; default opaque: nothing */
    float alpha_cutoff; /* of a mask: what is below is not there */
} pleat_material;

typedef struct pleat_skin
{
    const char *name;
    uint32_t joint_count;
    const uint32_t *joints;            /* nodes */
    const pleat_affine *inverse_binds; /* joint_count; identity where the file gives none */
} pleat_skin;

typedef struct pleat_node
{
    const char *name;
    uint32_t parent; /* node or PLEAT_NONE */
    uint32_t mesh;   /* or PLEAT_NONE */
    uint32_t skin;   /* or PLEAT_NONE */
    bool has_matrix; /* then local_matrix counts, else local; an animated node always uses local */
    pleat_trs local;
    pleat_affine local_matrix;
    const float *weights; /* the mesh's target_count, or NULL: the mesh's own */
} pleat_node;

typedef enum pleat_interpolation
{
    PLEAT_STEP,
    PLEAT_LINEAR, /* rotations: spherical */
    PLEAT_CUBICSPLINE
} pleat_interpolation;

typedef enum pleat_channel_path
{
    PLEAT_TRANSLATION,
    PLEAT_ROTATION,
    PLEAT_SCALE,
    PLEAT_WEIGHTS
} pleat_channel_path;

/* One animated property. A key is width floats, or for CUBICSPLINE 3 x width: in-tangent, value, out-tangent. */
typedef struct pleat_channel
{
    uint32_t node;
    pleat_channel_path path;
    pleat_interpolation interpolation;
    uint32_t key_count; /* at least 1 */
    uint32_t width;     /* 3, 4, or the mesh's target_count */
    const float *times; /* key_count seconds, strictly increasing, at least 0 */
    const float *values;
} pleat_channel;

/* Positions per frame, of every vertex of one node's mesh (its primitives one after the other): a point cache or a
 * mesh sequence. read fills out with vertex_count points of a frame and may do file access; it returns
 * PLEAT_OK or the failure, with its sentence in error. */
typedef struct pleat_points
{
    uint32_t node; /* PLEAT_NONE: this clip has no points */
    uint32_t frame_count;
    uint32_t vertex_count;
    float start; /* seconds of frame 0 */
    float fps;   /* above 0 */
    bool world;  /* positions are in world space: the node's transform is not applied */
    pleat_result (*read)(void *user, uint32_t frame, pleat_vec3 *out, pleat_error *error);
    void *user;
} pleat_points;

/* An animation: channels, or points, or both. */
typedef struct pleat_clip
{
    const char *name;
    float start, end; /* seconds; end >= start */
    uint32_t channel_count;
    const pleat_channel *channels;
    pleat_points points;
} pleat_clip;

typedef struct pleat_model
{
    uint32_t node_count, mesh_count, skin_count, clip_count, material_count;
    const pleat_node *nodes;
    const pleat_mesh *meshes;
    const pleat_skin *skins;
    const pleat_clip *clips;
    const pleat_material *materials;
    const uint32_t *node_order; /* node_count: every parent before its children */
    uint32_t scene_node_count;
    const uint32_t *scene_nodes; /* nodes of the default scene, depth first: "scene order" */
} pleat_model;

/* An empty clip, and a node at the origin: what a hand-built model starts from. */
pleat_clip pleat_clip_default(void);
pleat_node pleat_node_default(void);

/* Checks everything that the comments above promise; the error names the first thing that is wrong. */
pleat_result pleat_model_validate(const pleat_model *model, pleat_error *error);

/* Sum of vertex_count over the primitives of a mesh. */
uint32_t pleat_mesh_vertex_count(const pleat_mesh *mesh);
uint32_t pleat_mesh_triangle_count(const pleat_mesh *mesh);

PLEAT_END

#endif
