/* Lines, dots and ellipses over the picture, hidden where the surface hides them. */
#include "gpu/renderer.h"

#include <stdlib.h>

static pleat_result reserve_lines(pleat_renderer *renderer, size_t more, pleat_error *error)
{
    size_t wanted = renderer->line_count + more;
    if (wanted <= renderer->line_capacity)
    {
        return PLEAT_OK;
    }
    size_t capacity = wanted > 2 * renderer->line_capacity ? wanted : 2 * renderer->line_capacity;
    pl_line *lines = pl_realloc(&renderer->memory, renderer->lines, capacity, sizeof *lines);
    if (!lines)
    {
        return pl_fail_memory(&renderer->memory, error, "the overlay's lines");
    }
    renderer->lines = lines;
    renderer->line_capacity = capacity;
    return PLEAT_OK;
}

static void add_line(pleat_renderer *renderer, pleat_vec3 from, pleat_vec3 to, float width, float nearer,
                     pleat_rgba color)
{
    renderer->lines[renderer->line_count++] =
        (pl_line){{from.x, from.y, from.z}, width, {to.x, to.y, to.z}, nearer, color};
}

static pleat_vec3 place_of(const pleat_curve_drawable *curve, uint32_t i)
{
    return (pleat_vec3){curve->points[i].x, curve->points[i].y, curve->points[i].z};
}

static pleat_result collect_curve(pleat_renderer *renderer, const pleat_curve_drawable *curve, pleat_error *error)
{
    if (curve->point_count == 0)
    {
        return PLEAT_OK;
    }
    PL_TRY(reserve_lines(renderer, curve->point_count, error));
    for (uint32_t i = 0; i + 1 < curve->point_count; ++i)
    {
        add_line(renderer, place_of(curve, i), place_of(curve, i + 1), curve->width, 5, curve->color);
    }
    if (curve->closed || curve->point_count == 1)
    {
        add_line(renderer, place_of(curve, curve->point_count - 1), place_of(curve, 0), curve->width, 5, curve->color);
    }
    return PLEAT_OK;
}

static int compare_edges(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Each edge once: as (smaller, larger) vertex in one number, sorted. */
static pleat_result collect_wires(pleat_renderer *renderer, const pleat_drawable *d, pleat_error *error)
{
    size_t corner_count = 3 * (size_t)d->triangle_count;
    if (corner_count > renderer->edge_capacity)
    {
        uint64_t *edges = pl_realloc(&renderer->memory, renderer->edges, corner_count, sizeof *edges);
        if (!edges)
        {
            return pl_fail_memory(&renderer->memory, error, "the wireframe's edges");
        }
        renderer->edges = edges;
        renderer->edge_capacity = corner_count;
    }
    for (size_t c = 0; c < corner_count; ++c)
    {
        uint64_t a = d->triangles[c], b = d->triangles[c % 3 == 2 ? c - 2 : c + 1];
        renderer->edges[c] = a < b ? a << 32 | b : b << 32 | a;
    }
    qsort(renderer->edges, corner_count, sizeof *renderer->edges, compare_edges);
    PL_TRY(reserve_lines(renderer, corner_count, error));
    for (size_t c = 0; c < corner_count; ++c)
    {
        uint64_t edge = renderer->edges[c];
        if (c == 0 || edge != renderer->edges[c - 1])
        {
            add_line(renderer, d->positions[edge >> 32], d->positions[edge & UINT32_MAX], 1.0f, 1.5f,
                     (pleat_rgba){18, 24, 38, 150});
        }
    }
    return PLEAT_OK;
}

static pleat_result collect_points(pleat_renderer *renderer, const pleat_drawable *d, pleat_error *error)
{
    PL_TRY(reserve_lines(renderer, d->vertex_count, error));
    for (uint32_t i = 0; i < d->vertex_count; ++i)
    {
        add_line(renderer, d->positions[i], d->positions[i], 3.0f, 2.5f, (pleat_rgba){226, 82, 20, 255});
    }
    return PLEAT_OK;
}

pleat_result pl_overlay_collect(pleat_renderer *renderer, const pleat_scene *scene, pleat_error *error)
{
    renderer->line_count = 0;
    for (uint32_t i = 0; i < scene->drawable_count; ++i)
    {
        const pleat_drawable *d = &scene->drawables[i];
        if (d->wireframe && d->triangle_count > 0)
        {
            PL_TRY(collect_wires(renderer, d, error));
        }
        if (d->points)
        {
            PL_TRY(collect_points(renderer, d, error));
        }
    }
    for (uint32_t i = 0; i < scene->curve_count; ++i)
    {
        PL_TRY(collect_curve(renderer, &scene->curves[i], error));
    }
    return PLEAT_OK;
}

bool pl_overlay_any(const pleat_renderer *renderer, const pleat_scene *scene)
{
    return renderer->line_count > 0 || scene->ellipse_count > 0;
}

/* A per-instance attribute; offset in bytes. */
static void attribute(GLuint index, GLint width, GLenum type, size_t stride, size_t offset)
{
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, width, type, type == GL_UNSIGNED_BYTE, (GLsizei)stride, (const void *)offset);
    glVertexAttribDivisor(index, 1);
}

void pl_overlay_draw(pleat_renderer *renderer, const pleat_scene *scene)
{
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.framebuffers[PL_PASS_OVERLAY]);
    glClearBufferfv(GL_COLOR, 0, (const GLfloat[]){0, 0, 0, 0});
    glDepthMask(GL_FALSE);
    glEnable(GL_DEPTH_CLAMP);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glBindVertexArray(renderer->overlay_array);
    glBindBuffer(GL_ARRAY_BUFFER, renderer->overlay_buffer);
    if (scene->ellipse_count > 0)
    {
        size_t stride = sizeof *scene->ellipses;
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(scene->ellipse_count * stride), scene->ellipses, GL_STREAM_DRAW);
        attribute(0, 4, GL_FLOAT, stride, offsetof(pleat_ellipse_drawable, center));
        attribute(1, 4, GL_FLOAT, stride, offsetof(pleat_ellipse_drawable, a));
        attribute(2, 4, GL_FLOAT, stride, offsetof(pleat_ellipse_drawable, b));
        attribute(3, 4, GL_UNSIGNED_BYTE, stride, offsetof(pleat_ellipse_drawable, color));
        glUseProgram(renderer->programs[PL_PROGRAM_ELLIPSE]);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)scene->ellipse_count);
    }
    if (renderer->line_count > 0)
    {
        size_t stride = sizeof *renderer->lines;
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(renderer->line_count * stride), renderer->lines, GL_STREAM_DRAW);
        attribute(0, 4, GL_FLOAT, stride, offsetof(pl_line, from));
        attribute(1, 4, GL_FLOAT, stride, offsetof(pl_line, to));
        attribute(2, 4, GL_UNSIGNED_BYTE, stride, offsetof(pl_line, color));
        glDisableVertexAttribArray(3);
        glUseProgram(renderer->programs[PL_PROGRAM_LINE]);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)renderer->line_count);
    }
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_CLAMP);
    glDepthMask(GL_TRUE);
}
