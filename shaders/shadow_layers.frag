// Coverage of the shadow map by casters at about four distances from the plane, each four times the one before. The last is
// that of the farthest caster.

// Depth of the surface next to the plane, and its coverage.
uniform sampler2D casters;

out vec4 layers;

void main() {
    vec4 caster = texelFetch(casters, ivec2(gl_FragCoord.xy), 0);
    vec2 coords = gl_FragCoord.xy / vec2(textureSize(casters, 0));
    float plane = dot(catcher.plane_depth.xyz, vec3(coords, 1.0));
    float distance_ratio = (caster.r - plane) * catcher.plane_depth.w / catcher.sun.x;
    float layer = 3.0 + 0.5 * log2(clamp(distance_ratio, 1.0 / 64.0, 1.0));
    layers = caster.a * max(1.0 - abs(layer - vec4(0.0, 1.0, 2.0, 3.0)), 0.0);
}
