// Color and opacity of overlay geometry, premultiplied.

in vec4 color;
#if defined(LINES)
in vec2 line_position;
flat in vec2 line_size;
#elif defined(GRID)
in vec2 ground;
flat in vec4 grid_center_radius;
flat in vec4 grid_cells;
#endif

out vec4 light;

#ifdef GRID
// Coverage of lines of `width` pixels every `cell`; dense grids fade out.
vec2 lines(vec2 position, float cell, float width) {
    vec2 x = position / cell;
    vec2 pixel_size = max(fwidth(x), 1e-9);
    vec2 line_distance = abs(fract(x - 0.5) - 0.5) / pixel_size;
    return clamp(0.5 * width + 0.5 - line_distance, 0.0, 1.0) * clamp(1.4 - 3.0 * pixel_size, 0.0, 1.0);
}
#endif

void main() {
    vec4 result = color;
#if defined(LINES)
    vec2 offset = vec2(line_position.x - clamp(line_position.x, 0.0, line_size.x), line_position.y);
    result.a *= clamp(line_size.y + 0.5 - length(offset), 0.0, 1.0);
#elif defined(GRID)
    float fade = 1.0 - smoothstep(0.35, 1.0, distance(ground, grid_center_radius.xz) / grid_center_radius.w);
    vec2 minor = lines(ground, grid_cells.x, debug_view.size.w);
    vec2 major = lines(ground, grid_cells.x * grid_cells.y, debug_view.size.w);
    float line = max(max(minor.x, minor.y) * 0.16, max(major.x, major.y) * 0.38);
    result = vec4(vec3(0.012), line);
    vec2 pixel_size = max(fwidth(ground), 1e-9);
    vec2 axis = clamp(0.9 * debug_view.size.w + 0.5 - abs(ground) / pixel_size, 0.0, 1.0);
    // The line at Z = 0 is the X axis.
    result = mix(result, vec4(srgb_to_linear(vec3(0.86, 0.22, 0.25)), 0.9), axis.y);
    result = mix(result, vec4(srgb_to_linear(vec3(0.20, 0.40, 0.90)), 0.9), axis.x * (1.0 - axis.y));
    result.a *= fade;
#endif
    light = vec4(result.rgb * result.a, result.a);
    if (result.a <= 0.0) {
        discard;
    }
}
