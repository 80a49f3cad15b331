// Debug view colors; crates/render/src/scene/view_colors.rs explains and defines them.

#ifdef TRIANGLES
in vec3 barycentric;
noperspective in vec3 edge_distance;
flat in vec4 value_0;
flat in vec4 value_1;
flat in vec4 value_2;
#ifdef VIEW_STRETCH
flat in float stretch;
#endif
#ifdef VIEW_TEXEL_DENSITY
flat in float texel_density;
#endif
#else
// Points and lines have no geometry shader: these are the outputs of the vertex shader.
#define point_in_world vertex_in_world
#define point_normal vertex_normal
#define point_value vertex_value
#endif
in vec3 point_in_world;
in vec3 point_normal;
in vec4 point_value;

out vec4 light;

// Value of the nearest corner, for values that must not be interpolated.
vec4 nearest_value() {
#ifdef TRIANGLES
    vec3 weights = barycentric;
    if (weights.x >= weights.y && weights.x >= weights.z) {
        return value_0;
    }
    return weights.y >= weights.z ? value_1 : value_2;
#else
    return point_value;
#endif
}

vec3 to_eye() {
    return normalize(frame.eye_in_world.xyz - frame.eye_in_world.w * point_in_world);
}

// Unit normal of the visible side.
vec3 facing_normal() {
    vec3 n = point_normal;
#ifdef TRIANGLES
    // Derivatives are undefined within a condition that differs from pixel to pixel.
    vec3 flat_normal = cross(dFdx(point_in_world), dFdy(point_in_world));
    n = dot(n, n) < 1e-12 ? flat_normal : n;
#endif
    float size = length(n);
    n = size > 0.0 ? n / size : to_eye();
    return dot(n, to_eye()) < 0.0 ? -n : n;
}

// These must match the functions in crates/render/src/scene/view_colors.rs.
vec3 weight_paint_color(float weight) {
    float w = clamp(weight, 0.0, 1.0);
    float bright = 0.5 * w + 0.5;
    vec4 up = clamp((w - vec4(0.0, 0.25, 0.5, 0.75)) * 4.0, 0.0, 1.0);
    return bright * vec3(up.z, up.x * (1.0 - up.w), 1.0 - up.y);
}

vec3 weight_color(float weight) {
    float fraction = min(clamp(weight, 0.0, 1.0) / MIN_FULL_COLOR_WEIGHT, 1.0);
    return mix(ZERO_WEIGHT_COLOR, weight_paint_color(weight), sqrt(fraction));
}

vec3 diverging_color(float x) {
    return mix(MIDDLE_COLOR, x < 0.0 ? LOW_COLOR : HIGH_COLOR, min(abs(x), 1.0));
}

#ifdef VIEW_INFLUENCES
vec3 influence_color(float count) {
    const vec3 COLORS[] = vec3[](INFLUENCE_COLORS);
    return COLORS[clamp(int(count + 0.5), 0, COLORS.length() - 1)];
}
#endif

// Stripes where the file lacks the attribute.
vec3 missing_pattern() {
    float stripe = fract((gl_FragCoord.x + gl_FragCoord.y) / 10.0);
    return stripe < 0.5 ? vec3(0.40) : vec3(0.46);
}

#ifdef VIEW_UV
// 8 x 8 checkerboard per unit square: U increases red, V increases green.
vec3 checker(vec2 uv) {
    vec2 cell = floor(uv * 8.0);
    bool even = mod(cell.x + cell.y, 2.0) < 0.5;
    vec2 position = (mod(cell, 8.0) + 0.5) / 8.0;
    vec3 color = vec3(0.25 + 0.70 * position.x, 0.25 + 0.70 * position.y, 0.55);
    return even ? color : color * 0.62;
}
#endif

