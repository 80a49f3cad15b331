// What a look shows of a vertex; the end of mesh.vert.

#ifdef TRIANGLES
out LookVertex {
#else
out LookPoint {
#endif
    vec3 world;
    vec3 normal;
    // What the look measures: one number, or a color.
    vec4 value;
    // The place in the mesh as it was modeled, in units of the world.
    vec3 rest;
} look_out;

uniform samplerBuffer look_table;

#ifdef LOOK_WEIGHT_ERROR
layout(location = ATTRIBUTE_WEIGHT_EXCESS) in float in_weight_excess;
#endif

// A joint's color, and the length of the mesh's unit at rest: negative for the selected joint.
vec4 entry(int slot) {
    return texelFetch(look_table, draw.first_entry + slot);
}

int strongest_slot() {
#if INFLUENCES > 0
    int i = strongest();
    return int(in_slots[i / 4][i % 4]);
#else
    return 0;
#endif
}

vec4 measured() {
#if defined(LOOK_WEIGHTS)
#if INFLUENCES > 0
    float weight = 0.0;
    for (int i = 0; i < INFLUENCES; i++) {
        if (entry(int(in_slots[i / 4][i % 4])).w < 0.0) {
            weight += in_weights[i / 4][i % 4];
        }
    }
    return vec4(weight);
#else
    return vec4(entry(0).w < 0.0 ? 1.0 : 0.0);
#endif
#elif defined(LOOK_INFLUENCES)
    int count = 0;
#if INFLUENCES > 0
    for (int i = 0; i < INFLUENCES; i++) {
        count += in_weights[i / 4][i % 4] > 0.0 ? 1 : 0;
    }
#endif
    return vec4(float(count));
#elif defined(LOOK_DOMINANT)
    return vec4(entry(strongest_slot()).rgb, 1.0);
#elif defined(LOOK_WEIGHT_ERROR)
    return vec4(in_weight_excess);
#elif defined(LOOK_NORMALS) && defined(NORMALS)
    return vec4(normal_in_world, 0.0);
#elif defined(LOOK_TANGENTS) && defined(TANGENTS)
    return vec4(tangent_in_world.xyz, 0.0);
#elif defined(LOOK_UV) && TEX_COORD_SETS > 0
    return vec4(in_tex_coords[LOOK_UV_SET], 0.0, 0.0);
#elif defined(LOOK_VERTEX_COLORS) && defined(COLORS)
    return in_color;
#elif defined(LOOK_FACING) && defined(HANDEDNESS_OUT)
    return vec4(handedness);
#else
    return vec4(0.0);
#endif
}

void note_look(vec3 rest, vec3 world) {
    look_out.world = world;
#ifdef NORMALS
    look_out.normal = normal_in_world;
#else
    look_out.normal = vec3(0.0);
#endif
    look_out.value = measured();
#ifdef LOOK_STRETCH
    look_out.rest = rest * abs(entry(strongest_slot()).w);
#else
    look_out.rest = rest;
#endif
#ifdef LOOK_GHOST
    // A little farther away on the same ray, so that what hardly moves stays clear before its ghosts.
    if (frame.eye_in_world.w > 0.0) {
        gl_Position = frame.projection_from_world * vec4(world + 0.012 * (world - frame.eye_in_world.xyz), 1.0);
    } else {
        gl_Position.z += 0.02 * gl_Position.w;
    }
#endif
#ifdef BEFORE_SURFACE
    // Before the surface that it lies on.
    gl_Position.z -= 4e-5 * gl_Position.w;
#endif
}
