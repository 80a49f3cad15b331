// Diffuse light of the environment that the surfaces on the screen do not block, and light that they reflect and emit. Both are
// relative to the light of the whole environment, per color channel. Alpha is the view depth. Screen-space horizons
// (Jimenez et al. 2016) as bit masks of sectors, with indirect light (Therrien et al. 2023).

layout(std140) uniform AmbientOcclusionUniforms {
    mat4 world_from_view;
    // Numerator and denominator of the view depth, each linear in the depth of a texel: a * z + b, c * z + d.
    vec4 view_depth;
    // Scale and offset from normalized device coordinates to view coordinates, at view depth 1.
    vec4 unproject;
    // Width and height of the map in texels, largest sampled distance in texels, 1 for a perspective projection.
    vec4 size;
    // Jitter of slice angle and step, from 0 to 1, per frame.
    vec2 position;
} map;

// The opaque surfaces.
uniform sampler2D g_buffer;

out vec4 light_ratio_and_depth;

const int SLICES = 2;
const int STEPS = 12;
// Thickness of surfaces over the distance to them.
const float THICKNESS = 0.4;
// Roughness of the environment layer that a sector reads.
const float SECTOR_ROUGHNESS = 0.4;
const float FAR = 65504.0;

// Ratio of a point that no surface blocks.
#ifdef ENVIRONMENT_LAYERS
const vec3 OPEN_RATIO = vec3(1.0);
#else
const vec3 OPEN_RATIO = vec3(0.0);
#endif

float depth_at(ivec2 texel) {
    return texelFetch(g_buffer, texel, 0).a;
}

// Position in view space, with +Z along the view direction.
vec3 position_at(ivec2 texel, float depth) {
    float view_depth = (map.view_depth.x * depth + map.view_depth.y) / (map.view_depth.z * depth + map.view_depth.w);
    vec2 ndc = (vec2(texel) + 0.5) / map.size.xy * 2.0 - 1.0;
    return vec3((ndc * map.unproject.xy + map.unproject.zw) * mix(1.0, view_depth, map.size.w), view_depth);
}

// The difference to one of the neighbors along an axis: of the side whose two texels are on a plane with this one, since depth is
// linear in the image on a plane.
vec3 edge_along(ivec2 texel, vec3 position, float depth, ivec2 axis) {
    ivec2 last = ivec2(map.size.xy) - 1;
    ivec2 before = max(texel - axis, 0), after = min(texel + axis, last);
    float depth_before = depth_at(before), depth_after = depth_at(after);
    float bend_before = abs(depth - 2.0 * depth_before + depth_at(max(texel - 2 * axis, 0)));
    float bend_after = abs(depth - 2.0 * depth_after + depth_at(min(texel + 2 * axis, last)));
    bool is_after = before == texel || (after != texel && bend_after < bend_before);
    return is_after ? position_at(after, depth_after) - position : position - position_at(before, depth_before);
}

// Arc cosine within 0.0002 (Abramowitz and Stegun 4.4.45).
float fast_acos(float x) {
    float a = abs(x);
    float positive = sqrt(max(1.0 - a, 0.0)) * (1.5707288 + a * (-0.2121144 + a * (0.0742610 - 0.0187293 * a)));
    return x < 0.0 ? PI - positive : positive;
}

// Angle from the normal of a slice to a direction, positive on the side of the tangent. Exactly a right angle for points of
// the tangent plane, even if rounding to texels moved them out of the slice.
float angle_from_normal(vec3 direction, vec3 n, vec3 tangent, float side) {
    float cosine = dot(direction, n) * inversesqrt(max(dot(direction, direction), 1e-37));
    float angle = (dot(direction, tangent) < 0.0 ? -1.0 : 1.0) * fast_acos(clamp(cosine, -1.0, 1.0));
    // Beyond the far side of the hemisphere the sign of the angle flips. Such directions are below the surface.
    return side * angle < -0.51 * PI ? side * PI : angle;
}

// Sectors between two angles from the normal.
uint sectors_between(float from, float to) {
    float first = floor(clamp(from / PI + 0.5, 0.0, 1.0) * 32.0 + 0.5);
    float end = floor(clamp(to / PI + 0.5, 0.0, 1.0) * 32.0 + 0.5);
    int count = int(end - first);
    return count <= 0 ? 0u : (0xFFFFFFFFu >> uint(32 - count)) << uint(first);
}

float bit_count(uint bits) {
    bits -= (bits >> 1) & 0x55555555u;
    bits = (bits & 0x33333333u) + ((bits >> 2) & 0x33333333u);
    return float((((bits + (bits >> 4)) & 0x0F0F0F0Fu) * 0x01010101u) >> 24);
}

// Rank in an 8 x 8 Bayer matrix, 0 to 63: the bits of x ^ y and x, interleaved and in reversed order.
int bayer_rank(ivec2 texel) {
    int x = texel.x & 7, d = (texel.x ^ texel.y) & 7;
    return (d & 1) << 5 | (x & 1) << 4 | (d & 2) << 2 | (x & 2) << 1 | (d & 4) >> 1 | x >> 2;
}

