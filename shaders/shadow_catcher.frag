// Shadow on the plane: black with the shadow's opacity.

uniform sampler2D ground_shadow;

in vec2 rect_coords;
out vec4 light;

void main() {
    light = textureLod(ground_shadow, rect_coords, 0.0);
    if (light.a < 1.0 / 512.0) {
        discard;
    }
}
