/* pleat/layers/implicit.h: skinning with contact.
 *
 * Limbs that keep their volume where they bend and stop where they touch. After R. Vaillant et al., "Implicit
 * Skinning", ACM Trans. Graph. 32(4), 2013, as F. Turchet, O. Fryazinov and M. Romeo, "Extending Implicit Skinning with
 * Wrinkles", build on it. See docs/implicit.md. */
#ifndef PLEAT_LAYERS_IMPLICIT_H
#define PLEAT_LAYERS_IMPLICIT_H

#include "pleat/layer.h"

PLEAT_BEGIN

typedef struct pleat_implicit_options
{
    float strength; /* 0: plain skinning .. 1, default 1 */
    float bulge;    /* share of the volume lost in a bend that comes back beside the contact: 0 .. 2, default 1 */
    float smooth;   /* length over which skin relaxes around a contact, in radii of the limb: 0 .. 1, default 0.35 */
    float touch;    /* how far skin goes out of limbs that are no neighbours: 0 .. 1, default 1 */
} pleat_implicit_options;

pleat_implicit_options pleat_implicit_options_default(void);

/* The layer; its options are a pleat_implicit_options. It is coarse, stands on dual quaternion skinning (`--skin
 * implicit` is both) and keeps no state from frame to frame. */
extern const pleat_layer_type pleat_implicit_layer;

PLEAT_END

#endif
