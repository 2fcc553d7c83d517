// A line with round ends as a rectangle around it; one instance a line. A dot is a line of no length.
layout(location = 0) in vec4 from; // w: width in pixels
layout(location = 1) in vec4 to;   // w: pixels by which it is drawn nearer than it is
layout(location = 2) in vec4 color;

flat out vec4 ends; // pixels
flat out vec4 line_color;
flat out float half_width;

vec4 clip_of(vec3 place, float nearer)
{
    vec3 eye = view_right.xyz * view_right.w + view_up.xyz * view_up.w + view_forward.xyz * view_forward.w;
    return clip_from_world * vec4(place + (eye - place) * (nearer * 2.0 * lens.y * size.w), 1.0);
}

void main()
{
    vec4 a = clip_of(from.xyz, to.w);
    vec4 b = clip_of(to.xyz, to.w);
    // Behind the eye: cut just before it. Depth is clamped, so that the near plane does not cut what was drawn nearer.
    float cut = 0.05 * lens.z;
    if (a.w < cut && b.w < cut)
    {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    if (a.w < cut)
    {
        a = mix(a, b, (cut - a.w) / (b.w - a.w));
    }
    if (b.w < cut)
    {
        b = mix(b, a, (cut - b.w) / (a.w - b.w));
    }
    vec2 pa = (a.xy / a.w * 0.5 + 0.5) * size.xy;
    vec2 pb = (b.xy / b.w * 0.5 + 0.5) * size.xy;
    vec2 along = pb - pa;
    float squared = dot(along, along);
    along = squared > 1e-8 ? along * inversesqrt(squared) : vec2(1.0, 0.0);
    half_width = 0.5 * from.w;
    float reach = half_width + 1.0;
    bool at_b = (gl_VertexID & 1) != 0;
    float side = (gl_VertexID & 2) != 0 ? 1.0 : -1.0;
    vec2 corner = (at_b ? pb + along * reach : pa - along * reach) + vec2(-along.y, along.x) * side * reach;
    vec4 end = at_b ? b : a;
    gl_Position = vec4((corner * size.zw * 2.0 - 1.0) * end.w, end.z, end.w);
    ends = vec4(pa, pb);
    line_color = color;
}
