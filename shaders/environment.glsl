// Image-based lighting with the split sum approximation (Karis 2013).

// Octahedral maps: reflections of equally spaced roughness values from 0 to 1, then irradiance over pi.
uniform sampler3D environment_layers;

const float ROUGHNESS_LAYERS = ENVIRONMENT_LAYERS - 1.0;

// Octahedral map coordinates of a direction, from -1 to 1.
vec2 octahedral(vec3 d) {
    vec2 p = d.xz / (abs(d.x) + abs(d.y) + abs(d.z));
    vec2 folded = (1.0 - abs(p.yx)) * vec2(p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0);
    return d.y < 0.0 ? folded : p;
}

#ifdef ENVIRONMENT_CUBE_MAP
// Unfiltered radiance.
uniform samplerCube environment_cube_map;

// Roughness of the first layer that is not sharp.
const float FIRST_ROUGH_LAYER = 1.0 / (ROUGHNESS_LAYERS - 1.0);
#endif

// Rotates a direction from the world to the environment.
vec3 environment_from_world(vec3 d) {
    vec2 rotation = frame.environment.xy;
    return vec3(rotation.x * d.x - rotation.y * d.z, d.y, rotation.y * d.x + rotation.x * d.z);
}

// Radiance convolved with the lobe of this roughness.
vec3 prefiltered_radiance(vec3 d, float roughness) {
    vec2 uv = octahedral(d) * frame.environment.z + 0.5;
#ifdef ENVIRONMENT_CUBE_MAP
    float layer_roughness = max(roughness, FIRST_ROUGH_LAYER);
#else
    float layer_roughness = roughness;
#endif
    float layer = (layer_roughness * (ROUGHNESS_LAYERS - 1.0) + 0.5) / ENVIRONMENT_LAYERS;
    vec3 radiance = texture(environment_layers, vec3(uv, layer)).rgb;
#ifdef ENVIRONMENT_CUBE_MAP
    vec3 dx = dFdx(d), dy = dFdy(d);
    if (roughness < FIRST_ROUGH_LAYER) {
        // The mip level whose texels have the angular width of the pixel or the lobe. In the middle of a face, a texel is
        // 2 / side radians wide.
        float pixel_width = sqrt(max(dot(dx, dx), dot(dy, dy)));
#ifdef LIGHT_SAMPLE
        // The mean of many samples filters, too.
        pixel_width *= 0.5;
#endif
        float width = max(pixel_width, 2.0 * roughness * roughness);
        float level = log2(max(0.5 * width * float(textureSize(environment_cube_map, 0).x), 1.0));
        radiance = mix(textureLod(environment_cube_map, d, level).rgb, radiance, roughness / FIRST_ROUGH_LAYER);
    }
#endif
    return radiance * frame.environment.w;
}

// Irradiance over pi.
vec3 irradiance(vec3 n) {
    vec2 uv = octahedral(environment_from_world(n)) * frame.environment.z + 0.5;
    float layer = (ROUGHNESS_LAYERS + 0.5) / ENVIRONMENT_LAYERS;
    return texture(environment_layers, vec3(uv, layer)).rgb * frame.environment.w;
}

// Radiance of the reflection. Rough lobes lean to the normal: by alpha, which fits integrals over GGX lobes in panoramas.
vec3 reflected_radiance(vec3 n, vec3 to_eye, float roughness) {
    vec3 direction = mix(reflect(-to_eye, n), n, roughness * roughness);
    return prefiltered_radiance(environment_from_world(direction), roughness);
}

// Environment light reflected to the camera. `visibility` is that of diffuse light.
vec3 environment_reflection(Surface surface, vec3 n, vec3 to_eye, vec3 visibility) {
    vec3 specular = mix(vec3(surface.dielectric_albedo), surface.metal_albedo, surface.metallic);
    vec3 diffuse = (1.0 - surface.metallic) * (1.0 - surface.dielectric_albedo) * surface.base_color;
#ifdef AMBIENT_OCCLUSION
    specular *= specular_visibility(visibility, surface.roughness, clamp(dot(n, to_eye), 0.0, 1.0));
    diffuse *= visibility;
    visibility = vec3(1.0);
#endif
    return (specular * reflected_radiance(n, to_eye, surface.roughness) + diffuse * irradiance(n)) * visibility;
}