void main() {
    float facing = max(dot(facing_normal(), to_eye()), 0.0);
    // Headlight shading.
    float shade = mix(0.45, 1.0, facing);
    vec3 color = vec3(0.0);
    float alpha = 1.0;
#if defined(VIEW_MISSING)
    color = srgb_to_linear(missing_pattern());
#elif defined(VIEW_SOLID)
    vec3 n = facing_normal();
    float key = max(dot(n, normalize(vec3(0.35, 0.8, 0.45))), 0.0);
    color = vec3(0.60, 0.585, 0.56) * (0.12 + 0.42 * key + 0.34 * facing + 0.12 * (0.5 + 0.5 * n.y));
#elif defined(VIEW_WEIGHTS)
    color = srgb_to_linear(weight_color(point_value.x)) * shade;
#elif defined(VIEW_WEIGHT_PAINT)
    color = srgb_to_linear(weight_paint_color(point_value.x)) * shade;
#elif defined(VIEW_INFLUENCES)
    color = srgb_to_linear(influence_color(nearest_value().x)) * shade;
#elif defined(VIEW_DOMINANT_JOINT)
    color = srgb_to_linear(nearest_value().rgb) * shade;
#elif defined(VIEW_WEIGHT_SUM)
    color = srgb_to_linear(diverging_color(2.0 * point_value.x)) * shade;
#elif defined(VIEW_WEIGHT_SYMMETRY)
    // Negative without a mirrored vertex. A difference of a quarter has the full color.
    color = srgb_to_linear(diverging_color(point_value.x < 0.0 ? point_value.x : 4.0 * point_value.x)) * shade;
#elif defined(VIEW_STRETCH)
#ifdef TRIANGLES
    color = srgb_to_linear(diverging_color(stretch)) * shade;
#else
    color = srgb_to_linear(diverging_color(0.0));
#endif
#elif defined(VIEW_VOLUME)
    color = srgb_to_linear(diverging_color(point_value.x)) * shade;
#elif defined(VIEW_NORMALS) || defined(VIEW_TANGENTS)
#if defined(VIEW_NORMALS) && !defined(NORMALS)
    vec3 direction = facing_normal();
#else
    vec3 direction = point_value.xyz;
#endif
    float size = length(direction);
    color = srgb_to_linear(size > 0.0 ? 0.5 + 0.5 * direction / size : vec3(0.5));
#elif defined(VIEW_UV)
    color = srgb_to_linear(checker(point_value.xy)) * shade;
#elif defined(VIEW_TEXEL_DENSITY) && defined(TRIANGLES)
    color = srgb_to_linear(diverging_color(texel_density)) * shade;
#elif defined(VIEW_VERTEX_COLORS)
    color = clamp(point_value.rgb, 0.0, 1.0);
#elif defined(VIEW_FACE_ORIENTATION)
    bool front = (gl_FrontFacing ? 1.0 : -1.0) * nearest_value().x > 0.0;
    color = srgb_to_linear(front ? FRONT_COLOR : BACK_COLOR) * shade;
#elif defined(VIEW_DEPTH)
    color = srgb_to_linear(vec3(1.0 - 0.92 * clamp(dot(debug_view.depth, vec4(point_in_world, 1.0)), 0.0, 1.0)));
#elif defined(VIEW_WIREFRAME)
#ifdef TRIANGLES
    vec3 distances = edge_distance;
    float min_distance = min(distances.x, min(distances.y, distances.z));
    alpha = debug_view.tint.a * clamp(1.05 - min_distance, 0.0, 1.0);
    color = debug_view.tint.rgb;
#ifdef IN_FRONT_OF_SURFACE
    // A bright line at both sides of the dark one: edges show on surfaces of any brightness.
    float bright = 0.12 * clamp(1.9 - min_distance, 0.0, 1.0) * (1.0 - alpha);
    color = mix(color, vec3(1.0), bright / max(alpha + bright, 1e-6));
    alpha += bright;
#else
    alpha *= gl_FrontFacing ? 1.0 : 0.3;
#endif
#else
    alpha = debug_view.tint.a;
    color = debug_view.tint.rgb;
#endif
#elif defined(VIEW_GHOST) || defined(VIEW_HIGHLIGHT)
    // Transparent where it faces the camera, to emphasize the outline.
#ifdef VIEW_HIGHLIGHT
    const float FACING_ALPHA = 0.16;
#else
    const float FACING_ALPHA = 0.25;
#endif
    alpha = debug_view.tint.a * mix(1.0, FACING_ALPHA, facing);
    color = debug_view.tint.rgb;
#endif
    light = vec4(color * alpha, alpha);
#if defined(VIEW_WIREFRAME) && defined(TRIANGLES)
    if (alpha <= 0.0) {
        discard;
    }
#endif
}
