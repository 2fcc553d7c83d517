/* What a stack is bound to: the nodes, and the parts of them that its layers act on. */
#ifndef APP_CHOICE_H
#define APP_CHOICE_H

#include "session.h"

#include "pleat/bake.h"

typedef struct stack_choice
{
    uint32_t *nodes;
    uint32_t node_count; /* 0: all of the scene */
    bool *garment;       /* per primitive of the nodes; NULL: everywhere */
} stack_choice;

/* The parts that --garment names are garments; without it and with layers those that look like cloth, without either
 * everything. only: the nodes of what --garment names, and no others. Returns an exit status, having said why. */
int choose_stack(const app_session *session, const pleat_model *model, bool layers, bool only, stack_choice *choice);
void choice_free(stack_choice *choice);
/* Into the desc, which must not outlive the choice. */
void choice_apply(const stack_choice *choice, pleat_bake_desc *desc);

#endif
