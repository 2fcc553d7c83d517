in vec2 within;
flat in vec4 ellipse_color;

layout(location = 0) out vec4 out_color;

void main()
{
    float r = length(within);
    float pixel = max(fwidth(r), 1e-4);
    float inside = clamp((1.0 - r) / pixel + 0.5, 0.0, 1.0);
    float rim = clamp(1.2 - abs(1.0 - r - 0.6 * pixel) / pixel, 0.0, 1.0);
    float alpha = ellipse_color.a * max(0.45 * inside, rim * inside);
    if (alpha <= 0.0)
    {
        discard;
    }
    out_color = vec4(ellipse_color.rgb * alpha, alpha);
}
