// Metallic-roughness BRDF (glTF 2.0, appendix B).

const float PI = 3.14159265358979;

struct Surface {
    vec3 base_color;
    float metallic;
    // Perceptual.
    float roughness;
};

// Height-correlated Smith visibility: masking-shadowing over four times both cosines.
float smith_visibility(float n_dot_l, float n_dot_v, float alpha_squared) {
    float l = n_dot_v * sqrt(alpha_squared + (1.0 - alpha_squared) * n_dot_l * n_dot_l);
    float v = n_dot_l * sqrt(alpha_squared + (1.0 - alpha_squared) * n_dot_v * n_dot_v);
    return 0.5 / (l + v);
}

// BRDF times the light's cosine.
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

    // Minimum roughness, so that punctual lights have visible highlights.
    float alpha = max(surface.roughness * surface.roughness, 1e-3);
    float alpha_squared = alpha * alpha;
    float d = n_dot_h * n_dot_h * (alpha_squared - 1.0) + 1.0;
    float distribution = alpha_squared / (PI * d * d);
    float visibility = smith_visibility(n_dot_l, n_dot_v, alpha_squared);
    float one_minus_cosine = 1.0 - v_dot_h;
    float one_minus_cosine_squared = one_minus_cosine * one_minus_cosine;
    float schlick = one_minus_cosine_squared * one_minus_cosine_squared * one_minus_cosine;
    float dielectric = 0.04 + 0.96 * schlick;
    vec3 metal = surface.base_color + (1.0 - surface.base_color) * schlick;

    vec3 diffuse = (1.0 - surface.metallic) * (1.0 - dielectric) / PI * surface.base_color;
    return (diffuse + mix(vec3(dielectric), metal, surface.metallic) * (distribution * visibility)) * n_dot_l;
}

// Scale and bias of the split sum approximation: Karis' fit (2013) with a power in place of the exponential.
vec2 split_sum(float roughness, float n_dot_v) {
    vec4 r = roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float grazing = (1.0 - n_dot_v) * (1.0 - n_dot_v);
    float a = min(r.x * r.x, grazing * grazing * grazing) * r.x + r.y;
    return vec2(-1.04, 1.04) * a + r.zw;
}
