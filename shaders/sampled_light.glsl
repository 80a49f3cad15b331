// Shadow of one light, for images that average many samples.

// Values of `frame.sampled_light` that are not the index of a light.
const int ENVIRONMENT_LIGHT = -1;
const int VIRTUAL_POINT_LIGHT = -2;

// Least roughness that is resolved by samples of the environment.
const float MIN_SAMPLED_ROUGHNESS = 0.5;

// Fraction of the environment that blockers see; the rest they see of each other.
const float BLOCKER_VISIBILITY = 0.5;

#ifdef REFLECTIVE_SHADOW_MAP
// Reflective shadow map: one-bounce radiance of the surface nearest to the sampled light, and its color (see `pack_color`).
uniform sampler2D reflective_shadow_map;
#endif

// Radiance of the surface that shadows a surface of this position, normal and color. Light reaches it through the gap
// between the two, which opens along the axis between their normals. All bounces between the two are included.
vec3 blocker_radiance(vec3 position, vec3 n, vec3 color) {
    color = clamp(color, 0.0, 1.0);
    vec3 blocker_color = color;
    vec3 light = vec3(0.0);
#ifdef REFLECTIVE_SHADOW_MAP
    vec4 coords = frame.shadow_from_world * vec4(position, 1.0);
    vec4 blocker = textureProjLod(reflective_shadow_map, coords, 0.0);
    if (blocker.a > 0.0) {
        light = blocker.rgb;
        blocker_color = mod(floor((blocker.a - 1.0) / vec3(65536.0, 256.0, 1.0)), 256.0) / 255.0;
    }
#endif
    vec3 seen = (1.0 - BLOCKER_VISIBILITY) * color;
#ifdef ENVIRONMENT_LAYERS
    // The second term is the axis for a blocker right above the surface.
    vec3 gap_axis = normalize(n - frame.shadow_light_in_world.xyz + 1e-6 * n);
    light += blocker_color * BLOCKER_VISIBILITY * irradiance(gap_axis) * (1.0 + seen);
#endif
    return light / (1.0 - seen * (1.0 - BLOCKER_VISIBILITY) * blocker_color);
}

// Fraction of the sampled light that opaque surfaces block from a surface point.
float sampled_light_occlusion(vec3 position) {
    vec4 coords = shadow_coords(position, 1.0);
    // Points behind a light are in another of its maps.
    return coords.w > 0.0 ? 1.0 - textureProjLod(shadow_map, coords, 0.0) : 0.0;
}

#ifdef TRANSLUCENT_SHADOW_MAP
// Translucent shadow map: fraction of the light that all transmissive surfaces transmit, and the depth of the nearest.
uniform sampler2D translucent_shadow_map;

// Fraction of the sampled light that transmissive surfaces transmit to a surface point. All are taken to be in front
// of the point if one is.
vec3 sampled_light_transmittance(vec3 position) {
    float texels = float(textureSize(shadow_map, 0).x) / float(textureSize(translucent_shadow_map, 0).x);
    vec4 coords = shadow_coords(position, texels);
    if (!(coords.w > 0.0)) {
        return vec3(1.0);
    }
    coords /= coords.w;
    vec4 texel = textureLod(translucent_shadow_map, coords.xy, 0.0);
    bool is_in_map = coords.xy == clamp(coords.xy, 0.0, 1.0);
    return is_in_map && coords.z > texel.a ? texel.rgb : vec3(1.0);
}
#endif
