// Environment behind the models, exposed and tone-mapped like their light.

layout(std140) uniform BackgroundUniforms {
    vec4 right_in_world;
    vec4 up_in_world;
    vec4 forward_in_world;
} background;

in vec3 ray_in_world;
out vec4 light;

void main() {
    vec3 direction = environment_from_world(normalize(ray_in_world));
    vec3 radiance = prefiltered_radiance(direction, background.forward_in_world.w) * frame.exposure;
#ifdef TONE_MAPPING
    radiance = tone_map(min(radiance, 1e4));
#endif
    light = vec4(min(radiance, 6e4), 1.0);
}
