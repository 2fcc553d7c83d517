/* The core alone, without files. */
#include "pleat/layers/folds.h"
#include "pleat/stack.h"

#include <stdio.h>

int main(void)
{
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    pleat_stack *stack = NULL;
    pleat_error error = {0};
    if (pleat_stack_create(&desc, NULL, &stack, &error) == PLEAT_OK)
    {
        return 1; /* there is no model */
    }
    return puts(error.message) < 0 || !pleat_folds_layer.name;
}
