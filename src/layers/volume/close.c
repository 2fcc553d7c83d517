/* Closing a mesh for the integral of its volume. The mesh itself stays as it is.
 *
 * The border edges of any triangle list, turned round, enter and leave every vertex equally often; so they fall apart
 * into closed loops, whatever else is wrong with the mesh. Each loop of three or more gets a fan about its mean. */
#include "layers/volume/volume.h"

#include <string.h>

/* A shell with holes that is flatter than this has no volume worth keeping: a sheet of cloth, a card of hair; what
 * closes it would decide. For a ball the number is 0.094, for a tube a hundred times as long as wide 0.02. Without
 * holes even two layers of cloth have a volume of their own. */
#define FLATTEST 1e-3
/* Nor has one whose volume by area is less than this part of the character's height: floats that far from the origin
 * could not hold its volume to six digits. */
#define THINNEST 1e-4

typedef struct closer
{
    const pleat_cloth *cloth;
    const pleat_topology *topology;
    pl_closed *closed;
    uint32_t *shell; /* per triangle of the mesh, renumbered without flat ones; PLEAT_NONE: left out */
    /* Border edges turned round, as lists by the vertex they start from. */
    uint32_t *head;  /* vertex -> corner or PLEAT_NONE */
    uint32_t *next;  /* corner -> corner */
    uint32_t *place; /* vertex -> place on the path or PLEAT_NONE */
    uint32_t *path;
    uint32_t *hole_shell;
    uint32_t border_count;
} closer;

static bool is_border(const pleat_topology *topology, uint32_t corner)
{
    return topology->corner_edge[corner] != PLEAT_NONE && topology->twin[corner] >= PLEAT_NON_MANIFOLD;
}

