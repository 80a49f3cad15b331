// The part of the plane that the shadow reaches.

out vec2 rect_coords;

void main() {
    rect_coords = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    // Seen from above, counter-clockwise.
    vec2 place = mix(catcher.rect.xw, catcher.rect.zy, rect_coords);
    rect_coords.y = 1.0 - rect_coords.y;
    gl_Position = catcher.projection_from_world * vec4(place.x, catcher.place.y, place.y, 1.0);
}
