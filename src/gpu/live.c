#include "gpu/live.h"

#include "gpu/shaders.h"

#include <string.h>

enum
{
    COLUMNS = 1024, /* of the textures, as live.glsl has it */
    TEXTURES = 8
};

/* In the order of their units. */
enum
{
    POINTS,
    SPANS,
    POSITIONS,
    NORMALS,
    TRIANGLES,
    BESIDE,
    LISTS,
    MARKS
};
static const char *const samplers[TEXTURES] = {"points",    "spans",  "positions", "normals",
                                               "triangles", "beside", "lists",     "marks"};
static const struct
{
    GLenum internal, format, type;
    uint32_t bytes; /* a texel */
} kinds[TEXTURES] = {{GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
                     {GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT, 4},
                     {GL_RGBA32F, GL_RGBA, GL_FLOAT, 16},
                     {GL_RGBA32F, GL_RGBA, GL_FLOAT, 16},
                     {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
                     {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16},
                     {GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT, 4},
                     {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1}};

struct pl_live_drawer
{
    pl_memory memory;
    uint32_t vertex_count, triangle_count, patch_count, grid_count; /* grid: vertices of a patch */
    bool tessellate;
    float piece, finest;
    uint16_t *lists;      /* by triangle: first span, and how many */
    uint8_t *marks, *row; /* row: a texture's, filled up */
    GLuint program, textures[TEXTURES], patch_array, base_array;
    GLuint grid, corner, patches, all; /* buffers: grids of a patch and of a triangle; instances */
    GLuint corners;                    /* of all triangles, for tessellation */
};

/* ---- Program ---- */

static pleat_result compile(GLenum stage, const char *version, const char *text, GLuint program, pleat_error *error)
{
    const char *texts[3] = {version, pl_shader_live_glsl, text};
    GLuint shader = glCreateShader(stage);
    GLint done = 0;
    glShaderSource(shader, 3, texts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (!done)
    {
        char log[300] = "";
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        glDeleteShader(shader);
        return pl_fail(error, PLEAT_UNSUPPORTED, "the driver refuses a shader (%s) of live wrinkles: %s",
                       stage == GL_FRAGMENT_SHADER ? "fragment"
                       : stage == GL_VERTEX_SHADER ? "vertex"
                                                   : "tessellation",
                       log);
    }
    glAttachShader(program, shader);
    glDeleteShader(shader); /* when the program goes */
    return PLEAT_OK;
}

static pleat_result compile_all(const pl_live_drawer *d, pleat_error *error)
{
    const char *version = d->tessellate ? "#version 420\n" : "#version 300 es\n";
    if (d->tessellate)
    {
        PL_TRY(compile(GL_VERTEX_SHADER, version, pl_shader_live_tess_vert, d->program, error));
        PL_TRY(compile(GL_TESS_CONTROL_SHADER, version, pl_shader_live_tess_tesc, d->program, error));
        PL_TRY(compile(GL_TESS_EVALUATION_SHADER, version, pl_shader_live_tess_tese, d->program, error));
    }
    else
    {
        PL_TRY(compile(GL_VERTEX_SHADER, version, pl_shader_live_patch_vert, d->program, error));
    }
    return compile(GL_FRAGMENT_SHADER, version, pl_shader_live_patch_frag, d->program, error);
}

static pleat_result link_program(pl_live_drawer *d, pleat_error *error)
{
    GLint done = 0;
    d->program = glCreateProgram();
    PL_TRY(compile_all(d, error));
    glLinkProgram(d->program);
    glGetProgramiv(d->program, GL_LINK_STATUS, &done);
    if (!done)
    {
        return pl_fail(error, PLEAT_UNSUPPORTED, "the driver cannot link the shaders of live wrinkles");
    }
    glUseProgram(d->program);
    for (int i = 0; i < TEXTURES; ++i)
    {
        glUniform1i(glGetUniformLocation(d->program, samplers[i]), i);
    }
    glUniform1f(glGetUniformLocation(d->program, "piece"), d->piece);
    glUniform1f(glGetUniformLocation(d->program, "finest"), d->finest);
    return PLEAT_OK;
}

/* ---- Textures and buffers ---- */

/* Rows of COLUMNS texels, the last one filled up. */
static void fill(const pl_live_drawer *d, int which, uint32_t count, const void *texels)
{
    uint32_t rows = count / COLUMNS, rest = count % COLUMNS, bytes = kinds[which].bytes;
    glBindTexture(GL_TEXTURE_2D, d->textures[which]);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    if (rows)
    {
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, COLUMNS, (GLsizei)rows, kinds[which].format, kinds[which].type, texels);
    }
    if (rest)
    {
        memcpy(d->row, (const char *)texels + (size_t)rows * COLUMNS * bytes, (size_t)rest * bytes);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, (GLint)rows, (GLsizei)rest, 1, kinds[which].format, kinds[which].type,
                        d->row);
    }
}

static void make_textures(pl_live_drawer *d)
{
    const uint32_t counts[TEXTURES] = {PLEAT_LIVE_UPLOAD_BYTES / PLEAT_LIVE_POINT_BYTES,
                                       PLEAT_LIVE_UPLOAD_BYTES / PLEAT_LIVE_SPAN_BYTES,
                                       d->vertex_count,
                                       d->vertex_count,
                                       d->triangle_count,
                                       d->triangle_count,
                                       d->triangle_count,
                                       d->triangle_count};
    glGenTextures(TEXTURES, d->textures);
    for (int i = 0; i < TEXTURES; ++i)
    {
        uint32_t rows = (counts[i] + COLUMNS - 1) / COLUMNS;
        glBindTexture(GL_TEXTURE_2D, d->textures[i]);
        glTexStorage2D(GL_TEXTURE_2D, 1, kinds[i].internal, COLUMNS, (GLsizei)(rows ? rows : 1));
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
}

static void put_corner(float *out, uint32_t i, uint32_t j, uint32_t level)
{
    /* Shares of an edge's end are the same numbers from both of its triangles. */
    out[0] = (float)(level - i - j) / (float)level;
    out[1] = (float)i / (float)level;
    out[2] = (float)j / (float)level;
}

/* A grid as single triangles: 3 vertices for each of level^2. Returns how many. */
static uint32_t make_grid(uint32_t level, float *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < level; ++i)
    {
        for (uint32_t j = 0; i + j < level; ++j)
        {
            put_corner(out + 3 * count++, i, j, level);
            put_corner(out + 3 * count++, i + 1, j, level);
            put_corner(out + 3 * count++, i, j + 1, level);
            if (i + j + 1 < level)
            {
                put_corner(out + 3 * count++, i + 1, j, level);
                put_corner(out + 3 * count++, i + 1, j + 1, level);
                put_corner(out + 3 * count++, i, j + 1, level);
            }
        }
    }
    return count;
}

static void bind_array(GLuint array, GLuint grid, GLuint instances, GLsizei stride, bool lists)
{
    glBindVertexArray(array);
    glBindBuffer(GL_ARRAY_BUFFER, grid);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    glBindBuffer(GL_ARRAY_BUFFER, instances);
    glEnableVertexAttribArray(1);
    glVertexAttribIPointer(1, 1, GL_UNSIGNED_INT, stride, NULL);
    glVertexAttribDivisor(1, 1);
    if (lists)
    {
        glEnableVertexAttribArray(2);
        glVertexAttribIPointer(2, 2, GL_UNSIGNED_SHORT, stride, (const void *)(uintptr_t)4);
        glVertexAttribDivisor(2, 1);
    }
}

static void send(GLuint buffer, const void *data, size_t size, GLenum use)
{
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, data, use);
}

