/* Morph targets. All differences of a primitive lie in a few views, one a type: a target is an offset there, so that
 * hundreds of them cost little JSON. They are dense: a sparse accessor needs as many zeros below it where engines are
 * to read it, and compression sees to zeros anyway. A target that says nothing shares one block of zeros. */
#include "io/gltf/write/writer.h"

#include <math.h>
#include <string.h>

enum
{
    VERTICES = 34962
};

/* How the differences of one attribute of one target are written. */
typedef enum difference_kind
{
    ZEROS,  /* small: bytes; else floats */
    BYTES,  /* -127..127 steps, or hundred-twenty-sevenths of a direction */
    SHORTS, /* -32767..32767 steps */
    FLOATS,
    KINDS
} difference_kind;

static const size_t strides[KINDS] = {4, 4, 8, 12};

/* The differences of one primitive, target after target: positions, then normals. */
typedef struct collection
{
    pl_writer *w;
    const pl_targets_desc *desc;
    bool small;
    difference_kind *kinds; /* 2 target_count */
    uint32_t counts[KINDS];
    uint8_t *bytes[KINDS];
    uint32_t views[KINDS];
    uint32_t used[KINDS];
} collection;

static const pleat_vec3 *differences(const pl_targets_desc *desc, uint32_t i)
{
    const pleat_target *target = desc->targets ? &desc->targets[i / 2] : NULL;
    return !target ? NULL : i % 2 == 0 ? target->positions : target->normals;
}

/* A target must have something, if only zeros. */
static bool is_written(const pl_targets_desc *desc, uint32_t i)
{
    return differences(desc, i) || (i % 2 == 0 && !differences(desc, i + 1));
}

static difference_kind kind_of(const collection *all, uint32_t i)
{
    const pleat_vec3 *data = differences(all->desc, i);
    float largest = 0;
    for (uint32_t v = 0; data && v < all->desc->vertex_count; ++v)
    {
        largest = fmaxf(largest, fmaxf(fabsf(data[v].x), fmaxf(fabsf(data[v].y), fabsf(data[v].z))));
    }
    if (largest == 0)
    {
        return ZEROS;
    }
    if (i % 2 == 1)
    {
        return all->small ? BYTES : FLOATS;
    }
    float steps = all->small && all->desc->step > 0 ? largest / all->desc->step : INFINITY;
    return steps < 127.5f ? BYTES : steps < 32767.5f ? SHORTS : FLOATS;
}

static void put(const collection *all, uint32_t i, difference_kind kind, uint8_t *out, float low[3], float high[3])
{
    const pleat_vec3 *data = differences(all->desc, i);
    bool positions = i % 2 == 0;
    /* With steps, the mesh's positions count in them. */
    float scale = !positions ? 127 : all->desc->step > 0 && all->small ? 1 / all->desc->step : 1;
    for (uint32_t v = 0; v < all->desc->vertex_count; ++v, out += strides[kind])
    {
        const float in[3] = {data[v].x, data[v].y, data[v].z};
        for (size_t c = 0; c < 3; ++c)
        {
            float value = kind == FLOATS && !positions ? in[c] : in[c] * scale;
            value = kind == FLOATS ? value : rintf(fminf(fmaxf(value, -32767), 32767));
            value = kind == BYTES ? fminf(fmaxf(value, -127), 127) : value;
            low[c] = v == 0 || value < low[c] ? value : low[c];
            high[c] = v == 0 || value > high[c] ? value : high[c];
            if (kind == FLOATS)
            {
                memcpy(out + c * sizeof value, &value, sizeof value);
            }
            else if (kind == SHORTS)
            {
                int16_t number = (int16_t)value;
                memcpy(out + c * sizeof number, &number, sizeof number);
            }
            else
            {
                out[c] = (uint8_t)(int8_t)value;
            }
        }
    }
}

