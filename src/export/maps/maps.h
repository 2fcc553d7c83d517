/* The inside of pleat_maps: places of render vertices on the coarse mesh (maps/place.c), the coarse mesh's tangent
 * space (maps/frame.c), the places of texels (maps/texels.c), their heights and vectors (maps/settle.c), what lies past
 * the borders of charts (maps/skirt.c) and on both sides of seams (maps/seam.c), the maps (maps.c), and how good they
 * are (maps/check.c). */
#ifndef PL_EXPORT_MAPS_MAPS_H
#define PL_EXPORT_MAPS_MAPS_H

#include "export/maps/raster.h"
#include "stack/stack.h"
#include "pleat/export/maps.h"

/* A place on the coarse mesh, within one chart; may lie a little outside of its triangle past a seam or border. */
typedef struct pl_map_place
{
    uint32_t triangle;
    float weight[3];
} pl_map_place;

/* Tangent space of the coarse mesh at a place; unit vectors. */
typedef struct pl_map_frame
{
    pl_f4 position, tangent, bitangent, normal;
    float u, v;
} pl_map_frame;

/* A triangle past the border of a chart, at the edge from a to b. */
typedef struct pl_map_skirt
{
    uint32_t a, b, inner; /* render vertices of the triangle that ends there */
    uint32_t other;       /* of the one across the seam, its far corner; PLEAT_NONE at an open border */
    float along, across;  /* the far corner, in lengths of the edge, from a */
    float part;           /* of that way, as far as the skirt goes */
} pl_map_skirt;

/* A texel past the border of a chart, and the coarse triangle that is continued there. */
typedef struct pl_map_border
{
    size_t texel;
    uint32_t triangle;
    float distance; /* texels */
} pl_map_border;

/* An edge of the coarse mesh that lies in two places of the texture; in texels, whose centres stand at whole numbers.
 */
typedef struct pl_map_side
{
    float from[2], to[2];
} pl_map_side;

typedef struct pl_map_seam
{
    uint32_t triangle, corner; /* of the first side: the edge from this corner to the next */
    pl_map_side sides[2];
    bool moved; /* by the last sweep */
} pl_map_seam;

struct pleat_maps
{
    pl_memory memory;
    pl_arena arena;
    pleat_stack *stack;
    pl_raster raster;
    float *coarse_uvs;     /* coarse render vertices by 2 */
    uint8_t *coarse_drawn; /* coarse triangles: 1 if their primitive is drawn */
    uint8_t *skipped;      /* triangles of the shape: PL_RASTER_SKIP or 0 */
    uint8_t *marks;        /* of the frame: skipped, and PL_RASTER_UNSURE */
    pl_map_place *starts;  /* render vertices of the shape: where subdivision puts them */
    float *start_uvs; /* render vertices of the shape by 2: their places in the texture, linear on coarse triangles */
    uint32_t border_count;
    pl_map_border *borders;   /* in the order of their texels */
    pleat_topology *topology; /* of the refined surface */
    uint32_t *owners;         /* texels: the last triangle that was drawn there; or PLEAT_NONE */
    pleat_normals *normals;   /* of the coarse surface */
    pleat_bvh *bvh;           /* of the refined surface; refitted where a height has to be searched for */
    uint32_t *triangles; /* of the shape, by render vertices, and of skirts, whose far vertices follow the shape's */
    uint32_t skirt_count;
    pl_map_skirt *skirts;
    uint32_t seam_count;
    pl_map_seam *seams;
    /* The coarse mesh that the last call was about. */
    const pleat_vec4 *coarse_positions;
    pleat_vec4 *coarse_normals;
    pleat_vec4 *coarse_tangents; /* coarse render vertices */
    /* The refined surface of the last call. */
    const pleat_vec4 *positions;
    pleat_vec3 *bind_normals;         /* render vertices, for the bind shape */
    float *uvs;                       /* render vertices by 2: where the height's line meets the coarse mesh */
    pl_map_place *places;             /* render vertices: where those lines begin */
    uint32_t *searched;               /* rows: texels whose height had to be searched for */
    uint8_t *failed;                  /* render vertices: no line was found */
    pl_f4 *values;                    /* of the frame: height or first channel, normal in tangent space */
    uint32_t repaired, drawn, shared; /* texels of the last call; shared never changes */
};

