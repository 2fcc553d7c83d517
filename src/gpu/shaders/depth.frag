in vec2 surface_uv;
in float surface_alpha;

void main()
{
    if (!is_there(painted(surface_uv).a * surface_alpha * alpha.x))
    {
        discard;
    }
}
