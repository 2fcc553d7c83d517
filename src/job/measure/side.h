/* One side of a measurement, before or after: a file that plays, its named parts, and any of them as one welded mesh.
 */
#ifndef PL_JOB_MEASURE_SIDE_H
#define PL_JOB_MEASURE_SIDE_H

#include "job/run.h"

#include "pleat/bake.h"
#include "pleat/job/measure.h"

#include <jansson.h>

/* A primitive of a node, or what the JSON beside a point cache says of a range. */
typedef struct pl_side_part
{
    const char *node, *mesh, *material; /* names, never NULL */
    uint32_t primitive;
    uint32_t stack;                          /* of the bake */
    uint32_t first_triangle, triangle_count; /* of the stack's surface */
    bool garment;                            /* by the guess; a cache has none, so all of its parts are */
} pl_side_part;

typedef struct pl_measure_side
{
    const char *path;
    pleat_asset *asset;
    json_t *sidecar; /* of a point cache, or NULL */
    pleat_bake *bake;
    uint32_t clip;         /* or PLEAT_NONE */
    const char *clip_name; /* "" for none */
    double file_fps;       /* what the file says, or 0 */
    double start;          /* seconds of frame 0, in the time of the clip that was baked */
    uint32_t frame_count;
    pl_side_part *parts;
    uint32_t part_count;
} pl_measure_side;

/* Reads the file: glTF, mesh or sequence, with points; or a point cache with what lies beside it. fps: of points that
 * do not say theirs. Lists live in the job's arena. Close in any case. */
pleat_result pl_side_load(pl_job *job, pl_measure_side *side, const pleat_measure_file *file, double fps,
                          bool allow_outside, pleat_error *error);
/* Chooses the clip (pattern, or NULL: `like` if it has that, else the first) and makes everything play at fps. */
pleat_result pl_side_bind(pl_job *job, pl_measure_side *side, const char *pattern, const char *like, double fps,
                          pleat_error *error);
void pl_side_close(pl_measure_side *side);

/* True if the part fits one of the patterns. */
bool pl_side_part_fits(const pl_side_part *part, const pleat_texts *patterns);
/* The part that goes with one of another file: by node, by mesh, by place; PLEAT_NONE if there is none. */
uint32_t pl_side_find_part(const pl_measure_side *side, const pl_measure_side *other, uint32_t other_part);
/* The names of all parts, for a message. */
void pl_side_list_parts(const pl_measure_side *side, char *names, size_t size);

/* Some parts as one mesh. */
typedef struct pl_side_mesh
{
    uint32_t vertex_count, triangle_count;
    pleat_vec4 *rest, *now;
    uint32_t *triangles, *groups;
    uint32_t *first_vertex; /* per stack, or PLEAT_NONE: not in it */
} pl_side_mesh;

/* parts: indices; each becomes group groups[i]. count 0 gives an empty mesh. In the job's arena. */
pleat_result pl_side_mesh_make(pl_job *job, const pl_measure_side *side, uint32_t count, const uint32_t *parts,
                               const uint32_t *groups, pl_side_mesh *mesh, pleat_error *error);
/* The frame that the side's bake computed last. */
void pl_side_mesh_update(pl_side_mesh *mesh, const pl_measure_side *side);
pleat_measure_mesh pl_side_mesh_view(const pl_side_mesh *mesh);

#endif
