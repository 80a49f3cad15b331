// Metallic-roughness BRDF (glTF 2.0, appendix B).

const float PI = 3.14159265358979;

// Least roughness in the light of points and directions, so that highlights stay visible. As in three.js.
const float MIN_ROUGHNESS = 0.0525;

float pow5(float x) {
    float squared = x * x;
    return squared * squared * x;
}

float max_component(vec3 x) {
    return max(x.r, max(x.g, x.b));
}

// Octahedral map coordinates of a direction, from -1 to 1.
vec2 octahedral(vec3 d) {
    vec2 p = d.xz / (abs(d.x) + abs(d.y) + abs(d.z));
    vec2 folded = (1.0 - abs(p.yx)) * vec2(p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0);
    return d.y < 0.0 ? folded : p;
}

struct Surface {
    vec3 base_color;
    float metallic;
    // Perceptual.
    float roughness;
    // Squared alpha in the light of points and directions.
    float alpha_squared;
    // Directional albedo of the GGX lobe to the camera: dielectric and metal.
    float dielectric_albedo;
    vec3 metal_albedo;
    // Factors of the GGX lobe for light that microfacets scatter more than once.
    float dielectric_gain;
    vec3 metal_gain;
};

// Height-correlated Smith visibility: masking-shadowing over four times both cosines.
float smith_visibility(float n_dot_l, float n_dot_v, float alpha_squared) {
    float l = n_dot_v * sqrt(alpha_squared + (1.0 - alpha_squared) * n_dot_l * n_dot_l);
    float v = n_dot_l * sqrt(alpha_squared + (1.0 - alpha_squared) * n_dot_v * n_dot_v);
    return 0.5 / (l + v);
}

// Directional albedo of the GGX lobe: scale and bias of the reflectance at normal incidence. The fit of MaterialX
// (mx_ggx_dir_albedo_analytic) is within 0.02 but for grazing angles at roughness below 0.1.
vec2 ggx_albedo(float roughness, float n_dot_v) {
    float x = n_dot_v, y = roughness * roughness;
    float xx = x * x, yy = y * y;
    vec4 r = vec4(0.1003, 0.9345, 1.0, 1.0)
        + vec4(-0.6303, -2.323, -1.765, 0.2281) * x
        + vec4(9.748, 2.229, 8.263, 15.94) * y
        + vec4(-2.038, -3.748, 11.53, -55.83) * (x * y)
        + vec4(29.34, 1.424, 28.96, 13.08) * xx
        + vec4(-8.245, -0.7684, -7.507, 41.26) * yy
        + vec4(-26.44, 1.436, -36.11, 54.9) * (xx * y)
        + vec4(19.99, 0.2913, 15.86, 300.2) * (x * yy)
        + vec4(-5.448, 0.6286, 33.37, -285.1) * (xx * yy);
    return clamp(r.xy / r.zw, 0.0, 1.0);
}

// Factor of the GGX lobe for multiple scattering between microfacets (Turquin 2019, with the darkening of Kulla and Conty
// 2017, as in Cycles). `mean_fresnel` is the reflectance averaged over the hemisphere.
vec3 multiple_scattering_gain(vec2 albedo, float roughness, vec3 mean_fresnel) {
    float energy = albedo.x + albedo.y;
    float alpha = roughness * roughness;
    // Cosine-weighted mean of the energy over the hemisphere, within 0.01.
    float mean_energy = 1.0 - alpha * (0.2904 + alpha * (0.9039 - 0.6117 * alpha));
    vec3 tint = mean_fresnel * mean_energy / (1.0 - mean_fresnel * (1.0 - mean_energy));
    return 1.0 + tint * max(1.0 / energy - 1.0, 0.0);
}

// Specular antialiasing: addition to the roughness where the normal varies within a pixel, so that highlights do not
// flicker. As in three.js.
float specular_antialiasing(vec3 n) {
    n *= inversesqrt(max(dot(n, n), 1e-37));
    vec3 turn = max(abs(dFdx(n)), abs(dFdy(n)));
    return max(turn.x, max(turn.y, turn.z));
}

// Squared alpha of a lobe in the light of points and directions.
float light_alpha_squared(float roughness, float aa_roughness) {
    float widened = min(max(roughness, MIN_ROUGHNESS) + aa_roughness, 1.0);
    float alpha = widened * widened;
    return alpha * alpha;
}

Surface surface_at(vec3 base_color, float metallic, float roughness, float aa_roughness, float n_dot_v) {
    vec2 albedo = ggx_albedo(roughness, n_dot_v);
    const float DIELECTRIC_MEAN = 0.04 + 0.96 / 21.0;
    float dielectric_gain = multiple_scattering_gain(albedo, roughness, vec3(DIELECTRIC_MEAN)).x;
    vec3 metal_gain = multiple_scattering_gain(albedo, roughness, base_color + (1.0 - base_color) / 21.0);
    return Surface(base_color, metallic, roughness, light_alpha_squared(roughness, aa_roughness),
        (0.04 * albedo.x + albedo.y) * dielectric_gain,
        (base_color * albedo.x + albedo.y) * metal_gain, dielectric_gain, metal_gain);
}

// BRDF times the light's cosine. The directional albedo of the specular part dims the diffuse part, as in Cycles.
vec3 brdf(Surface surface, vec3 n, vec3 to_eye, vec3 to_light) {
    float n_dot_l = dot(n, to_light);
    if (!(n_dot_l > 0.0)) {
        return vec3(0.0);
    }
    vec3 sum = to_eye + to_light;
    vec3 h = sum / max(length(sum), 1e-6);
    float n_dot_v = abs(dot(n, to_eye));
    float n_dot_h = clamp(dot(n, h), 0.0, 1.0);
    float v_dot_h = clamp(dot(to_eye, h), 0.0, 1.0);

    float alpha_squared = surface.alpha_squared;
    float d = n_dot_h * n_dot_h * (alpha_squared - 1.0) + 1.0;
    float distribution = alpha_squared / (PI * d * d);
    float visibility = smith_visibility(n_dot_l, n_dot_v, alpha_squared);
    float schlick = pow5(1.0 - v_dot_h);
    float dielectric = (0.04 + 0.96 * schlick) * surface.dielectric_gain;
    vec3 metal = (surface.base_color + (1.0 - surface.base_color) * schlick) * surface.metal_gain;

    vec3 diffuse = (1.0 - surface.metallic) * (1.0 - surface.dielectric_albedo) / PI * surface.base_color;
    return (diffuse + mix(vec3(dielectric), metal, surface.metallic) * (distribution * visibility)) * n_dot_l;
}
