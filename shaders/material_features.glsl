// BSDF of the material extensions KHR_materials_ior, specular, clearcoat, sheen, anisotropy, iridescence, transmission,
// volume, dispersion, diffuse_transmission and pbrSpecularGlossiness.

layout(std140) uniform MaterialFeatureUniforms {
    // Linear color of a dielectric's reflection at normal incidence, and the weight of all its reflections.
    vec4 specular;
    // Linear color and perceptual roughness.
    vec4 sheen;
    // Absorption coefficient of the volume in 1/m, and its thickness in mesh units.
    vec4 absorption;
    // Linear color and factor.
    vec4 diffuse_transmission;
    float ior;
    float clearcoat;
    float clearcoat_roughness;
    float clearcoat_normal_scale;
    float anisotropy;
    // Angle from the tangent to the direction of anisotropy.
    float anisotropy_cos;
    float anisotropy_sin;
    float iridescence;
    float iridescence_ior;
    // Film thickness in nanometers at texel values 0 and 1.
    float iridescence_thickness_min;
    float iridescence_thickness_max;
    float transmission;
    float dispersion;
    // Two matrix rows per extension texture.
    vec4 feature_transform[28];
} features;

// Surface point with extensions.
struct SurfaceFeatures {
    vec3 position_in_world;
    vec3 n;
    vec3 to_eye;
    vec3 base_color;
    float metallic;
    float roughness;
    // Addition to the roughness in the light of points and directions.
    float aa_roughness;
    // Reflectance at normal incidence without its weight, and the weight.
    vec3 dielectric_f0;
    float dielectric_weight;
    // Direction of anisotropy, its bitangent, and the roughness along it.
    vec3 t;
    vec3 b;
    float alpha_t;
    // Fresnel reflectance of the thin film over a dielectric and over a metal, and the film's weight.
    vec3 film_dielectric;
    vec3 film_metal;
    float film;
    // Directional albedo of the GGX lobe to the camera, and its factors for multiple scattering.
    vec3 dielectric_albedo;
    vec3 metal_albedo;
    vec3 dielectric_gain;
    vec3 metal_gain;
    vec3 sheen_color;
    float sheen_roughness;
    vec3 coat_n;
    float coat;
    float coat_roughness;
    float transmission;
    float diffuse_transmission;
    vec3 diffuse_transmission_color;
    // Path length through the volume in meters.
    float thickness;
};

// GGX distribution times visibility.
float ggx_lobe(SurfaceFeatures s, vec3 n, float roughness, vec3 to_light, vec3 h) {
    float n_dot_l = abs(dot(n, to_light));
    float n_dot_v = abs(dot(n, s.to_eye));
    float n_dot_h = clamp(dot(n, h), 0.0, 1.0);
    float alpha_squared = light_alpha_squared(roughness, s.aa_roughness);
    float d = n_dot_h * n_dot_h * (alpha_squared - 1.0) + 1.0;
    return alpha_squared / (PI * d * d) * smith_visibility(n_dot_l, n_dot_v, alpha_squared);
}

#ifdef ANISOTROPY
// Anisotropic GGX (Burley 2012) with Heitz' visibility (2014).
float ggx_anisotropic(SurfaceFeatures s, vec3 to_light, vec3 h) {
    float ab = sqrt(light_alpha_squared(s.roughness, s.aa_roughness));
    float at = max(s.alpha_t, ab);
    float at_ab = at * ab;
    vec3 f = vec3(ab * dot(s.t, h), at * dot(s.b, h), at_ab * dot(s.n, h));
    float w = at_ab / dot(f, f);
    float n_dot_l = abs(dot(s.n, to_light)), n_dot_v = abs(dot(s.n, s.to_eye));
    float v = n_dot_l * length(vec3(at * dot(s.t, s.to_eye), ab * dot(s.b, s.to_eye), n_dot_v));
    float l = n_dot_v * length(vec3(at * dot(s.t, to_light), ab * dot(s.b, to_light), n_dot_l));
    return at_ab * w * w / PI * 0.5 / (v + l);
}
#endif

#ifdef SHEEN
uniform sampler3D sheen_albedo_lut;

