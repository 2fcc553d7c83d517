/* Deep bends: the crease itself takes up length.
 *
 * Where a limb touches itself there is no room for folds, and what they cannot take is tucked into the crease: a valley
 * along the ring, half way between the bones, that goes as deep as the lines across it need to be as long as at rest.
 * It is one more fold, solved like the others, after they have risen; what it is sure to take they leave to it, or the
 * lines would be too long. For an inner radius r and a bend t the cloth that lies in the crease is r tan(t / 2) long on
 * each side, and the joint is r / cos(t / 2) away: it always fits. */
#include "layers/folds/folds.h"

enum
{
    TUCK_SAMPLES = PL_FOLD_SAMPLES * 2 * PL_FOLDS_A_SIDE
};

/* How deep it may get, of the way from the ring to the joint. */
#define DEEPEST 0.75f
/* And of the way to what lies beneath, which comes nearer as the limb bends. */
#define DEEPEST_COVERED 0.5f
/* How slowly it follows what is covered; of a fold's width. */
#define GROOVE 0.6f
/* The depth of the tuck at an arc length from the ring, 0 .. 1. */
static float depth_at(const pl_bound_ring *ring, float arc)
{
    float r = fabsf(arc) / (PL_FOLD_TUCK_REACH * ring->width);
    return r < 1 ? (1 - r) * (1 - r) * (1 + 2 * r) : 0;
}

/* The part of a line that is tucked. */
typedef struct tuck_line
{
    pl_f4 points[TUCK_SAMPLES], moved[TUCK_SAMPLES];
    uint32_t count;
    double length;  /* of the part */
    double missing; /* of the line as far as weights blend */
    float fade;     /* of its folds, the least */
} tuck_line;

/* points: of the fold's samples; NULL: where they are in the frame. */
static void add_fold(const pl_bound_ring *ring, uint32_t station, uint32_t k, pl_f4 down, const pl_f4 *points,
                     const pleat_layer_frame *frame, tuck_line *line)
{
    const pl_fold *fold = &ring->folds[station * ring->fold_count + k];
    double length = 0;
    pl_f4 before = pl_splat(0);
    for (uint32_t i = 0; i < fold->sample_count; ++i)
    {
        const pl_fold_sample *sample = &ring->samples[fold->first_sample + i];
        float arc = ring->bounds[k] + (ring->bounds[k + 1] - ring->bounds[k]) * sample->part;
        pl_f4 place =
            points ? points[fold->first_sample + i] : pl_fold_mix(frame->positions, sample->vertex, sample->weight);
        length += i ? (double)pl_length3(place - before) : 0;
        line->points[line->count] = place;
        line->moved[line->count++] = down * pl_splat(depth_at(ring, arc));
        before = place;
    }
    line->length += length;
    line->missing += (double)fold->rest_length - length;
}

/* The line as far as weights blend. False: it is not whole, or misses nothing. */
static bool make_line(const pl_bound_ring *ring, uint32_t station, pl_f4 up, const pl_f4 *points,
                      const pleat_layer_frame *frame, tuck_line *line)
{
    uint32_t count = ring->fold_count;
    line->count = 0;
    line->length = line->missing = 0;
    line->fade = 1;
    for (uint32_t k = PL_FOLDS_SPARE; k + PL_FOLDS_SPARE < count; ++k)
    {
        const pl_fold *fold = &ring->folds[station * count + k];
        if (fold->sample_count < 3)
        {
            return false;
        }
        line->fade = fold->fade < line->fade ? fold->fade : line->fade;
        add_fold(ring, station, k, -up, points, frame, line);
    }
    return line->missing > 0 && line->count >= 3;
}

/* How long the line is to become. Of what is missing the first hundredth of the line counts in part: the crease begins
 * evenly, where the bare square root would leap. */
static double wanted_length(const tuck_line *line)
{
    double slack = 0.01 * (line->length + line->missing);
    return line->length + line->missing * line->missing / (line->missing + slack);
}

