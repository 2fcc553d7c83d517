#define PL_WIDTH 1 /* here places are looked at one by one */
#include "layers/folds/clearance/sight.h"

#include "base/fail.h"
#include "layers/folds/clearance/near.h"

/* Places that are noted stand at least about this far apart, of a fold's width, or look other ways. */
#define APART 0.4f
/* What would lower a room by less, of a fold's width, is as good as known. */
#define KNOWN 0.07f
/* A place counts as opposite if it looks back by more than 12 degrees past the side: cosine. One that is turned by 60
 * degrees and nearer than a quarter of its way at rest is crushed. */
#define OPPOSITE (-0.2f)
#define TURNED 0.5f
#define CRUSHED_TO 0.25f
/* How far ahead of a fold places count, of the height of two, and a little more. */
#define AHEAD 2.2f
/* What is nearer at rest, in folds' widths, and looks the same way is the fold's own surroundings. */
#define OWN 2.0f
/* A vertex has passed the crease from so far behind it on, of a fold's width. */
#define THROUGH 0.05f
/* Cloth is put back onto the crease unless its way from the ring is longer than at rest by this and so much of a fold's
 * width more; past 120 degrees always. */
#define STRETCHED 1.2f
#define DRAWN 0.1f
#define DEEPEST (-0.5f)

/* ---- Planning ---- */

typedef struct cell_index
{
    int64_t x, y, z;
} cell_index;

/* Far out all lies in one cell: nothing overflows. */
static int64_t cell_along(float x, float cell)
{
    float at = floorf(x / cell);
    return at > -1e9f && at < 1e9f ? (int64_t)at : 0;
}

static cell_index cell_of(pl_f4 place, float cell)
{
    return (cell_index){cell_along(place[0], cell), cell_along(place[1], cell), cell_along(place[2], cell)};
}

static uint32_t bucket_of(const pl_fold_crowd *crowd, cell_index c)
{
    uint64_t mixed = (uint64_t)c.x * 73856093u ^ (uint64_t)c.y * 19349663u ^ (uint64_t)c.z * 83492791u;
    return (uint32_t)mixed & crowd->mask;
}

static void clear_buckets(pl_fold_crowd *crowd)
{
    for (uint32_t i = 0; i <= crowd->mask; ++i)
    {
        crowd->first[i] = PLEAT_NONE;
    }
}

/* Does a cell hold a place already that looks the same way? next: from member to member of a cell. */
static bool is_taken(const pl_fold_crowd *crowd, const uint32_t *next, uint32_t vertex, cell_index at, float cell)
{
    for (uint32_t m = crowd->first[bucket_of(crowd, at)]; m != PLEAT_NONE; m = next[m])
    {
        const pleat_vec4 *normals = crowd->surface->normals;
        cell_index other = cell_of(pl_load(&crowd->surface->positions[crowd->members[m]]), cell);
        if (other.x == at.x && other.y == at.y && other.z == at.z &&
            pl_dot3(pl_load(&normals[vertex]), pl_load(&normals[crowd->members[m]])) > 0.5f)
        {
            return true;
        }
    }
    return false;
}

/* Where sheets cancel each other out a vertex has no normal (0, or no number): it looks nowhere, and is no member. Of
 * unit normals a cell takes few, as none is within 60 degrees of another. */
static bool has_normal(const pl_ring_surface *surface, uint32_t vertex)
{
    pl_f4 normal = pl_load(&surface->normals[vertex]);
    return pl_dot3(normal, normal) > 0.5f;
}

