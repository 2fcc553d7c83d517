/* Implicit solids: what a body is modelled with.
 *
 * A solid is a field, negative inside, close to a distance near its surface. A body is a list of solids, each joined to
 * (or cut from) what came before with a smooth transition of a given width. */
#ifndef PL_MAKE_SOLID_H
#define PL_MAKE_SOLID_H

#include "make/patch.h"

/* A cross-section of a loft at height t: an ellipse around (x, z) with its own radius to each of the four sides. */
typedef struct pl_section
{
    double t;
    double x, z;        /* centre */
    double left, right; /* radii towards +x and -x */
    double front, back; /* radii towards +z and -z */
    double power;       /* 2 is an ellipse; up to 3: about a superellipse of that power */
} pl_section;

enum
{
    PL_SECTION_VALUES = 7,
    PL_LOFT_SECTIONS = 24
};

/* Sections along an axis, joined by monotone cubics, with rounded ends. */
typedef struct pl_loft
{
    pl_v3 origin, x, t, z; /* frame: unit axes, right-handed */
    uint32_t count;
    double at[PL_LOFT_SECTIONS];
    double values[PL_LOFT_SECTIONS][PL_SECTION_VALUES];
    double slopes[PL_LOFT_SECTIONS][PL_SECTION_VALUES];
    double cap_low, cap_high; /* lengths of the rounded ends */
} pl_loft;

typedef enum pl_solid_kind
{
    PL_SOLID_LOFT,
    PL_SOLID_CONE, /* two spheres and what lies between them */
    PL_SOLID_ELLIPSOID
} pl_solid_kind;

typedef struct pl_solid
{
    pl_solid_kind kind;
    bool cut;        /* taken away instead of added */
    bool both_sides; /* its mirror image counts too, where x is near 0 */
    double blend;    /* width of the smooth transition */
    pl_v3 a, b;      /* cone: the two centres; ellipsoid: centre a, radii b */
    double ra, rb;   /* cone: radii */
    pl_v3 axes[3];   /* ellipsoid */
    const pl_loft *loft;
} pl_solid;

enum
{
    PL_BODY_SOLIDS = 96
};

/* Which solids count in a cell of a grid, one bit each; filled when a cell is first asked for. */
typedef struct pl_body_cell
{
    uint64_t solids[PL_BODY_SOLIDS / 64 + 1];
    bool filled;
} pl_body_cell;

typedef struct pl_body_grid
{
    pl_v3 low;
    double size;
    uint32_t count[3];
    pl_body_cell *cells;
} pl_body_grid;

/* Symmetric about x = 0: solids stand for x >= 0. With grids (pl_body_prepare) the field is some times faster and
 * belongs to one thread. */
typedef struct pl_body
{
    uint32_t count;
    pl_solid solids[PL_BODY_SOLIDS];
    pl_body_grid coarse, fine;
} pl_body;

void pl_loft_init(pl_loft *loft, pl_v3 origin, pl_v3 x, pl_v3 t, const pl_section *sections, uint32_t count,
                  double cap_low, double cap_high);
/* The middle of a section, and its value (index as in pl_section after t). */
double pl_loft_value(const pl_loft *loft, double t, uint32_t index);
double pl_loft_distance(const pl_loft *loft, pl_v3 p);

/* Each returns the solid, so that cut, both_sides and the like can be set. */
pl_solid *pl_body_loft(pl_body *body, double blend, const pl_loft *loft);
pl_solid *pl_body_cone(pl_body *body, double blend, pl_v3 a, double ra, pl_v3 b, double rb);
/* turn: degrees about X, Y, Z. */
pl_solid *pl_body_ellipsoid(pl_body *body, double blend, pl_v3 centre, pl_v3 radii, pl_v3 turn);

/* Grids over the half box from (0, low.y, low.z) to high, once all solids are there. */
pleat_result pl_body_prepare(pl_maker *maker, pl_body *body, pl_v3 low, pl_v3 high);

double pl_solid_distance(const pl_solid *solid, pl_v3 p);
/* The field of a body; user is a pl_body. */
double pl_body_field(const void *user, pl_v3 p);

/* Minimum and maximum with a cubic transition of width k. */
PL_INLINE double pl_smooth_min(double a, double b, double k)
{
    double h = pl_greater(k - fabs(a - b), 0) / k;
    return pl_lesser(a, b) - h * h * h * k / 6;
}

PL_INLINE double pl_smooth_max(double a, double b, double k)
{
    return -pl_smooth_min(-a, -b, k);
}

#endif