// Directional albedo of sheen.
float sheen_albedo(float cosine, float roughness) {
    vec2 uv = (vec2(cosine, roughness) * (SHEEN_LUT_SIZE - 1.0) + 0.5) / SHEEN_LUT_SIZE;
    return textureLod(sheen_albedo_lut, vec3(uv, 0.5), 0.0).r;
}

// Visibility term of sheen (Estevez and Kulla 2017).
float sheen_lambda(float cosine, float alpha) {
    float square = (1.0 - alpha) * (1.0 - alpha);
    float a = mix(21.5473, 25.3245, square);
    float b = mix(3.82987, 3.32435, square);
    float c = mix(0.19823, 0.16801, square);
    float d = mix(-1.97760, -1.27393, square);
    float e = mix(-4.32054, -4.85967, square);
    float at_half = a / (1.0 + b * pow(0.5, c)) + d * 0.5 + e;
    float x = cosine < 0.5 ? cosine : 1.0 - cosine;
    float l = a / (1.0 + b * pow(max(x, 1e-6), c)) + d * x + e;
    return exp(cosine < 0.5 ? l : 2.0 * at_half - l);
}

float sheen_lobe(float n_dot_l, float n_dot_v, float n_dot_h, float roughness) {
    float alpha = max(roughness * roughness, 1e-3);
    float sine_squared = max(1.0 - n_dot_h * n_dot_h, 1e-7);
    float distribution = (2.0 + 1.0 / alpha) * pow(sine_squared, 0.5 / alpha) / (2.0 * PI);
    float masking_shadowing = 1.0 + sheen_lambda(n_dot_v, alpha) + sheen_lambda(n_dot_l, alpha);
    return distribution / (masking_shadowing * 4.0 * max(n_dot_l * n_dot_v, 1e-5));
}
#endif

#ifdef IRIDESCENCE
// Belcour and Barla 2017, as simplified by KHR_materials_iridescence.
vec3 iridescence_sensitivity(float path, vec3 shift) {
    float phase = 2.0 * PI * path * 1e-9;
    vec3 val = vec3(5.4856e-13, 4.4201e-13, 5.2481e-13);
    vec3 pos = vec3(1.6810e+06, 1.7953e+06, 2.2084e+06);
    vec3 var = vec3(4.3278e+09, 9.3046e+09, 6.6121e+09);
    vec3 xyz = val * sqrt(2.0 * PI * var) * cos(pos * phase + shift) * exp(-phase * phase * var);
    xyz.x += 9.7470e-14 * sqrt(2.0 * PI * 4.5282e+09) * cos(2.2399e+06 * phase + shift.x)
        * exp(-4.5282e+09 * phase * phase);
    xyz /= 1.0685e-7;
    return mat3(3.2404542, -0.9692660, 0.0556434,
                -1.5371385, 1.8760108, -0.2040259,
                -0.4985314, 0.0415560, 1.0572252) * xyz;
}

// Reflectance of a thin film of this index and thickness in nanometers over a base of reflectance `f0`.
vec3 iridescent_fresnel(float cosine, float ior, float thickness, vec3 f0) {
    // Fades to no film at thickness 0.
    ior = mix(1.0, ior, smoothstep(0.0, 0.03, thickness));
    float cos_refracted_squared = 1.0 - (1.0 - cosine * cosine) / (ior * ior);
    if (cos_refracted_squared < 0.0) {
        return vec3(1.0);
    }
    float cos_refracted = sqrt(cos_refracted_squared);
    float r0 = (ior - 1.0) * (ior - 1.0) / ((ior + 1.0) * (ior + 1.0));
    float r12 = r0 + (1.0 - r0) * pow5(1.0 - cosine);
    float t121 = 1.0 - r12;
    vec3 root = sqrt(min(f0 + 0.0001, 0.9999));
    vec3 base_ior = (1.0 + root) / (1.0 - root);
    vec3 r1 = (base_ior - ior) * (base_ior - ior) / ((base_ior + ior) * (base_ior + ior));
    vec3 r23 = r1 + (1.0 - r1) * pow5(1.0 - cos_refracted);
    vec3 phi = PI + PI * vec3(lessThan(base_ior, vec3(ior)));
    float path = 2.0 * ior * thickness * cos_refracted;
    vec3 r123 = clamp(r12 * r23, 1e-5, 0.9999);
    vec3 amplitude = sqrt(r123);
    vec3 rs = t121 * t121 * r23 / (1.0 - r123);
    vec3 sum = r12 + rs;
    vec3 c = rs - t121;
    for (int m = 1; m <= 2; m++) {
        c *= amplitude;
        sum += c * 2.0 * iridescence_sensitivity(float(m) * path, float(m) * phi);
    }
    return max(sum, 0.0);
}
#endif