float pl_fold_tuck_room(const pl_bound_ring *ring, uint32_t station, const pl_fold_tuck_pose *pose)
{
    uint32_t middle = ring->fold_count / 2;
    const pl_fold_sample *foot = &ring->feet[(size_t)station * (ring->fold_count + 1) + middle];
    pl_f4 bottom = pl_fold_mix(pose->frame->positions, foot->vertex, foot->weight);
    float free = DEEPEST * pl_dot3(bottom - pose->pivot, pose->up);
    float room = fminf(free, DEEPEST_COVERED * ring->beneath[station]), pressed = fmaxf(pose->pressed, 0);
    room += (free - room) * pose->given_up;
    /* Between walls that are a fold or less apart it would be a slot, whose sides cross. */
    float wide = pl_fold_ramp(ring->bounds[ring->fold_count - PL_FOLDS_SPARE] / ring->width, 1, 2);
    /* Deeper than it is covered, it would be a pit; it begins as a groove. */
    return wide * fminf(room, pressed > 0 ? pressed * pressed / (pressed + GROOVE * ring->width) : 0);
}

float pl_fold_tuck(const pl_bound_ring *ring, uint32_t station, pl_f4 up, pl_f4 pivot, float pressed,
                   const pleat_layer_frame *frame)
{
    tuck_line line;
    pl_fold_segment segments[TUCK_SAMPLES];
    const pl_fold_tuck_pose pose = {.up = up, .pivot = pivot, .pressed = pressed, .frame = frame};
    float room = pl_fold_tuck_room(ring, station, &pose);
    if (!(room > 0) || !make_line(ring, station, up, NULL, frame, &line))
    {
        return 0;
    }
    pl_fold_segments(line.count, line.points, line.moved, segments);
    pl_fold_solution solution = pl_fold_solve_eased(segments, line.count - 1, wanted_length(&line), 0);
    return (float)pl_fold_limit(solution.amplitude, (double)room) * line.fade * ring->strength;
}

float pl_fold_tuck_share(const pl_bound_ring *ring, uint32_t station, const pl_fold_tuck_pose *pose)
{
    tuck_line line;
    pl_fold_segment segments[TUCK_SAMPLES];
    float room = pl_fold_tuck_room(ring, station, pose);
    if (!(room > 0) || !make_line(ring, station, pose->held, pose->points, pose->frame, &line))
    {
        return 0;
    }
    pl_fold_segments(line.count, line.points, line.moved, segments);
    double wanted = wanted_length(&line);
    pl_fold_solution solution = pl_fold_solve_eased(segments, line.count - 1, wanted, 0);
    double depth = pl_fold_limit(solution.amplitude, (double)(PL_FOLD_TUCK_SURE * room));
    double taken = wanted - line.length + pl_fold_tau(segments, line.count - 1, wanted, depth, NULL);
    return taken > 0 ? 0.5f * (float)taken * line.fade * ring->strength : 0;
}

void pl_fold_tuck_cell(const pl_bound_ring *ring, uint32_t station, uint32_t k, const float tucks[2],
                       const pl_f4 ups[2], pleat_vec4 *positions)
{
    const uint32_t *first = ring->first_vertex + (size_t)station * ring->fold_count + k;
    for (uint32_t i = first[0]; i < first[1]; ++i)
    {
        const pl_fold_vertex *v = &ring->vertices[i];
        float arc = ring->bounds[k] + 0.5f * (v->x + 1) * (ring->bounds[k + 1] - ring->bounds[k]);
        float depth = v->mask * depth_at(ring, arc) * (tucks[0] + (tucks[1] - tucks[0]) * v->share);
        pleat_vec4 *position = &positions[v->vertex];
        pl_store(position, pl_load(position) - pl_lerp(ups[0], ups[1], v->share) * pl_splat(depth));
    }
}
