// What looks share: their parameters, and how colors as they appear become light.

layout(std140) uniform DebugViewUniforms {
    // Width and height of the picture in pixels.
    vec4 size;
    // The scalar product with a point of the world, and 1: 0 on the near plane of the view, 1 on the far one.
    vec4 depth;
    // Color of wires or of a ghost, linear, and its opacity.
    vec4 tint;
} debug_view;

// Light of the color that appears as `color` (sRGB).
vec3 srgb_to_linear(vec3 color) {
    vec3 curve = pow((max(color, 0.0) + 0.055) / 1.055, vec3(2.4));
    return mix(curve, color / 12.92, lessThanEqual(color, vec3(0.04045)));
}
