// Uniform blocks. Must match crates/render/src/render/uniforms.rs; tests compare the two.

layout(std140) uniform FrameUniforms {
    // View-projection matrix.
    mat4 projection_from_world;
    // Camera position and 1; for parallel rays the unit vector towards the camera and 0.
    vec4 eye_in_world;
    // Plane equation of the view depth in meters.
    vec4 view_depth;
    // Cosine and sine of the environment's rotation about Y, half the fraction of its texels within the border, and its
    // intensity.
    vec4 environment;
    // Position and 1; for directional lights the unit vector towards the light and 0.
    vec4 light_in_world[MAX_LIGHTS];
    // Color times lux or candela; w: 1 / (range * range), 0 for an infinite range.
    vec4 light_color[MAX_LIGHTS];
    // Cone axis and offset: the dot product of light direction and axis, plus the offset, is 1 at the inner and 0 at
    // the outer angle.
    vec4 light_cone[MAX_LIGHTS];
    int light_count;
    // Factor applied to linear light before tone mapping.
    float exposure;
    // Index of the light that casts the shadow; negative for none.
    int sun;
    // Index of the sampled light; -1 for the environment, -2 for a virtual point light.
    int sampled_light;
    // Light of the shadow map, which is the sampled one or the sun: position and 1; for parallel rays the unit vector towards the light
    // and 0.
    vec4 shadow_light_in_world;
    // Illuminance of a direction of the environment; w: its solid angle. Of a virtual point light the intensity along
    // its normal; w: its area.
    vec4 sampled_light_intensity;
    // Unit normal of a virtual point light.
    vec4 sampled_light_normal;
    // From the world to homogeneous coordinates and depth of the shadow map, each from 0 to 1.
    mat4 shadow_from_world;
    // Inverse probability of the sampled light.
    float shadow_inverse_probability;
    // Width of a texel of the shadow map in meters; with perspective at a distance of one meter.
    float shadow_texel_width;
    // Random pair for GGX importance sampling, and the solid angle of one sample over that of the lobe, which selects
    // the mip level.
    vec2 ggx_random;
    float ggx_sample_fraction;
    float texture_lod_bias;
} frame;

layout(std140) uniform DrawUniforms {
    // Texel of the first instance's matrix for slot 0.
    int first_matrix;
    // Texel of the first instance's morph weights.
    int first_morph_weights;
    // Texels per instance.
    int stride;
    // Sides to draw where culling cannot decide: 1 front, -1 back, 0 both.
    float side;
    // Sign of the winding order: 1 where front faces are counter-clockwise, -1 where all matrices mirror.
    float winding_sign;
    // Entry of the debug view's table for slot 0.
    int first_table_entry;
    // Width of the base color texture in texels, after its transform: the root of texels per unit square of texture coordinates.
    float texels_per_uv;
} draw;

layout(std140) uniform MaterialUniforms {
    // Linear color and opacity.
    vec4 base_color;
    // Linear emission; w: alpha cutoff.
    vec4 emissive;
    float metallic;
    float roughness;
    float occlusion_strength;
    float normal_scale;
    // Two matrix rows per core texture.
    vec4 texture_transform[10];
} material;
