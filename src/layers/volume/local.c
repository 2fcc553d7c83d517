/* A joint's own small mesh: the vertices it may move, the triangles around them, and the holes they border. */
#include "layers/volume/volume.h"

#include <string.h>

enum
{
    STREAMS = 8
};

typedef struct local_mesh
{
    const pl_closed *closed;
    const pleat_topology *topology;
    uint32_t *local_of; /* closed vertex -> local, or PLEAT_NONE */
    uint32_t *list;     /* local -> closed */
    uint32_t count;
    uint8_t *taken;     /* closed triangle; and waits for a partner */
    uint32_t *triangle; /* taken ones */
    uint32_t triangle_count;
    uint32_t *quads; /* of closed vertices */
    uint32_t quad_count;
    uint32_t hole_count;
    uint32_t *holes;
} local_mesh;

static void add_vertex(local_mesh *mesh, uint32_t vertex)
{
    if (mesh->local_of[vertex] == PLEAT_NONE)
    {
        mesh->local_of[vertex] = mesh->count;
        mesh->list[mesh->count++] = vertex;
    }
}

static void take_ring(local_mesh *mesh, uint32_t vertex)
{
    for (uint32_t i = mesh->topology->ring_start[vertex]; i < mesh->topology->ring_start[vertex + 1]; ++i)
    {
        uint32_t t = mesh->topology->ring_corner[i] / 3;
        if (!mesh->taken[t])
        {
            mesh->taken[t] = 1;
            mesh->triangle[mesh->triangle_count++] = t;
        }
    }
}

/* All triangles around active vertices and around the centres of holes that they border. */
static void take_triangles(local_mesh *mesh, uint32_t active_count)
{
    const pl_closed *closed = mesh->closed;
    for (uint32_t i = 0; i < active_count; ++i)
    {
        take_ring(mesh, mesh->list[i]);
    }
    for (uint32_t i = 0; i < mesh->triangle_count; ++i)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            uint32_t vertex = closed->triangles[3 * (size_t)mesh->triangle[i] + k];
            if (mesh->local_of[vertex] == PLEAT_NONE)
            {
                add_vertex(mesh, vertex);
                if (vertex >= closed->vertex_count)
                {
                    mesh->holes[mesh->hole_count++] = vertex - closed->vertex_count;
                    take_ring(mesh, vertex);
                }
            }
        }
    }
}

static void fill_centre(const local_mesh *mesh, uint32_t hole, uint32_t active_count, pl_volume_joint *joint,
                        uint32_t *member_count)
{
    const pl_closed *closed = mesh->closed;
    uint32_t first = closed->hole_start[hole], end = closed->hole_start[hole + 1];
    pl_volume_centre *centre = &joint->centres[joint->centre_count++];
    *centre = (pl_volume_centre){.local = mesh->local_of[closed->vertex_count + hole],
                                 .hole = hole,
                                 .first_member = *member_count,
                                 .share = 1 / (float)(end - first)};
    for (uint32_t i = first; i < end; ++i)
    {
        uint32_t local = mesh->local_of[closed->hole_vertex[i]];
        if (local < active_count)
        {
            joint->members[(*member_count)++] = local;
        }
    }
    centre->member_count = *member_count - centre->first_member;
}

/* The blocks whose volume changes, each once: those with a quad that has an active vertex, or a hole that has one. */
static pleat_result fill_blocks(const local_mesh *mesh, const pl_volume_groups *groups, pl_arena *scratch,
                                pl_arena *arena, pl_volume_joint *joint, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint8_t *marked;
    PL_ARENA_NEW_OR_FAIL(marked, scratch, uint8_t, groups->block_count, error);
    for (uint32_t i = 0; i < mesh->triangle_count; ++i)
    {
        uint32_t block = groups->triangle_block[mesh->triangle[i]];
        joint->block_count += !marked[block];
        marked[block] = 1;
    }
    PL_ARENA_NEW_OR_FAIL(joint->blocks, arena, uint32_t, joint->block_count, error);
    uint32_t at = 0;
    for (uint32_t b = 0; b < groups->block_count; ++b)
    {
        if (marked[b])
        {
            joint->blocks[at++] = b;
        }
    }
fail:
    return result;
}