static pleat_result make_buffers(pl_live_drawer *d, const uint32_t *triangles, uint32_t level, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    float *grid = NULL, corner[9];
    uint32_t *all = NULL, *padded = NULL, *beside = NULL;
    pleat_topology *topology = NULL;
    GLuint *names[] = {&d->grid, &d->corner, &d->patches, &d->all, &d->corners};
    PL_NEW_OR_FAIL(grid, &d->memory, float, 9 * (size_t)level * level, error);
    PL_NEW_OR_FAIL(all, &d->memory, uint32_t, d->triangle_count, error);
    PL_NEW_OR_FAIL(padded, &d->memory, uint32_t, 4 * (size_t)d->triangle_count, error);
    PL_NEW_OR_FAIL(beside, &d->memory, uint32_t, 4 * (size_t)d->triangle_count, error);
    result = pleat_topology_create(d->vertex_count, d->triangle_count, triangles, NULL, &topology, error);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    for (uint32_t t = 0; t < d->triangle_count; ++t)
    {
        all[t] = t;
        memcpy(padded + 4 * (size_t)t, triangles + 3 * (size_t)t, 3 * sizeof *triangles);
        for (size_t k = 0; k < 3; ++k)
        {
            uint32_t twin = topology->twin[3 * (size_t)t + k];
            beside[4 * (size_t)t + k] = twin < PLEAT_NON_MANIFOLD ? twin / 3 : t;
        }
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        glGenBuffers(1, names[i]);
    }
    d->grid_count = make_grid(level, grid);
    make_grid(1, corner);
    send(d->grid, grid, 3 * (size_t)d->grid_count * sizeof *grid, GL_STATIC_DRAW);
    send(d->corner, corner, sizeof corner, GL_STATIC_DRAW);
    send(d->all, all, d->triangle_count * sizeof *all, GL_STATIC_DRAW);
    send(d->corners, triangles, 3 * (size_t)d->triangle_count * sizeof *triangles, GL_STATIC_DRAW);
    fill(d, TRIANGLES, d->triangle_count, padded);
    fill(d, BESIDE, d->triangle_count, beside);
    glGenVertexArrays(1, &d->patch_array);
    glGenVertexArrays(1, &d->base_array);
    if (d->tessellate)
    {
        glBindVertexArray(d->patch_array);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, d->corners);
    }
    else
    {
        bind_array(d->patch_array, d->grid, d->patches, PLEAT_LIVE_PATCH_BYTES, true);
        bind_array(d->base_array, d->corner, d->all, 0, false);
    }