/* Fills starts and start_uvs. */
void pl_maps_find_starts(pleat_maps *maps);
/* The place from which the coarse normal leads to a point, and the height on it; from a first guess. Where none is
 * found: false, with the guess itself and the height over it. */
bool pl_maps_project(const pleat_maps *maps, pl_map_place start, pl_f4 point, pl_map_place *place, float *height);

/* Normals and tangents of the coarse mesh with these positions. */
void pl_maps_take_coarse(pleat_maps *maps, const pleat_vec4 *positions, const pleat_tasks *tasks);
pl_map_frame pl_maps_frame(const pleat_maps *maps, const pl_map_place *place);
/* The same, position and normal alone. */
pl_map_frame pl_maps_line(const pleat_maps *maps, const pl_map_place *place);

/* A vector of the world in the tangent space at a place. */
pl_f4 pl_maps_seen(const pl_map_frame *frame, pl_f4 vector);
/* The same at the far corner of a skirt, with the tangents of the near side of its seam. */
pl_f4 pl_maps_seen_across(const pleat_maps *maps, const pl_map_skirt *skirt, pl_f4 vector);

/* Finds the skirts, and the topology; needs start_uvs. */
pleat_result pl_maps_make_skirts(pleat_maps *maps, const pleat_host *host, pleat_error *error);
/* Their far vertices, behind the shape's: places, and values. value: of the far corner across a seam, in the terms of
 * this side; NULL: values are the same on both sides. */
void pl_maps_place_skirts(pleat_maps *maps, float *uvs);
typedef pl_f4 pl_skirt_value(void *user, const pl_map_skirt *skirt);
void pl_maps_fill_skirts(pleat_maps *maps, pl_skirt_value *value, void *user);

/* Finds the borders, and counts the texels whose centre lies in two triangles of the coarse mesh. Uses the raster's
 * marks of coverage. */
pleat_result pl_maps_find_texels(pleat_maps *maps, pleat_error *error);
typedef enum pl_texel_kind
{
    PL_TEXEL_INSIDE,
    PL_TEXEL_BORDER, /* the place lies outside of its triangle */
    PL_TEXEL_FAR     /* further out than reads go, or than the triangle says much of */
} pl_texel_kind;
typedef void pl_texel_visit(void *user, size_t texel, const pl_map_place *place, pl_texel_kind kind);
/* Texels of some rows and their places: triangle by triangle, then borders. Those on an edge come twice. */
void pl_maps_visit_texels(const pleat_maps *maps, uint32_t first_row, uint32_t row_count, pl_texel_visit *visit,
                          void *user);

/* Texels beside a border that skirts leave out, where two edges meet, get what the nearest texel of their chart has. */
void pl_maps_close_borders(pleat_maps *maps, const pl_raster_job *job);

/* Each texel gets the height at which its own line meets the refined surface. */
void pl_maps_settle(pleat_maps *maps, const pl_raster_job *job, pleat_height_range range);
/* Vectors in the axes of the world become vectors in the tangent space of each texel's own place. */
void pl_maps_turn(pleat_maps *maps, const pl_raster_job *job, pleat_height_range range);
/* Finds the seams; needs coarse_uvs, coarse_drawn and the raster's size. */
pleat_result pl_maps_find_seams(pleat_maps *maps, pleat_error *error);
/* Moves texels at seams so that both sides read the same heights. After pl_maps_settle, whose bvh it uses. */
void pl_maps_match_seams(pleat_maps *maps, uint16_t *heights, pleat_height_range range);

#endif
