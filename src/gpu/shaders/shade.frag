// Light and colour. A pixel whose samples agree is shaded once, the others sample by sample; each is tone-mapped before they
// are averaged, so that edges stay smooth.
uniform sampler2DMS sample_depth;
uniform sampler2DMS sample_normal;
uniform sampler2DMS sample_base;
uniform sampler2DMS sample_overlay;
uniform sampler2D depth_map;
uniform sampler2D around_map;
uniform int sample_count;
uniform bool has_overlay;

out vec4 out_color;

const float PI = 3.1415927;

// The background, darker where the ground behind it lies in shadow.
vec3 backdrop(vec3 ray, vec4 around)
{
    vec3 color = mix(background_bottom.rgb, background_top.rgb, gl_FragCoord.y * size.w);
    float falling = -dot(ray, up.xyz);
    bool ground = floor_light.w >= 0.0 && up.w > 0.0 && falling > 1e-4;
    float missing = 1.0 - (0.55 * around.x + 0.45 * around.y);
    missing *= floor_light.w * smoothstep(0.02, 0.12, falling / length(ray));
    return ground && missing > 0.0 ? color * pow(1.0 - missing, 1.0 / 2.2) : color;
}

// Half a step of an ordered pattern keeps the slow gradient from showing bands.
vec4 finished(vec3 color)
{
    ivec2 p = ivec2(gl_FragCoord.xy) & 3;
    int order = ((p.x ^ p.y) & 1) * 8 + (p.y & 1) * 4 + ((p.x ^ p.y) >> 1) * 2 + (p.y >> 1);
    return vec4(color + (float(order) - 7.5) / (16.0 * 255.0), 1.0);
}

#ifdef GROUND_ONLY

void main()
{
    vec4 around = texelFetch(around_map, ivec2(gl_FragCoord.xy), 0);
    out_color = finished(backdrop(ray_through(gl_FragCoord.xy), around));
}

#else

vec3 encode(vec3 c)
{
    vec3 low = 12.92 * c;
    vec3 high = 1.055 * pow(max(c, vec3(0.0031308)), vec3(1.0 / 2.4)) - 0.055;
    return mix(high, low, lessThanEqual(c, vec3(0.0031308)));
}

// Straight up to the knee, then a soft shoulder towards 1.
vec3 tone(vec3 c)
{
    const float knee = 0.55;
    vec3 over = max(c - knee, 0.0) / (1.0 - knee);
    return min(c, vec3(knee)) + (1.0 - knee) * (1.0 - exp(-over));
}

struct surface
{
    vec3 base;
    float roughness;
    int kind;
    vec3 n, v;
};

// Burley's GGX with the Smith term of Karis, times n.l.
float highlight(surface s, vec3 l, float f0)
{
    vec3 h = normalize(l + s.v);
    float nl = max(dot(s.n, l), 0.0);
    float nv = max(dot(s.n, s.v), 0.05);
    float nh = max(dot(s.n, h), 0.0);
    float a = max(s.roughness * s.roughness, 0.01);
    float a2 = a * a;
    float d = nh * nh * (a2 - 1.0) + 1.0;
    float k = (s.roughness + 1.0) * (s.roughness + 1.0) / 8.0;
    float visible = 1.0 / (4.0 * (nl * (1.0 - k) + k) * (nv * (1.0 - k) + k));
    float graze = 1.0 - max(dot(s.v, h), 0.0);
    float fresnel = f0 + (1.0 - f0) * graze * graze * graze * graze * graze;
    return a2 / (PI * d * d) * visible * fresnel * nl * PI;
}

// Sheen of fibres standing off the cloth (Estevez and Kulla 2017, eq. 2, with their simple visibility).
float sheen(surface s, vec3 l)
{
    vec3 h = normalize(l + s.v);
    float nl = max(dot(s.n, l), 0.0);
    float nv = max(dot(s.n, s.v), 0.02);
    float nh = dot(s.n, h);
    const float inverse_spread = 1.0 / 0.45;
    float d = (2.0 + inverse_spread) * pow(max(1.0 - nh * nh, 1e-4), 0.5 * inverse_spread) / (2.0 * PI);
    return d * nl / (4.0 * (nl + nv - nl * nv) + 0.02) * PI;
}