/* One view for each type that is there. */
static pleat_result make_views(collection *all)
{
    const size_t count = all->desc->vertex_count;
    for (int k = 0; k < KINDS; ++k)
    {
        difference_kind stored = k == ZEROS && !all->small ? FLOATS : (difference_kind)k;
        uint32_t blocks = k == ZEROS && all->counts[k] > 0 ? 1 : all->counts[k];
        size_t size = count * blocks * strides[stored];
        all->views[k] = PLEAT_NONE;
        if (blocks == 0)
        {
            continue;
        }
        all->bytes[k] = pl_writer_alloc(all->w, size, 1);
        if (!all->bytes[k])
        {
            return pl_writer_no_memory(all->w);
        }
        memset(all->bytes[k], 0, size);
        all->views[k] = pl_add_view(all->w, all->bytes[k], size, VERTICES);
        if (all->views[k] == PLEAT_NONE)
        {
            return pl_writer_no_memory(all->w);
        }
        pl_json_set(all->w, json_array_get(pl_section(all->w, "bufferViews"), all->views[k]), "byteStride",
                    json_integer((json_int_t)strides[stored]));
        all->w->pieces[all->views[k]].stride = strides[stored];
    }
    return PLEAT_OK;
}

static pleat_result add_difference(collection *all, uint32_t i, json_t *object)
{
    static const pl_component components[KINDS] = {PL_I8, PL_I8, PL_I16, PL_F32};
    static const float zeros[3];
    difference_kind kind = all->kinds[i];
    bool positions = i % 2 == 0;
    bool floats = kind == FLOATS || (kind == ZEROS && !all->small);
    size_t offset = 0;
    float low[3] = {0}, high[3] = {0};
    if (kind != ZEROS)
    {
        offset = (size_t)all->used[kind]++ * all->desc->vertex_count * strides[kind];
        put(all, i, kind, all->bytes[kind] + offset, low, high);
    }
    pl_accessor_desc desc = {.count = all->desc->vertex_count,
                             .type = "VEC3",
                             .component = floats ? PL_F32 : components[kind],
                             .normalized = !floats && !positions};
    uint32_t index;
    PL_TRY(pl_add_accessor_in(all->w, all->views[kind], offset, &desc,
                              !positions      ? NULL
                              : kind == ZEROS ? zeros
                                              : low,
                              !positions      ? NULL
                              : kind == ZEROS ? zeros
                                              : high,
                              &index));
    if (!floats)
    {
        pl_require_extension(all->w, "KHR_mesh_quantization");
    }
    pl_json_set(all->w, object, positions ? "POSITION" : "NORMAL", json_integer(index));
    return pl_writer_check(all->w);
}

pleat_result pl_add_targets(pl_writer *w, const pl_targets_desc *desc, json_t *list)
{
    collection all = {.w = w, .desc = desc, .small = w->edits->encoding != PLEAT_ENCODE_PLAIN};
    all.kinds = pl_writer_alloc(w, 2 * (size_t)desc->target_count, sizeof *all.kinds);
    if (!all.kinds)
    {
        return pl_writer_no_memory(w);
    }
    for (uint32_t i = 0; i < 2 * desc->target_count; ++i)
    {
        const pleat_vec3 *data = differences(desc, i);
        size_t numbers = data ? 3 * (size_t)desc->vertex_count : 0;
        if (data && pl_first_not_finite(&data[0].x, numbers) < numbers)
        {
            return pl_writer_fail(w, PLEAT_BAD_ARGUMENT, "a number to be written is not finite");
        }
        all.kinds[i] = kind_of(&all, i);
        all.counts[all.kinds[i]] += is_written(desc, i);
    }
    PL_TRY(make_views(&all));
    for (uint32_t t = 0; t < desc->target_count; ++t)
    {
        PL_TRY(pl_go_on(&w->asset->host, "writing morph targets,", t, desc->target_count, w->error));
        json_t *object = json_object();
        pl_json_append(w, list, object);
        PL_TRY(pl_writer_check(w));
        for (uint32_t i = 2 * t; i < 2 * t + 2; ++i)
        {
            if (is_written(desc, i))
            {
                PL_TRY(add_difference(&all, i, object));
            }
        }
    }
    return PLEAT_OK;
}
