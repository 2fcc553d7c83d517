/* Folds in contact: how high each may rise before it would pass through what is next to it.
 *
 * Planes stand across a line where two folds meet, and one more at the crease of the joint; each fold stays on its side
 * of them. Where plain skinning has already pushed the surface through itself, samples lie behind their planes from the
 * start and nothing rises. A plane's direction comes from where the two bones point, not from the surface alone: that
 * may turn around in the crease, the bones' mean direction does not before they lie on each other. */
#include "layer/folds.h"

/* A plane that a fold must not pass: point and unit direction, which points away from the fold. */
typedef struct wall
{
    pl_f4 point, direction;
} wall;

/* The largest amplitude that keeps every sample on its side of a wall, with a gap that grows from nothing at the foot.
 * A sample that is behind the wall from the start allows none. */
static float room_before(const wall *w, const pl_f4 *points, const pl_f4 *raised, uint32_t count, float gap,
                         float least, float most)
{
    for (uint32_t i = 1; i + 1 < count; ++i)
    {
        float share = pl_length3(raised[i]);
        if (share < 0.25f)
        {
            continue; /* close to a foot: rises too little to be asked */
        }
        /* Even a sample that rises away from the wall gets no higher than a few times its distance from it: where
         * skinning has pushed the surface through the wall, nothing rises, and on the way there nothing jumps. */
        float towards = fmaxf(pl_dot3(raised[i], w->direction), least * share);
        float room = pl_dot3(w->point - points[i], w->direction) - gap * share;
        if (room < most * towards)
        {
            most = room > 0 ? room / towards : 0;
        }
    }
    return most;
}

/* The direction of the line at foot k of a station, as the bone on each side turns it: a mix of the two. */
static pl_f4 bone_direction(const pl_bound_ring *ring, uint32_t station, uint32_t k, float share,
                            const pleat_layer_frame *frame)
{
    pl_f4 along = ring->along[(size_t)station * (ring->fold_count + 1) + k];
    pl_f4 near = pl_normalize3(pl_affine_vector(&frame->joints[ring->parent], along));
    pl_f4 far = pl_normalize3(pl_affine_vector(&frame->joints[ring->joint], along));
    return pl_lerp(near, far, share);
}

/* The plane across a line where two folds meet; both stop at it, from either side. */
static wall foot_wall(const pl_bound_ring *ring, uint32_t station, uint32_t k, float away,
                      const pleat_layer_frame *frame)
{
    const pl_fold_sample *foot = &ring->feet[3 * ((size_t)station * (ring->fold_count + 1) + k)];
    pl_f4 along = pl_fold_mix(frame->positions, foot[2].vertex, foot[2].weight) -
                  pl_fold_mix(frame->positions, foot[0].vertex, foot[0].weight);
    pl_f4 bones = bone_direction(ring, station, k, (float)k / (float)ring->fold_count, frame);
    /* The line's own direction is worth its length: where it is nearly lost, the bones decide. Where skinning has
     * turned it around, what points backwards does not count: the sum never vanishes, so the plane never flips. */
    float back = fminf(pl_dot3(along, bones) / fmaxf(pl_dot3(bones, bones), 1e-12f), 0);
    along -= bones * pl_splat(back);
    pl_f4 direction = along * pl_splat(1 / (2 * PL_FOOT * ring->width)) + bones * pl_splat(0.35f);
    return (wall){pl_fold_mix(frame->positions, foot[1].vertex, foot[1].weight),
                  pl_normalize3(direction) * pl_splat(away)};
}

/* The plane of the crease: through the line's point on the ring, half way between the bones. */
static wall crease_wall(const pl_bound_ring *ring, uint32_t station, float away, const pleat_layer_frame *frame)
{
    uint32_t middle = ring->fold_count / 2;
    const pl_fold_sample *foot = &ring->feet[3 * ((size_t)station * (ring->fold_count + 1) + middle)];
    pl_f4 direction = pl_normalize3(bone_direction(ring, station, middle, 0.5f, frame));
    return (wall){pl_fold_mix(frame->positions, foot[1].vertex, foot[1].weight), direction * pl_splat(away)};
}

float pl_fold_room(const pl_bound_ring *ring, uint32_t station, uint32_t k, const pleat_layer_frame *frame,
                   const pl_f4 *points, const pl_f4 *raised, uint32_t count)
{
    bool behind = k >= ring->fold_count / 2;
    wall walls[3] = {
        foot_wall(ring, station, k, -1, frame),
        foot_wall(ring, station, k + 1, 1, frame),
        crease_wall(ring, station, behind ? -1.0f : 1.0f, frame),
    };
    float most = PL_FOLD_STEEP * ring->width;
    for (int i = 0; i < 3; ++i)
    {
        most = room_before(&walls[i], points, raised, count, (i == 2 ? 0.1f : 0.02f) * ring->width,
                           i == 2 ? 0.5f : 0.25f, most);
    }
    return most;
}

float pl_fold_carry(const pl_bound_ring *ring, uint32_t station, const pleat_layer_frame *frame)
{
    if (!frame->joints)
    {
        return 1;
    }
    uint32_t middle = ring->fold_count / 2;
    float cosine =
        pl_dot3(bone_direction(ring, station, middle, 0, frame), bone_direction(ring, station, middle, 1, frame));
    /* From 100 to 125 degrees. */
    float t = fminf(fmaxf((cosine + 0.574f) / (0.574f - 0.174f), 0), 1);
    return t * t * (3 - 2 * t);
}

/* Between two stations a fold may meet what neither of their lines does: each room is the least of its own and those
 * next to it. */
static void share_rooms(const pl_bound_ring *ring, uint32_t k, float *rooms)
{
    uint32_t stations = ring->station_count, folds = ring->fold_count;
    float first = rooms[k], before = ring->closed ? rooms[(stations - 1) * folds + k] : first;
    for (uint32_t i = 0; i < stations; ++i)
    {
        float *room = &rooms[i * folds + k], here = *room;
        float behind = i + 1 < stations ? rooms[(i + 1) * folds + k] : ring->closed ? first : here;
        *room = fminf(here, fminf(before, behind));
        before = here;
    }
}

void pl_fold_taper_rooms(const pl_bound_ring *ring, float slope, float *rooms)
{
    uint32_t stations = ring->station_count, folds = ring->fold_count;
    float step = slope * ring->spacing;
    for (uint32_t k = 0; k < folds; ++k)
    {
        share_rooms(ring, k, rooms);
        /* Twice around each way, so that a closed ring has no seam. */
        for (uint32_t i = 1; i < 2 * stations; ++i)
        {
            if (i == stations && !ring->closed)
            {
                break;
            }
            float *room = &rooms[i % stations * folds + k];
            *room = fminf(*room, rooms[(i - 1) % stations * folds + k] + step);
        }
        for (uint32_t i = 2 * stations - 1; i-- > 0;)
        {
            if (!ring->closed && i + 1 >= stations)
            {
                continue;
            }
            float *room = &rooms[i % stations * folds + k];
            *room = fminf(*room, rooms[(i + 1) % stations * folds + k] + step);
        }
    }
}
