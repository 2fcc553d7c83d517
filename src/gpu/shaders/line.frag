flat in vec4 ends;
flat in vec4 line_color;
flat in float half_width;

layout(location = 0) out vec4 out_color;

void main()
{
    vec2 along = ends.zw - ends.xy;
    vec2 at = gl_FragCoord.xy - ends.xy;
    float t = clamp(dot(at, along) / max(dot(along, along), 1e-8), 0.0, 1.0);
    float alpha = line_color.a * clamp(half_width + 0.5 - length(at - along * t), 0.0, 1.0);
    if (alpha <= 0.0)
    {
        discard;
    }
    out_color = vec4(line_color.rgb * alpha, alpha);
}
