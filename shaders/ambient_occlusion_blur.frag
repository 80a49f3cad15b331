// Mean of the light ratio over the 4 x 4 texels whose directions differ, without those of other surfaces.

uniform sampler2D noisy;

out vec4 light_ratio_and_depth;

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(noisy, 0) - 1;
    float depth = texelFetch(noisy, texel, 0).a;
    vec4 sum = vec4(0.0);
    for (int y = -2; y < 2; y++) {
        for (int x = -2; x < 2; x++) {
            vec4 other = texelFetch(noisy, clamp(texel + ivec2(x, y), ivec2(0), last), 0);
            float weight = max(1.0 - abs(other.a - depth) / (0.02 * depth), 0.0);
            sum += weight * vec4(other.rgb, 1.0);
        }
    }
    light_ratio_and_depth = vec4(sum.rgb / sum.a, depth);
}
