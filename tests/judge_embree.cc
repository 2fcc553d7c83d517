#include "judge_embree.h"

#include <embree3/rtcore.h>

#include <cmath>
#include <cstring>
#include <vector>

struct judge_embree
{
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry;
    pleat_vec4 *positions; /* Embree's own buffer */
    uint32_t vertex_count;
    std::vector<uint32_t> triangles;
};

judge_embree *judge_embree_create(uint32_t vertex_count, const pleat_vec4 *positions, uint32_t triangle_count,
                                  const uint32_t *triangles, bool quality_refit)
{
    judge_embree *judge = new judge_embree;
    judge->device = rtcNewDevice("threads=1,set_affinity=0");
    judge->scene = rtcNewScene(judge->device);
    rtcSetSceneFlags(judge->scene, RTC_SCENE_FLAG_ROBUST);
    judge->geometry = rtcNewGeometry(judge->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (quality_refit)
    {
        rtcSetGeometryBuildQuality(judge->geometry, RTC_BUILD_QUALITY_REFIT);
    }
    judge->vertex_count = vertex_count;
    judge->triangles.assign(triangles, triangles + (size_t)triangle_count * 3);
    judge->positions = (pleat_vec4 *)rtcSetNewGeometryBuffer(judge->geometry, RTC_BUFFER_TYPE_VERTEX, 0,
                                                             RTC_FORMAT_FLOAT3, sizeof(pleat_vec4), vertex_count);
    std::memcpy(judge->positions, positions, (size_t)vertex_count * sizeof(pleat_vec4));
    void *indices = rtcSetNewGeometryBuffer(judge->geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                            3 * sizeof(uint32_t), triangle_count);
    std::memcpy(indices, triangles, (size_t)triangle_count * 3 * sizeof(uint32_t));
    rtcCommitGeometry(judge->geometry);
    rtcAttachGeometry(judge->scene, judge->geometry);
    rtcCommitScene(judge->scene);
    return judge;
}

void judge_embree_refit(judge_embree *judge, const pleat_vec4 *positions)
{
    std::memcpy(judge->positions, positions, (size_t)judge->vertex_count * sizeof(pleat_vec4));
    rtcUpdateGeometryBuffer(judge->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(judge->geometry);
    rtcCommitScene(judge->scene);
}

void judge_embree_destroy(judge_embree *judge)
{
    rtcReleaseGeometry(judge->geometry);
    rtcReleaseScene(judge->scene);
    rtcReleaseDevice(judge->device);
    delete judge;
}

namespace
{

struct point
{
    float x, y, z;
};

point operator-(point a, point b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

point along(point a, point ab, float t)
{
    return {a.x + t * ab.x, a.y + t * ab.y, a.z + t * ab.z};
}

float dot(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

point closest(point p, point a, point b, point c)
{
    point ab = b - a, ac = c - a, ap = p - a;
    float d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0)
    {
        return a;
    }
    point bp = p - b;
    float d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3)
    {
        return b;
    }
    float vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
    {
        return along(a, ab, d1 / (d1 - d3));
    }
    point cp = p - c;
    float d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6)
    {
        return c;
    }
    float vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
    {
        return along(a, ac, d2 / (d2 - d6));
    }
    float va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    {
        return along(b, c - b, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    float inverse = 1 / (va + vb + vc);
    return along(along(a, ab, vb * inverse), ac, vc * inverse);
}

struct search
{
    const judge_embree *judge;
    judge_hit best;
};

bool visit(RTCPointQueryFunctionArguments *arguments)
{
    search *s = (search *)arguments->userPtr;
    point p = {arguments->query->x, arguments->query->y, arguments->query->z};
    point corner[3];
    for (int k = 0; k < 3; ++k)
    {
        const pleat_vec4 &v = s->judge->positions[s->judge->triangles[arguments->primID * 3 + (unsigned)k]];
        corner[k] = {v.x, v.y, v.z};
    }
    point d = closest(p, corner[0], corner[1], corner[2]) - p;
    float distance = std::sqrt(dot(d, d));
    if (distance < arguments->query->radius ||
        (distance == arguments->query->radius && arguments->primID < s->best.triangle))
    {
        s->best = {arguments->primID, distance};
        arguments->query->radius = distance;
        return true;
    }
    return false;
}

RTCRayHit make_ray(pleat_vec4 origin, pleat_vec4 direction, float t_min, float t_max)
{
    RTCRayHit ray;
    std::memset(&ray, 0, sizeof ray);
    ray.ray.org_x = origin.x;
    ray.ray.org_y = origin.y;
    ray.ray.org_z = origin.z;
    ray.ray.dir_x = direction.x;
    ray.ray.dir_y = direction.y;
    ray.ray.dir_z = direction.z;
    ray.ray.tnear = t_min;
    ray.ray.tfar = t_max;
    ray.ray.mask = ~0u;
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    ray.hit.primID = RTC_INVALID_GEOMETRY_ID;
    return ray;
}

} // namespace

judge_hit judge_embree_nearest(const judge_embree *judge, pleat_vec4 p, float max_distance)
{
    search s = {judge, {UINT32_MAX, INFINITY}};
    RTCPointQuery query;
    query.x = p.x;
    query.y = p.y;
    query.z = p.z;
    query.radius = max_distance;
    query.time = 0;
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(judge->scene, &query, &context, visit, &s);
    return s.best;
}

judge_hit judge_embree_ray(const judge_embree *judge, pleat_vec4 origin, pleat_vec4 direction, float t_min, float t_max)
{
    RTCRayHit ray = make_ray(origin, direction, t_min, t_max);
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(judge->scene, &context, &ray);
    return {ray.hit.primID, ray.hit.primID == RTC_INVALID_GEOMETRY_ID ? (float)INFINITY : ray.ray.tfar};
}

bool judge_embree_occluded(const judge_embree *judge, pleat_vec4 origin, pleat_vec4 direction, float t_min, float t_max)
{
    RTCRayHit ray = make_ray(origin, direction, t_min, t_max);
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(judge->scene, &context, &ray.ray);
    return ray.ray.tfar < 0;
}