// Fresnel reflectance; `schlick` is Schlick's fifth power.
vec3 dielectric_fresnel(SurfaceFeatures s, float schlick) {
    vec3 fresnel = s.dielectric_weight * (s.dielectric_f0 + (1.0 - s.dielectric_f0) * schlick);
#ifdef IRIDESCENCE
    fresnel = mix(fresnel, s.film_dielectric, s.film);
#endif
    return fresnel;
}

vec3 metal_fresnel(SurfaceFeatures s, float schlick) {
    vec3 fresnel = s.base_color + (1.0 - s.base_color) * schlick;
#ifdef IRIDESCENCE
    fresnel = mix(fresnel, s.film_metal, s.film);
#endif
    return fresnel;
}

// Sets the albedos and gains from the other members.
void set_albedos(inout SurfaceFeatures s) {
    float n_dot_v = clamp(dot(s.n, s.to_eye), 0.0, 1.0);
    float roughness = s.roughness;
#ifdef ANISOTROPY
    // The isotropic lobe of the same area.
    roughness = sqrt(s.roughness * sqrt(s.alpha_t));
#endif
    vec2 albedo = ggx_albedo(roughness, n_dot_v);
    vec3 weighted = s.dielectric_f0 * s.dielectric_weight;
    s.dielectric_albedo = weighted * albedo.x + s.dielectric_weight * albedo.y;
    s.metal_albedo = s.base_color * albedo.x + albedo.y;
    vec3 dielectric_mean = weighted + (s.dielectric_weight - weighted) / 21.0;
    vec3 metal_mean = s.base_color + (1.0 - s.base_color) / 21.0;
#ifdef IRIDESCENCE
    float energy = albedo.x + albedo.y;
    s.dielectric_albedo = mix(s.dielectric_albedo, s.film_dielectric * energy, s.film);
    s.metal_albedo = mix(s.metal_albedo, s.film_metal * energy, s.film);
    dielectric_mean = mix(dielectric_mean, min(s.film_dielectric, 1.0), s.film);
    metal_mean = mix(metal_mean, min(s.film_metal, 1.0), s.film);
#endif
    s.dielectric_gain = multiple_scattering_gain(albedo, roughness, dielectric_mean);
    s.metal_gain = multiple_scattering_gain(albedo, roughness, metal_mean);
    s.dielectric_albedo *= s.dielectric_gain;
    s.metal_albedo *= s.metal_gain;
}

// Fraction of light that passes the specular reflection of a dielectric.
float below_specular(SurfaceFeatures s) {
    return max(1.0 - max_component(s.dielectric_albedo), 0.0);
}

#ifdef CLEARCOAT
// Fraction of light that the clearcoat reflects to the camera.
float clearcoat_weight(SurfaceFeatures s) {
    float cosine = abs(dot(s.coat_n, s.to_eye));
    return s.coat * (0.04 + 0.96 * pow5(1.0 - min(cosine, 1.0)));
}
#endif

#ifdef VOLUME
// Transmittance of a path through the volume in meters.
vec3 volume_transmittance(float path_length) {
    return exp(-features.absorption.rgb * path_length);
}
#endif

