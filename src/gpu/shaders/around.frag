// What a pixel sees of the key light and of its surroundings: soft shadow (percentage-closer, Fernando 2005), ambient
// occlusion from horizons (Jimenez et al. 2016), and signed curvature. Directions turn in a pattern of 4 by 4 pixels that the
// blur averages away.
uniform sampler2D depth_map;
uniform sampler2D normal_map;
uniform sampler2D shadow_depth;
uniform sampler2DShadow shadow_compare;
uniform sampler2D floor_open;

layout(location = 0) out vec4 out_around; // key light, open sky, curvature around 0.5; 1 surface, 0.5 ground, 0 nothing

const float PI = 3.1415927;

// Counts come from the frame, not from constants: drivers unroll constant loops, and a software driver then takes
// seconds to compile them.
#define BLOCKER_TAPS int(taps.x)
#define SHADOW_TAPS int(taps.y)
#define STEPS int(taps.z)
#define CURVE_TAPS int(taps.w)
#define SLICES 2

// 0..15 in an order where neighbours differ much.
float turn(ivec2 pixel)
{
    ivec2 p = pixel & 3;
    int low = (p.x ^ p.y) & 1;
    int high = ((p.x ^ p.y) >> 1) & 1;
    return float(low * 8 + (p.y & 1) * 4 + high * 2 + (p.y >> 1)) / 16.0;
}

// Taps on a spiral: each a golden angle after the one before, equal areas between.
const mat2 GOLDEN = mat2(-0.73736888, 0.67549029, -0.67549029, -0.73736888);

float spiral_radius(int i, int count)
{
    return sqrt((float(i) + 0.5) / float(count));
}

float key_light_at(vec3 place, vec3 n, float angle)
{
    float facing = dot(n, light_toward[0].xyz);
    float texel = shadow.y * shadow.w;
    vec3 shifted = place + n * texel * (1.0 + 1.5 * (1.0 - clamp(facing, 0.0, 1.0)));
    vec3 at = (shadow_from_view * vec4(shifted, 1.0)).xyz;
    bool inside = all(greaterThanEqual(at.xy, vec2(0.0))) && all(lessThanEqual(at.xy, vec2(1.0)));
    at.z = min(at.z, 1.0);
    // The surface goes on as a plane around the place: depth (0..1) per step in the map.
    float steep = max(facing, 0.15);
    vec2 slope = vec2(dot(n, shadow_axis_x.xyz), dot(n, shadow_axis_y.xyz)) / steep * (shadow.y / shadow.x);
    float bias = 0.5 * texel / shadow.x;

    float search = min(at.z * shadow.x * shadow.z, 0.06 * shadow.y) / shadow.y + 1.5 * shadow.w;
    float blocker_sum = 0.0;
    float blocker_count = 0.0;
    vec2 first = vec2(cos(angle), sin(angle));
    vec2 spoke = first;
    int blocker_taps = inside ? BLOCKER_TAPS : 0;
    for (int i = 0; i < blocker_taps; ++i)
    {
        vec2 offset = spoke * spiral_radius(i, BLOCKER_TAPS) * search;
        spoke = GOLDEN * spoke;
        float depth = textureLod(shadow_depth, at.xy + offset, 0.0).r;
        if (depth < min(at.z + dot(slope, offset), 1.0) - bias)
        {
            blocker_sum += depth;
            blocker_count += 1.0;
        }
    }
    float gap = max(at.z - blocker_sum / max(blocker_count, 1.0), 0.0) * shadow.x;
    float radius = min(gap * shadow.z / shadow.y, search) + 1.25 * shadow.w;
    float lit = 0.0;
    spoke = first;
    int shadow_taps = blocker_count > 0.0 ? SHADOW_TAPS : 0;
    for (int i = 0; i < shadow_taps; ++i)
    {
        vec2 offset = spoke * spiral_radius(i, SHADOW_TAPS) * radius;
        spoke = GOLDEN * spoke;
        lit += texture(shadow_compare, vec3(at.xy + offset, min(at.z + dot(slope, offset), 1.0) - bias));
    }
    return blocker_count > 0.0 ? lit / float(SHADOW_TAPS) : 1.0;
}

// The ground has its own map of open sky.
vec4 around_ground(vec3 place, vec3 n, float noise)
{
    vec3 at = (floor_from_view * vec4(place, 1.0)).xyz;
    bool inside = all(greaterThan(at.xy, vec2(0.0))) && all(lessThan(at.xy, vec2(1.0)));
    float open_sky = inside ? textureLod(floor_open, at.xy, 0.0).r : 1.0;
    return vec4(key_light_at(place, n, 6.2831853 * noise), open_sky, 0.5, 0.5);
}

