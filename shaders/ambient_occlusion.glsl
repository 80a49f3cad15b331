// Ambient occlusion and indirect light of a surface point.

// Diffuse light relative to that of the environment plus `RATIO_BIAS`, and view depth.
uniform sampler2D ambient_occlusion;

// Reads the map with the weights of bilinear filtering, for texels of the same surface.
vec3 diffuse_light_ratio(vec3 position) {
    vec4 projected = frame.projection_from_world * vec4(position, 1.0);
    vec2 size = vec2(textureSize(ambient_occlusion, 0));
    vec2 coords = (projected.xy / projected.w * 0.5 + 0.5) * size - 0.5;
    vec2 base = floor(coords);
    vec2 f = coords - base;
    float depth = dot(frame.view_depth, vec4(position, 1.0));
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 4; i++) {
        ivec2 corner = ivec2(i & 1, i >> 1);
        vec4 texel = texelFetch(ambient_occlusion, clamp(ivec2(base) + corner, ivec2(0), ivec2(size) - 1), 0);
        vec2 bilinear = mix(1.0 - f, f, vec2(corner));
        float weight = (bilinear.x * bilinear.y + 1e-3) / (abs(texel.a - depth) + 1e-3 * depth);
        sum += weight * vec4(texel.rgb, 1.0);
    }
    return sum.rgb / sum.a;
}

// Multi-bounce ambient occlusion: visibility with the light that nearby surfaces of the same color reflect (Jimenez et al. 2016).
vec3 multi_bounce_occlusion(vec3 visibility, vec3 albedo) {
    vec3 a = 2.0404 * albedo - 0.3324;
    vec3 b = -4.7951 * albedo + 0.6417;
    vec3 c = 2.7552 * albedo + 0.6903;
    return max(visibility, ((visibility * a + b) * visibility + c) * visibility);
}

// Visibility of reflected light (Lagarde and de Rousiers 2014).
vec3 specular_visibility(vec3 light_ratio, vec3 albedo, float roughness, float n_dot_v) {
    vec3 visibility = multi_bounce_occlusion(min(light_ratio, 1.0), albedo);
    return clamp(pow(n_dot_v + visibility, vec3(exp2(-16.0 * roughness - 1.0))) - 1.0 + visibility, 0.0, 1.0);
}
