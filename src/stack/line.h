/* Lines of the coarse surface on the refined one: walked over its triangles, with a place wherever an edge is crossed.
 */
#ifndef PL_STACK_LINE_H
#define PL_STACK_LINE_H

#include "stack/cut.h"

typedef struct pl_stack_lines
{
    pl_memory *memory;
    uint32_t line_count;
    uint32_t *first_place; /* line_count + 1 */
    pleat_place *places;
    size_t place_count, place_room;
} pl_stack_lines;

pleat_result pl_stack_lines_make(const pl_stack_cut_desc *desc, pl_memory *memory, pl_stack_lines *lines,
                                 pleat_error *error);
void pl_stack_lines_free(pl_stack_lines *lines);

#endif