// Reverses the order of six bits.
int reversed(int rank) {
    return (rank & 1) << 5 | (rank & 2) << 3 | (rank & 4) << 1 | (rank & 8) >> 1 | (rank & 16) >> 3 | rank >> 5;
}

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
    float depth = depth_at(texel);
    if (depth >= 1.0) {
        light_ratio_and_depth = vec4(OPEN_RATIO, FAR);
        return;
    }
    vec3 position = position_at(texel, depth);
    vec3 n = cross(edge_along(texel, position, depth, ivec2(0, 1)), edge_along(texel, position, depth, ivec2(1, 0)));
    float area_squared = dot(n, n);
    if (!(area_squared > 0.0)) {
        // An image of one row or column has no neighbors.
        light_ratio_and_depth = vec4(OPEN_RATIO, min(position.z, FAR));
        return;
    }
    n *= inversesqrt(area_squared);
    vec3 to_eye = map.size.w > 0.0 ? -normalize(position) : vec3(0.0, 0.0, -1.0);
    n = dot(n, to_eye) < 0.0 ? -n : n;
    // A Hammersley point set over the texels of a tile, which the blur averages.
    int rank = bayer_rank(texel);
    float turn = fract((float(rank) + 0.5) / 64.0 + map.position.x);
    float jitter = fract((float(reversed(rank)) + 0.5) / 64.0 + map.position.y);
    vec3 reached = vec3(0.0), sent = vec3(0.0);
    for (int slice = 0; slice < SLICES; slice++) {
        float azimuth = PI * (float(slice) + turn) / float(SLICES);
        vec2 direction = vec2(cos(azimuth), sin(azimuth));
        vec3 slice_axis = vec3(direction, 0.0) - to_eye * dot(to_eye.xy, direction);
        slice_axis *= inversesqrt(max(dot(slice_axis, slice_axis), 1e-37));
        // The slice's part of the normal, and its angle from the eye's direction towards the axis.
        float along = dot(n, slice_axis), towards_eye = dot(n, to_eye);
        float in_slice = sqrt(max(along * along + towards_eye * towards_eye, 1e-12));
        float n_angle = sign(along) * fast_acos(towards_eye / in_slice);
        vec3 tangent = (towards_eye * slice_axis - along * to_eye) / in_slice;
        uint blocked = 0u;
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < STEPS; i++) {
                float t = (float(i) + jitter) / float(STEPS);
                vec2 offset = direction * (float(side) * (1.0 + t * t * map.size.z));
                ivec2 other = texel + ivec2(floor(offset + 0.5));
                if (any(lessThan(other, ivec2(0))) || any(greaterThanEqual(other, ivec2(map.size.xy)))) {
                    break;
                }
                vec4 surface = texelFetch(g_buffer, other, 0);
                if (surface.a >= 1.0) {
                    continue;
                }
                vec3 front = position_at(other, surface.a) - position;
                vec3 back = front - to_eye * (THICKNESS * length(front));
                float front_angle = angle_from_normal(front, n / in_slice, tangent, float(side));
                float back_angle = angle_from_normal(back, n / in_slice, tangent, float(side));
                float first = max(min(front_angle, back_angle), -0.5 * PI);
                float last = min(max(front_angle, back_angle), 0.5 * PI);
                uint sectors = sectors_between(first, last) & ~blocked;
                blocked |= sectors;
                vec3 front_in_world = mat3(map.world_from_view) * vec3(front.xy, -front.z);
                if (sectors != 0u && sends_light(surface, -front_in_world)) {
                    // Weight of four sectors, as below, at their middle.
                    float angle = 0.5 * (first + last);
                    float weight = in_slice * cos(angle) * abs(sin(n_angle + angle));
                    reached += weight * 0.25 * bit_count(sectors) * radiance_of(surface);
                }
            }
        }
        // Unblocked sectors in each group of four.
        uint free = ~blocked;
        uint pairs = free - ((free >> 1) & 0x55555555u);
        uint groups = (pairs & 0x33333333u) + ((pairs >> 2) & 0x33333333u);
        for (int i = 0; i < 8; i++) {
            float angle = n_angle + PI * ((float(i) + 0.5) / 8.0 - 0.5);
            vec3 to_light = cos(angle) * to_eye + sin(angle) * slice_axis;
            vec3 to_light_in_world = mat3(map.world_from_view) * vec3(to_light.xy, -to_light.z);
            // Cosine law, times the solid angle of a sector, which grows with the sine of its angle from the eye's direction.
            float weight = max(dot(n, to_light), 0.0) * abs(sin(angle));
            sent += weight * RATIO_BIAS;
#ifdef ENVIRONMENT_LAYERS
            vec3 radiance = prefiltered_radiance(environment_from_world(to_light_in_world), SECTOR_ROUGHNESS);
            vec3 light = weight * radiance;
            sent += light;
            reached += light * (float((groups >> uint(4 * i)) & 7u) * 0.25);
#endif
        }
    }
    light_ratio_and_depth = vec4(min(reached / max(sent, 1e-20), FAR), min(position.z, FAR));
}