/* seen: #V, zeroed. Each vertex of a triangle is asked once, in the order of corners. */
static void choose_members(pl_fold_crowd *crowd, uint32_t *next, uint8_t *seen, float apart)
{
    const pl_ring_surface *surface = crowd->surface;
    clear_buckets(crowd);
    for (uint32_t i = 0; i < 3 * surface->topology->triangle_count; ++i)
    {
        uint32_t vertex = surface->topology->triangles[i];
        if (seen[vertex] || !has_normal(surface, vertex))
        {
            continue;
        }
        seen[vertex] = 1;
        cell_index at = cell_of(pl_load(&surface->positions[vertex]), apart);
        if (!is_taken(crowd, next, vertex, at, apart))
        {
            uint32_t *first = &crowd->first[bucket_of(crowd, at)];
            crowd->members[crowd->member_count] = vertex;
            next[crowd->member_count] = *first;
            *first = crowd->member_count++;
        }
    }
}

pleat_result pl_fold_crowd_make(const pl_folds_plan *plan, const pl_ring_surface *surface, pl_arena *arena,
                                pl_fold_crowd *out, pleat_error *error)
{
    uint32_t count = surface->topology->vertex_count, buckets = 1;
    float wide = plan->width;
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        wide = fmaxf(wide, plan->rings[r].values.width);
    }
    while (buckets < count && buckets < 1u << 20)
    {
        buckets *= 2;
    }
    *out = (pl_fold_crowd){.surface = surface, .cell = 1.5f * wide, .mask = buckets - 1};
    uint32_t *next = PL_ARENA_NEW(arena, uint32_t, count);
    uint8_t *seen = PL_ARENA_NEW(arena, uint8_t, count);
    out->first = PL_ARENA_NEW(arena, uint32_t, buckets);
    out->members = PL_ARENA_NEW(arena, uint32_t, count);
    out->looks = PL_ARENA_NEW(arena, pl_f4, count);
    if (!next || !seen || !out->first || !out->members || !out->looks)
    {
        return pl_fail_memory(arena->memory, error, "what is near");
    }
    choose_members(out, next, seen, APART * plan->width);
    out->fours = PL_ARENA_NEW(arena, pl_fold_four, out->member_count);
    return out->fours || !out->member_count ? PLEAT_OK : pl_fail_memory(arena->memory, error, "what is near");
}

/* Puts a place before all others of its cell. */
static void put(pl_fold_crowd *crowd, uint32_t vertex)
{
    pl_f4 place = pl_load(&crowd->positions[vertex]), rest = pl_load(&crowd->surface->positions[vertex]);
    pl_f4 normal = pl_load(&crowd->surface->normals[vertex]);
    uint32_t *first = &crowd->first[bucket_of(crowd, cell_of(place, crowd->cell))];
    if (*first == PLEAT_NONE || !crowd->fours[*first].empty)
    {
        pl_f4 nowhere = pl_splat(INFINITY);
        crowd->fours[crowd->four_count] =
            (pl_fold_four){.place = {nowhere, nowhere, nowhere}, .empty = 4, .next = *first};
        *first = crowd->four_count++;
    }
    pl_fold_four *four = &crowd->fours[*first];
    uint32_t lane = --four->empty;
    for (int i = 0; i < 3; ++i)
    {
        four->place[i][lane] = place[i];
        four->rest[i][lane] = rest[i];
        four->normal[i][lane] = normal[i];
    }
    four->vertex[lane] = vertex;
}

void pl_fold_crowd_fill(pl_fold_crowd *crowd, const pleat_vec4 *positions, const pleat_vec4 *ups)
{
    crowd->positions = positions;
    crowd->ups = ups;
    crowd->four_count = 0;
    clear_buckets(crowd);
    for (uint32_t m = 0; m < crowd->member_count; ++m)
    {
        uint32_t vertex = crowd->members[m];
        crowd->looks[vertex] = pl_normalize3(pl_load(&ups[vertex]));
        put(crowd, vertex);
    }
}

/* A fold that looks for what stands before it. */
typedef struct seeker
{
    const pl_fold_crowd *crowd;
    const pl_fold_ring *ring;
    uint32_t station, k;
    pl_f4 rest, rest_normal, place, up;
} seeker;

/* Which way a direction at rest points, as a bone turns it; unit. */
static pl_f4 turned_by(const pl_fold_crowd *crowd, uint32_t joint, pl_f4 direction)
{
    return pl_normalize3(pl_affine_vector(&crowd->joints[joint], direction));
}