// BSDF times the light's cosine.
vec3 brdf_with_features(SurfaceFeatures s, vec3 to_light) {
    float n_dot_l = dot(s.n, to_light);
    vec3 out_light = vec3(0.0);
    if (n_dot_l > 0.0) {
        vec3 sum = s.to_eye + to_light;
        vec3 h = sum / max(length(sum), 1e-6);
        float schlick = pow5(1.0 - clamp(dot(s.to_eye, h), 0.0, 1.0));
#ifdef ANISOTROPY
        float lobe = ggx_anisotropic(s, to_light, h);
#else
        float lobe = ggx_lobe(s, s.n, s.roughness, to_light, h);
#endif
        vec3 fresnel = dielectric_fresnel(s, schlick);
        vec3 diffuse = s.base_color / PI;
#ifdef DIFFUSE_TRANSMISSION
        diffuse *= 1.0 - s.diffuse_transmission;
#endif
#ifdef TRANSMISSION
        diffuse *= 1.0 - s.transmission;
#endif
        vec3 dielectric = below_specular(s) * diffuse + fresnel * s.dielectric_gain * lobe;
        out_light = mix(dielectric, metal_fresnel(s, schlick) * s.metal_gain * lobe, s.metallic) * n_dot_l;
#ifdef SHEEN
        float n_dot_v = abs(dot(s.n, s.to_eye));
        float scale = 1.0 - max_component(s.sheen_color)
            * max(sheen_albedo(min(n_dot_v, 1.0), s.sheen_roughness), sheen_albedo(min(n_dot_l, 1.0), s.sheen_roughness));
        float sheen = sheen_lobe(min(n_dot_l, 1.0), min(n_dot_v, 1.0), clamp(dot(s.n, h), 0.0, 1.0), s.sheen_roughness);
        out_light = out_light * scale + s.sheen_color * (sheen * n_dot_l);
#endif
    }
#if defined(TRANSMISSION) || defined(DIFFUSE_TRANSMISSION)
    if (n_dot_l < 0.0) {
        // Light from behind is mirrored to the front.
        vec3 mirrored_light = to_light - 2.0 * n_dot_l * s.n;
        vec3 sum = s.to_eye + mirrored_light;
        vec3 h = sum / max(length(sum), 1e-6);
        vec3 transmitted = vec3(0.0);
#ifdef DIFFUSE_TRANSMISSION
        transmitted = s.diffuse_transmission * s.diffuse_transmission_color / PI;
#endif
#ifdef TRANSMISSION
        // Rays that are bent less are spread less.
        float roughness = s.roughness * sqrt(clamp(2.0 * features.ior - 2.0, 0.0, 1.0));
        transmitted = mix(transmitted, s.base_color * ggx_lobe(s, s.n, roughness, mirrored_light, h), s.transmission);
#endif
#ifdef VOLUME
        transmitted *= volume_transmittance(s.thickness);
#endif
        out_light = transmitted * (below_specular(s) * (1.0 - s.metallic) * -n_dot_l);
#ifdef SHEEN
        float albedo = sheen_albedo(min(abs(dot(s.n, s.to_eye)), 1.0), s.sheen_roughness);
        out_light *= 1.0 - max_component(s.sheen_color) * albedo;
#endif
    }
#endif
#ifdef CLEARCOAT
    float coat_weight = clearcoat_weight(s);
    float coat_n_dot_l = dot(s.coat_n, to_light);
    out_light *= 1.0 - coat_weight;
    if (coat_n_dot_l > 0.0) {
        vec3 sum = s.to_eye + to_light;
        vec3 h = sum / max(length(sum), 1e-6);
        out_light += coat_weight * coat_n_dot_l * ggx_lobe(s, s.coat_n, s.coat_roughness, to_light, h);
    }
#endif
    return out_light;
}

#ifdef TRANSMISSION
// Opaque scene copy with mip levels.
uniform sampler2D transmission_background;

// Bicubic B-spline filter in four fetches, because low mip levels are coarse.
vec4 sample_transmission_background_level(vec2 uv, float level) {
    vec2 size = vec2(textureSize(transmission_background, int(level)));
    vec2 texel = uv * size - 0.5;
    vec2 f = fract(texel);
    vec2 base = texel - f;
    vec2 g = 1.0 - f;
    vec2 w0 = g * g * g / 6.0;
    vec2 w3 = f * f * f / 6.0;
    vec2 w1 = 2.0 / 3.0 - 0.5 * f * f * (2.0 - f);
    vec2 w2 = 1.0 - w0 - w1 - w3;
    vec2 low = w0 + w1, high = w2 + w3;
    vec4 uvs = vec4(base - 0.5 + w1 / low, base + 1.5 + w3 / high) / size.xyxy;
    return low.y * (low.x * textureLod(transmission_background, uvs.xy, level)
            + high.x * textureLod(transmission_background, uvs.zy, level))
        + high.y * (low.x * textureLod(transmission_background, uvs.xw, level)
            + high.x * textureLod(transmission_background, uvs.zw, level));
}

