// The metallic-roughness material (glTF 2.0, appendix B).

const float PI = 3.14159265358979;

struct Surface {
    // Diffuse reflectance.
    vec3 diffuse;
    // Reflectance at normal incidence.
    vec3 f0;
    // Perceptual roughness.
    float roughness;
};

Surface surface_of(vec3 base_colour, float metallic, float roughness) {
    return Surface(base_colour * (1.0 - metallic), mix(vec3(0.04), base_colour, metallic), roughness);
}

// Smith's share of microfacets that both directions see, correlated by their height, over four times both cosines.
float visibility_of(float n_dot_l, float n_dot_v, float alpha_squared) {
    float l = n_dot_v * sqrt(alpha_squared + (1.0 - alpha_squared) * n_dot_l * n_dot_l);
    float v = n_dot_l * sqrt(alpha_squared + (1.0 - alpha_squared) * n_dot_v * n_dot_v);
    return 0.5 / (l + v);
}

// BRDF times the light's cosine.
vec3 reflected(Surface surface, vec3 n, vec3 to_eye, vec3 to_light) {
    float n_dot_l = dot(n, to_light);
    if (!(n_dot_l > 0.0)) {
        return vec3(0.0);
    }
    vec3 sum = to_eye + to_light;
    vec3 h = sum / max(length(sum), 1e-6);
    float n_dot_v = abs(dot(n, to_eye));
    float n_dot_h = clamp(dot(n, h), 0.0, 1.0);
    float v_dot_h = clamp(dot(to_eye, h), 0.0, 1.0);

    // A perfect mirror shows no light of no size; this one spreads it over a hundredth of a degree.
    float alpha = max(surface.roughness * surface.roughness, 1e-3);
    float alpha_squared = alpha * alpha;
    float d = n_dot_h * n_dot_h * (alpha_squared - 1.0) + 1.0;
    float distribution = alpha_squared / (PI * d * d);
    float visibility = visibility_of(n_dot_l, n_dot_v, alpha_squared);
    float away = 1.0 - v_dot_h;
    float away_squared = away * away;
    vec3 fresnel = surface.f0 + (1.0 - surface.f0) * (away_squared * away_squared * away);

    vec3 brdf = (1.0 - fresnel) * surface.diffuse / PI + fresnel * (distribution * visibility);
    return brdf * n_dot_l;
}