/* From here on most of what has come through the crease is put back onto it (frame/press_wide.c): the cosine of 75
 * degrees, two thirds of the way from where that begins to where it is whole. */
#define DEEP 0.26f

/* Is cloth from across the ring put back onto the crease (frame/press_wide.c)? In deep bends it is, but where it is
 * stretched on its way from the ring. Past 120 degrees nothing is told by that: limbs lie on each other further out. */
static bool is_put_back(const seeker *s, float way, float arc)
{
    const pl_fold_ring *ring = s->ring;
    pl_f4 near = turned_by(s->crowd, ring->parent, ring->axis), far = turned_by(s->crowd, ring->joint, ring->axis);
    float cosine = pl_dot3(near, far);
    return cosine < DEEP && (cosine < DEEPEST || way < STRETCHED * (fabsf(arc) + DRAWN * ring->values.width));
}

/* Has a vertex from across the ring passed the crease, as a belly does over a raised thigh? Then the crease does not
 * keep it from the fold. arc: of the vertex, at rest. */
static bool is_through(const seeker *s, uint32_t vertex, float arc)
{
    const pl_fold_ring *ring = s->ring;
    const pl_ring_surface *surface = s->crowd->surface;
    pleat_place on_ring = pl_line_at(surface, &ring->patch.lines[s->station], 0);
    pl_f4 foot = pl_place_position(surface->topology, s->crowd->positions, &on_ring);
    pl_f4 way = pl_load(&s->crowd->positions[vertex]) - foot;
    pl_f4 along = pl_affine_vector(&s->crowd->from_rest, ring->ring.stations[s->station].across);
    pl_f4 across = turned_by(s->crowd, ring->parent, along) + turned_by(s->crowd, ring->joint, along);
    float beyond = pl_dot3(way, pl_normalize3(across)) * (s->k < ring->fold_count / 2 ? -1.0f : 1.0f);
    return beyond > THROUGH * ring->values.width && !is_put_back(s, pl_length3(way), arc);
}

/* Do walls and the crease keep a place apart from the fold (frame/prepare_wide.c)? They do across the ring, before the
 * crease, and on the fold's own line, also straight on beyond its end, while it neither curls so far that the cloth
 * there looks back nor is turned and crushed to a quarter. */
static bool is_kept_apart(const seeker *s, uint32_t vertex)
{
    const pl_fold_ring *ring = s->ring;
    const pl_station *station = &ring->ring.stations[s->station];
    pl_f4 rest = pl_load(&s->crowd->surface->positions[vertex]), normal = pl_load(&s->crowd->surface->normals[vertex]);
    float width = ring->values.width, u, arc, count = (float)ring->ring.station_count;
    float now = pl_length3(pl_load(&s->crowd->positions[vertex]) - s->place);
    float alike = pl_dot3(s->crowd->looks[vertex], s->up);
    bool curls = alike < OPPOSITE || (alike < TURNED && now < CRUSHED_TO * pl_length3(rest - s->rest));
    if (pl_patch_find(&ring->patch, rest, normal, PL_FOLD_PATCH_REACH * width, &u, &arc))
    {
        float apart = fabsf(u - (float)s->station);
        apart = ring->ring.closed ? fminf(apart, count - apart) : apart;
        bool across = (arc < 0) != (s->k < ring->fold_count / 2);
        return across ? !is_through(s, vertex, arc) : apart <= 2 && !curls;
    }
    pl_f4 way = rest - station->position;
    pl_f4 aside = way - station->across * pl_splat(pl_dot3(way, station->across));
    return !curls && pl_length3(aside) < width && pl_dot3(normal, station->normal) > 0.5f;
}

