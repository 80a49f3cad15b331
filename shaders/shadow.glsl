// Soft shadows from the shadow map.

layout(std140) uniform SunShadowUniforms {
    mat4 projection_from_world;
    mat4 shadow_from_world;
    vec4 catcher;
    vec4 sun;
} sun_shadow;

// Depth times coverage, and coverage, with mip levels.
uniform sampler2D shadow_map;

// Vogel disk samples (1979).
vec2 vogel_disk(int i, int count) {
    float angle = float(i) * 2.39996323;
    return sqrt((float(i) + 0.5) / float(count)) * vec2(cos(angle), sin(angle));
}

// Mip level whose texels have about this width, as a fraction of the map.
float shadow_map_level(float width) {
    return max(log2(width * float(textureSize(shadow_map, 0).x)), 0.0);
}

#ifdef SUN_SHADOW
const int SEARCH_TAPS = 32;
const int SHADE_TAPS = 32;
// Maximum penumbra width, as a fraction of the map.
const float MAX_PENUMBRA_WIDTH = 0.05;
// Depth bias, as a fraction of the depth range: the resolution of half floats.
const float DEPTH_BIAS = 1e-3;
// Maximum slope of the receiver plane, in depth range per map width.
const float MAX_DEPTH_GRADIENT = 4.0;

// Occluders below this slope above the receiver plane are ignored, because surfaces are concave.
const float MIN_OCCLUDER_SLOPE = 0.12;

// Depth of the receiver plane at `offset`, relative to the shaded point, minus the slope of ignored occluders.
float receiver_depth_offset(vec2 depth_gradient, vec2 offset) {
    return dot(depth_gradient, offset) - MIN_OCCLUDER_SLOPE * length(offset);
}

// Fraction of the sun's light that reaches a surface point.
float sun_visibility(vec3 position) {
    vec3 shadow_coords = (sun_shadow.shadow_from_world * vec4(position, 1.0)).xyz;
    // Receiver plane depth bias (Isidoro 2006).
    vec3 dx = dFdx(shadow_coords), dy = dFdy(shadow_coords);
    float area = dx.x * dy.y - dx.y * dy.x;
    vec2 depth_gradient = vec2(dy.y * dx.z - dx.y * dy.z, dx.x * dy.z - dy.x * dx.z);
    depth_gradient = abs(area) > 1e-20 ? depth_gradient / area : vec2(0.0);
    depth_gradient *= min(1.0, MAX_DEPTH_GRADIENT / max(length(depth_gradient), 1e-6));

    float texel_size = 1.0 / float(textureSize(shadow_map, 0).x);
    float biased_depth = shadow_coords.z - DEPTH_BIAS - 0.5 * texel_size * length(depth_gradient);
    float map_per_meter = 1.0 / sun_shadow.sun.x;
    // Penumbra width of the farthest occluder. The first quarter of the depth range is empty.
    float max_width = clamp(sun_shadow.sun.z * (shadow_coords.z - 0.25) * sun_shadow.sun.y * map_per_meter, 2.0 * texel_size,
        MAX_PENUMBRA_WIDTH);
    // Occluders: coverage, and the sums of distance and squared distance.
    vec3 blocker = vec3(0.0);
    float search_level = shadow_map_level(max_width * 0.07);
    for (int i = 0; i < SEARCH_TAPS; i++) {
        vec2 offset = max_width * vogel_disk(i, SEARCH_TAPS);
        vec4 texel = textureLod(shadow_map, shadow_coords.xy + offset, search_level);
        float plane_depth = biased_depth + receiver_depth_offset(depth_gradient, offset);
        float distance_above = plane_depth - texel.r / max(texel.a, 1e-3);
        // Smooth transition, so that adjacent points do not differ by a whole sample.
        float weight = texel.a * clamp(distance_above / (4.0 * DEPTH_BIAS), 0.0, 1.0);
        blocker += weight * vec3(1.0, distance_above, distance_above * distance_above);
    }
    if (blocker.x < 1e-3) {
        return 1.0;
    }
    // With few occluder samples the distance is uncertain: the shadow starts soft and faint.
    float confidence = min(0.6 * blocker.x, 1.0);
    float max_occluder_distance = max_width / (sun_shadow.sun.z * sun_shadow.sun.y * map_per_meter);
    // Weights distant occluders more: texels with partial coverage seem near.
    float mean_distance = clamp(sqrt(blocker.z / blocker.x), DEPTH_BIAS, max_occluder_distance);
    float occluder_distance = mix(max_occluder_distance, mean_distance, confidence);
    // At least the resolution of the map.
    float width = clamp(sun_shadow.sun.z * occluder_distance * sun_shadow.sun.y * map_per_meter, 1.5 * texel_size, max_width);
    float shade = 0.0, shade_level = shadow_map_level(width * 0.15);
    for (int i = 0; i < SHADE_TAPS; i++) {
        vec2 offset = width * vogel_disk(i, SHADE_TAPS);
        vec4 texel = textureLod(shadow_map, shadow_coords.xy + offset, shade_level);
        // A mip level texel averages occluder and receiver.
        float plane_depth = biased_depth + receiver_depth_offset(depth_gradient, offset);
        shade += min(clamp((plane_depth * texel.a - texel.r) / (0.35 * occluder_distance), 0.0, 1.0), texel.a);
    }
    return clamp(1.0 - confidence * shade / float(SHADE_TAPS), 0.0, 1.0);
}
#endif
