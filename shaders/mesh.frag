// Shades a surface point: linear light, premultiplied with alpha.

#ifdef POSITION_OUT
in vec3 position_in_world;
#endif
#ifdef NORMALS
in vec3 normal_in_world;
#endif
#ifdef TANGENTS
in vec4 tangent_in_world;
#endif
#ifdef COLORS
in vec4 color;
#endif
#if TEX_COORD_SETS > 0
in vec2 tex_coords[TEX_COORD_SETS];
#endif
#ifdef WINDING_SIGN_OUT
flat in float winding_sign;
#endif

#ifdef BASE_COLOR_SET
uniform sampler2D base_color_texture;
#endif
#ifdef METALLIC_ROUGHNESS_SET
uniform sampler2D metallic_roughness_texture;
#endif
#ifdef EMISSIVE_SET
uniform sampler2D emissive_texture;
#endif
#ifdef OCCLUSION_SET
uniform sampler2D occlusion_texture;
#endif
#ifdef NORMAL_SET
uniform sampler2D normal_texture;
#endif

out vec4 light;

// The largest finite half float.
const float MAX_HALF_FLOAT = 65504.0;

#if TEX_COORD_SETS > 0
vec2 coords(int set, int texture_number) {
#ifdef TEXTURE_TRANSFORMS
    vec3 uv = vec3(tex_coords[set], 1.0);
    int row = 2 * texture_number;
    return vec2(dot(material.texture_transform[row].xyz, uv), dot(material.texture_transform[row + 1].xyz, uv));
#else
    return tex_coords[set];
#endif
}
#endif

// Texel of a texture of the material.
#ifdef TEXTURE_LOD_BIAS
#define material_texel(name, uv) texture(name, uv, frame.texture_lod_bias)
#else
#define material_texel(name, uv) texture(name, uv)
#endif

// NaN becomes 0. By its bits, because GLSL leaves `max` and `isnan` of NaN open.
vec3 clamp_to_half_float(vec3 x) {
    x = mix(x, vec3(0.0), greaterThan(floatBitsToUint(abs(x)), uvec3(0x7F800000u)));
#ifdef SAMPLED_LIGHT
    // Only the mean of many samples is positive.
    return clamp(x, 0.0, MAX_HALF_FLOAT) - clamp(-x, 0.0, MAX_HALF_FLOAT);
#else
    return clamp(x, 0.0, MAX_HALF_FLOAT);
#endif
}

#ifdef VOLUME
in float scale_in_world;
#endif

#if defined(NORMAL_SET) || defined(CLEARCOAT_NORMAL_SET) || defined(ANISOTROPY)
// Tangent frame of the texture coordinates `uv`, for the normal `n`. Not normalized, as MikkTSpace requires.
void tangent_frame(inout vec3 n, vec2 uv, out vec3 t, out vec3 b) {
#ifdef TANGENTS
    t = tangent_in_world.xyz;
    b = tangent_in_world.w * cross(n, t);
#else
    // From screen-space derivatives. V points down in the texture, the bitangent up.
    vec3 dx = dFdx(position_in_world), dy = dFdy(position_in_world);
    vec2 uv_dx = dFdx(uv), uv_dy = dFdy(uv);
    float side = uv_dx.x * uv_dy.y - uv_dy.x * uv_dx.y < 0.0 ? -1.0 : 1.0;
    n = normalize(n);
    t = side * (uv_dy.y * dx - uv_dx.y * dy);
    t -= n * dot(n, t);
    t *= inversesqrt(max(dot(t, t), 1e-37));
    vec3 along_v = side * (uv_dx.x * dy - uv_dy.x * dx);
    b = cross(n, t);
    b = dot(b, along_v) > 0.0 ? -b : b;
#endif
}

// Applies a normal map texel to `n`.
vec3 apply_normal_map(vec3 n, vec2 uv, vec3 texel, float scale) {
    vec3 t, b;
    tangent_frame(n, uv, t, b);
    vec3 m = texel * 2.0 - 1.0;
    m.xy *= scale;
    return m.x * t + m.y * b + m.z * n;
}
#endif

