/* pleat/atlas.h: texture coordinates for a mesh that has none, or whose own overlap.
 *
 * The surface is cut into charts whose triangles face about the same way, each is laid flat by projection and turned
 * into a small box, and the charts are packed into the unit square at one scale, with room between them. Guaranteed: no
 * two charts overlap, no chart overlaps itself, and no length comes out shorter than half of what a length that lies
 * flat in its chart becomes. Does no file access. */
#ifndef PLEAT_ATLAS_H
#define PLEAT_ATLAS_H

#include "pleat/model.h"

PLEAT_BEGIN

typedef struct pleat_atlas_options
{
    uint32_t size;          /* texels a side of the maps that will be drawn, 16..16384; default 2048 */
    uint32_t padding;       /* texels between charts, 0..64; default 8; less where very many charts leave no room */
    float angle;            /* degrees, 10..60: how far a triangle may face away from its chart; default 50 */
    const bool *primitives; /* of the mesh: which get new coordinates; default NULL: all */
} pleat_atlas_options;

pleat_atlas_options pleat_atlas_options_default(void);

typedef struct pleat_atlas pleat_atlas;

/* The mesh's arrays must outlive the atlas. */
pleat_result pleat_atlas_create(const pleat_mesh *mesh, const pleat_atlas_options *options, const pleat_host *host,
                                pleat_atlas **atlas, pleat_error *error);
void pleat_atlas_destroy(pleat_atlas *atlas);

/* The mesh with the new coordinates. Vertices that lie in several charts are there several times: those of the input
 * come first, the copies follow. Primitives that were not asked for are the input's. */
const pleat_mesh *pleat_atlas_mesh(const pleat_atlas *atlas);
/* Per primitive: from which vertex of the input each vertex comes. */
const uint32_t *const *pleat_atlas_source(const pleat_atlas *atlas);

typedef struct pleat_atlas_report
{
    uint32_t chart_count;
    uint32_t padding; /* texels, as they came out */
    float covered;    /* share of the square that charts cover */
    float scale;      /* texels per unit of length of the mesh */
    float squeezed;   /* the smallest length in the square of a unit that lies flat in its chart as 1 */
} pleat_atlas_report;
pleat_atlas_report pleat_atlas_get_report(const pleat_atlas *atlas);

/* A model in which some meshes are those of atlases, and clips of points follow. atlases: model->mesh_count, NULL where
 * the mesh stays. model, atlases and what the model holds must outlive it. */
typedef struct pleat_atlas_model pleat_atlas_model;
pleat_result pleat_atlas_model_create(const pleat_model *model, const pleat_atlas *const *atlases,
                                      const pleat_host *host, pleat_atlas_model **out, pleat_error *error);
void pleat_atlas_model_destroy(pleat_atlas_model *model);
const pleat_model *pleat_atlas_model_get(const pleat_atlas_model *model);

/* How well a mesh's own coordinates could hold a map, each material its own. primitives: which are looked at, NULL for
 * all. Those without coordinates count for nothing. */
typedef struct pleat_atlas_fit
{
    float covered; /* share of the texels that have surface, of the material with the least */
    float shared;  /* share of those that several triangles lay claim to, of the material with the most */
} pleat_atlas_fit;
pleat_result pleat_atlas_measure(const pleat_mesh *mesh, const bool *primitives, const pleat_host *host,
                                 pleat_atlas_fit *fit, pleat_error *error);

PLEAT_END

#endif