/* How high the fold may rise before a vertex of the surface. */
static float room_of(const seeker *s, uint32_t vertex, float most)
{
    pl_f4 way = pl_load(&s->crowd->positions[vertex]) - s->place, look = s->crowd->looks[vertex];
    pl_fw d[4], up[4], normal[4];
    pl_unpack_w(&way, d);
    pl_unpack_w(&s->up, up);
    pl_unpack_w(&look, normal);
    return pl_fold_room_to(d, up, normal, s->ring->values.width, most)[0];
}

/* Three coordinates in four lanes, and a direction. */
static pl_f4 dots_of(const pl_f4 d[3], pl_f4 direction)
{
    return d[0] * pl_splat(direction[0]) + d[1] * pl_splat(direction[1]) + d[2] * pl_splat(direction[2]);
}

static void ways_of(const pl_f4 to[3], pl_f4 from, pl_f4 out[3])
{
    for (int i = 0; i < 3; ++i)
    {
        out[i] = to[i] - pl_splat(from[i]);
    }
}

/* Which of four can stand before the fold at all? What lies further behind is the other side of the limb, and what is
 * near at rest and looks the same way is the fold's own surroundings. */
static pl_i4 are_before(const seeker *s, const pl_fold_four *four, const pl_f4 d[3], pl_f4 ahead)
{
    float width = s->ring->values.width;
    pl_f4 away[3];
    ways_of(four->rest, s->rest, away);
    pl_f4 apart = away[0] * away[0] + away[1] * away[1] + away[2] * away[2];
    pl_f4 squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    pl_i4 near = (ahead > pl_splat(PL_FOLD_BESIDES * width)) & (ahead < pl_splat(AHEAD * PL_FOLD_STEEP * width)) &
                 (squared < pl_splat(PL_FOLD_NEAR * PL_FOLD_NEAR * width * width));
    return near & ((apart > pl_splat(OWN * OWN * width * width)) |
                   (dots_of(four->normal, s->rest_normal) < pl_splat(OPPOSITE)));
}

/* Which of those can leave the fold less than a room? The ways of two folds run together by at most the root of 5 of
 * what lies between them, in room_ahead; and only what is behind the fold and beside it can have been pushed through.
 * A little more than that counts, for rounding. */
#define MEETING 5.01f
static pl_i4 may_leave_less(const pl_f4 d[3], pl_f4 ahead, float width, float room)
{
    pl_f4 squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], zero = pl_splat(0);
    pl_f4 across = pl_max(squared - ahead * ahead, zero), before = pl_max(ahead, zero);
    pl_f4 aside = pl_max(
        pl_set(sqrtf(across[0]), sqrtf(across[1]), sqrtf(across[2]), sqrtf(across[3])) - pl_splat(0.51f * width), zero);
    float reach = room + 0.04f * width;
    pl_i4 close = before * before + aside * aside < pl_splat(MEETING * reach * reach);
    return close | ((ahead < pl_splat(0.11f * width)) & (aside < pl_splat(1.3f * width)));
}

static bool is_any(pl_i4 mask)
{
    int64_t half[2];
    memcpy(half, &mask, sizeof half);
    return (half[0] | half[1]) != 0;
}

/* Is it another part of the body, which looks the other way at rest, or cloth that nothing else keeps apart? */
static bool is_other(const seeker *s, uint32_t vertex)
{
    return pl_dot3(pl_load(&s->crowd->surface->normals[vertex]), s->rest_normal) < OPPOSITE ||
           !is_kept_apart(s, vertex);
}

/* What of a four leaves the fold less than a room. */
static void look_at(const seeker *s, const pl_fold_four *four, float *room, uint32_t *nearest)
{
    float width = s->ring->values.width, most = PL_FOLD_STEEP * width;
    pl_f4 d[3];
    ways_of(four->place, s->place, d);
    pl_f4 ahead = dots_of(d, s->up);
    pl_i4 before = are_before(s, four, d, ahead);
    if (!is_any(before))
    {
        return;
    }
    before &= may_leave_less(d, ahead, width, *room);
    for (uint32_t lane = four->empty; lane < 4; ++lane)
    {
        float less = before[lane] ? room_of(s, four->vertex[lane], most) : most;
        if (less < *room && is_other(s, four->vertex[lane]))
        {
            *room = less;
            *nearest = four->vertex[lane];
        }
    }
}

