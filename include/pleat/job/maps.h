/* pleat/job/maps.h: what a stack adds to the coarse mesh, as textures, from files to files. Part of libpleat_job. */
#ifndef PLEAT_JOB_MAPS_H
#define PLEAT_JOB_MAPS_H

#include "pleat/job.h"

PLEAT_BEGIN

typedef struct pleat_maps_kinds
{
    bool height;  /* 16 bits, metres along the normal */
    bool vector;  /* three of them */
    bool normal;  /* tangent space */
    bool stretch; /* as colors say */
    bool vat;     /* vertex-animation textures of the whole clip */
} pleat_maps_kinds;

/* What vertex-animation textures are written as. */
typedef enum pleat_maps_vat
{
    PLEAT_VAT_PNG,   /* two PNGs of 16 bits */
    PLEAT_VAT_EXR,   /* two EXRs of floats */
    PLEAT_VAT_PACKED /* one EXR, normals in its lower half */
} pleat_maps_vat;

typedef struct pleat_maps_job
{
    pleat_job_input input; /* no frames chosen: the clip's middle, or all for basis, most and vat alone */
    pleat_job_stack stack;
    const char *folder;     /* made if it is not there; needed */
    pleat_maps_kinds kinds; /* default none: height and normal, and vector where heights do not hold the surface */
    uint32_t size;          /* texels a side, 16..16384; default 0: 2048, or more where that is not enough */
    uint32_t samples;       /* N x N a texel, 1..4; default 2 */
    uint32_t margin;        /* texels by which charts are continued past their borders, 0..64; default 8 */
    uint32_t normal_bits;   /* 8 (default) or 16 */
    bool green_down;        /* DirectX: y of normals downwards in the picture */
    bool world;             /* vectors in the world's axes, not in tangent space */
    bool posed;             /* the coarse mesh of each frame as a file, too */
    bool atlas;             /* new texture coordinates even where there are some */
    uint32_t basis;         /* at most so many basis maps with weights, 1..256, not maps of frames; default 0: frames */
    pleat_maps_vat vat;
    bool most;                   /* one stretch map for all frames */
    pleat_stretch_colors colors; /* of stretch maps */
    float strength;              /* the stretch that gives full colour, 0.001..100; default 0.5 */
    pleat_texts joint_masks;     /* also a mask of what these joints move, by name with * and ? */
} pleat_maps_job;

pleat_maps_job pleat_maps_job_default(void);

/* One texture of basis maps: lengths in metres. */
typedef struct pleat_maps_basis
{
    char name[PLEAT_REPORT_NAME]; /* of its files */
    uint32_t map_count;
    float largest_error, largest_displacement;
} pleat_maps_basis;

typedef struct pleat_maps_report
{
    uint32_t file_count, frame_count, texture_count;
    uint32_t size; /* texels a side */
    double map_seconds, write_seconds, seconds;
    uint32_t basis_count; /* with basis: texture_count, else 0 */
    const pleat_maps_basis *basis;
} pleat_maps_report;

/* As pleat_bake_job_validate and pleat_bake_job_run. */
pleat_result pleat_maps_job_validate(const pleat_maps_job *job, const pleat_host *host, pleat_error *error);
pleat_result pleat_maps_job_run(const pleat_maps_job *job, const pleat_job_watch *watch, const pleat_host *host,
                                const pleat_maps_report **report, pleat_error *error);
void pleat_maps_report_destroy(const pleat_maps_report *report); /* NULL is fine */

PLEAT_END

#endif
