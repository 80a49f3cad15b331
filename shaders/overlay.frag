// Color and opacity of overlay geometry, premultiplied.

in vec4 color;
#if defined(LINES)
in vec2 place;
flat in vec2 extent;
#elif defined(GRID)
in vec2 ground;
flat in vec4 grid_center_radius;
flat in vec4 grid_cells;
#endif

out vec4 light;

#ifdef GRID
// Coverage of lines of `width` pixels every `cell`; dense grids fade out.
vec2 lines(vec2 at, float cell, float width) {
    vec2 x = at / cell;
    vec2 step = max(fwidth(x), 1e-9);
    vec2 away = abs(fract(x - 0.5) - 0.5) / step;
    return clamp(0.5 * width + 0.5 - away, 0.0, 1.0) * clamp(1.4 - 3.0 * step, 0.0, 1.0);
}
#endif

void main() {
    vec4 shown = color;
#if defined(LINES)
    vec2 beside = vec2(place.x - clamp(place.x, 0.0, extent.x), place.y);
    shown.a *= clamp(extent.y + 0.5 - length(beside), 0.0, 1.0);
#elif defined(GRID)
    float fade = 1.0 - smoothstep(0.35, 1.0, distance(ground, grid_center_radius.xz) / grid_center_radius.w);
    vec2 minor = lines(ground, grid_cells.x, 1.0);
    vec2 major = lines(ground, grid_cells.x * grid_cells.y, 1.0);
    float line = max(max(minor.x, minor.y) * 0.16, max(major.x, major.y) * 0.38);
    shown = vec4(vec3(0.012), line);
    vec2 step = max(fwidth(ground), 1e-9);
    vec2 axis = clamp(1.4 - abs(ground) / step, 0.0, 1.0);
    // The line at Z = 0 is the X axis.
    shown = mix(shown, vec4(srgb_to_linear(vec3(0.86, 0.22, 0.25)), 0.9), axis.y);
    shown = mix(shown, vec4(srgb_to_linear(vec3(0.20, 0.40, 0.90)), 0.9), axis.x * (1.0 - axis.y));
    shown.a *= fade;
#endif
    if (shown.a <= 0.0) {
        discard;
    }
    light = vec4(shown.rgb * shown.a, shown.a);
}
