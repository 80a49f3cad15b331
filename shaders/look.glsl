// What looks share: their parameters, and how colours as they appear become light.

layout(std140) uniform LookBlock {
    // Width and height of the picture in pixels.
    vec4 size;
    // The scalar product with a point of the world, and 1: 0 on the near plane of the view, 1 on the far one.
    vec4 depth;
    // Colour of wires or of a ghost, linear, and its opacity.
    vec4 tint;
} look;

// Light of the colour that appears as `colour` (sRGB).
vec3 decoded(vec3 colour) {
    vec3 curve = pow((max(colour, 0.0) + 0.055) / 1.055, vec3(2.4));
    return mix(curve, colour / 12.92, lessThanEqual(colour, vec3(0.04045)));
}
