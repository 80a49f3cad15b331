// Image-based lighting with the split sum approximation (Karis 2013).

// Octahedral maps: reflections of equally spaced roughness values from 0 to 1, then irradiance over pi.
uniform sampler3D environment_layers;

const float ROUGHNESS_LAYERS = ENVIRONMENT_LAYERS - 1.0;

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

// Radiance convolved with the lobe of this roughness, and with a filter of this angle in radians.
vec3 prefiltered_radiance(vec3 d, float roughness, float filter_width) {
    vec2 uv = octahedral(d) * frame.environment.z + 0.5;
#ifdef ENVIRONMENT_CUBE_MAP
    float layer_roughness = max(roughness, FIRST_ROUGH_LAYER);
#else
    float layer_roughness = roughness;
#endif
    float layer = (layer_roughness * (ROUGHNESS_LAYERS - 1.0) + 0.5) / ENVIRONMENT_LAYERS;
    vec3 radiance = textureLod(environment_layers, vec3(uv, layer), 0.0).rgb;
#ifdef ENVIRONMENT_CUBE_MAP
    if (roughness < FIRST_ROUGH_LAYER) {
        // The mip level whose texels have the angular width of the pixel or the lobe. In the middle of a face, a texel is
        // 2 / side radians wide.
        float width = max(filter_width, 2.0 * roughness * roughness);
        float level = log2(max(0.5 * width * float(textureSize(environment_cube_map, 0).x), 1.0));
        radiance = mix(textureLod(environment_cube_map, d, level).rgb, radiance, roughness / FIRST_ROUGH_LAYER);
    }
#endif
    return radiance * frame.environment.w;
}

// Width of the filter for a direction of a surface, as an angle in radians.
float filter_width(vec3 direction) {
    vec3 dx = dFdx(direction), dy = dFdy(direction);
    float pixel_width = sqrt(max(dot(dx, dx), dot(dy, dy)));
#ifdef SAMPLED_LIGHT
    // The mean of many samples filters, too.
    pixel_width *= 0.5;
#endif
    return pixel_width;
}

vec3 prefiltered_radiance(vec3 d, float roughness) {
    return prefiltered_radiance(d, roughness, filter_width(d));
}

// Irradiance over pi.
vec3 irradiance(vec3 n) {
    vec2 uv = octahedral(environment_from_world(n)) * frame.environment.z + 0.5;
    float layer = (ROUGHNESS_LAYERS + 0.5) / ENVIRONMENT_LAYERS;
    return textureLod(environment_layers, vec3(uv, layer), 0.0).rgb * frame.environment.w;
}

// Radiance of the reflection. Rough lobes lean to the normal: by alpha, which fits integrals over GGX lobes in panoramas.
vec3 reflected_radiance(vec3 n, vec3 to_eye, float roughness) {
    vec3 direction = mix(reflect(-to_eye, n), n, roughness * roughness);
    return prefiltered_radiance(environment_from_world(direction), roughness);
}

#ifdef SAMPLED_LIGHT
// Weight of the split-sum approximation, `reflected_radiance`, in the reflections of samples. The approximation is exact for
// mirrors, and close for very rough metals, which need too many samples.
float split_sum_weight(vec2 alpha, vec3 f0) {
    vec2 roughness = sqrt(alpha);
    float brightness = smoothstep(0.1, 0.5, max_component(f0));
    return 1.0 - smoothstep(0.0, 0.1, max(roughness.x, roughness.y))
        + brightness * smoothstep(0.4, 0.8, min(roughness.x, roughness.y));
}

// Any right-handed orthonormal basis with the third axis `n` (Duff et al. 2017).
mat3 basis_around(vec3 n) {
    float side = n.z < 0.0 ? -1.0 : 1.0;
    float a = -1.0 / (side + n.z);
    float b = n.x * n.y * a;
    return mat3(1.0 + side * n.x * n.x * a, side * b, -side * n.x, b, side + n.y * n.y * a, -n.y, n);
}

// One sample of the radiance of the reflection, whose mean over all samples is that of the GGX lobe with the reflectance `f0` at
// normal incidence. `alpha` is along the first two axes of the basis around the normal. Visible normals are sampled (Heitz 2018,
// Dupuy and Benyoub 2023).
vec3 sampled_radiance(mat3 world_from_tangent, vec3 to_eye, vec2 alpha, vec3 f0) {
    vec3 n = world_from_tangent[2];
    float split_sum = split_sum_weight(alpha, f0);
    vec3 split_sum_radiance = reflected_radiance(n, to_eye, sqrt(min(alpha.x, alpha.y)));
    alpha = max(alpha, 1e-3);
    float width = filter_width(reflect(-to_eye, n));
    vec3 v = to_eye * world_from_tangent;
    v.z = max(abs(v.z), 1e-3);
    vec3 stretched_v = vec3(alpha * v.xy, v.z);
    float v_length = length(stretched_v);
    stretched_v /= v_length;

    float z = 1.0 - frame.ggx_random.y * (1.0 + stretched_v.z);
    float angle = 2.0 * PI * frame.ggx_random.x;
    vec3 h = vec3(sqrt(max(1.0 - z * z, 0.0)) * vec2(cos(angle), sin(angle)), z) + stretched_v;
    h = normalize(vec3(alpha * h.xy, max(h.z, 1e-6)));
    vec3 l = reflect(-v, h);
    // Masking-shadowing over masking, times reflectance, relative to the mean, which the albedo of the lobe includes.
    float l_length = length(vec3(alpha * l.xy, l.z));
    float weight = l.z > 0.0 ? (v.z + v_length) * l.z / (v_length * l.z + l_length * v.z) : 0.0;
    vec2 albedo = ggx_albedo(sqrt(sqrt(alpha.x * alpha.y)), min(v.z, 1.0));
    // Where samples are sparse, each stands for a wider lobe: filtered importance sampling (Krivanek and Colbert 2008).
    vec3 slope = vec3(h.xy / alpha, h.z);
    float distribution = 1.0 / (PI * alpha.x * alpha.y * dot(slope, slope) * dot(slope, slope));
    float density = distribution / (2.0 * (v.z + v_length));
    float radius = sqrt(frame.ggx_sample_fraction / (PI * density));
    vec3 radiance =
        prefiltered_radiance(environment_from_world(world_from_tangent * l), min(sqrt(0.5 * radius), 1.0), width);
    float schlick = pow5(1.0 - clamp(dot(v, h), 0.0, 1.0));
    radiance *= weight * (f0 + (1.0 - f0) * schlick) / max(f0 * albedo.x + albedo.y, 1e-4);
    return mix(radiance, split_sum_radiance, split_sum);
}
#endif

// Environment light reflected to the camera. `specular_light` is the radiance of the reflection, `visibility` that of diffuse
// light; with ambient occlusion the ratio of `diffuse_light_ratio`.
vec3 environment_reflection(Surface surface, vec3 n, vec3 to_eye, vec3 specular_light, vec3 visibility) {
    vec3 specular = mix(vec3(surface.dielectric_albedo), surface.metal_albedo, surface.metallic);
    vec3 diffuse = (1.0 - surface.metallic) * (1.0 - surface.dielectric_albedo) * surface.base_color;
#ifdef AMBIENT_OCCLUSION
    specular *= specular_visibility(visibility, surface.base_color, surface.roughness, clamp(dot(n, to_eye), 0.0, 1.0));
    return specular * specular_light + diffuse * (irradiance(n) + RATIO_BIAS) * visibility;
#else
    return (specular * specular_light + diffuse * irradiance(n)) * visibility;
#endif
}
