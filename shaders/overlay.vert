// Lines, triangles and the ground grid, fetched from texels: four per line or triangle, two for the grid.

uniform samplerBuffer overlay_texels;

// Linear color, not premultiplied.
out vec4 color;

#if defined(LINES)
// Pixels along the line from its start, and across it.
out vec2 line_position;
// Length and half width in pixels.
flat out vec2 line_size;
#elif defined(GRID)
// Position on the ground.
out vec2 ground;
flat out vec4 grid_center_radius;
flat out vec4 grid_cells;
#endif

void main() {
#if defined(LINES)
    int first = gl_VertexID / 6 * 4;
    int corner = gl_VertexID % 6;
    vec4 start_and_width = texelFetch(overlay_texels, first);
    vec4 end_in_world = texelFetch(overlay_texels, first + 1);
    vec4 a = frame.projection_from_world * vec4(start_and_width.xyz, 1.0);
    vec4 b = frame.projection_from_world * vec4(end_in_world.xyz, 1.0);
    // Clips the line at the near plane.
    float near_a = a.z + a.w, near_b = b.z + b.w;
    float min_near = 1e-6 * max(abs(a.w) + abs(b.w), 1e-20);
    bool visible = max(near_a, near_b) > min_near;
    if (near_a < min_near && visible) {
        a = mix(b, a, (near_b - min_near) / (near_b - near_a));
    } else if (near_b < min_near && visible) {
        b = mix(a, b, (near_a - min_near) / (near_a - near_b));
    }
    vec2 pixels_a = a.xy / a.w * debug_view.size.xy * 0.5;
    vec2 pixels_b = b.xy / b.w * debug_view.size.xy * 0.5;
    vec2 along = pixels_b - pixels_a;
    float length_in_pixels = length(along);
    along = length_in_pixels > 1e-4 ? along / length_in_pixels : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    float half_width = 0.5 * start_and_width.w * debug_view.size.w;
    float outer_half_width = half_width + 1.0;
    // Two triangles: start left, start right, end left; end left, start right, end right.
    bool at_end = corner == 2 || corner == 3 || corner == 5;
    float side = corner == 0 || corner == 2 || corner == 3 ? 1.0 : -1.0;
    line_position = vec2(at_end ? length_in_pixels + outer_half_width : -outer_half_width, side * outer_half_width);
    line_size = vec2(length_in_pixels, half_width);
    vec2 pixels = (at_end ? pixels_b : pixels_a) + along * (at_end ? outer_half_width : -outer_half_width)
        + across * side * outer_half_width;
    vec4 end = at_end ? b : a;
    gl_Position = vec4(0.0, 0.0, -2.0, 1.0);
    if (visible) {
        gl_Position = vec4(pixels / (debug_view.size.xy * 0.5), end.z / end.w - 6e-5, 1.0);
    }
    vec4 encoded = texelFetch(overlay_texels, first + (at_end ? 3 : 2));
    color = vec4(srgb_to_linear(encoded.rgb), encoded.a);
#elif defined(GRID)
    grid_center_radius = texelFetch(overlay_texels, 0);
    grid_cells = texelFetch(overlay_texels, 1);
    int corner = gl_VertexID % 6;
    vec2 side = vec2(
        corner == 1 || corner == 4 || corner == 5 ? 1.0 : -1.0,
        corner == 2 || corner == 3 || corner == 5 ? 1.0 : -1.0);
    ground = grid_center_radius.xz + side * grid_center_radius.w;
    gl_Position = frame.projection_from_world * vec4(ground.x, grid_center_radius.y, ground.y, 1.0);
    color = vec4(1.0);
#else
    int first = gl_VertexID / 3 * 4;
    vec3 a = texelFetch(overlay_texels, first).xyz;
    vec3 b = texelFetch(overlay_texels, first + 1).xyz;
    vec3 c = texelFetch(overlay_texels, first + 2).xyz;
    vec4 encoded = texelFetch(overlay_texels, first + 3);
    vec3 n = cross(b - a, c - a);
    float size = length(n);
    vec3 to_eye = frame.eye_in_world.xyz - frame.eye_in_world.w * (a + b + c) / 3.0;
    float facing = size > 0.0 ? abs(dot(n / size, normalize(to_eye))) : 1.0;
    vec3 corners[3] = vec3[3](a, b, c);
    gl_Position = frame.projection_from_world * vec4(corners[gl_VertexID % 3], 1.0);
    color = vec4(srgb_to_linear(encoded.rgb) * mix(0.35, 1.0, facing), encoded.a);
#endif
}
