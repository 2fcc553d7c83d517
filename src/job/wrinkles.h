/* What the wrinkles layer takes from the command line besides its look: curves of a file (--wrinkles) and the body that
 * cloth lies on (--body); and the curves that it leaves (--wrinkles-out). */
#ifndef APP_WRINKLE_INPUT_H
#define APP_WRINKLE_INPUT_H

#include "apps/pleat/bake_look.h"

#include "pleat/io.h"
#include "pleat/model_body.h"

/* Zero-initialise. Must outlive every bake of the look. */
typedef struct wrinkle_input
{
    pleat_wrinkle_file *file;
    pleat_asset *body_asset; /* of a body in a file of its own */
    pleat_model_body *body;
    pleat_model_body *others; /* every mesh of the scene */
    pleat_neighbours neighbours;
    uint32_t *neighbour_nodes;
    bool *neighbour_sheets;
} wrinkle_input;

/* Reads what the options name and puts it into the look's wrinkles. model and row: what is about to be baked. Returns
 * an exit status, having said why. */
int wrinkle_input_open(app_session *session, const pleat_model *model, const clip_row *row, bake_look *look,
                       wrinkle_input *input);
void wrinkle_input_close(wrinkle_input *input);

/* The curves of all stacks of a bake as a file. outputs may be NULL. */
pleat_result wrinkles_write(const pleat_bake *bake, const pleat_model *model, const char *path, pleat_outputs *outputs,
                            const pleat_host *host, pleat_error *error);

#endif
