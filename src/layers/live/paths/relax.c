/* Paths from one frame to the next.
 *
 * R. Gillette, 2015, sec. 5.2.1: each node slides on its edge so that the sum of three terms is least: pieces across
 * the compression, nodes where they were on the cloth, the shape as it was. As printed the second term, |t - t'|^2, has
 * no unit: the same clip in centimetres moved 48 times as far a step. It is multiplied by the edge's length squared.
 * And where a node "was" means the same t on the cloth as it is now: a rigid turn must not drag paths along. The third
 * term couples five nodes, so the system has five bands. */
#include "layers/live/live.h"

/* The weight of the first term grows with the time that passed: the thesis' 0.4 at 30 frames a second. */
static const float FOLLOW = 1.4f;
/* A node moves over the cloth by at most so many widths a second: a twelfth of a width at 60 frames a second, as a
 * curve through nodes moves up to twice as far as they do. */
static const float MOST_SPEED = 5;

/* A symmetric matrix of five bands: bands[i] are its entries (i, i), (i, i + 1), (i, i + 2). */
typedef struct bands
{
    double entry[PL_LIVE_NODES][3];
    double right[PL_LIVE_NODES];
} bands;

/* Adds the square of a sum over some unknowns, coefficients in space, and a constant: |sum k_j x_j + c|^2. */
static void add_square(bands *m, uint32_t first, uint32_t count, const pl_f4 *k, pl_f4 constant, float weight)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t j = i; j < count; ++j)
        {
            m->entry[first + i][j - i] += (double)(weight * pl_dot3(k[i], k[j]));
        }
        m->right[first + i] -= (double)(weight * pl_dot3(k[i], constant));
    }
}

/* Solves in place by L D L^T; the answer comes in right. The matrix is positive definite: the second term sees to
 * that. */
static void solve(bands *m, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i)
    {
        double pivot = m->entry[i][0];
        for (uint32_t j = 1; j <= 2 && i + j < n; ++j)
        {
            double factor = m->entry[i][j] / pivot;
            for (uint32_t k = j; k <= 2 && i + k < n; ++k)
            {
                m->entry[i + j][k - j] -= factor * m->entry[i][k];
            }
            m->right[i + j] -= factor * m->right[i];
        }
    }
    for (uint32_t i = n; i-- > 0;)
    {
        for (uint32_t j = 1; j <= 2 && i + j < n; ++j)
        {
            m->right[i] -= m->entry[i][j] * m->right[i + j];
        }
        m->right[i] /= m->entry[i][0];
    }
}

static pl_f4 edge_of(const pleat_live *live, pl_live_node node)
{
    uint32_t corner = live->topology->edge_corner[node.edge];
    return pl_load(&live->now[live->topology->triangles[corner % 3 == 2 ? corner - 2 : corner + 1]]) -
           pl_load(&live->now[live->topology->triangles[corner]]);
}

/* The direction of compression in a triangle, as long as its say is: the more compressed and the clearer, the more. */
static pl_f4 across(const pleat_live *live, uint32_t triangle)
{
    const pleat_live_tensor *tensor = &live->field[triangle];
    float clear = fminf(fmaxf((tensor->compression - 1) / (live->options.tau - 1), 0), 1) * (1 - tensor->narrow);
    pl_f4 normal = pl_normalize3(pl_live_normal(live, triangle));
    return pl_cross(normal, pl_load3(&tensor->along)) * pl_splat(sqrtf(clear));
}

static void assemble(const pleat_live *live, const pl_live_path *path, float follow, bands *m)
{
    pl_f4 at[PL_LIVE_NODES], edge[PL_LIVE_NODES], none = pl_splat(0);
    uint32_t n = path->count;
    for (uint32_t i = 0; i < n; ++i)
    {
        at[i] = pl_live_node_place(live, path->nodes[i]);
        edge[i] = edge_of(live, path->nodes[i]);
    }
    for (uint32_t i = 0; i < n; ++i)
    {
        add_square(m, i, 1, &edge[i], none, 1);
        if (i + 1 < n)
        {
            pl_f4 e = across(live, path->triangles[i]);
            pl_f4 k[2] = {pl_set(-pl_dot3(edge[i], e), 0, 0, 0), pl_set(pl_dot3(edge[i + 1], e), 0, 0, 0)};
            add_square(m, i, 2, k, pl_set(pl_dot3(at[i + 1] - at[i], e), 0, 0, 0), follow);
        }
        if (i > 0 && i + 1 < n)
        {
            pl_f4 k[3] = {edge[i - 1] * pl_splat(-0.5f), edge[i], edge[i + 1] * pl_splat(-0.5f)};
            add_square(m, i - 1, 3, k, none, 1);
        }
    }
    /* At the ends the path goes back the way that it came. */
    pl_f4 first[2] = {edge[0], -edge[1]}, last[2] = {-edge[n - 2], edge[n - 1]};
    add_square(m, 0, 2, first, none, 1);
    add_square(m, n - 2, 2, last, none, 1);
}

void pl_live_relax(pleat_live *live, pl_live_path *path, float dt)
{
    bands m = {0};
    float most = MOST_SPEED * live->head->width * dt;
    assemble(live, path, powf(FOLLOW, PL_LIVE_RATE * dt) - 1, &m);
    for (uint32_t i = 0; i < path->count; ++i)
    {
        if (!(m.entry[i][0] > 0))
        {
            return; /* an edge without a length, in a triangle that has collapsed */
        }
    }
    solve(&m, path->count);
    for (uint32_t i = 0; i < path->count; ++i)
    {
        float limit = most / pl_length3(edge_of(live, path->nodes[i])), step = (float)m.right[i];
        if (step * 0 == 0)
        {
            path->nodes[i].t += fminf(fmaxf(step, -limit), limit);
        }
    }
}