/* The cells around a fold, three along each axis. */
typedef struct cells_around
{
    cell_index middle;
    float apart[3][3]; /* by axis, from the fold's place to the cells: the square of the distance to the nearest, */
    float ahead[3][3]; /* and how far ahead of the fold the middle is */
    float span;        /* how far cells reach ahead of their middle, and back */
} cells_around;

static cells_around find_cells(const seeker *s)
{
    float cell = s->crowd->cell, half = 0.5f * cell;
    cells_around c = {.middle = cell_of(s->place, cell)};
    float middle[3] = {(float)c.middle.x, (float)c.middle.y, (float)c.middle.z};
    for (int i = 0; i < 3; ++i)
    {
        c.span += half * fabsf(s->up[i]);
        for (int n = 0; n < 3; ++n)
        {
            float to = (middle[i] + (float)n - 0.5f) * cell - s->place[i], beyond = fmaxf(fabsf(to) - half, 0);
            c.apart[i][n] = beyond * beyond;
            c.ahead[i][n] = to * s->up[i];
        }
    }
    return c;
}

/* Is a cell so far from the fold that nothing in it counts? */
static bool is_out_of_reach(const cells_around *c, int x, int y, int z, float width)
{
    float apart = c->apart[0][x] + c->apart[1][y] + c->apart[2][z];
    float ahead = c->ahead[0][x] + c->ahead[1][y] + c->ahead[2][z];
    return apart > 2.1f * 2.1f * width * width || ahead + c->span < -0.51f * width || ahead - c->span > 1.6f * width;
}

/* The place that leaves a fold the least room, if that is less than it was; else PLEAT_NONE. */
static uint32_t nearest_of(const seeker *s, float room)
{
    cells_around c = find_cells(s);
    uint32_t nearest = PLEAT_NONE;
    for (int n = 0; n < 27; ++n)
    {
        int x = n % 3, y = n / 3 % 3, z = n / 9;
        if (is_out_of_reach(&c, x, y, z, s->ring->values.width))
        {
            continue;
        }
        cell_index at = {c.middle.x + x - 1, c.middle.y + y - 1, c.middle.z + z - 1};
        for (uint32_t i = s->crowd->first[bucket_of(s->crowd, at)]; i != PLEAT_NONE; i = s->crowd->fours[i].next)
        {
            look_at(s, &s->crowd->fours[i], &room, &nearest);
        }
    }
    return nearest;
}

void pl_fold_crowd_note(const pl_fold_crowd *crowd, pl_fold_ring *ring, uint32_t station, uint32_t k,
                        const pleat_place *middle)
{
    const pl_ring_surface *surface = crowd->surface;
    const uint32_t *corner = surface->topology->triangles + 3 * (size_t)middle->triangle;
    seeker s = {.crowd = crowd, .ring = ring, .station = station, .k = k};
    s.rest = pl_fold_mix(surface->positions, corner, middle->barycentric);
    s.rest_normal = pl_normalize3(pl_fold_mix(surface->normals, corner, middle->barycentric));
    s.place = pl_fold_mix(crowd->positions, corner, middle->barycentric);
    s.up = pl_normalize3(pl_fold_mix(crowd->ups, corner, middle->barycentric));
    pl_fold_others *others = &ring->others[station * ring->fold_count + k];
    float width = ring->values.width, most = PL_FOLD_STEEP * width, room = most;
    for (uint32_t n = 0; n < others->count; ++n)
    {
        room = fminf(room, room_of(&s, others->vertex[n], most));
    }
    float less = room - KNOWN * width;
    uint32_t nearest = others->count < PL_FOLD_OTHERS && less > 0 ? nearest_of(&s, less) : PLEAT_NONE;
    if (nearest != PLEAT_NONE)
    {
        others->rest[others->count] = pl_load(&surface->positions[nearest]);
        others->vertex[others->count++] = nearest;
    }
}