#ifndef GROUND_ONLY

vec3 place_at(ivec2 pixel)
{
    pixel = clamp(pixel, ivec2(0), ivec2(size.xy) - 1);
    float z = texelFetch(depth_map, pixel, 0).r;
    return ray_through(vec2(pixel) + 0.5) * (z > 0.0 ? z : 1e6);
}

float open_sky_at(vec2 pixel, vec3 place, vec3 n, float noise, float jitter)
{
    float pixels = hollow.y * size.y;
    float metres = hollow.y * 2.0 * lens.y * place.z;
    vec3 v = -normalize(place);
    float sum = 0.0;
    for (int s = 0; s < min(SLICES, STEPS); ++s)
    {
        float angle = PI * (float(s) + noise) / float(SLICES);
        vec2 direction = vec2(cos(angle), sin(angle));
        vec3 along = vec3(direction, 0.0) - v * dot(v.xy, direction);
        vec3 axis = normalize(cross(along, v));
        vec3 flat_n = n - axis * dot(n, axis);
        float flat_length = length(flat_n);
        float cosine = clamp(dot(flat_n, v) / max(flat_length, 1e-6), -1.0, 1.0);
        float side = dot(along, flat_n) < 0.0 ? -1.0 : 1.0;
        float gamma = side * acos(cosine);
        float sine = side * sqrt(1.0 - cosine * cosine);
        vec2 high = vec2(-1.0); // cosines of the horizons behind and in front
        for (int j = 0; j < 2 * STEPS; ++j)
        {
            bool front = (j & 1) != 0;
            float t = (float(j >> 1) + jitter) / float(STEPS);
            vec2 offset = direction * (1.0 + pixels * t * t);
            vec3 d = place_at(ivec2(front ? pixel + offset : pixel - offset)) - place;
            float squared = dot(d, d);
            float fade = clamp(1.0 - squared / (metres * metres), 0.0, 1.0);
            float cosine_here = mix(-1.0, dot(d, v) * inversesqrt(squared + 1e-8 * metres * metres), fade);
            high = max(high, front ? vec2(-1.0, cosine_here) : vec2(cosine_here, -1.0));
        }
        vec2 horizon = acos(clamp(high, -1.0, 1.0));
        float back = gamma + max(-horizon.x - gamma, -0.5 * PI);
        float front = gamma + min(horizon.y - gamma, 0.5 * PI);
        sum += flat_length * 0.25 *
               (2.0 * cosine + 2.0 * (back + front) * sine - cos(2.0 * back - gamma) - cos(2.0 * front - gamma));
    }
    return clamp(sum / float(SLICES), 0.0, 1.0);
}

// Above 0 in furrows, below 0 on ridges: curvature times the reach.
float curvature_at(vec2 pixel, vec3 place, vec3 n, float noise)
{
    float pixels = hollow.w * size.y;
    float metres = hollow.w * 2.0 * lens.y * place.z;
    float sum = 0.0;
    vec2 spoke = vec2(cos(6.2831853 * noise), sin(6.2831853 * noise));
    for (int i = 0; i < CURVE_TAPS; ++i)
    {
        vec3 d = place_at(ivec2(pixel + spoke * spiral_radius(i, CURVE_TAPS) * pixels)) - place;
        spoke = GOLDEN * spoke;
        float squared = dot(d, d);
        float fade = clamp(2.0 - squared / (4.0 * metres * metres), 0.0, 1.0);
        sum += fade * dot(d, n) * metres / (squared + 0.1 * metres * metres);
    }
    return sum / float(CURVE_TAPS);
}

#endif

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 normal = texelFetch(normal_map, pixel, 0);
    vec3 place = ray_through(gl_FragCoord.xy) * texelFetch(depth_map, pixel, 0).r;
    vec3 n = normalize(normal.xyz * 2.0 - 1.0);
    float noise = turn(pixel);
    vec4 around = around_ground(place, n, noise);
#ifndef GROUND_ONLY
    if (normal.w > 0.75)
    {
        float jitter = fract(noise * 7.0 + 0.40625);
        around.y = open_sky_at(gl_FragCoord.xy, place, n, noise, jitter);
        around.z = clamp(0.5 + 0.5 * curvature_at(gl_FragCoord.xy, place, n, noise), 0.0, 1.0);
        around.w = 1.0;
    }
#endif
    out_around = normal.w < 0.25 ? vec4(1.0, 1.0, 0.5, 0.0) : around;
}
