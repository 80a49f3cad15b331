// Parameters; src/render/blocks.rs has the same structs, and tests compare the two.

layout(std140) uniform FrameUniforms {
    // From the world to OpenGL's cube.
    mat4 projection_from_world;
    // Where the camera stands, and 1; for parallel rays the direction towards it, and 0.
    vec4 eye_in_world;
    // Cosine and sine of the environment's turn about Y, half the share of its texels that lie within its border, and
    // what its light is multiplied with.
    vec4 environment;
    // What a white diffuse surface returns of it, by its normal: of 1, y, z, x, xy, yz, 3zz - 1, xz, xx - yy.
    vec4 irradiance[9];
    // Where lights stand, and 1; for parallel light the unit vector towards it, and 0.
    vec4 light_in_world[MAX_LIGHTS];
    // Their colors times lux or candela; in w one over the square of their range, 0 without one.
    vec4 light_color[MAX_LIGHTS];
    // Axes of their cones, and a number: the scalar product of the direction of light with the axis, plus the number, is
    // 1 where light begins to fade, and 0 where it has faded.
    vec4 light_cone[MAX_LIGHTS];
    // How many of them there are.
    int light_count;
    // What light is multiplied with before it becomes a picture.
    float exposure;
    // Which of them is the sun whose shadows are shown; none where it is negative.
    int sun;
} frame;

layout(std140) uniform DrawUniforms {
    // Texel of the first instance's matrix for slot 0.
    int first_matrix;
    // Texel of the first instance's morph weights.
    int first_weights;
    // Texels from an instance to the next.
    int stride;
    // Which sides of a surface are drawn where culling cannot tell: 1 fronts, -1 backs, 0 both.
    float side;
    // Linear color and opacity.
    vec4 base_color;
    // Emitted light, linear; in w the smallest opacity that is drawn.
    vec4 emissive;
    float metallic;
    float roughness;
    float occlusion_strength;
    // 1 where front faces run counter-clockwise, -1 where all matrices mirror.
    float handedness;
    // How far the normal texture bends normals.
    float normal_scale;
    // The entry of the look's table for slot 0.
    int first_entry;
    // For each texture two rows of what is done to its coordinates.
    vec4 texture_transform[10];
} draw;
