// Image-based lighting with the split sum approximation (Karis 2013).

// Octahedral maps of equally spaced roughness values from 0 to 1.
uniform sampler3D environment_layers;

// Octahedral map coordinates of a direction, from -1 to 1.
vec2 octahedral(vec3 d) {
    vec2 p = d.xz / (abs(d.x) + abs(d.y) + abs(d.z));
    vec2 folded = (1.0 - abs(p.yx)) * vec2(p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0);
    return d.y < 0.0 ? folded : p;
}

// Rotates a direction from the world to the environment.
vec3 environment_from_world(vec3 d) {
    vec2 rotation = frame.environment.xy;
    return vec3(rotation.x * d.x - rotation.y * d.z, d.y, rotation.y * d.x + rotation.x * d.z);
}

// Radiance convolved with the lobe of this roughness.
vec3 prefiltered_radiance(vec3 d, float roughness) {
    vec2 uv = octahedral(d) * frame.environment.z + 0.5;
    float layer = (roughness * (ENVIRONMENT_LAYERS - 1.0) + 0.5) / ENVIRONMENT_LAYERS;
    return texture(environment_layers, vec3(uv, layer)).rgb * frame.environment.w;
}

// Irradiance over pi.
vec3 irradiance(vec3 n) {
    vec3 sum = frame.irradiance[0].rgb + frame.irradiance[1].rgb * n.y + frame.irradiance[2].rgb * n.z
        + frame.irradiance[3].rgb * n.x + frame.irradiance[4].rgb * (n.x * n.y) + frame.irradiance[5].rgb * (n.y * n.z)
        + frame.irradiance[6].rgb * (3.0 * n.z * n.z - 1.0) + frame.irradiance[7].rgb * (n.x * n.z)
        + frame.irradiance[8].rgb * (n.x * n.x - n.y * n.y);
    return max(sum, 0.0);
}

// Environment light reflected to the camera.
vec3 environment_reflection(Surface surface, vec3 n, vec3 to_eye) {
    float n_dot_v = clamp(dot(n, to_eye), 0.0, 1.0);
    vec2 scale_and_bias = split_sum(surface.roughness, n_dot_v);
    // Energy of multiple scattering between microfacets (Fdez-Aguera 2019).
    float missing_energy = 1.0 - (scale_and_bias.x + scale_and_bias.y);
    vec3 f0 = mix(vec3(0.04), surface.base_color, surface.metallic);
    vec3 single_scattering = f0 * scale_and_bias.x + scale_and_bias.y;
    vec3 metal_mean = surface.base_color + (1.0 - surface.base_color) / 21.0;
    vec3 metal_single = surface.base_color * scale_and_bias.x + scale_and_bias.y;
    vec3 metal_multiple = metal_single * metal_mean * missing_energy / (1.0 - metal_mean * missing_energy);
    float dielectric_single = 0.04 * scale_and_bias.x + scale_and_bias.y;
    const float DIELECTRIC_MEAN = 0.04 + 0.96 / 21.0;
    float dielectric_multiple =
        dielectric_single * DIELECTRIC_MEAN * missing_energy / (1.0 - DIELECTRIC_MEAN * missing_energy);
    // Partial metalness blends both materials; diffuse light belongs to the dielectric part.
    vec3 dielectric = dielectric_multiple + (1.0 - dielectric_single - dielectric_multiple) * surface.base_color;

    vec3 specular_light = prefiltered_radiance(environment_from_world(reflect(-to_eye, n)), surface.roughness);
    vec3 diffuse_light = irradiance(environment_from_world(n));
    return single_scattering * specular_light + mix(dielectric, metal_multiple, surface.metallic) * diffuse_light;
}
