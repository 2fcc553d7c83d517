// Meshes into a depth map: from the key light, or from below the ground.
layout(location = 0) in vec4 position;
layout(location = 2) in vec4 color;
layout(location = 4) in vec2 uv;

out vec2 surface_uv;
out float surface_alpha;

uniform bool from_below;

void main()
{
    vec4 place = (from_below ? floor_from_world : shadow_from_world) * vec4(position.xyz, 1.0);
    surface_uv = uv;
    surface_alpha = color.a;
    gl_Position = vec4(place.xyz * 2.0 - 1.0, 1.0);
}
