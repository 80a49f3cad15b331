// Mean of the light ratio over eight texels along `AXIS`, without those of other surfaces. Along both axes it is the mean over the 8 x 8
// texels whose directions differ.

uniform sampler2D noisy;

out vec4 light_ratio_and_depth;

vec4 texel_at(ivec2 texel) {
    return texelFetch(noisy, clamp(texel, ivec2(0), textureSize(noisy, 0) - 1), 0);
}

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
    float depth = texel_at(texel).a;
    // The inverse of the depth is linear in the image on a plane. The slope is that of the side whose two texels are on a plane with
    // this one, except at corners, where texels of equal depth count, too.
    float inverse = 1.0 / depth;
    float before = inverse - 1.0 / texel_at(texel - AXIS).a, after = 1.0 / texel_at(texel + AXIS).a - inverse;
    float bend_before = inverse - 1.0 / texel_at(texel - 2 * AXIS).a - 2.0 * before;
    float bend_after = 1.0 / texel_at(texel + 2 * AXIS).a - inverse - 2.0 * after;
    float slope = abs(bend_before) < abs(bend_after) ? before : after;
    vec4 sum = vec4(0.0);
    for (int i = -4; i < 4; i++) {
        vec4 other = texel_at(texel + i * AXIS);
        float difference = 1.0 / other.a - inverse;
        float distance_from_plane = min(abs(difference), abs(difference - float(i) * slope));
        float weight = max(1.0 - distance_from_plane / (0.02 * inverse), 0.0);
        sum += weight * vec4(other.rgb, 1.0);
    }
    light_ratio_and_depth = vec4(sum.rgb / sum.a, depth);
}
