/* What a stack is bound to: the nodes, and the parts of them that its layers act on. */
#ifndef APP_CHOICE_H
#define APP_CHOICE_H

#include "apps/pleat/session.h"

#include "pleat/bake.h"

typedef struct stack_choice
{
    uint32_t *nodes;
    uint32_t node_count; /* 0: all of the scene */
    bool *garment;       /* per primitive of the nodes; NULL: everywhere */
    float *mask;         /* painted, per vertex of the nodes' meshes; NULL: none */
    uint32_t *clips;     /* of a bake of several; NULL: none */
    pleat_shot *shots;   /* the same as a row */
} stack_choice;

/* Clips that are about to be baked. */
typedef struct clip_row
{
    uint32_t clip;       /* the first, or PLEAT_NONE */
    uint32_t shot_count; /* of several; 0: clip alone */
    const pleat_shot *shots;
    float fps;
} clip_row;

/* What a stack does with garments that nobody named. */
typedef enum garment_use
{
    GARMENT_UNUSED,  /* nothing: they are not looked for */
    GARMENT_WELCOME, /* acts on them if there are any */
    GARMENT_NEEDED   /* acts on them; it is an error if there are none */
} garment_use;

/* The parts that --garment names are garments; without it those that look like cloth, if that is of use, or everything.
 * only: the nodes of what --garment names, and no others; mask: as --mask takes it, or NULL. Returns an exit status,
 * having said why. */
int choose_stack(const app_session *session, const pleat_model *model, garment_use use, bool only, const char *mask,
                 stack_choice *choice);
/* True if joints move any of the chosen garments: folds need that. */
bool choice_is_skinned(const stack_choice *choice, const pleat_model *model);
void choice_free(stack_choice *choice);
/* Into the desc, which must not outlive the choice. */
void choice_apply(const stack_choice *choice, pleat_bake_desc *desc);

enum
{
    FRAMES_UNASKED = 100000 /* a clip may say that it lasts for years; more than this only by --frames */
};

/* The frames that --frames names, both of desc and of its clip at its rate; a clip that lasts too long needs it.
 * Returns an exit status. */
int choose_bake_frames(const app_session *session, const pleat_model *model, pleat_bake_desc *desc);

#endif
