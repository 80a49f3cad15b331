// Shadow map of one light: the sun, or the light of a sample.

uniform sampler2DShadow shadow_map;

// Coordinates of a surface point in a shadow map. The point is moved along its geometric normal, on the side of the light, by the
// filter's width in texels: surfaces do not shadow themselves.
vec4 shadow_coords(vec3 position, float filter_texels) {
    vec3 to_light = frame.shadow_light_in_world.xyz - frame.shadow_light_in_world.w * position;
    float light_distance = length(to_light);
    to_light /= max(light_distance, 1e-37);
    vec3 n = cross(dFdx(position), dFdy(position));
    n *= inversesqrt(max(dot(n, n), 1e-37));
    float cosine = dot(n, to_light);
    n = cosine < 0.0 ? -n : n;
    float width = filter_texels * light_distance * frame.shadow_texel_width;
    vec3 start = position + width * (1.5 * sqrt(max(1.0 - cosine * cosine, 0.0)) * n + 0.5 * to_light);
    return frame.shadow_from_world * vec4(start, 1.0);
}

#ifdef SUN_SHADOW
// Comparisons along each axis, one texel apart. Each one is bilinear, so that the edge of a shadow is a ramp without steps.
const int COMPARISONS = 4;

// Fraction of the sun's light that reaches a surface point.
float sun_visibility(vec3 position) {
    vec3 coords = shadow_coords(position, 0.5 * float(COMPARISONS + 1)).xyz;
    vec2 texel = 1.0 / vec2(textureSize(shadow_map, 0));
    float lit = 0.0;
    for (int y = 0; y < COMPARISONS; y++) {
        for (int x = 0; x < COMPARISONS; x++) {
            vec2 offset = vec2(x, y) - 0.5 * float(COMPARISONS - 1);
            lit += textureLod(shadow_map, vec3(coords.xy + texel * offset, coords.z), 0.0);
        }
    }
    return lit / float(COMPARISONS * COMPARISONS);
}
#endif
