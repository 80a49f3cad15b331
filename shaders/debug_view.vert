// Per-vertex data of debug views; appended to mesh.vert.

// Joint color and rest scale; the scale of the selected joint is negative.
vec4 table_entry(int slot) {
    return texelFetch(debug_view_table, FIRST_ENTRY + slot);
}

#ifdef VIEW_VOLUME
float determinant_of(mat3x4 rows) {
    return dot(rows[0].xyz, cross(rows[1].xyz, rows[2].xyz));
}
#endif

int strongest_slot() {
#if INFLUENCES > 0
    int i = strongest_influence();
    return int(in_slots[i / 4][i % 4]);
#else
    return 0;
#endif
}

vec4 debug_value() {
#if defined(VIEW_WEIGHTS) || defined(VIEW_WEIGHT_PAINT)
#if INFLUENCES > 0
    float weight = 0.0;
    for (int i = 0; i < INFLUENCES; i++) {
        if (table_entry(int(in_slots[i / 4][i % 4])).w < 0.0) {
            weight += in_weights[i / 4][i % 4];
        }
    }
    return vec4(weight);
#else
    return vec4(table_entry(0).w < 0.0 ? 1.0 : 0.0);
#endif
#elif defined(VIEW_INFLUENCES)
    int count = 0;
#if INFLUENCES > 0
    for (int i = 0; i < INFLUENCES; i++) {
        count += in_weights[i / 4][i % 4] > 0.0 ? 1 : 0;
    }
#endif
    return vec4(float(count));
#elif defined(VIEW_DOMINANT_JOINT)
    return vec4(table_entry(strongest_slot()).rgb, 1.0);
#elif defined(VIEW_WEIGHT_SUM)
    return vec4(in_weight_sum_error);
#elif defined(VIEW_WEIGHT_SYMMETRY)
    return vec4(in_vertex_value);
#elif defined(VIEW_VOLUME)
    mat3x4 rows = blend_matrix();
    float blended = determinant_of(rows), expected = blended;
#if INFLUENCES > 0
    expected = 0.0;
    for (int i = 0; i < INFLUENCES; i++) {
        expected += in_weights[i / 4][i % 4] * determinant_of(fetch_matrix(int(in_slots[i / 4][i % 4])));
    }
#endif
    float ratio = blended / expected;
    // At least an eighth, which has the color of a half.
    return vec4(expected == 0.0 ? 0.0 : log2(max(ratio, 0.125)));
#elif defined(VIEW_NORMALS) && defined(NORMALS)
    return vec4(normal_in_world, 0.0);
#elif defined(VIEW_TANGENTS) && defined(TANGENTS)
    return vec4(tangent_in_world.xyz, 0.0);
#elif (defined(VIEW_UV) || defined(VIEW_TEXEL_DENSITY)) && TEX_COORD_SETS > 0
    return vec4(tex_coords[VIEW_UV_SET], 0.0, 0.0);
#elif defined(VIEW_VERTEX_COLORS) && defined(COLORS)
    return color;
#elif defined(VIEW_FACE_ORIENTATION) && defined(WINDING_SIGN_OUT)
    return vec4(winding_sign);
#else
    return vec4(0.0);
#endif
}

void write_debug_view(vec3 rest, vec3 world) {
    vertex_in_world = world;
#ifdef NORMALS
    vertex_normal = normal_in_world;
#else
    vertex_normal = vec3(0.0);
#endif
    vertex_value = debug_value();
#ifdef VIEW_STRETCH
    vertex_rest = rest * abs(table_entry(strongest_slot()).w);
#endif
#ifdef VIEW_GHOST
    // Slightly farther along the same ray, so that the model stays in front of its ghosts.
    if (frame.eye_in_world.w > 0.0) {
        gl_Position = frame.projection_from_world * vec4(world + 0.012 * (world - frame.eye_in_world.xyz), 1.0);
    } else {
        gl_Position.z += 0.02 * gl_Position.w;
    }
#endif
#ifdef IN_FRONT_OF_SURFACE
    // Slightly in front of the surface.
    gl_Position.z -= 4e-5 * gl_Position.w;
#endif
}