vec4 sample_transmission_background(vec3 position_in_world, float roughness) {
    vec4 projected = frame.projection_from_world * vec4(position_in_world, 1.0);
    vec2 uv = projected.w > 0.0 || projected.w < 0.0 ? projected.xy / projected.w * 0.5 + 0.5 : vec2(0.5);
    vec2 size = vec2(textureSize(transmission_background, 0));
    float level = min(roughness * log2(size.x), floor(log2(max(size.x, size.y))) - 0.01);
    if (level < 0.01) {
        return textureLod(transmission_background, uv, 0.0);
    }
    float level_floor = floor(level);
    vec4 blurred = mix(sample_transmission_background_level(uv, level_floor),
        sample_transmission_background_level(uv, level_floor + 1.0), level - level_floor);
    if (blurred.a > 0.999) {
        return blurred;
    }
    // Opacity is blurred less than color: glass before a surface is not transparent because other parts of the image are.
    float opacity = textureLod(transmission_background, uv, 0.5 * level).a;
    return blurred * (opacity / max(blurred.a, 1e-4));
}

// Transmitted light, premultiplied, tinted by the volume.
vec4 transmitted_light(SurfaceFeatures s) {
    vec4 background;
    float ior = features.ior;
    float roughness = s.roughness * clamp(2.0 * ior - 2.0, 0.0, 1.0);
#ifdef VOLUME
    float path_length = s.thickness;
#ifdef DISPERSION
    float half_spread = (ior - 1.0) * 0.025 * features.dispersion;
    vec3 iors = max(vec3(ior - half_spread, ior, ior + half_spread), 1.0);
    vec4 red = sample_transmission_background(
        s.position_in_world + refract(-s.to_eye, s.n, 1.0 / iors.r) * path_length, roughness);
    background = sample_transmission_background(
        s.position_in_world + refract(-s.to_eye, s.n, 1.0 / iors.g) * path_length, roughness);
    vec4 blue = sample_transmission_background(
        s.position_in_world + refract(-s.to_eye, s.n, 1.0 / iors.b) * path_length, roughness);
    background = vec4(red.r, background.g, blue.b, background.a);
#else
    vec3 ray = ior >= 1.0 ? refract(-s.to_eye, s.n, 1.0 / ior) : -s.to_eye;
    background = sample_transmission_background(s.position_in_world + ray * path_length, roughness);
#endif
    background.rgb *= volume_transmittance(path_length);
#else
    background = sample_transmission_background(s.position_in_world, roughness);
#endif
    background.rgb *= s.base_color;
    return background;
}
#endif

// Fraction of the base layer's light that the upper layers transmit to the camera.
float base_layer_weight(SurfaceFeatures s) {
    float weight = 1.0;
#ifdef SHEEN
    weight -= max_component(s.sheen_color) * sheen_albedo(clamp(dot(s.n, s.to_eye), 0.0, 1.0), s.sheen_roughness);
#endif
#ifdef CLEARCOAT
    weight *= 1.0 - clearcoat_weight(s);
#endif
    return weight;
}

#ifdef TRANSMISSION
// Fraction of the background's light that a dielectric transmits to the camera.
float transmission_weight(SurfaceFeatures s) {
    return s.transmission * (1.0 - s.metallic) * below_specular(s) * base_layer_weight(s);
}

// Fraction of the light from the direction `to_eye` that reaches the other side of the surface or volume.
vec3 surface_transmittance(SurfaceFeatures s) {
    vec3 fraction = transmission_weight(s) * s.base_color;
#ifdef VOLUME
    // The light leaves by a second surface.
    fraction *= volume_transmittance(s.thickness) * below_specular(s);
#endif
    return fraction;
}
#endif

#ifdef ENVIRONMENT_LAYERS
// Radiance of the reflections of the surface and its clearcoat.
struct SpecularLight {
    vec3 surface;
    vec3 coat;
};

