/* Images in files of their own: taken into the output where their path would no longer lead to them. */
#include "io/gltf/write/writer.h"

#include "io/file/file.h"

#include <string.h>

/* The kind of an image by its first bytes; NULL for what is none, which is then not taken in. */
static const char *mime_type(const uint8_t *bytes, size_t size)
{
    static const struct
    {
        size_t offset, size;
        const char *bytes;
        const char *type;
    } kinds[] = {{0, 8, "\x89PNG\r\n\x1a\n", "image/png"},
                 {0, 3, "\xff\xd8\xff", "image/jpeg"},
                 {8, 4, "WEBP", "image/webp"},
                 {0, 7, "\xabKTX 20", "image/ktx2"},
                 {0, 4, "DDS ", "image/vnd-ms.dds"},
                 {4, 8, "ftypavif", "image/avif"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
    {
        if (size >= kinds[i].offset + kinds[i].size &&
            memcmp(bytes + kinds[i].offset, kinds[i].bytes, kinds[i].size) == 0)
        {
            return kinds[i].type;
        }
    }
    return NULL;
}

static pleat_result embed(pl_writer *w, json_t *images, size_t i, const char *uri)
{
    pl_gltf *g = w->asset->gltf;
    pl_place place = pl_at("images[%zu]", i);
    pleat_error inner = {0};
    const char *problem;
    char *path = pl_uri_path(&w->arena, w->asset, uri, &problem);
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (!path)
    {
        return pl_writer_no_memory(w);
    }
    pleat_result result = !problem ? pl_file_read(path, &w->asset->host, &w->memory, &bytes, &size, &inner)
                                   : pl_fail(&inner, PLEAT_BAD_DATA, "%s", problem);
    if (result == PLEAT_NO_MEMORY || result == PLEAT_OVER_LIMIT)
    {
        return pl_fail(w->error, result, "%s", inner.message);
    }
    const char *type = result == PLEAT_OK ? mime_type(bytes, size) : NULL;
    if (!type)
    {
        pl_free(&w->memory, bytes);
        pl_gltf_warn(g, "%s.uri stays as it is: %s", place.text,
                     result == PLEAT_OK ? "the file is of no known kind of image" : inner.message);
        return PLEAT_OK;
    }
    pl_owned *owned = pl_writer_alloc(w, 1, sizeof *owned);
    if (!owned)
    {
        pl_free(&w->memory, bytes);
        return pl_writer_no_memory(w);
    }
    *owned = (pl_owned){w->owned, bytes};
    w->owned = owned;
    uint32_t view = pl_add_view(w, bytes, size, 0);
    if (view == PLEAT_NONE)
    {
        return pl_writer_no_memory(w);
    }
    json_t *image = json_copy(json_array_get(images, i));
    json_object_del(image, "uri");
    pl_json_set(w, image, "mimeType", json_string(type));
    pl_json_set(w, image, "bufferView", json_integer(view));
    w->json_failed |= json_array_set_new(images, i, image) != 0;
    return pl_writer_check(w);
}

pleat_result pl_writer_embed_images(pl_writer *w)
{
    json_t *images = json_object_get(w->root, "images");
    if (!w->asset->gltf || w->asset->gltf->alone)
    {
        return PLEAT_OK;
    }
    for (size_t i = 0; i < json_array_size(images); ++i)
    {
        const char *uri = json_string_value(json_object_get(json_array_get(images, i), "uri"));
        if (uri && !pl_uri_is_data(uri))
        {
            PL_TRY(embed(w, images, i, uri));
        }
    }
    return PLEAT_OK;
}
