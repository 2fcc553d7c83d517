/* How far a correction reaches beyond the place where weights blend: for fat, which gives way around a fold.
 *
 * From where the blend is strong a distance runs along the edges of the mesh, and falls off smoothly. */
#include "layers/volume/volume.h"

/* From here on a blend is strong. */
#define STRONG 0.5f

/* Half the length of a region along the limb. */
static float half_length(const pl_volume_reach *reach, const uint32_t *vertices, uint32_t count)
{
    pl_f4 direction = pl_normalize3(reach->direction);
    float low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (vertices[i] < reach->vertex_count && reach->blend[vertices[i]] > 0.02f)
        {
            float at = pl_dot3(pl_load(&reach->rest[vertices[i]]), direction);
            low = fminf(low, at);
            high = fmaxf(high, at);
        }
    }
    return high > low ? 0.5f * (high - low) : 0;
}

/* Shortens the distances of a vertex's neighbours; those that changed join the queue, or the list, for the first time.
 */
static void pass_on(pl_volume_reach *reach, uint32_t vertex, float farthest, uint32_t *vertices, uint32_t *count)
{
    const pleat_topology *topology = reach->topology;
    pl_f4 here = pl_load(&reach->rest[vertex]);
    for (uint32_t k = topology->ring_start[vertex]; k < topology->ring_start[vertex + 1]; ++k)
    {
        for (uint32_t c = 0; c < 3; ++c)
        {
            uint32_t v = topology->triangles[topology->ring_corner[k] / 3 * 3 + c];
            if (v >= reach->vertex_count)
            {
                continue;
            }
            float distance = reach->distance[vertex] + pl_length3(pl_load(&reach->rest[v]) - here);
            if (distance < farthest && distance < reach->distance[v])
            {
                if (!(reach->blend[v] > 0) && reach->distance[v] == INFINITY)
                {
                    vertices[(*count)++] = v;
                }
                reach->distance[v] = distance;
                if (!reach->waits[v])
                {
                    reach->waits[v] = 1;
                    reach->queue[(reach->first + reach->waiting++) % reach->vertex_count] = v;
                }
            }
        }
    }
}

uint32_t pl_volume_reach_out(pl_volume_reach *reach, float part, uint32_t *vertices, uint32_t count)
{
    float farthest = part * half_length(reach, vertices, count);
    reach->first = reach->waiting = 0;
    for (uint32_t v = 0; v < reach->vertex_count; ++v)
    {
        reach->distance[v] = INFINITY;
        reach->waits[v] = 0;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t v = vertices[i];
        if (v < reach->vertex_count && reach->blend[v] >= STRONG)
        {
            reach->distance[v] = 0;
            reach->waits[v] = 1;
            reach->queue[reach->waiting++] = v;
        }
    }
    for (; reach->waiting > 0; --reach->waiting)
    {
        uint32_t vertex = reach->queue[reach->first];
        reach->first = (reach->first + 1) % reach->vertex_count;
        reach->waits[vertex] = 0;
        /* The vertex leaves the queue before others join it: it is never longer than there are vertices. */
        --reach->waiting;
        pass_on(reach, vertex, farthest, vertices, &count);
        ++reach->waiting;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t v = vertices[i];
        float t = v < reach->vertex_count && reach->distance[v] < farthest ? reach->distance[v] / farthest : 1;
        float wide = (1 - t * t) * (1 - t * t);
        reach->blend[v] = fmaxf(reach->blend[v], wide);
    }
    return count;
}