SpecularLight specular_light_of(SurfaceFeatures s) {
    SpecularLight light;
    vec3 reflection_n = s.n;
#ifdef ANISOTROPY
    // A bent normal approximates the anisotropic lobe, as in KHR_materials_anisotropy.
    float alpha = s.roughness * s.roughness;
    float anisotropy = sqrt(clamp((s.alpha_t - alpha) / max(1.0 - alpha, 1e-3), 0.0, 1.0));
    vec3 bent_n = cross(cross(s.b, s.to_eye), s.b);
    float bend_factor = 1.0 - anisotropy * (1.0 - s.roughness);
    bend_factor *= bend_factor;
    reflection_n = normalize(mix(normalize(bent_n), s.n, bend_factor * bend_factor));
#endif
    light.surface = reflected_radiance(reflection_n, s.to_eye, s.roughness);
#ifdef CLEARCOAT
    light.coat = reflected_radiance(s.coat_n, s.to_eye, s.coat_roughness);
#endif
    return light;
}

#ifdef SAMPLED_LIGHT
// One sample of `specular_light_of`.
SpecularLight sampled_specular_light(SurfaceFeatures s) {
    SpecularLight light;
    mat3 world_from_tangent = basis_around(s.n);
    vec2 alpha = vec2(s.roughness * s.roughness);
#ifdef ANISOTROPY
    if (dot(s.t, s.t) > 0.0) {
        world_from_tangent = mat3(s.t, s.b, s.n);
        alpha.x = s.alpha_t;
    }
#endif
    vec3 f0 = mix(s.dielectric_f0, s.base_color, s.metallic);
    light.surface = sampled_radiance(world_from_tangent, s.to_eye, alpha, f0);
#ifdef CLEARCOAT
    vec2 coat_alpha = vec2(s.coat_roughness * s.coat_roughness);
    light.coat = sampled_radiance(basis_around(s.coat_n), s.to_eye, coat_alpha, vec3(0.04));
#endif
    return light;
}
#endif

// Environment light that the extended material reflects to the camera. `visibility` is as in `environment_reflection`.
vec3 environment_with_features(SurfaceFeatures s, SpecularLight specular_light, vec3 visibility) {
    vec3 diffuse_light = irradiance(s.n);
#ifdef AMBIENT_OCCLUSION
    float facing = clamp(dot(s.n, s.to_eye), 0.0, 1.0);
    specular_light.surface *= specular_visibility(visibility, s.base_color, s.roughness, facing);
    diffuse_light = (diffuse_light + RATIO_BIAS) * visibility;
    vec3 coat_visibility = specular_visibility(visibility, s.base_color, s.coat_roughness, facing);
    visibility = vec3(1.0);
#else
    vec3 coat_visibility = visibility;
#endif
    vec3 diffuse = s.base_color * diffuse_light;
#ifdef DIFFUSE_TRANSMISSION
    vec3 transmitted_diffuse = s.diffuse_transmission_color * irradiance(-s.n);
#ifdef VOLUME
    transmitted_diffuse *= volume_transmittance(s.thickness);
#endif
    diffuse = mix(diffuse, transmitted_diffuse, s.diffuse_transmission);
#endif
#ifdef TRANSMISSION
    diffuse *= 1.0 - s.transmission;
#endif
    vec3 dielectric = s.dielectric_albedo * specular_light.surface + below_specular(s) * diffuse;
    vec3 sum = mix(dielectric, s.metal_albedo * specular_light.surface, s.metallic);
#ifdef SHEEN
    float n_dot_v = clamp(dot(s.n, s.to_eye), 0.0, 1.0);
    float albedo = sheen_albedo(n_dot_v, s.sheen_roughness);
    // Sheen is treated as diffuse.
    sum = sum * (1.0 - max_component(s.sheen_color) * albedo) + s.sheen_color * albedo * diffuse_light;
#endif
    sum *= visibility;
#ifdef CLEARCOAT
    float coat_weight = clearcoat_weight(s);
    sum = sum * (1.0 - coat_weight) + specular_light.coat * (coat_weight * coat_visibility);
#endif
    return sum;
}
#endif
