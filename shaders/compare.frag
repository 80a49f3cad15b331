// Combines two images: split view, panes side by side, or heat map of their difference.

layout(std140) uniform CompareUniforms {
    // X coordinate of the split, or of the second pane, in pixels.
    float split;
} compare;

uniform sampler2D first;
uniform sampler2D second;

out vec4 image_color;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
#ifdef SIDE_BY_SIDE
    // A black gap separates the panes.
    image_color = vec4(0.0, 0.0, 0.0, 1.0);
    int second_left = int(compare.split);
    if (pixel.x < textureSize(first, 0).x) {
        image_color = texelFetch(first, pixel, 0);
    } else if (pixel.x >= second_left) {
        image_color = texelFetch(second, pixel - ivec2(second_left, 0), 0);
    }
#else
    vec4 a = texelFetch(first, pixel, 0);
    vec4 b = texelFetch(second, pixel, 0);
#ifdef DIFFERENCE
    vec3 difference = abs(a.rgb * a.a - b.rgb * b.a);
    float max_difference = max(max(difference.r, difference.g), max(difference.b, abs(a.a - b.a)));
    // Equal pixels are dimmed. A difference of one byte is dark red, of a quarter white.
    float shade = 0.3 * dot(0.5 * (a.rgb * a.a + b.rgb * b.a), vec3(0.2126, 0.7152, 0.0722));
    float heat = sqrt(min(4.0 * max_difference, 1.0));
    vec3 heat_color = clamp(vec3(2.2, 2.2, 2.6) * (heat - vec3(0.0, 0.35, 0.65)), 0.0, 1.0);
    image_color = vec4(max_difference > 0.0 ? max(heat_color, vec3(shade)) : vec3(shade), 1.0);
#else
    image_color = gl_FragCoord.x < compare.split ? a : b;
#endif
#endif
}