fail:
    pl_free(&d->memory, grid);
    pl_free(&d->memory, all);
    pl_free(&d->memory, padded);
    pl_free(&d->memory, beside);
    pleat_topology_destroy(topology);
    return result;
}

/* ---- The drawer ---- */

pleat_result pl_live_drawer_create(const pl_live_drawer_desc *desc, const pleat_host *host, pl_live_drawer **out,
                                   pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    *out = NULL;
    if (desc->level < 1 || desc->level > 64)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "live wrinkles: level is %u; it can be 1 to 64", desc->level);
    }
    if (desc->tessellate && !(desc->piece > 0))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "live wrinkles: piece is %g; it must be above 0",
                       (double)desc->piece);
    }
    pl_live_drawer *d = PL_CREATE(pl_live_drawer, host);
    if (!d)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for drawing live wrinkles");
    }
    d->vertex_count = desc->vertex_count;
    d->triangle_count = desc->triangle_count;
    d->tessellate = desc->tessellate;
    d->piece = desc->piece;
    d->finest = (float)desc->level;
    PL_NEW_OR_FAIL(d->marks, &d->memory, uint8_t, desc->triangle_count, error);
    PL_NEW_OR_FAIL(d->lists, &d->memory, uint16_t, 2 * (size_t)desc->triangle_count, error);
    PL_NEW_OR_FAIL(d->row, &d->memory, uint8_t, 16 * (size_t)COLUMNS, error);
    result = link_program(d, error);
    if (result == PLEAT_OK)
    {
        make_textures(d);
        result = make_buffers(d, desc->triangles, desc->level, error);
    }