static uint32_t next_corner(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static void list_borders(closer *c)
{
    uint32_t corner_count = 3 * c->topology->triangle_count;
    memset(c->head, 0xff, c->topology->vertex_count * sizeof *c->head);
    memset(c->place, 0xff, c->topology->vertex_count * sizeof *c->place);
    /* Backwards, so that each list comes out in the order of corners. */
    for (uint32_t corner = corner_count; corner-- > 0;)
    {
        if (is_border(c->topology, corner))
        {
            uint32_t from = c->topology->triangles[next_corner(corner)];
            c->next[corner] = c->head[from];
            c->head[from] = corner;
            ++c->border_count;
        }
    }
}

/* Takes the first border edge of a shell out of a vertex's list; PLEAT_NONE if there is none. */
static uint32_t take_edge(closer *c, uint32_t vertex, uint32_t shell)
{
    for (uint32_t *link = &c->head[vertex]; *link != PLEAT_NONE; link = &c->next[*link])
    {
        if (c->shell[*link / 3] == shell)
        {
            uint32_t corner = *link;
            *link = c->next[corner];
            return corner;
        }
    }
    return PLEAT_NONE;
}

static void add_hole(closer *c, const uint32_t *border, uint32_t count, uint32_t shell)
{
    /* A loop of two goes there and back: nothing to close. */
    if (count < 3 || shell == PLEAT_NONE)
    {
        return;
    }
    pl_closed *closed = c->closed;
    uint32_t first = closed->hole_start[closed->hole_count];
    memcpy(closed->hole_vertex + first, border, count * sizeof *border);
    c->hole_shell[closed->hole_count] = shell;
    closed->hole_start[++closed->hole_count] = first + count;
}

/* Walks from a vertex until its edges are used up, and cuts off a loop whenever the path meets itself. */
static void walk_from(closer *c, uint32_t vertex, uint32_t shell)
{
    uint32_t length = 1;
    c->path[0] = vertex;
    c->place[vertex] = 0;
    for (;;)
    {
        uint32_t corner = take_edge(c, c->path[length - 1], shell);
        if (corner == PLEAT_NONE)
        {
            break;
        }
        uint32_t to = c->topology->triangles[corner];
        uint32_t met = c->place[to];
        if (met == PLEAT_NONE)
        {
            c->place[to] = length;
            c->path[length++] = to;
            continue;
        }
        add_hole(c, c->path + met, length - met, shell);
        while (length > met + 1)
        {
            c->place[c->path[--length]] = PLEAT_NONE;
        }
    }
    while (length > 0)
    {
        c->place[c->path[--length]] = PLEAT_NONE;
    }
}

static void find_holes(closer *c)
{
    for (uint32_t corner = 0; corner < 3 * c->topology->triangle_count; ++corner)
    {
        if (is_border(c->topology, corner))
        {
            walk_from(c, c->topology->triangles[next_corner(corner)], c->shell[corner / 3]);
        }
    }
}

/* Six times the volume and four times the squared area below a triangle, in double. */
static double six_volumes(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static void point_of(const closer *c, uint32_t vertex, const pleat_vec4 *centres, const double origin[3], double out[3])
{
    pl_f4 at = pl_volume_point(c->closed, c->cloth->rest, centres, vertex);
    for (int k = 0; k < 3; ++k)
    {
        out[k] = (double)at[k] - origin[k];
    }
}

/* Volumes of all shells about the first vertex, and their areas without the fans. */
static void measure_shells(const closer *c, const pleat_vec4 *centres, double *volume, double *area)
{
    const pl_closed *closed = c->closed;
    double origin[3] = {0, 0, 0};
    if (closed->triangle_count)
    {
        point_of(c, closed->triangles[0], centres, (double[3]){0, 0, 0}, origin);
    }
    for (uint32_t t = 0; t < closed->triangle_count; ++t)
    {
        double p[3][3];
        bool fan = false;
        for (int k = 0; k < 3; ++k)
        {
            point_of(c, closed->triangles[3 * t + (uint32_t)k], centres, origin, p[k]);
            fan = fan || closed->triangles[3 * t + (uint32_t)k] >= closed->vertex_count;
        }
        volume[closed->shell[t]] += six_volumes(p[0], p[1], p[2]) / 6;
        if (!fan)
        {
            double u[3] = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
            double v[3] = {p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
            double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
            area[closed->shell[t]] += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        }
    }
}

static void fill_triangles(closer *c)
{
    pl_closed *closed = c->closed;
    closed->triangle_count = 0;
    for (uint32_t t = 0; t < c->topology->triangle_count; ++t)
    {
        if (c->shell[t] != PLEAT_NONE)
        {
            memcpy(closed->triangles + 3 * (size_t)closed->triangle_count, c->topology->triangles + 3 * (size_t)t,
                   3 * sizeof(uint32_t));
            closed->shell[closed->triangle_count++] = c->shell[t];
        }
    }
    for (uint32_t h = 0; h < closed->hole_count; ++h)
    {
        uint32_t first = closed->hole_start[h], count = closed->hole_start[h + 1] - first;
        for (uint32_t i = 0; i < count; ++i)
        {
            uint32_t *corner = closed->triangles + 3 * (size_t)closed->triangle_count;
            corner[0] = closed->hole_vertex[first + i];
            corner[1] = closed->hole_vertex[first + (i + 1) % count];
            corner[2] = closed->vertex_count + h;
            closed->shell[closed->triangle_count++] = c->hole_shell[h];
        }
    }
}

/* Numbers the shells that have a volume, and forgets the others with their holes. */
static void drop_flat_shells(closer *c, uint32_t shell_count, const double *volume, const double *area,
                             uint32_t *number)
{
    pl_closed *closed = c->closed;
    memset(number, 0, shell_count * sizeof *number);
    for (uint32_t h = 0; h < closed->hole_count; ++h)
    {
        number[c->hole_shell[h]] = 1; /* for now: it has holes */
    }
    for (uint32_t s = 0; s < shell_count; ++s)
    {
        bool keeps = (number[s] == 0 || fabs(volume[s]) > FLATTEST * area[s] * sqrt(area[s])) &&
                     fabs(volume[s]) > THINNEST * area[s] * (double)c->cloth->height;
        number[s] = keeps ? closed->shell_count : PLEAT_NONE;
        if (keeps)
        {
            closed->shell_volume[closed->shell_count++] = volume[s];
        }
    }
    for (uint32_t t = 0; t < c->topology->triangle_count; ++t)
    {
        c->shell[t] = c->shell[t] == PLEAT_NONE ? PLEAT_NONE : number[c->shell[t]];
    }
    uint32_t kept = 0, end = 0;
    for (uint32_t h = 0; h < closed->hole_count; ++h)
    {
        uint32_t first = closed->hole_start[h], count = closed->hole_start[h + 1] - first;
        uint32_t shell = number[c->hole_shell[h]];
        if (shell != PLEAT_NONE)
        {
            memmove(closed->hole_vertex + end, closed->hole_vertex + first, count * sizeof(uint32_t));
            c->hole_shell[kept] = shell;
            closed->hole_start[kept++] = end;
            end += count;
        }
    }
    closed->hole_count = kept;
    closed->hole_start[kept] = end;
}

void pl_volume_centres(const pl_closed *closed, const pleat_vec4 *positions, pleat_vec4 *centres)
{
    for (uint32_t h = 0; h < closed->hole_count; ++h)
    {
        uint32_t first = closed->hole_start[h], count = closed->hole_start[h + 1] - first;
        double sum[3] = {0, 0, 0};
        for (uint32_t i = 0; i < count; ++i)
        {
            const pleat_vec4 *at = &positions[closed->hole_vertex[first + i]];
            sum[0] += (double)at->x;
            sum[1] += (double)at->y;
            sum[2] += (double)at->z;
        }
        centres[h] = (pleat_vec4){(float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count), 0};
    }
}

pleat_result pl_volume_close(const pleat_cloth *cloth, const pleat_host *host, pl_arena *arena, pl_closed *closed,
                             pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_topology *topology = cloth->topology;
    pl_memory scratch_memory = pl_memory_from(host);
    pl_arena scratch;
    pl_arena_init(&scratch, &scratch_memory);
    closer c = {.cloth = cloth, .topology = topology, .closed = closed};
    uint32_t *number;
    double *volume, *area;
    pleat_vec4 *centres;
    closed->vertex_count = topology->vertex_count;
    PL_ARENA_NEW_OR_FAIL(c.shell, &scratch, uint32_t, topology->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(c.head, &scratch, uint32_t, topology->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(c.place, &scratch, uint32_t, topology->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(c.next, &scratch, uint32_t, 3 * (size_t)topology->triangle_count, error);
    uint32_t shell_count = pleat_topology_shells(topology, c.shell);
    list_borders(&c);
    PL_ARENA_NEW_OR_FAIL(c.path, &scratch, uint32_t, (size_t)c.border_count + 1, error);
    PL_ARENA_NEW_OR_FAIL(c.hole_shell, &scratch, uint32_t, c.border_count, error);
    PL_ARENA_NEW_OR_FAIL(centres, &scratch, pleat_vec4, c.border_count, error);
    PL_ARENA_NEW_OR_FAIL(volume, &scratch, double, shell_count, error);
    PL_ARENA_NEW_OR_FAIL(area, &scratch, double, shell_count, error);
    PL_ARENA_NEW_OR_FAIL(number, &scratch, uint32_t, shell_count, error);
    PL_ARENA_NEW_OR_FAIL(closed->hole_start, arena, uint32_t, (size_t)c.border_count + 1, error);
    PL_ARENA_NEW_OR_FAIL(closed->hole_vertex, arena, uint32_t, c.border_count, error);
    size_t most = (size_t)topology->triangle_count + c.border_count;
    PL_ARENA_NEW_OR_FAIL(closed->triangles, arena, uint32_t, 3 * most, error);
    PL_ARENA_NEW_OR_FAIL(closed->shell, arena, uint32_t, most, error);
    PL_ARENA_NEW_OR_FAIL(closed->shell_volume, arena, double, shell_count, error);
    find_holes(&c);
    fill_triangles(&c);
    pl_volume_centres(closed, cloth->rest, centres);
    measure_shells(&c, centres, volume, area);
    drop_flat_shells(&c, shell_count, volume, area, number);
    fill_triangles(&c);
fail:
    pl_arena_free(&scratch);
    return result;
}
