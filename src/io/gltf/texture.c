/* The pictures of base colours, read when somebody wants to see them. A file that is only looked at is refused for
 * nothing: what is wrong with a texture is a warning, and the material goes without. */
#include "io/gltf/gltf.h"

#include "io/file/file.h"

#include <math.h>
#include <string.h>

enum
{
    GL_CLAMP = 33071,
    GL_MIRROR = 33648,
    GL_NEAREST = 9728
};

/* object[key] as an index below count; PLEAT_NONE for anything else. */
static uint32_t index_of(json_t *object, const char *key, json_t *array)
{
    json_t *value = json_object_get(object, key);
    json_int_t index = json_is_integer(value) ? json_integer_value(value) : -1;
    return index >= 0 && (size_t)index < json_array_size(array) ? (uint32_t)index : PLEAT_NONE;
}

static pleat_wrap wrap_of(json_t *sampler, const char *key)
{
    json_int_t code = json_integer_value(json_object_get(sampler, key));
    return code == GL_CLAMP ? PLEAT_WRAP_CLAMP : code == GL_MIRROR ? PLEAT_WRAP_MIRROR : PLEAT_WRAP_REPEAT;
}

static float number_at(json_t *array, size_t i, float fallback)
{
    json_t *value = json_array_get(array, i);
    float number = json_is_number(value) ? (float)json_number_value(value) : fallback;
    return isfinite(number) ? number : fallback;
}

/* KHR_texture_transform: scale, then rotation, then offset. */
static void read_transform(json_t *extension, float out[6])
{
    json_t *offset = json_object_get(extension, "offset"), *scale = json_object_get(extension, "scale");
    float angle = (float)json_number_value(json_object_get(extension, "rotation"));
    float c = isfinite(angle) ? cosf(angle) : 1, s = isfinite(angle) ? sinf(angle) : 0;
    float across = number_at(scale, 0, 1), along = number_at(scale, 1, 1);
    const float made[6] = {c * across,  s * along, number_at(offset, 0, 0),
                           -s * across, c * along, number_at(offset, 1, 0)};
    memcpy(out, made, sizeof made);
}

/* The bytes of an image: in a view, in its URI, or in a file beside the asset. *owned is to be freed. */
static pleat_result find_bytes(pl_gltf *g, json_t *image, const char *place, const uint8_t **bytes, size_t *size,
                               unsigned char **owned, pleat_error *inner)
{
    const char *uri = json_string_value(json_object_get(image, "uri"));
    uint32_t view = index_of(image, "bufferView", json_object_get(g->root, "bufferViews"));
    const char *problem = NULL;
    if (view != PLEAT_NONE)
    {
        const pl_gltf_view *found;
        PL_TRY(pl_gltf_get_view(g, view, &found));
        *bytes = found->bytes;
        *size = found->size;
        return *bytes ? PLEAT_OK : pl_fail(inner, PLEAT_BAD_DATA, "its bufferView has no data");
    }
    if (uri && pl_uri_is_data(uri))
    {
        return pl_gltf_uri_data(g, uri, strlen(uri), place, bytes, size);
    }
    char *path = uri && !g->alone ? pl_uri_path(&g->asset->arena, g->asset, uri, &problem) : NULL;
    if (!path || problem)
    {
        return pl_fail(inner, PLEAT_BAD_DATA, "%s",
                       problem ? problem : "it names no bufferView and no file beside this one");
    }
    PL_TRY(pl_file_read(path, &g->asset->host, &g->asset->memory, owned, size, inner));
    *bytes = *owned;
    return PLEAT_OK;
}

static pleat_result read_image(pl_gltf *g, uint32_t index, pleat_image *out, pleat_error *error)
{
    pl_place place = pl_at("images[%u]", index);
    json_t *image = json_array_get(json_object_get(g->root, "images"), index);
    const uint8_t *bytes = NULL;
    unsigned char *owned = NULL;
    size_t size = 0;
    pleat_error inner = {0};
    pleat_error *outer = g->error;
    g->error = &inner;
    pleat_result result = find_bytes(g, image, place.text, &bytes, &size, &owned, &inner);
    g->error = outer;
    if (result == PLEAT_OK)
    {
        result = pleat_image_decode(bytes, size, place.text, &g->asset->host, out, &inner);
    }
    pl_free(&g->asset->memory, owned);
    if (result == PLEAT_NO_MEMORY || result == PLEAT_OVER_LIMIT)
    {
        return pl_fail(error, result, "%s", inner.message);
    }
    if (result != PLEAT_OK)
    {
        pl_gltf_warn(g, "%s is not shown: %s", place.text, inner.message);
    }
    return PLEAT_OK;
}

pleat_result pleat_asset_base_texture(const pleat_asset *asset, uint32_t material, pleat_texture *out,
                                      pleat_error *error)
{
    *out = (pleat_texture){.transform = {1, 0, 0, 0, 1, 0}};
    pl_gltf *g = asset->gltf;
    json_t *root = g ? g->root : NULL;
    json_t *item = json_array_get(json_object_get(root, "materials"), material);
    json_t *info = json_object_get(json_object_get(item, "pbrMetallicRoughness"), "baseColorTexture");
    json_t *textures = json_object_get(root, "textures");
    uint32_t texture = index_of(info, "index", textures);
    if (texture == PLEAT_NONE)
    {
        return PLEAT_OK;
    }
    json_t *transform = json_object_get(json_object_get(info, "extensions"), "KHR_texture_transform");
    json_t *set = json_object_get(transform, "texCoord");
    set = set ? set : json_object_get(info, "texCoord");
    if (json_integer_value(set) != 0)
    {
        pl_gltf_warn(g, "materials[%u]: its texture uses TEXCOORD_%d and is not shown; set 0 is", material,
                     (int)json_integer_value(set));
        return PLEAT_OK;
    }
    json_t *samplers = json_object_get(root, "samplers");
    json_t *described = json_array_get(textures, texture);
    json_t *sampler = json_array_get(samplers, index_of(described, "sampler", samplers));
    uint32_t image = index_of(described, "source", json_object_get(root, "images"));
    if (transform)
    {
        read_transform(transform, out->transform);
    }
    out->wrap_u = wrap_of(sampler, "wrapS");
    out->wrap_v = wrap_of(sampler, "wrapT");
    out->nearest = json_integer_value(json_object_get(sampler, "magFilter")) == GL_NEAREST;
    if (image == PLEAT_NONE)
    {
        pl_gltf_warn(g, "materials[%u]: its texture has no PNG or JPEG and is not shown", material);
        return PLEAT_OK;
    }
    return read_image(g, image, &out->image, error);
}