fail:
    if (result != PLEAT_OK)
    {
        pl_live_drawer_destroy(d);
        return result;
    }
    *out = d;
    return PLEAT_OK;
}

void pl_live_drawer_destroy(pl_live_drawer *d)
{
    if (d)
    {
        const GLuint buffers[] = {d->grid, d->corner, d->patches, d->all, d->corners};
        glDeleteProgram(d->program);
        glDeleteTextures(TEXTURES, d->textures);
        glDeleteBuffers(sizeof buffers / sizeof buffers[0], buffers);
        glDeleteVertexArrays(1, &d->patch_array);
        glDeleteVertexArrays(1, &d->base_array);
        pl_free(&d->memory, d->marks);
        pl_free(&d->memory, d->lists);
        pl_free(&d->memory, d->row);
        PL_DESTROY(d);
    }
}

void pl_live_drawer_update(pl_live_drawer *d, const pleat_vec4 *positions, const pleat_vec4 *normals,
                           const pleat_live_buffers *buffers)
{
    memset(d->marks, 0, d->triangle_count);
    memset(d->lists, 0, 2 * (size_t)d->triangle_count * sizeof *d->lists);
    for (uint32_t i = 0; i < buffers->patch_count; ++i)
    {
        uint32_t triangle;
        const char *patch = (const char *)buffers->patches + (size_t)i * PLEAT_LIVE_PATCH_BYTES;
        memcpy(&triangle, patch, sizeof triangle);
        memcpy(d->lists + 2 * (size_t)triangle, patch + sizeof triangle, 2 * sizeof *d->lists);
        d->marks[triangle] = 1;
    }
    fill(d, POINTS, buffers->point_count, buffers->points);
    fill(d, SPANS, buffers->span_count, buffers->spans);
    fill(d, POSITIONS, d->vertex_count, positions);
    fill(d, NORMALS, d->vertex_count, normals);
    fill(d, LISTS, d->triangle_count, d->lists);
    fill(d, MARKS, d->triangle_count, d->marks);
    send(d->patches, buffers->patches, (size_t)buffers->patch_count * PLEAT_LIVE_PATCH_BYTES, GL_STREAM_DRAW);
    d->patch_count = buffers->patch_count;
}

void pl_live_drawer_draw(const pl_live_drawer *d, const float view[16], const float light[3])
{
    glUseProgram(d->program);
    glUniformMatrix4fv(glGetUniformLocation(d->program, "view"), 1, GL_FALSE, view);
    glUniform3fv(glGetUniformLocation(d->program, "light"), 1, light);
    for (int i = 0; i < TEXTURES; ++i)
    {
        glActiveTexture(GL_TEXTURE0 + (GLenum)i);
        glBindTexture(GL_TEXTURE_2D, d->textures[i]);
    }
    glActiveTexture(GL_TEXTURE0);
    if (d->tessellate)
    {
        glBindVertexArray(d->patch_array);
        glPatchParameteri(GL_PATCH_VERTICES, 3);
        glDrawElements(GL_PATCHES, (GLsizei)(3 * d->triangle_count), GL_UNSIGNED_INT, NULL);
        glBindVertexArray(0);
        return;
    }
    glBindVertexArray(d->base_array);
    glVertexAttribI4ui(2, 0, 0, 0, 0); /* no spans */
    glDrawArraysInstanced(GL_TRIANGLES, 0, 3, (GLsizei)d->triangle_count);
    if (d->patch_count)
    {
        glBindVertexArray(d->patch_array);
        glDrawArraysInstanced(GL_TRIANGLES, 0, (GLsizei)d->grid_count, (GLsizei)d->patch_count);
    }
    glBindVertexArray(0);
}
