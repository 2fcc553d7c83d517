// A flat ellipse as a quadrangle around it; one instance an ellipse.
layout(location = 0) in vec4 center;
layout(location = 1) in vec4 axis_a;
layout(location = 2) in vec4 axis_b;
layout(location = 3) in vec4 color;

out vec2 within; // the unit circle is the rim
flat out vec4 ellipse_color;

void main()
{
    within = vec2((gl_VertexID & 1) != 0 ? 1.0 : -1.0, (gl_VertexID & 2) != 0 ? 1.0 : -1.0) * 1.15;
    vec3 place = center.xyz + axis_a.xyz * within.x + axis_b.xyz * within.y;
    vec3 eye = view_right.xyz * view_right.w + view_up.xyz * view_up.w + view_forward.xyz * view_forward.w;
    gl_Position = clip_from_world * vec4(place + (eye - place) * (4.0 * 2.0 * lens.y * size.w), 1.0);
    ellipse_color = color;
}
