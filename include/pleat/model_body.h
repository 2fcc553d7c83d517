/* pleat/model_body.h: meshes of a model, over a clip, as the body that cloth lies on. */
#ifndef PLEAT_MODEL_BODY_H
#define PLEAT_MODEL_BODY_H

#include "pleat/layer.h"

PLEAT_BEGIN

typedef struct pleat_model_body_desc
{
    const pleat_model *model; /* must outlive the body */
    uint32_t clip;            /* index, or PLEAT_NONE: it stands still */
    uint32_t shot_count;      /* default 0; else clips of the model one after the other, in place of clip */
    const pleat_shot *shots;
    float fps; /* of the shots' frames */
    pleat_skinning skinning;
    pleat_layer_desc skin_layer; /* of the skinning method; default none */
    uint32_t part_count;
    const uint32_t *nodes;      /* part_count: with a mesh; the parts of one node follow each other */
    const uint32_t *primitives; /* part_count, of the node's mesh */
} pleat_model_body_desc;

typedef struct pleat_model_body pleat_model_body;

pleat_result pleat_model_body_create(const pleat_model_body_desc *desc, const pleat_host *host, pleat_model_body **body,
                                     pleat_error *error);
void pleat_model_body_destroy(pleat_model_body *body); /* NULL is fine */
/* As layers take it. One frame at a time: its positions are computed where they are asked for. */
const pleat_body *pleat_model_body_get(const pleat_model_body *body);

PLEAT_END

#endif
