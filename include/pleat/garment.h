/* pleat/garment.h: which parts of a model are cloth: chosen by name, or guessed. */
#ifndef PLEAT_GARMENT_H
#define PLEAT_GARMENT_H

#include "pleat/model.h"

PLEAT_BEGIN

/* ---- By name --------------------------------------------------------------------------------------------------- */

/* True if the whole name fits the pattern: * stands for any characters, ? for one (of UTF-8); A-Z and a-z are the
 * same. Linear in memory, at worst quadratic in time. */
bool pleat_name_matches(const char *pattern, const char *name);

/* True if the name of the node, of its mesh, or of the primitive's material fits. */
bool pleat_part_matches(const pleat_model *model, uint32_t node, uint32_t primitive, const char *pattern);

/* ---- By guess -------------------------------------------------------------------------------------------------- */

/* One primitive of a node of the scene, and what speaks for or against cloth. */
typedef struct pleat_part_guess
{
    uint32_t node, primitive;
    bool garment;           /* the verdict */
    float score;            /* 0: surely not cloth, 1: surely; the verdict is yes from 0.5 on */
    const char *reason;     /* one sentence without a full stop; never NULL */
    uint32_t surface_count; /* welded vertices that the primitive uses */
    uint32_t border_count;  /* closed loops of open edges of its welded mesh that it takes part in */
    pleat_vec3 low, high;   /* box around it in world space, in the rest state */
} pleat_part_guess;

typedef struct pleat_garment_guess
{
    uint32_t part_count;
    const pleat_part_guess *parts; /* nodes in scene order, primitives in file order */
    pleat_vec3 low, high;          /* box around all parts; zeros if there is none */
} pleat_garment_guess;

/* Looks at words in the names (several languages, usual exporters), at what moves each part, and at which part lies
 * just outside which. A model that bends at all has at least one garment: where nothing looks like cloth, the largest
 * part that bends stands in, as for a character with suit and skin in one mesh. The same answer for any threads. */
pleat_result pleat_garment_guess_create(const pleat_model *model, const pleat_host *host, pleat_garment_guess **guess,
                                        pleat_error *error);
void pleat_garment_guess_destroy(pleat_garment_guess *guess); /* NULL is fine */

PLEAT_END

#endif
