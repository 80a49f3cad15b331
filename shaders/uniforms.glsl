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
    // Index of the light whose shadow a sample shows; -1 for the environment, -2 for light that a surface emits.
    int sampled_light;
    // Position and 1; for parallel rays the unit vector towards the light and 0.
    vec4 sampled_light_in_world;
    // Illuminance in a sample of the environment; w: the solid angle for which it stands. Of a surface that emits light the intensity
    // along its normal; w: its area.
    vec4 sampled_intensity;
    // Unit normal of the surface that emits light.
    vec4 sampled_normal;
    // From the world to homogeneous coordinates and depth of the shadow map, each from 0 to 1.
    mat4 shadow_from_world;
    // Number of samples for which one shows the shadow.
    float shadow_weight;
    // Width of a texel of the shadow map in meters; with perspective at a distance of one meter.
    float shadow_texel_width;
    // Point of the unit square that selects a direction of each reflection's lobe, and the fraction of the lobe around it of which
    // the mean is taken.
    vec2 lobe_point;
    float lobe_fraction;
    float texture_lod_bias;
} frame;

layout(std140) uniform DrawUniforms {
    // Texel of the first instance's matrix for slot 0.
    int first_matrix;
    // Texel of the first instance's morph weights.
    int first_weights;
    // Texels per instance.
    int stride;
    // Sides to draw where culling cannot decide: 1 front, -1 back, 0 both.
    float side;
    // Linear color and opacity.
    vec4 base_color;
    // Linear emission; w: alpha cutoff.
    vec4 emissive;
    float metallic;
    float roughness;
    float occlusion_strength;
    // 1 where front faces are counter-clockwise, -1 where all matrices mirror.
    float handedness;
    float normal_scale;
    // Entry of the debug view's table for slot 0.
    int first_entry;
    // Two matrix rows per core texture.
    vec4 texture_transform[10];
} draw;
