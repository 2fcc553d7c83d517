/* pleat/stack_look.h: the look of a stack by names: its skinning method, its layers, and all their parameters.
 *
 * Made from the tables of layers and of skinning methods (pleat/layer.h), so that it knows a host's own as well. */
#ifndef PLEAT_STACK_LOOK_H
#define PLEAT_STACK_LOOK_H

#include "pleat/layer.h"
#include "pleat/look.h"

PLEAT_BEGIN

typedef struct pleat_stack_look pleat_stack_look;

/* With the defaults of all parameters, the first skinning method and no layer. Host may be NULL. */
pleat_result pleat_stack_look_create(const pleat_host *host, pleat_stack_look **look, pleat_error *error);
void pleat_stack_look_destroy(pleat_stack_look *look); /* NULL is fine */

/* What pleat_look_set, _read and _format take: the sections skin and mask, then one for each layer that has parameters,
 * whether it is in the stack or not. Valid as long as the look. */
const pleat_look *pleat_stack_look_sections(pleat_stack_look *look);
/* Adds a layer behind those there are. Fails for a name that there is not, and for one that is there already. */
pleat_result pleat_stack_look_add(pleat_stack_look *look, const char *layer, pleat_error *error);
uint32_t pleat_stack_look_count(const pleat_stack_look *look);
const pleat_layer_type *pleat_stack_look_at(const pleat_stack_look *look, uint32_t index);
bool pleat_stack_look_has(const pleat_stack_look *look, const pleat_layer_type *type);
/* The options of a layer, in the stack or not; NULL for one that is in no table. */
void *pleat_stack_look_options(pleat_stack_look *look, const pleat_layer_type *type);
/* Puts what a host has (a const pleat_body * and so on, NULL: none) where the layers of the stack, and that of the
 * skinning method, take an input of this name (NULL: those that nobody has to name) and kind. Returns how many do. */
uint32_t pleat_stack_look_put(pleat_stack_look *look, const char *name, pleat_input_kind kind, const void *object);

/* The whole tables of layers and skinning methods as JSON, with the look's values: for pages, add-ons and documentation
 * that make their controls of it. Returns the length without the 0, and writes at most size bytes. */
size_t pleat_stack_look_describe(pleat_stack_look *look, char *out, size_t size);

/* Once all is set: gives layers the values of single joints, and lets those of the stack warn, through the host, of
 * what changes nothing. Fails for want of memory, and for a mask that is no name of a file. */
pleat_result pleat_stack_look_settle(pleat_stack_look *look, pleat_error *error);

/* What a stack and a bake take, valid as long as the look: the layers, in order, */
const pleat_layer_desc *pleat_stack_look_layers(const pleat_stack_look *look);
/* the method, and the layer that belongs to it (its type is NULL where it has none); layer may be NULL; */
const pleat_skin_method *pleat_stack_look_skin(const pleat_stack_look *look, pleat_layer_desc *layer);
/* the mask: "" none, "color", or "@FILE". */
const char *pleat_stack_look_mask(const pleat_stack_look *look);

PLEAT_END

#endif