// Fuzz is a little paler than the cloth it stands on.
vec3 fibre_color(surface s)
{
    return 0.7 * s.base + 0.08;
}

// Diffuse light of rough matter (Oren and Nayar 1994 in Fujii's qualitative form), times n.l.
float rough_diffuse(surface s, vec3 l)
{
    float nl = max(dot(s.n, l), 0.0);
    float nv = max(dot(s.n, s.v), 0.0);
    float t = dot(l, s.v) - nl * nv;
    float a = 1.0 / (PI + (PI / 2.0 - 2.0 / 3.0) * 0.6);
    return PI * nl * (a + 0.6 * a * t / (t > 0.0 ? max(max(nl, nv), 1e-3) : 1.0));
}

vec3 lit_by(surface s, vec3 toward, vec3 light, float visible, float wrap)
{
    float nl = dot(s.n, toward);
    if (s.kind == 3)
    {
        vec3 bleed = vec3(0.30, 0.15, 0.11) + wrap;
        vec3 diffuse = clamp((nl + bleed) / ((1.0 + bleed) * (1.0 + bleed)), 0.0, 1.0);
        float open_edge = mix(visible, 1.0, 0.4 * smoothstep(0.2, -0.15, nl));
        vec3 soft = vec3(mix(open_edge, sqrt(open_edge), 0.35), open_edge, open_edge); // red seeps into the shadow
        return light * (s.base * diffuse * soft + visible * 0.8 * highlight(s, toward, 0.028));
    }
    float wrapped = max(nl + wrap, 0.0) / ((1.0 + wrap) * (1.0 + wrap));
    if (s.kind == 2)
    {
        float diffuse = wrap > 0.0 ? wrapped : rough_diffuse(s, toward);
        return light * visible *
               (s.base * diffuse + 0.25 * fibre_color(s) * sheen(s, toward) + 0.8 * highlight(s, toward, 0.04));
    }
    return light * visible * (s.base * wrapped + highlight(s, toward, 0.04));
}

vec3 shade(surface s, vec4 around)
{
    float open_sky = pow(around.y, hollow.x);
    // The facets of a coarse mesh bend a little everywhere: leave that out.
    float bend = around.z * 2.0 - 1.0;
    bend -= clamp(bend, -0.05, 0.05);
    bend *= s.kind == 3 ? 0.6 : 1.0;
    // Light that comes back from the hollow's own walls (Jimenez et al. 2016, eq. 10).
    vec3 a = 2.0404 * s.base - 0.3324;
    vec3 b = -4.7951 * s.base + 0.6417;
    vec3 c = 2.7552 * s.base + 0.6903;
    vec3 open_color = max(vec3(open_sky), ((open_sky * a + b) * open_sky + c) * open_sky);

    float height = dot(s.n, up.xyz) * 0.5 + 0.5;
    vec3 ambient = mix(floor_light.rgb, sky_light.rgb, height);
    vec3 color = s.base * ambient * open_color;
    if (s.kind == 2)
    {
        float edge = 1.0 - max(dot(s.n, s.v), 0.0);
        color += 0.5 * fibre_color(s) * ambient * edge * edge * edge * edge * open_sky;
    }
    for (int i = 0; i < int(counts.x); ++i)
    {
        vec3 toward = light_toward[i].xyz;
        // A narrow opening hides the key light at grazing angles even where the shadow map is too coarse to show it.
        float slit = clamp(dot(s.n, toward) + 2.0 * open_sky * open_sky, 0.0, 1.0);
        float visible = i == 0 ? around.x * slit : i == 1 ? open_sky : open_sky * open_sky;
        color += lit_by(s, toward, light_color[i].rgb, visible, light_color[i].w);
    }
    float relief = bend > 0.0 ? 1.0 / (1.0 + 1.6 * hollow.z * bend) : 1.0 - 0.7 * hollow.z * bend;
    return color * relief;
}

