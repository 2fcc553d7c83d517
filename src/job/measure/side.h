/* One side of a measurement, before or after: a file that plays, its named parts, and any of them as one welded mesh.
 */
#ifndef APP_MEASURE_SIDE_H
#define APP_MEASURE_SIDE_H

#include "apps/pleat/session.h"

#include "pleat/bake.h"
#include "pleat/io.h"
#include "pleat/measure.h"

/* A primitive of a node, or what the JSON beside a point cache says of a range. */
typedef struct side_part
{
    const char *node, *mesh, *material; /* names, never NULL */
    uint32_t primitive;
    uint32_t stack;                          /* of the bake */
    uint32_t first_triangle, triangle_count; /* of the stack's surface */
    bool garment;                            /* by the guess; a cache has none, so all of its parts are */
} side_part;

typedef struct measure_side
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
    side_part *parts;
    uint32_t part_count;
} measure_side;

/* Reads the file: glTF, mesh or sequence, with points (or NULL); or a point cache with what lies beside it. fps: of
 * points that do not say theirs. Returns an exit status. */
int side_load(app_session *session, measure_side *side, const char *path, const char *points, double fps);
/* Chooses the clip (pattern, or NULL: `like` if it has that, else the first) and makes everything play at fps. */
int side_bind(app_session *session, measure_side *side, const char *pattern, const char *like, double fps);
void side_close(measure_side *side);

/* True if the pattern fits one of the part's names. */
bool side_part_fits(const side_part *part, const char *pattern);
/* The part that goes with one of another file: by node, by mesh, by place; PLEAT_NONE if there is none. */
uint32_t side_find_part(const measure_side *side, const measure_side *other, uint32_t other_part);
/* The names of all parts, for a message. */
void side_list_parts(const measure_side *side, char *names, size_t size);

/* Some parts as one mesh. */
typedef struct side_mesh
{
    uint32_t vertex_count, triangle_count;
    pleat_vec4 *rest, *now;
    uint32_t *triangles, *groups;
    uint32_t *first_vertex; /* per stack, or PLEAT_NONE: not in it */
} side_mesh;

/* parts: indices; each becomes group groups[i]. count 0 gives an empty mesh. */
int side_mesh_make(app_session *session, const measure_side *side, uint32_t count, const uint32_t *parts,
                   const uint32_t *groups, side_mesh *mesh);
void side_mesh_free(side_mesh *mesh);
/* The frame that the side's bake computed last. */
void side_mesh_update(side_mesh *mesh, const measure_side *side);
pleat_measure_mesh side_mesh_view(const side_mesh *mesh);

#endif
