// G-buffer: diffuse radiance, normal in world space and depth of the surfaces on the screen, packed into 32-bit floats.

// Added to the radiance of the environment where other light is relative to it, since an environment may be black.
const float RATIO_BIAS = 1.0 / 2048.0;

// Part of the light that metals reflect as if they were diffuse. Smooth ones reflect it in one direction, which is not known.
float diffuse_fraction(float roughness) {
    float ratio = min(2.0 * roughness, 1.0);
    return ratio * ratio;
}

// Largest component of the radiance, its color, the normal, and depth. Color and normal are integers of 24 bits, which 32-bit floats
// represent exactly.
vec4 pack_surface(vec3 radiance, vec3 n, float depth) {
    float scale = max(max_component(radiance), 1e-6);
    float color = dot(floor(255.0 * radiance / scale + 0.5), vec3(65536.0, 256.0, 1.0));
    float normal = dot(floor(4095.0 * (0.5 * octahedral(n) + 0.5) + 0.5), vec2(4096.0, 1.0));
    return vec4(scale, color, normal, depth);
}

vec3 radiance_of(vec4 surface) {
    return surface.x / 255.0 * mod(floor(surface.y / vec3(65536.0, 256.0, 1.0)), 256.0);
}

// Not normalized.
vec3 normal_of(vec4 surface) {
    vec2 p = mod(floor(surface.z / vec2(4096.0, 1.0)), 4096.0) / 4095.0 * 2.0 - 1.0;
    float z = 1.0 - abs(p.x) - abs(p.y);
    vec2 folded = (1.0 - abs(p.yx)) * vec2(p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0);
    return vec3(z < 0.0 ? folded : p, z).xzy;
}

// Marks a surface that sends light from the side that is not on the screen, too.
void set_two_sided(inout vec4 surface) {
    surface.z = -1.0;
}

bool sends_light(vec4 surface, vec3 direction) {
    return surface.z < 0.0 || dot(normal_of(surface), direction) > 0.0;
}