/* ---- Hollows ---- */

/* The middle of a fold at rest. */
typedef struct hollow_side
{
    pl_f4 place, normal;
} hollow_side;

static hollow_side side_of(const pl_bound_ring *ring, const pl_ring_surface *surface, uint32_t index)
{
    const pl_fold *fold = &ring->folds[index];
    const pl_fold_sample *sample = &ring->lines.samples[fold->first_sample + fold->sample_count / 2];
    return (hollow_side){pl_fold_mix(surface->positions, sample->vertex, sample->weight),
                         pl_normalize3(pl_fold_mix(surface->normals, sample->vertex, sample->weight))};
}

/* Where normals run together along the ring, folds higher than that would meet; a quarter of the
 * way is theirs: the hollow narrows as the cloth moves. */
static float room_between(const hollow_side *a, const hollow_side *b)
{
    pl_f4 way = b->place - a->place;
    float closing = -pl_dot3(b->normal - a->normal, way), squared = pl_dot3(way, way);
    return closing > 0 ? 0.25f * squared / closing : INFINITY;
}

/* How high a fold may rise before the cloth a few stations or folds on, or INFINITY. */
static float room_in_hollow(const pl_bound_ring *ring, const pl_ring_surface *surface, uint32_t index, int stations,
                            int folds)
{
    int64_t count = ring->station_count, station = (int64_t)(index / ring->fold_count) + stations;
    int64_t k = (int64_t)(index % ring->fold_count) + folds;
    station = ring->closed ? (station + count) % count : station;
    if (station < 0 || station >= count || k < 0 || k >= ring->fold_count)
    {
        return INFINITY;
    }
    uint32_t other = (uint32_t)(station * ring->fold_count + k);
    if (ring->folds[index].sample_count < 3 || ring->folds[other].sample_count < 3)
    {
        return INFINITY;
    }
    hollow_side a = side_of(ring, surface, index), b = side_of(ring, surface, other);
    return room_between(&a, &b);
}

/* How many stations on, to one side, the first is that is no nearer than two of the plan's: a fold's width. */
static int stations_aside(const pl_bound_ring *ring, uint32_t station, int side)
{
    enum
    {
        WIDTH = 2
    };
    int64_t count = ring->station_count, at = station;
    int far = 0;
    for (float way = 0; way < WIDTH && far < count; ++far)
    {
        int64_t from = side < 0 ? at - 1 : at;
        from = ring->closed ? (from + count) % count : from;
        way += from >= 0 && from < count ? pl_fold_gap(ring, (uint32_t)from) : WIDTH;
        at += side;
    }
    return side * far;
}

pleat_result pl_folds_find_pinches(pl_bound_ring *ring, const pl_ring_surface *surface, pl_arena *arena,
                                   pleat_error *error)
{
    /* Up to two folds' widths to each side. */
    static const int8_t around[] = {-1, 1, -2, 2};
    uint32_t folds = ring->station_count * ring->fold_count;
    ring->obstacles.pinches = PL_ARENA_NEW(arena, pl_fold_pinch, folds);
    if (!ring->obstacles.pinches)
    {
        return pl_fail_memory(arena->memory, error, "hollows");
    }
    for (uint32_t i = 0; i < folds; ++i)
    {
        float room = PL_FOLD_STEEP * ring->width, most = room;
        for (size_t n = 0; n < sizeof around / sizeof around[0]; ++n)
        {
            room = fminf(room, room_in_hollow(ring, surface, i, 0, around[n]));
        }
        for (int side = -1; side <= 1; side += 2)
        {
            int stations = stations_aside(ring, i / ring->fold_count, side);
            room = fminf(room, room_in_hollow(ring, surface, i, stations, 0));
        }
        if (room < most)
        {
            ring->obstacles.pinches[ring->obstacles.pinch_count++] = (pl_fold_pinch){i, room};
        }
    }
    return PLEAT_OK;
}