// The pixel's own surroundings, or those of the neighbour whose depth is nearest.
vec4 around_at(ivec2 pixel, float z, bool agree)
{
    vec4 best = texelFetch(around_map, pixel, 0);
    float least = abs(texelFetch(depth_map, pixel, 0).r - z);
    int others = agree ? 0 : 2 * int(counts.y); // 8
    for (int i = 0; i < others; ++i)
    {
        int k = i < 4 ? i : i + 1;
        ivec2 at = clamp(pixel + ivec2(k % 3 - 1, k / 3 - 1), ivec2(0), ivec2(size.xy) - 1);
        float off = abs(texelFetch(depth_map, at, 0).r - z);
        if (off < least * 0.5)
        {
            least = off;
            best = texelFetch(around_map, at, 0);
        }
    }
    return best;
}

// A sample's colour as it is shown. n counts where something was drawn.
vec3 sample_color(ivec2 pixel, int i, float depth, vec3 n, bool agree)
{
    bool drawn = depth < 1.0;
    vec3 ray = ray_through(gl_FragCoord.xy);
    float falling = -dot(ray, up.xyz);
    float z = drawn ? linear_depth(depth) : falling > 1e-4 ? max(up.w, 0.0) / falling : 0.0;
    vec4 around = around_at(pixel, z, agree);
    if (!drawn)
    {
        return backdrop(ray, around);
    }
    vec4 held = texelFetch(sample_base, pixel, i);
    int code = int(held.a * 255.0 + 0.5);
    surface s;
    s.base = held.rgb * held.rgb;
    s.roughness = float(code & 63) / 63.0;
    s.kind = code >> 6;
    s.n = n;
    s.v = -normalize(ray);
    return encode(tone(shade(s, around) * sky_light.w));
}

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float depth0 = texelFetch(sample_depth, pixel, 0).r;
    float nearest = depth0;
    for (int i = 1; i < sample_count; ++i)
    {
        nearest = min(nearest, texelFetch(sample_depth, pixel, i).r);
    }
    bool agree = true;
    vec3 n_mean = vec3(0.0);
    if (nearest < 1.0)
    {
        float z0 = linear_depth(depth0);
        vec4 b0 = texelFetch(sample_base, pixel, 0);
        for (int i = 0; i < sample_count; ++i)
        {
            float depth = texelFetch(sample_depth, pixel, i).r;
            vec3 n = unpack_direction(texelFetch(sample_normal, pixel, i).xy);
            vec4 b = texelFetch(sample_base, pixel, i);
            bool like = depth < 1.0 && abs(linear_depth(depth) - z0) < 0.006 * z0 && dot(abs(b - b0), vec4(1.0)) < 0.15;
            agree = agree && like && (i == 0 || dot(n, n_mean) > 0.85 * length(n_mean));
            n_mean += n;
        }
        agree = agree && depth0 < 1.0;
    }
    int count = agree ? 1 : sample_count;
    vec3 color = vec3(0.0);
    for (int i = 0; i < count; ++i)
    {
        float depth = texelFetch(sample_depth, pixel, i).r;
        vec3 n = agree ? normalize(n_mean) : unpack_direction(texelFetch(sample_normal, pixel, i).xy);
        color += sample_color(pixel, i, depth, n, agree);
    }
    color /= float(count);
    if (has_overlay)
    {
        vec4 over = vec4(0.0);
        for (int i = 0; i < sample_count; ++i)
        {
            over += texelFetch(sample_overlay, pixel, i);
        }
        over /= float(sample_count);
        color = color * (1.0 - over.a) + over.rgb;
    }
    out_color = finished(color);
}

#endif
