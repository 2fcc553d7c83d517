/* Embree as the judge of nearest points and rays. */
#ifndef PLEAT_JUDGE_EMBREE_H
#define PLEAT_JUDGE_EMBREE_H

#include "pleat/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

    typedef struct judge_embree judge_embree;

    /* positions: vertex_count, copied. One thread, robust mode. quality_refit: made to be refitted. */
    judge_embree *judge_embree_create(uint32_t vertex_count, const pleat_vec4 *positions, uint32_t triangle_count,
                                      const uint32_t *triangles, bool quality_refit);
    void judge_embree_refit(judge_embree *judge, const pleat_vec4 *positions);
    void judge_embree_destroy(judge_embree *judge);

    typedef struct judge_hit
    {
        uint32_t triangle; /* UINT32_MAX: none */
        float distance;
    } judge_hit;

    /* By rtcPointQuery, with the closest point on a triangle of Ericson's "Real-Time Collision Detection" 5.1.5. */
    judge_hit judge_embree_nearest(const judge_embree *judge, pleat_vec4 point, float max_distance);
    /* By rtcIntersect1 and rtcOccluded1. */
    judge_hit judge_embree_ray(const judge_embree *judge, pleat_vec4 origin, pleat_vec4 direction, float t_min,
                               float t_max);
    bool judge_embree_occluded(const judge_embree *judge, pleat_vec4 origin, pleat_vec4 direction, float t_min,
                               float t_max);

#ifdef __cplusplus
}
#endif

#endif
