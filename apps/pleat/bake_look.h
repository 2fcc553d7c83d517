/* The look of a stack: its skinning and its layers, with what --look, --set and --skin make of their defaults. A new
 * layer gets a member for its options here, its name in LAYER_NAMES, and a row in the table of bake_look.c. */
#ifndef APP_BAKE_LOOK_H
#define APP_BAKE_LOOK_H

#include "session.h"

#include "pleat/bake.h"
#include "pleat/layers/folds.h"
#include "pleat/look.h"
#include "pleat/layers/volume.h"
#include "pleat/layers/wrinkles.h"
#include "pleat/layers/live.h"

/* As --layer takes them, in the order of the table. */
#define LAYER_NAMES "folds|volume|wrinkles|live"
enum
{
    LAYER_KINDS = 4
};

/* Rows for the table of a command that makes a stack; look_open reads them. */
#define LOOK_OPTIONS                                                                                                    \
    {"skin", 0, OPTION_CHOICE, false, "lbs|dqs", NULL, 0, 0, "linear blend (default), or dual quaternion skinning"},    \
        {"layer",                                                                                                       \
         0,                                                                                                             \
         OPTION_CHOICE,                                                                                                 \
         true,                                                                                                          \
         LAYER_NAMES "|none",                                                                                           \
         NULL,                                                                                                          \
         0,                                                                                                             \
         0,                                                                                                             \
         "what acts on the garments, in order; default: folds, render: none"},                                          \
        {"mask", 0,      OPTION_TEXT,                                                                                   \
         false,  "FILE", NULL,                                                                                          \
         0,      0,      "layers act where this PNG, or 'color' of vertices, is white"},                                \
        {"refine", 0, OPTION_CHOICE, false, "keep|loop", NULL, 0, 0, "add triangles and keep the rest; or Loop's way"}, \
        {"max-triangles", 0, OPTION_TEXT, false, "N|4x", NULL, 0, 0, "of keep: a number, or times the input's; 6x"},    \
        {"level", 0, OPTION_WHOLE, false, "N", "0", 0, 6, "of loop: subdivide the garments this often in any case"},    \
        {"wrinkles", 0, OPTION_PATH, false, "FILE", NULL, 0, 0, "curves of wrinkles from a file, not traced ones"},     \
        {"body", 0, OPTION_TEXT, true, "NAME", NULL, 0, 0, "what wrinkles stay out of: a mesh by name, or a file"},     \
        {"look", 0, OPTION_PATH, false, "FILE", NULL, 0, 0, "a look file: the parameters of the stack as JSON"},        \
    {                                                                                                                   \
        "set", 0, OPTION_TEXT, true, "KEY=VALUE", NULL, 0, 0,                                                           \
            "one parameter, such as folds.width=2cm, over the look's"                                                   \
    }

typedef struct skin_options
{
    uint32_t method; /* a pleat_skinning */
} skin_options;

typedef struct mask_options
{
    char image[PLEAT_TEXT_LIMIT]; /* "": none, "color", or "@FILE" */
} mask_options;

typedef struct bake_look
{
    skin_options skin;
    mask_options mask;
    pleat_folds_options folds;
    pleat_live_options live;
    pleat_volume_options volume;
    pleat_wrinkles_options wrinkles;
    pleat_joint_values folds_joints, volume_joints;
    pleat_folds_joint folds_values[PLEAT_JOINT_VALUES]; /* what folds_joints come to */
    char folds_curves[PLEAT_JOINT_VALUES][PLEAT_TEXT_LIMIT];
    pleat_volume_bone volume_bones[PLEAT_JOINT_VALUES]; /* what volume_joints come to */
    pleat_refine refine;
    uint32_t level;         /* of --level */
    uint64_t max_triangles; /* of --max-triangles: this, */
    float triangle_times;   /* or, where it is 0, this */
    uint32_t layer_count;
    uint32_t layers[LAYER_KINDS]; /* rows of the table, in the order of --layer */
    bool unasked;                 /* the layers are there by default: a file that they cannot act on goes without */
} bake_look;

/* Defaults, then the file of --look, then each --set, then --skin, --level and --layer. Returns an exit status, having
 * said what is wrong. */
int look_open(const app_session *session, bake_look *look);
/* Without any --layer: folds. They count as asked for if a --set speaks of them. */
void look_take_default_layers(const app_session *session, bake_look *look);
/* The mask as --mask takes it, which comes before the look's; or NULL. */
const char *look_mask(const app_session *session, const bake_look *look);
/* Refuses a --set (or another option) for a layer that --layer does not name. Returns an exit status. */
int look_check_used(const app_session *session, const bake_look *look);
/* The layers as a bake takes them: look->layer_count of them, valid as long as the look. */
void look_layers(const bake_look *look, pleat_layer_desc layers[LAYER_KINDS]);
bool look_has_layer(const bake_look *look, const pleat_layer_type *type);
/* It as a look file; malloc'ed, NULL without memory. Numbers are printed so that they can be told apart. */
char *look_text(bake_look *look);
/* Prints it as a look file on stdout. */
int look_print(const app_session *session, bake_look *look);
/* All parameters with units, ranges and defaults as a page of text. */
void look_print_parameters(void);

#endif