static pleat_result copy_out(const local_mesh *mesh, uint32_t active_count, pl_arena *arena, pl_volume_joint *joint,
                             pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pl_closed *closed = mesh->closed;
    uint32_t member_count = 0, members = 0;
    joint->active_count = active_count;
    joint->local_count = mesh->count;
    for (uint32_t h = 0; h < mesh->hole_count; ++h)
    {
        members += closed->hole_start[mesh->holes[h] + 1] - closed->hole_start[mesh->holes[h]];
    }
    PL_ARENA_NEW_OR_FAIL(joint->vertices, arena, uint32_t, (size_t)mesh->count + 1, error);
    PL_ARENA_NEW_OR_FAIL(joint->quads, arena, uint32_t, 4 * (size_t)mesh->quad_count, error);
    PL_ARENA_NEW_OR_FAIL(joint->centres, arena, pl_volume_centre, mesh->hole_count, error);
    PL_ARENA_NEW_OR_FAIL(joint->members, arena, uint32_t, members, error);
    for (uint32_t i = 0; i <= mesh->count; ++i)
    {
        uint32_t vertex = mesh->list[i < mesh->count ? i : 0];
        joint->vertices[i] = vertex < closed->vertex_count ? vertex : mesh->list[0];
    }
    /* Neighbours stand far apart in the list: sums at their common vertices would wait for each other. */
    uint32_t *corner = joint->quads;
    uint32_t stride = (mesh->quad_count + STREAMS - 1) / STREAMS;
    joint->quad_count = mesh->quad_count;
    for (uint32_t i = 0; i < stride; ++i)
    {
        for (uint32_t q = i; q < mesh->quad_count; q += stride)
        {
            for (uint32_t k = 0; k < 4; ++k)
            {
                *corner++ = pl_volume_offset(mesh->local_of[mesh->quads[4 * (size_t)q + k]]);
            }
        }
    }
    for (uint32_t h = 0; h < mesh->hole_count; ++h)
    {
        fill_centre(mesh, mesh->holes[h], active_count, joint, &member_count);
    }
fail:
    return result;
}

pleat_result pl_volume_localise(const pl_volume_part *part, const pleat_host *host, pl_arena *arena,
                                pl_volume_joint *joint, pleat_error *error)
{
    const pl_closed *closed = part->closed;
    uint32_t active_count = part->active_count;
    pleat_result result = PLEAT_OK;
    pl_memory scratch_memory = pl_memory_from(host);
    pl_arena scratch;
    pl_arena_init(&scratch, &scratch_memory);
    local_mesh mesh = {.closed = closed, .topology = part->topology, .local_of = part->local_of};
    PL_ARENA_NEW_OR_FAIL(mesh.list, &scratch, uint32_t, (size_t)closed->vertex_count + closed->hole_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh.taken, &scratch, uint8_t, closed->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh.triangle, &scratch, uint32_t, closed->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh.holes, &scratch, uint32_t, closed->hole_count, error);
    for (uint32_t i = 0; i < active_count; ++i)
    {
        add_vertex(&mesh, part->active[i]);
    }
    take_triangles(&mesh, active_count);
    uint32_t *quad_of;
    PL_ARENA_NEW_OR_FAIL(quad_of, &scratch, uint32_t, closed->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh.quads, &scratch, uint32_t, 4 * (size_t)mesh.triangle_count, error);
    mesh.quad_count =
        pl_volume_pair(part->topology, mesh.triangle, mesh.triangle_count, mesh.taken, mesh.quads, quad_of);
    result = copy_out(&mesh, active_count, arena, joint, error);
    if (result == PLEAT_OK)
    {
        result = fill_blocks(&mesh, part->groups, &scratch, arena, joint, error);
    }
fail:
    for (uint32_t i = 0; i < mesh.count; ++i)
    {
        part->local_of[mesh.list[i]] = PLEAT_NONE;
    }
    pl_arena_free(&scratch);
    return result;
}
