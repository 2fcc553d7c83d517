// How much of the sky a point of the ground sees: the map from below holds, for each place, the height of the lowest
// surface above it. A small piece of ceiling of area A at height h and distance r hides h^2 A / (pi (r^2 + h^2)^2) of the
// cosine-weighted sky.
uniform sampler2D floor_depth;

out float open_sky;

#define TAPS int(taps.y * 6.0)
const mat2 GOLDEN = mat2(-0.73736888, 0.67549029, -0.67549029, -0.73736888);

void main()
{
    vec2 at = gl_FragCoord.xy * floor_map.z;
    float texel = floor_map.y * floor_map.z;
    float reach = 0.35 * floor_map.w;
    float hidden = 0.0;
    vec2 spoke = vec2(1.0, 0.0);
    for (int i = 0; i < TAPS; ++i)
    {
        // Rings that grow with the square: many taps where a foot touches.
        float t = (float(i) + 0.5) / float(TAPS);
        float r = reach * t * t;
        float area = 12.566371 * reach * reach * t * t * t / float(TAPS);
        float depth = textureLod(floor_depth, at + spoke * (r / floor_map.y), 0.0).r;
        spoke = GOLDEN * spoke;
        if (depth < 1.0)
        {
            float h = max(depth * floor_map.x, 0.75 * texel);
            float d = r * r + h * h;
            hidden += h * h * area / (3.1415927 * d * d);
        }
    }
    open_sky = clamp(1.0 - hidden, 0.0, 1.0);
}
