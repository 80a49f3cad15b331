// The studio's surroundings: a bright sky, a darker ground, and a soft edge between them.

// What a direction shows, seen through a lobe of this roughness.
vec3 surroundings(vec3 direction, float roughness) {
    float softness = mix(0.12, 1.0, roughness);
    float up = smoothstep(-softness, softness, direction.y);
    // Reflections of a smooth surface also find a panel of light overhead.
    float panel = smoothstep(0.55, 0.85, direction.y) * (1.0 - roughness) * (1.0 - roughness);
    return mix(frame.ground.rgb, frame.sky.rgb, up) + panel * frame.sky.w;
}

// Light from all around that a surface returns to the eye.
vec3 reflected_surroundings(Surface surface, vec3 n, vec3 to_eye, float occlusion) {
    float n_dot_v = clamp(dot(n, to_eye), 0.0, 1.0);
    // Karis' fit to the integral of the specular lobe, with a power in place of his exponential.
    vec4 r = surface.roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float grazing = (1.0 - n_dot_v) * (1.0 - n_dot_v);
    float a = min(r.x * r.x, grazing * grazing * grazing) * r.x + r.y;
    vec2 scale_and_bias = vec2(-1.04, 1.04) * a + r.zw;
    vec3 specular = surface.f0 * scale_and_bias.x + scale_and_bias.y;

    vec3 diffuse_light = surroundings(n, 1.0);
    vec3 specular_light = surroundings(reflect(-to_eye, n), surface.roughness);
    return (surface.diffuse * (1.0 - specular) * diffuse_light + specular * specular_light) * occlusion;
}

// Bends what is brighter than the screen gently to its white.
vec3 shoulder(vec3 light) {
    const float START = 0.6;
    vec3 over = max(light - START, 0.0) / (1.0 - START);
    return min(light, START) + (1.0 - START) * over / (1.0 + over);
}