#ifdef MATERIAL_FEATURES
SurfaceFeatures material_features_at(
    vec3 base_color, float metallic, float roughness, float aa_roughness, vec3 n, vec3 smooth_n, vec3 to_eye, float facing
);
#endif

#ifdef REFLECTIVE_SHADOW_MAP_OUT
// 24 bits as an integer, which 32-bit floats represent exactly, plus 1.
float pack_color(vec3 color) {
    return 1.0 + dot(floor(255.0 * clamp(color, 0.0, 1.0) + 0.5), vec3(65536.0, 256.0, 1.0));
}
#endif

void main() {
    vec4 base = material.base_color;
#ifdef COLORS
    base *= color;
#endif
#ifdef BASE_COLOR_SET
    base *= material_texel(base_color_texture, coords(BASE_COLOR_SET, 0));
#endif

#ifndef UNLIT
    float metallic = material.metallic;
    float roughness = material.roughness;
    vec3 emissive = material.emissive.rgb;
    float occlusion = 1.0;
#ifdef METALLIC_ROUGHNESS_SET
    vec2 roughness_metallic = material_texel(metallic_roughness_texture, coords(METALLIC_ROUGHNESS_SET, 1)).gb;
    roughness *= roughness_metallic.x;
    metallic *= roughness_metallic.y;
#endif
#ifdef EMISSIVE_SET
    emissive *= material_texel(emissive_texture, coords(EMISSIVE_SET, 2)).rgb;
#endif
#ifdef OCCLUSION_SET
    occlusion = 1.0 + material.occlusion_strength * (material_texel(occlusion_texture, coords(OCCLUSION_SET, 3)).r - 1.0);
#endif
#ifndef NORMALS
    // Flat normal of the visible side.
    vec3 n = cross(dFdx(position_in_world), dFdy(position_in_world));
#else
    vec3 n = normal_in_world;
#endif
#ifdef MATERIAL_FEATURES
    vec3 smooth_n = n;
#endif
#ifdef NORMAL_SET
    vec2 normal_uv = coords(NORMAL_SET, 4);
    n = apply_normal_map(n, normal_uv, material_texel(normal_texture, normal_uv).xyz, material.normal_scale);
#endif
    float aa_roughness = 0.0;
#if defined(NORMALS) && defined(LIGHTS)
    aa_roughness = specular_antialiasing(normal_in_world);
#if defined(SAMPLED_LIGHT) || defined(TEXTURE_LOD_BIAS)
    // The mean of samples filters highlights, as it does the texels of finer mip levels.
    aa_roughness *= exp2(frame.texture_lod_bias);
#endif
#endif
#endif

    // Discarded at the end, because derivatives and texture levels are undefined after a `discard` (GLSL 3.30, section 8.8).
    bool is_discarded = false;
#ifdef ALPHA_MASK
    is_discarded = base.a < material.emissive.w;
#endif
#ifdef ALPHA_COVERAGE
    // Alpha to coverage: one pixel wide, half covered at the cutoff.
    float coverage = (base.a - material.emissive.w) / max(fwidth(base.a), 1e-4) + 0.5;
    is_discarded = !(coverage > 0.0);
#endif
#ifndef ALPHA_BLEND
    base.a = 1.0;
#endif
#ifdef FACING
#ifdef WINDING_SIGN_OUT
    float facing = gl_FrontFacing ? winding_sign : -winding_sign;
    is_discarded = is_discarded || draw.side * facing < 0.0;
#else
    float facing = gl_FrontFacing ? draw.winding_sign : -draw.winding_sign;
#endif
#endif

#ifdef UNLIT
    vec3 color_out = base.rgb;
#ifdef INVERSE_TONE_MAPPING
    // The mean of the samples is tone-mapped, but unlit colors are not.
    color_out = inverse_tone_map(color_out);
#endif
#else
    vec3 to_eye = normalize(frame.eye_in_world.xyz - frame.eye_in_world.w * position_in_world);
#if defined(NORMALS) && defined(FACING)
    n *= facing;
#endif
#ifdef REFLECTIVE_SHADOW_MAP_OUT
    // Flip the normal: receivers see the occluder's back.
    to_eye = -to_eye;
    n = -n;
#endif
    float n_length = length(n);
    n = n_length > 0.0 ? n / n_length : to_eye;

    metallic = clamp(metallic, 0.0, 1.0);
    roughness = clamp(roughness, 0.0, 1.0);
#ifndef G_BUFFER_OUT
#ifdef REFLECTIVE_SHADOW_MAP_OUT
    // Sharp reflections of lights on other surfaces would be noise.
    roughness = max(roughness, MIN_SAMPLED_ROUGHNESS);
#endif
#ifdef MATERIAL_FEATURES
#if defined(NORMALS) && defined(FACING)
    SurfaceFeatures surface = material_features_at(base.rgb, metallic, roughness, aa_roughness, n, smooth_n, to_eye, facing);
#else
    SurfaceFeatures surface = material_features_at(base.rgb, metallic, roughness, aa_roughness, n, smooth_n, to_eye, 1.0);
#endif
#else
    Surface surface = surface_at(
        base.rgb, metallic, roughness, aa_roughness, clamp(dot(n, to_eye), 0.0, 1.0));
#endif
#endif
    vec3 color_out = vec3(0.0);
#ifdef SUN_SHADOW
    float sun = sun_visibility(position_in_world);
#endif
#ifdef SAMPLED_LIGHT
    float shadow = frame.shadow_inverse_probability * sampled_light_occlusion(position_in_world);
    // The part that transmissive surfaces absorb or reflect.
    vec3 absorbed = vec3(0.0);
#ifdef TRANSLUCENT_SHADOW_MAP
    absorbed = (frame.shadow_inverse_probability - shadow) * (1.0 - sampled_light_transmittance(position_in_world));
#ifdef TRANSMISSION
    // The material of a transmissive surface includes what it blocks of the light from behind.
    absorbed *= step(0.0, dot(n, frame.shadow_light_in_world.xyz - frame.shadow_light_in_world.w * position_in_world));
#endif
#endif
#endif
#ifdef LIGHTS
    for (int i = 0; i < frame.light_count; i++) {
        // KHR_lights_punctual: inverse square falloff, range attenuation and cone. All are 1 for directional lights.
        bool is_positional = frame.light_in_world[i].w > 0.0;
        vec3 to_light = frame.light_in_world[i].xyz - frame.light_in_world[i].w * position_in_world;
        float distance_squared = is_positional ? dot(to_light, to_light) : 1.0;
        to_light *= is_positional ? inversesqrt(max(distance_squared, 1e-37)) : 1.0;
        float range_ratio_squared = distance_squared * frame.light_color[i].w;
        float cone = clamp(frame.light_cone[i].w - dot(frame.light_cone[i].xyz, to_light), 0.0, 1.0);
        float window = clamp(1.0 - range_ratio_squared * range_ratio_squared, 0.0, 1.0);
        float attenuation = window * cone * cone / max(distance_squared, 1e-37);
#ifdef SUN_SHADOW
        attenuation *= i == frame.sun ? sun : 1.0;
#endif
        vec3 illuminance = attenuation * frame.light_color[i].rgb;
#ifdef SAMPLED_LIGHT
        illuminance *= i == frame.sampled_light ? 1.0 - shadow - absorbed : vec3(1.0);
#endif
#if defined(G_BUFFER_OUT)
        color_out += illuminance * (max(dot(n, to_light), 0.0) / PI);
#elif defined(MATERIAL_FEATURES)
        color_out += illuminance * brdf_with_features(surface, to_light);
#else
        color_out += illuminance * brdf(surface, n, to_eye, to_light);
#endif
    }
#endif
#ifdef AMBIENT_OCCLUSION
    vec3 light_ratio = diffuse_light_ratio(position_in_world);
    // Surfaces on the screen may be in the occlusion texture, too.
    light_ratio -= max(min(light_ratio, 1.0) - occlusion, 0.0);
#ifndef ENVIRONMENT_LAYERS
    vec3 metal = surface.metal_albedo * diffuse_fraction(surface.roughness);
    vec3 albedo = mix((1.0 - surface.dielectric_albedo) * surface.base_color, metal, surface.metallic);
    color_out += albedo * RATIO_BIAS * light_ratio;
#endif
#endif
#if defined(G_BUFFER_OUT)
#ifdef ENVIRONMENT_LAYERS
    // An estimate: the surface sees this fraction of the environment, and elsewhere surfaces of its own color and light.
    const float ENVIRONMENT_FRACTION = 0.6;
    color_out +=
        ENVIRONMENT_FRACTION * irradiance(n) / (1.0 - (1.0 - ENVIRONMENT_FRACTION) * clamp(base.rgb, 0.0, 1.0));
#endif
    color_out *= base.rgb * mix(1.0, diffuse_fraction(roughness), metallic);
#elif defined(ENVIRONMENT_LAYERS)
#ifdef AMBIENT_OCCLUSION
    vec3 visibility = light_ratio;
#else
    vec3 visibility = vec3(occlusion);
#endif
#ifdef MATERIAL_FEATURES
    vec3 environment_light = environment_with_features(surface, specular_light_of(surface), visibility);
#else
    vec3 specular_light = reflected_radiance(n, to_eye, roughness);
    vec3 environment_light = environment_reflection(surface, n, to_eye, specular_light, visibility);
#endif
#if !defined(SAMPLED_LIGHT)
    color_out += environment_light;
#elif defined(MATERIAL_FEATURES)
    color_out += environment_with_features(surface, sampled_specular_light(surface), visibility);
#else
    vec3 f0 = mix(vec3(0.04), base.rgb, metallic);
    specular_light = sampled_radiance(basis_around(n), to_eye, vec2(roughness * roughness), f0);
    color_out += environment_reflection(surface, n, to_eye, specular_light, visibility);
#endif
#endif
#ifdef SAMPLED_LIGHT
    // Sharp reflections of one light would be noise.
#ifdef MATERIAL_FEATURES
    SurfaceFeatures sampled_surface = surface;
    sampled_surface.roughness = max(surface.roughness, MIN_SAMPLED_ROUGHNESS);
    sampled_surface.coat_roughness = max(surface.coat_roughness, MIN_SAMPLED_ROUGHNESS);
    sampled_surface.alpha_t = max(surface.alpha_t, MIN_SAMPLED_ROUGHNESS * MIN_SAMPLED_ROUGHNESS);
#else
    Surface sampled_surface = surface;
    sampled_surface.roughness = max(roughness, MIN_SAMPLED_ROUGHNESS);
    sampled_surface.alpha_squared = light_alpha_squared(sampled_surface.roughness, aa_roughness);
#endif
    if (frame.sampled_light == ENVIRONMENT_LIGHT) {
        vec3 to_light = frame.shadow_light_in_world.xyz;
        vec3 shadowed = frame.sampled_light_intensity.rgb
            - frame.sampled_light_intensity.w * blocker_radiance(position_in_world, n, base.rgb);
        shadowed = shadow * shadowed + absorbed * frame.sampled_light_intensity.rgb;
#ifdef ENVIRONMENT_LAYERS
        // The fraction of sharp reflections that is shadowed is that of the rougher surface.
#else
        // Smooth surfaces reflect few of the surfaces that a lobe of the least roughness reaches.
        float lobe_ratio = min(roughness / MIN_SAMPLED_ROUGHNESS, 1.0);
        sampled_surface.dielectric_gain *= lobe_ratio * lobe_ratio;
        sampled_surface.metal_gain *= lobe_ratio * lobe_ratio;
#endif
#ifdef MATERIAL_FEATURES
#ifdef TRANSMISSION
        // Transmitted light is that of the background.
        shadowed *= step(0.0, dot(n, to_light));
#endif
        shadowed *= brdf_with_features(sampled_surface, to_light);
#ifdef ENVIRONMENT_LAYERS
        vec3 sampled_light =
            environment_with_features(sampled_surface, specular_light_of(sampled_surface), visibility);
        shadowed *= environment_light / max(sampled_light, 1e-6);
#endif
#else
        shadowed *= brdf(sampled_surface, n, to_eye, to_light);
#ifdef ENVIRONMENT_LAYERS
        specular_light = reflected_radiance(n, to_eye, sampled_surface.roughness);
        vec3 sampled_light = environment_reflection(sampled_surface, n, to_eye, specular_light, visibility);
        shadowed *= environment_light / max(sampled_light, 1e-6);
#endif
#endif
        color_out -= shadowed;
    } else if (frame.sampled_light == VIRTUAL_POINT_LIGHT) {
        vec3 to_light = frame.shadow_light_in_world.xyz - position_in_world;
        float distance_squared = dot(to_light, to_light);
        to_light *= inversesqrt(max(distance_squared, 1e-37));
        float cosine = max(-dot(to_light, frame.sampled_light_normal.xyz), 0.0);
        // Near a sample, its light is that of a surface.
        vec3 illuminance =
            frame.sampled_light_intensity.rgb * (cosine / max(distance_squared, max(frame.sampled_light_intensity.w, 1e-37)));
#ifdef MATERIAL_FEATURES
        illuminance *= brdf_with_features(sampled_surface, to_light);
#else
        illuminance *= brdf(sampled_surface, n, to_eye, to_light);
#endif
        color_out += (frame.shadow_inverse_probability - shadow - absorbed) * illuminance;
    }
#endif
#ifdef CLEARCOAT
    emissive *= 1.0 - clearcoat_weight(surface);
#endif
#if defined(G_BUFFER_OUT)
    color_out += emissive;
#elif !defined(REFLECTIVE_SHADOW_MAP_OUT)
    color_out = (color_out + emissive) * frame.exposure;
#endif
#ifdef TONE_MAPPING
    color_out = tone_map(clamp_to_half_float(color_out));
#endif
#endif

    float opacity = 1.0;
#if defined(TRANSMISSION) && !defined(TRANSLUCENT_SHADOW_MAP_OUT)
    // The background is already exposed and tone-mapped.
    vec4 background = transmitted_light(surface);
    float transmitted = transmission_weight(surface);
    color_out += transmitted * background.rgb;
    opacity -= transmitted * (1.0 - background.a);
#endif
#ifdef TRANSLUCENT_SHADOW_MAP_OUT
    vec3 transmitted = vec3(0.0);
#ifdef TRANSMISSION
    transmitted = surface_transmittance(surface);
#endif
#ifdef ALPHA_BLEND
    transmitted = mix(vec3(1.0), transmitted, clamp(base.a, 0.0, 1.0));
#endif
    light = vec4(transmitted, gl_FragCoord.z);
#elif defined(ALPHA_BLEND)
    float alpha = clamp(base.a, 0.0, 1.0);
    light = vec4(clamp_to_half_float(color_out), opacity) * alpha;
#elif defined(ALPHA_COVERAGE)
    light = vec4(clamp_to_half_float(color_out), min(coverage, 1.0));
#elif defined(REFLECTIVE_SHADOW_MAP_OUT)
#ifdef UNLIT
    color_out = vec3(0.0);
#endif
    light = vec4(clamp_to_half_float(color_out), pack_color(base.rgb));
    // Receivers see the sides that face away from the light. The others are for open meshes only.
    gl_FragDepth = 0.5 * (gl_FragCoord.z + step(0.0, facing));
#elif defined(G_BUFFER_OUT)
#ifdef UNLIT
    light = vec4(0.0, 0.0, 0.0, gl_FragCoord.z);
#else
    light = pack_surface(clamp_to_half_float(color_out), n, gl_FragCoord.z);
    // The hidden sides of emitting objects emit, too.
    if (max_component(emissive) > 0.5 * max_component(color_out)) {
        set_two_sided(light);
    }
#endif
#elif defined(DEPTH)
    light = vec4(vec3(gl_FragCoord.z), 1.0);
#else
    light = vec4(clamp_to_half_float(color_out), opacity);
#endif
    if (is_discarded) {
        discard;
    }
}
