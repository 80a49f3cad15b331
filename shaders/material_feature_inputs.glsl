// Evaluates the material extensions from uniforms and textures.

#ifdef SPECULAR_SET
uniform sampler2D specular_texture;
#endif
#ifdef SPECULAR_COLOR_SET
uniform sampler2D specular_color_texture;
#endif
#ifdef CLEARCOAT_SET
uniform sampler2D clearcoat_texture;
#endif
#ifdef CLEARCOAT_ROUGHNESS_SET
uniform sampler2D clearcoat_roughness_texture;
#endif
#ifdef CLEARCOAT_NORMAL_SET
uniform sampler2D clearcoat_normal_texture;
#endif
#ifdef SHEEN_COLOR_SET
uniform sampler2D sheen_color_texture;
#endif
#ifdef SHEEN_ROUGHNESS_SET
uniform sampler2D sheen_roughness_texture;
#endif
#ifdef ANISOTROPY_SET
uniform sampler2D anisotropy_texture;
#endif
#ifdef IRIDESCENCE_SET
uniform sampler2D iridescence_texture;
#endif
#ifdef IRIDESCENCE_THICKNESS_SET
uniform sampler2D iridescence_thickness_texture;
#endif
#ifdef TRANSMISSION_SET
uniform sampler2D transmission_texture;
#endif
#ifdef THICKNESS_SET
uniform sampler2D thickness_texture;
#endif
#ifdef DIFFUSE_TRANSMISSION_SET
uniform sampler2D diffuse_transmission_texture;
#endif
#ifdef DIFFUSE_TRANSMISSION_COLOR_SET
uniform sampler2D diffuse_transmission_color_texture;
#endif

#if TEX_COORD_SETS > 0
vec2 feature_coords(int set, int texture_number) {
#ifdef TEXTURE_TRANSFORMS
    vec3 uv = vec3(tex_coords[set], 1.0);
    int row = 2 * texture_number;
    return vec2(dot(features.feature_transform[row].xyz, uv), dot(features.feature_transform[row + 1].xyz, uv));
#else
    return tex_coords[set];
#endif
}
#endif

