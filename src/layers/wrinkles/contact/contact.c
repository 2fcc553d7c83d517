#include "layers/wrinkles/contact/contact.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec.h"

#include <stdatomic.h>

struct pl_wrinkle_contact
{
    pl_memory memory;
    const pleat_body *body;
    float gap;
    const pleat_vec4 *positions; /* of the body, last update */
    pleat_bvh *bvh;
    pleat_topology *topology;
};

pleat_result pl_wrinkle_contact_create(const pleat_body *body, float gap, const pleat_host *host,
                                       pl_wrinkle_contact **out, pleat_error *error)
{
    *out = NULL;
    pl_wrinkle_contact *contact = PL_CREATE(pl_wrinkle_contact, host);
    if (!contact)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the body under wrinkles");
    }
    contact->body = body;
    contact->gap = gap;
    contact->positions = body->at(body->user, 0);
    pleat_result result = pleat_bvh_create(body->vertex_count, contact->positions, body->triangle_count,
                                           body->triangles, host, &contact->bvh, error);
    if (result == PLEAT_OK)
    {
        result = pleat_topology_create(body->vertex_count, body->triangle_count, body->triangles, host,
                                       &contact->topology, error);
    }
    if (result != PLEAT_OK)
    {
        pl_wrinkle_contact_destroy(contact);
        return result;
    }
    *out = contact;
    return PLEAT_OK;
}

void pl_wrinkle_contact_destroy(pl_wrinkle_contact *contact)
{
    if (!contact)
    {
        return;
    }
    pleat_bvh_destroy(contact->bvh);
    pleat_topology_destroy(contact->topology);
    PL_DESTROY(contact);
}

/* ---- Which side of the body a point is on ---- */

static pl_f4 corner_at(const pl_wrinkle_contact *contact, uint32_t corner)
{
    return pl_load(&contact->positions[contact->topology->triangles[corner]]);
}

static pl_f4 face_normal(const pl_wrinkle_contact *contact, uint32_t triangle)
{
    pl_f4 a = corner_at(contact, 3 * triangle);
    return pl_normalize3(pl_cross(corner_at(contact, 3 * triangle + 1) - a, corner_at(contact, 3 * triangle + 2) - a));
}

/* The mean of the normals around a vertex, each by its triangle's angle there. */
static pl_f4 vertex_normal(const pl_wrinkle_contact *contact, uint32_t vertex)
{
    const pleat_topology *topology = contact->topology;
    pl_f4 sum = pl_splat(0);
    for (uint32_t i = topology->ring_start[vertex]; i < topology->ring_start[vertex + 1]; ++i)
    {
        uint32_t corner = topology->ring_corner[i], base = corner / 3 * 3, k = corner - base;
        pl_f4 here = corner_at(contact, corner);
        pl_f4 a = pl_normalize3(corner_at(contact, base + (k + 1) % 3) - here);
        pl_f4 b = pl_normalize3(corner_at(contact, base + (k + 2) % 3) - here);
        float angle = acosf(fminf(fmaxf(pl_dot3(a, b), -1), 1));
        sum += face_normal(contact, corner / 3) * pl_splat(angle);
    }
    return sum;
}

/* The normal by which the side of a point is told that is nearest to the body here: of the face, the mean of an edge's
 * two faces, or of all around a vertex. With these the sign is right everywhere (Baerentzen and Aanaes, 2005). */
static pl_f4 side_normal(const pl_wrinkle_contact *contact, const pleat_hit *hit)
{
    uint32_t base = 3 * hit->triangle;
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (hit->barycentric[k] > 1 - 1e-5f)
        {
            return vertex_normal(contact, contact->topology->triangles[base + k]);
        }
    }
    pl_f4 normal = face_normal(contact, hit->triangle);
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t twin = contact->topology->twin[base + k];
        if (hit->barycentric[(k + 2) % 3] < 1e-5f && twin < 3 * contact->topology->triangle_count)
        {
            return normal + face_normal(contact, twin / 3);
        }
    }
    return normal;
}

float pl_wrinkle_contact_distance(const pl_wrinkle_contact *contact, pleat_vec4 point, float reach)
{
    pleat_hit hit = pleat_bvh_nearest(contact->bvh, point, reach);
    if (hit.triangle == PLEAT_NONE)
    {
        return INFINITY;
    }
    float side = pl_dot3(pl_from(point) - pl_from(hit.position), side_normal(contact, &hit));
    return side < 0 ? -hit.distance : hit.distance;
}

/* ---- Stopping ---- */

/* Not through the body on the way from where it stood, and not into the gap before it. */
static pl_f4 stop_on_way(const pl_wrinkle_contact *contact, pl_f4 from, pl_f4 to)
{
    pl_f4 way = to - from;
    float length = pl_length3(way);
    pl_f4 direction = way * pl_splat(1 / length);
    pleat_hit hit = pleat_bvh_ray(contact->bvh, pl_to(from), pl_to(direction), 0, length + 4 * contact->gap);
    if (hit.triangle == PLEAT_NONE)
    {
        return to;
    }
    float slant = fmaxf(fabsf(pl_dot3(face_normal(contact, hit.triangle), direction)), 0.25f);
    float room = fmaxf(hit.distance - contact->gap / slant, 0);
    if (room >= length)
    {
        return to;
    }
    return from + direction * pl_splat(room);
}

static pl_f4 stop(const pl_wrinkle_contact *contact, pl_f4 from, pl_f4 to)
{
    float reach = pl_length3(to - from) + contact->gap;
    float before = pl_wrinkle_contact_distance(contact, pl_to(from), reach);
    if (isinf(before))
    {
        return to;
    }
    if (before <= 0)
    {
        /* Under the body before any wrinkle: out is welcome, deeper is not. */
        float after = pl_wrinkle_contact_distance(contact, pl_to(to), -before + reach);
        return after >= before ? to : from;
    }
    to = stop_on_way(contact, from, to);
    float least = fminf(contact->gap, before);
    pleat_hit hit = pleat_bvh_nearest(contact->bvh, pl_to(to), least);
    if (hit.triangle == PLEAT_NONE || !(hit.distance > 0))
    {
        return to;
    }
    pl_f4 away = (to - pl_from(hit.position)) * pl_splat(1 / hit.distance);
    return pl_from(hit.position) + away * pl_splat(least);
}

typedef struct contact_job
{
    const pl_wrinkle_contact *contact;
    const pleat_vec4 *from;
    pleat_vec4 *positions;
    _Atomic uint32_t stopped;
} contact_job;

static void stop_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    contact_job *job = data;
    uint32_t stopped = 0;
    (void)worker;
    for (uint32_t v = begin; v < end; ++v)
    {
        if (memcmp(&job->from[v], &job->positions[v], sizeof job->from[v]) == 0)
        {
            continue;
        }
        pl_f4 to = stop(job->contact, pl_load(&job->from[v]), pl_load(&job->positions[v]));
        stopped += memcmp(&to, &job->positions[v], sizeof to) != 0;
        pl_store(&job->positions[v], to);
    }
    atomic_fetch_add(&job->stopped, stopped);
}

uint32_t pl_wrinkle_contact_update(pl_wrinkle_contact *contact, float time, uint32_t vertex_count,
                                   const pleat_vec4 *from, pleat_vec4 *positions, const pleat_tasks *tasks)
{
    contact->positions = contact->body->at(contact->body->user, time);
    pleat_bvh_refit(contact->bvh, contact->positions, tasks);
    contact_job job = {contact, from, positions, 0};
    pl_parallel_for(tasks, vertex_count, 256, stop_range, &job);
    return atomic_load(&job.stopped);
}