/* ---- Frames ---- */

float pl_fold_loss_around(const pl_folds_layer *layer, const pl_bound_ring *ring, uint32_t station)
{
    float most = layer->at.lost[station];
    for (int side = 0; side < 2; ++side)
    {
        float beside = layer->at.lost[pl_fold_station_beside(ring->station_count, ring->closed, station, side)];
        most = beside > most ? beside : most;
    }
    return most;
}

/* As neighbours along the ring taper towards a room. */
static float eased(float room, float loss, float most)
{
    return most + (room - most) * (loss < PL_FOLD_TAPER_LOSS ? loss / PL_FOLD_TAPER_LOSS : 1);
}

/* What takes up length goes with the square of the height: a fold that is left next to nothing is none. */
#define WORTHLESS 0.15f
static float worth(float room, float most)
{
    return room * room / (room + WORTHLESS * most) * (1 + WORTHLESS);
}

static void lower(const pl_folds_layer *layer, uint32_t fold, float room, float loss, float most)
{
    float taper = eased(room, loss, most);
    layer->at.allowed.rooms[fold] = room < layer->at.allowed.rooms[fold] ? room : layer->at.allowed.rooms[fold];
    layer->at.allowed.tapers[fold] = taper < layer->at.allowed.tapers[fold] ? taper : layer->at.allowed.tapers[fold];
}

/* Between two limbs that press against each other cloth does not slide on, or all that is lost there would stand as one
 * lump where they part. A fold's own crease pushes cloth out as it closes: where that leaves it no room, the other limb
 * changes nothing. Neighbours along the ring are held as cloth begins to fold here, not at once. */
#define PINNED 0.1f
static void pin(const pl_folds_layer *layer, uint32_t fold, float room, float loss, float most)
{
    float before = layer->at.allowed.rooms[fold], least = PINNED * most;
    layer->at.allowed.slides[fold] = eased((fminf(before, room) + least) / (before + least), loss, 1);
}

void pl_fold_give_way(const pl_folds_layer *layer, const pl_bound_ring *ring, uint32_t fold, float room, float aside,
                      float loss)
{
    float most = PL_FOLD_STEEP * ring->width;
    if (aside < most)
    {
        pin(layer, fold, worth(aside, most), loss, most);
    }
    if (room < most)
    {
        lower(layer, fold, worth(room, most), loss, most);
    }
}

void pl_folds_mind_crushed(const pl_folds_layer *layer, const pl_bound_ring *ring, const pleat_layer_frame *frame)
{
    float most = PL_FOLD_STEEP * ring->width;
    for (uint32_t i = 0; i < ring->station_count * ring->fold_count && ring->obstacles.beside_limbs; ++i)
    {
        layer->at.allowed.slides[i] = 1;
    }
    for (uint32_t n = 0; n < ring->obstacles.pinch_count; ++n)
    {
        const pl_fold_pinch *pinch = &ring->obstacles.pinches[n];
        float loss = layer->at.lost[pinch->fold / ring->fold_count];
        float room = eased(pinch->room, loss, most);
        layer->at.allowed.tapers[pinch->fold] =
            room < layer->at.allowed.tapers[pinch->fold] ? room : layer->at.allowed.tapers[pinch->fold];
    }
    float mirrored = pl_affine_determinant(&frame->joints[ring->limb.joint]) < 0 ? -1.0f : 1.0f;
    for (uint32_t n = 0; n < ring->obstacles.narrow_count; ++n)
    {
        const pl_fold_narrow *narrow = &ring->obstacles.narrows[n];
        float loss = pl_fold_loss_around(layer, ring, narrow->fold / ring->fold_count);
        float room = loss > 0
                         ? most * pl_fold_narrow_part(ring, narrow, layer->at.allowed.ups, frame->positions, mirrored)
                         : most;
        pl_fold_give_way(layer, ring, narrow->fold, room, most, loss);
    }
}
