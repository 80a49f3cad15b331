// Uniforms of debug views, and the sRGB decoding.

layout(std140) uniform DebugViewUniforms {
    // Width and height of the image in pixels; z: target of the texel density in texels per meter; w: pixels per unit of line width.
    vec4 size;
    // Plane equation of the depth along the view: 0 at the near plane, 1 at the far plane.
    vec4 depth;
    // Linear color and opacity of wires, of a ghost or of the highlight.
    vec4 tint;
} debug_view;

// Decodes sRGB.
vec3 srgb_to_linear(vec3 color) {
    vec3 curve = pow((max(color, 0.0) + 0.055) / 1.055, vec3(2.4));
    return mix(curve, color / 12.92, lessThanEqual(color, vec3(0.04045)));
}
