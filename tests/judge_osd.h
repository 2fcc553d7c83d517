/* OpenSubdiv as the judge of our Loop subdivision: its uniform refinement, its stencil table for the last level and its
 * CPU evaluator, behind C functions. */
#ifndef PLEAT_JUDGE_OSD_H
#define PLEAT_JUDGE_OSD_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    typedef struct judge_osd judge_osd;

    typedef struct judge_osd_desc
    {
        uint32_t vertex_count;
        uint32_t triangle_count;
        const uint32_t *triangles; /* #T by 3 */
        uint32_t level;            /* 1..8 */
        bool sharp_corners;        /* EDGE_AND_CORNER instead of EDGE_ONLY at boundaries */
        /* A face-varying channel, linear along its borders (FVAR_LINEAR_BOUNDARIES); 0 and NULL for none. */
        uint32_t value_count;
        const uint32_t *value_triangles; /* #T by 3 */
    } judge_osd_desc;

    /* NULL if OpenSubdiv refuses the mesh. */
    judge_osd *judge_osd_create(const judge_osd_desc *desc);
    void judge_osd_destroy(judge_osd *judge);

    /* The last level. Its triangles come in the order of their way down: the four children of a triangle lie together,
     * the one at corner k as number k, the middle one as number 3. */
    uint32_t judge_osd_vertex_count(const judge_osd *judge);
    uint32_t judge_osd_value_count(const judge_osd *judge);
    uint32_t judge_osd_triangle_count(const judge_osd *judge);
    const uint32_t *judge_osd_triangles(const judge_osd *judge);
    const uint32_t *judge_osd_value_triangles(const judge_osd *judge);
    /* Taps of the vertex stencils, for the count of bytes. */
    uint64_t judge_osd_tap_count(const judge_osd *judge);

    /* Osd::CpuEvaluator over the whole table: rows of width floats, packed; in: coarse vertices, out: the last level's.
     */
    void judge_osd_points(const judge_osd *judge, uint32_t width, const float *in, float *out);
    /* The same for the face-varying channel. */
    void judge_osd_values(const judge_osd *judge, uint32_t width, const float *in, float *out);

#ifdef __cplusplus
}
#endif

#endif