SurfaceFeatures material_features_at(
    vec3 base_color, float metallic, float roughness, float aa_roughness, vec3 n, vec3 smooth_n, vec3 to_eye, float facing
) {
    SurfaceFeatures s;
    s.position_in_world = position_in_world;
    s.n = n;
    s.to_eye = to_eye;
    s.base_color = base_color;
    s.metallic = metallic;
    s.roughness = roughness;
    s.aa_roughness = aa_roughness;

    vec4 specular = features.specular;
#ifdef SPECULAR_COLOR_SET
    vec4 specular_texel = material_texel(specular_color_texture, feature_coords(SPECULAR_COLOR_SET, 1));
    specular.rgb *= specular_texel.rgb;
#endif
#ifdef SPECULAR_SET
    specular.a *= material_texel(specular_texture, feature_coords(SPECULAR_SET, 0)).a;
#endif
    float sqrt_f0 = (features.ior - 1.0) / (features.ior + 1.0);
    s.dielectric_f0 = min(sqrt_f0 * sqrt_f0 * specular.rgb, 1.0);
    s.dielectric_weight = specular.a;
#ifdef SPECULAR_GLOSSINESS
#ifdef SPECULAR_COLOR_SET
    s.roughness = 1.0 - (1.0 - roughness) * specular_texel.a;
#endif
    s.base_color *= 1.0 - max_component(s.dielectric_f0);
#endif

#ifdef CLEARCOAT
    s.coat = features.clearcoat;
    s.coat_roughness = features.clearcoat_roughness;
    s.coat_n = smooth_n;
#ifdef CLEARCOAT_SET
    s.coat *= material_texel(clearcoat_texture, feature_coords(CLEARCOAT_SET, 2)).r;
#endif
#ifdef CLEARCOAT_ROUGHNESS_SET
    s.coat_roughness *= material_texel(clearcoat_roughness_texture, feature_coords(CLEARCOAT_ROUGHNESS_SET, 3)).g;
#endif
#ifdef CLEARCOAT_NORMAL_SET
    vec2 coat_uv = feature_coords(CLEARCOAT_NORMAL_SET, 4);
    vec3 coat_normal = material_texel(clearcoat_normal_texture, coat_uv).xyz;
    s.coat_n = apply_normal_map(smooth_n, coat_uv, coat_normal, features.clearcoat_normal_scale);
#endif
    float coat_n_length = length(s.coat_n);
    s.coat_n = coat_n_length > 0.0 ? s.coat_n * (facing / coat_n_length) : to_eye;
#endif

#ifdef SHEEN
    s.sheen_color = features.sheen.rgb;
    s.sheen_roughness = features.sheen.a;
#ifdef SHEEN_COLOR_SET
    s.sheen_color *= material_texel(sheen_color_texture, feature_coords(SHEEN_COLOR_SET, 5)).rgb;
#endif
#ifdef SHEEN_ROUGHNESS_SET
    s.sheen_roughness *= material_texel(sheen_roughness_texture, feature_coords(SHEEN_ROUGHNESS_SET, 6)).a;
#endif
#endif

#ifdef ANISOTROPY
    vec2 direction = vec2(1.0, 0.0);
    float strength = features.anisotropy;
    vec2 direction_uv = vec2(0.0);
#ifdef ANISOTROPY_SET
    direction_uv = feature_coords(ANISOTROPY_SET, 7);
    vec3 anisotropy_texel = material_texel(anisotropy_texture, direction_uv).rgb;
    direction = anisotropy_texel.rg * 2.0 - 1.0;
    strength *= anisotropy_texel.b;
#elif defined(NORMAL_SET)
    direction_uv = coords(NORMAL_SET, 4);
#elif TEX_COORD_SETS > 0
    direction_uv = tex_coords[0];
#endif
    direction = vec2(features.anisotropy_cos * direction.x - features.anisotropy_sin * direction.y,
               features.anisotropy_sin * direction.x + features.anisotropy_cos * direction.y);
    vec3 frame_n = smooth_n, t, b;
    tangent_frame(frame_n, direction_uv, t, b);
    t = direction.x * t + direction.y * b;
    // Orthogonal to the shading normal.
    t -= n * dot(n, t);
    float t_length = length(t);
    s.t = t_length > 1e-6 ? t / t_length : vec3(0.0);
    s.b = cross(n, s.t);
    float alpha = max(s.roughness * s.roughness, 1e-3);
    s.alpha_t = mix(alpha, 1.0, t_length > 1e-6 ? strength * strength : 0.0);
#endif

#ifdef IRIDESCENCE
    s.film = features.iridescence;
    float film_thickness = features.iridescence_thickness_max;
#ifdef IRIDESCENCE_SET
    s.film *= material_texel(iridescence_texture, feature_coords(IRIDESCENCE_SET, 8)).r;
#endif
#ifdef IRIDESCENCE_THICKNESS_SET
    film_thickness = mix(features.iridescence_thickness_min, features.iridescence_thickness_max,
        material_texel(iridescence_thickness_texture, feature_coords(IRIDESCENCE_THICKNESS_SET, 9)).g);
#endif
    float film_cosine = clamp(dot(n, to_eye), 0.0, 1.0);
    s.film_dielectric =
        iridescent_fresnel(film_cosine, features.iridescence_ior, film_thickness, s.dielectric_f0 * s.dielectric_weight);
    s.film_metal = iridescent_fresnel(film_cosine, features.iridescence_ior, film_thickness, base_color);
#endif

#ifdef TRANSMISSION
    s.transmission = features.transmission;
#ifdef TRANSMISSION_SET
    s.transmission *= material_texel(transmission_texture, feature_coords(TRANSMISSION_SET, 10)).r;
#endif
#endif
#ifdef VOLUME
    s.thickness = features.absorption.a * scale_in_world;
#ifdef THICKNESS_SET
    s.thickness *= material_texel(thickness_texture, feature_coords(THICKNESS_SET, 11)).g;
#endif
#endif
#ifdef DIFFUSE_TRANSMISSION
    s.diffuse_transmission = features.diffuse_transmission.a;
    s.diffuse_transmission_color = features.diffuse_transmission.rgb;
#ifdef DIFFUSE_TRANSMISSION_SET
    s.diffuse_transmission *= material_texel(diffuse_transmission_texture, feature_coords(DIFFUSE_TRANSMISSION_SET, 12)).a;
#endif
#ifdef DIFFUSE_TRANSMISSION_COLOR_SET
    s.diffuse_transmission_color *=
        material_texel(diffuse_transmission_color_texture, feature_coords(DIFFUSE_TRANSMISSION_COLOR_SET, 13)).rgb;
#endif
#endif
    set_albedos(s);
    return s;
}
