// Light from all around, by the split sum (Karis 2013).

// Layer by layer for roughnesses from 0 to 1, each a square that an octahedron unfolds to.
uniform sampler3D environment_layers;

// Where the square shows a direction, each way from -1 to 1.
vec2 octahedral(vec3 d) {
    vec2 p = d.xz / (abs(d.x) + abs(d.y) + abs(d.z));
    vec2 folded = (1.0 - abs(p.yx)) * vec2(p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0);
    return d.y < 0.0 ? folded : p;
}

// From the world to the environment, which may be turned about Y.
vec3 environment_from_world(vec3 d) {
    vec2 turn = frame.environment.xy;
    return vec3(turn.x * d.x - turn.y * d.z, d.y, turn.y * d.x + turn.x * d.z);
}

// What a mirror of this roughness shows in a direction.
vec3 mirrored(vec3 d, float roughness) {
    vec2 place = octahedral(d) * frame.environment.z + 0.5;
    float layer = (roughness * (ENVIRONMENT_LAYERS - 1.0) + 0.5) / ENVIRONMENT_LAYERS;
    return texture(environment_layers, vec3(place, layer)).rgb * frame.environment.w;
}

// What a white diffuse surface returns.
vec3 diffused(vec3 n) {
    vec3 sum = frame.irradiance[0].rgb + frame.irradiance[1].rgb * n.y + frame.irradiance[2].rgb * n.z
        + frame.irradiance[3].rgb * n.x + frame.irradiance[4].rgb * (n.x * n.y) + frame.irradiance[5].rgb * (n.y * n.z)
        + frame.irradiance[6].rgb * (3.0 * n.z * n.z - 1.0) + frame.irradiance[7].rgb * (n.x * n.z)
        + frame.irradiance[8].rgb * (n.x * n.x - n.y * n.y);
    return max(sum, 0.0);
}

// Light from all around that a surface returns to the eye.
vec3 reflected_surroundings(Surface surface, vec3 n, vec3 to_eye) {
    float n_dot_v = clamp(dot(n, to_eye), 0.0, 1.0);
    // Karis' fit to the integral of the specular lobe, with a power in place of his exponential.
    vec4 r = surface.roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float grazing = (1.0 - n_dot_v) * (1.0 - n_dot_v);
    float a = min(r.x * r.x, grazing * grazing * grazing) * r.x + r.y;
    vec2 scale_and_bias = vec2(-1.04, 1.04) * a + r.zw;
    vec3 once = surface.f0 * scale_and_bias.x + scale_and_bias.y;
    // What leaves after more than one bounce between microfacets (Fdez-Aguera 2019): a white metal loses nothing.
    float lost = 1.0 - (scale_and_bias.x + scale_and_bias.y);
    vec3 mean_fresnel = surface.f0 + (1.0 - surface.f0) / 21.0;
    vec3 again = once * mean_fresnel * lost / (1.0 - mean_fresnel * lost);

    vec3 specular_light = mirrored(environment_from_world(reflect(-to_eye, n)), surface.roughness);
    vec3 diffuse_light = diffused(environment_from_world(n));
    return once * specular_light + (again + surface.diffuse * (1.0 - once - again)) * diffuse_light;
}
