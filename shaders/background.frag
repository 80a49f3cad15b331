// The surroundings themselves, behind everything: exposed and tone-mapped as what they light.

layout(std140) uniform BackdropBlock {
    vec4 right_in_world;
    vec4 up_in_world;
    vec4 ahead_in_world;
} backdrop;

in vec3 ray_in_world;
out vec4 light;

void main() {
    vec3 seen = mirrored(environment_from_world(normalize(ray_in_world)), backdrop.ahead_in_world.w) * frame.exposure;
#ifdef TONE_MAPPING
    seen = tone_mapped(min(seen, 1e4));
#endif
    light = vec4(min(seen, 6e4), 1.0);
}
