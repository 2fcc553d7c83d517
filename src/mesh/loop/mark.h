/* Which triangles are split, level by level: the wishes, and what grading adds to them. */
#ifndef PL_MESH_LOOP_MARK_H
#define PL_MESH_LOOP_MARK_H

#include "mesh/loop/level.h"

/* The split triangles of each level, as a byte for each triangle of that level (child k of the i-th split triangle is
 * number 4 i + k of the next level). NULL from the first level on that splits nothing. */
typedef struct pl_loop_marks
{
    uint8_t *split[PL_LOOP_MAX_LEVEL];
} pl_loop_marks;

/* Grading: before a triangle is split, all triangles of its level around its three vertices must be there, so their
 * parents are split first. The rules then find the whole ring that they read, so every vertex of a split triangle lies
 * where uniform subdivision puts it; and no edge has more than one vertex of finer neighbours on it. */
pleat_result pl_loop_mark(pl_memory *memory, const pleat_loop_desc *desc, const pleat_topology *topology,
                          pl_loop_marks *marks, pleat_error *error);
void pl_loop_marks_free(pl_memory *memory, pl_loop_marks *marks);

#endif
