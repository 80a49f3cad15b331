// Vertex of one instance: morphing, skinning, projection.
//
// Mirrors crates/core/src/palette/skin_on_cpu.rs: same names, same order of operations.

layout(location = ATTRIBUTE_POSITION) in vec3 in_position;
#ifdef NORMALS
layout(location = ATTRIBUTE_NORMAL) in vec3 in_normal;
#endif
#ifdef TANGENTS
layout(location = ATTRIBUTE_TANGENT) in vec4 in_tangent;
#endif
#ifdef COLORS
layout(location = ATTRIBUTE_COLOR) in vec4 in_color;
#endif
#if TEX_COORD_SETS > 0
layout(location = ATTRIBUTE_TEX_COORDS) in vec2 in_tex_coords[TEX_COORD_SETS];
#endif
#if INFLUENCES > 0
layout(location = ATTRIBUTE_SLOTS) in uvec4 in_slots[INFLUENCES > 4 ? 2 : 1];
layout(location = ATTRIBUTE_WEIGHTS) in vec4 in_weights[INFLUENCES > 4 ? 2 : 1];
#endif
#ifdef TEXELS_PER_MORPH_DELTA
// First texel and number of the vertex's deltas.
layout(location = ATTRIBUTE_MORPH_RUN) in uvec2 in_morph_run;
#endif
#ifdef VIEW_WEIGHT_SUM
layout(location = ATTRIBUTE_WEIGHT_SUM_ERROR) in float in_weight_sum_error;
#endif
#ifdef VERTEX_VALUES
layout(location = ATTRIBUTE_VERTEX_VALUE) in float in_vertex_value;
#endif

#ifdef INSTANCE_LIST
// First texels of the matrices and of the morph weights, and first entry of the debug view's table.
layout(location = ATTRIBUTE_INSTANCE) in ivec3 in_instance;
#define FIRST_MATRIX in_instance.x
#define FIRST_MORPH_WEIGHT in_instance.y
#define FIRST_ENTRY in_instance.z
#else
#define FIRST_MATRIX (draw.first_matrix + gl_InstanceID * draw.stride)
#define FIRST_MORPH_WEIGHT (draw.first_morph_weights + gl_InstanceID * draw.stride)
#define FIRST_ENTRY draw.first_table_entry
#endif

uniform samplerBuffer palette_matrices;
uniform samplerBuffer morph_weights;
uniform sampler2DArray morph_deltas;

#ifdef POSITION_OUT
out vec3 position_in_world;
#endif
#ifdef NORMALS
out vec3 normal_in_world;
#endif
#ifdef TANGENTS
out vec4 tangent_in_world;
#endif
#ifdef COLORS
out vec4 color;
#endif
#if TEX_COORD_SETS > 0
out vec2 tex_coords[TEX_COORD_SETS];
#endif
#ifdef VOLUME
// Scale from the mesh to the world.
out float scale_in_world;
#endif
#ifdef WINDING_SIGN_OUT
// -1 where the blended matrix mirrors, else 1.
flat out float winding_sign;
#endif
#ifdef DEBUG_VIEW
uniform samplerBuffer debug_view_table;

// Separate variables: the NVIDIA driver 580.159 reads zeros from an interface block that is declared after a function.
out vec3 vertex_in_world;
out vec3 vertex_normal;
// The visualized value: a number or a color.
out vec4 vertex_value;
#ifdef VIEW_STRETCH
// Undeformed position, in world units.
out vec3 vertex_rest;
#endif
#endif

// Tests the bits: compilers may assume that comparisons involve finite numbers.
bool is_finite(float x) {
    return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u;
}

// Rows of the 3x4 matrix of a slot, as GLSL columns.
mat3x4 fetch_matrix(int slot) {
    int texel = FIRST_MATRIX + slot * TEXELS_PER_MATRIX;
#if TEXELS_PER_MATRIX == 3
    return mat3x4(
        texelFetch(palette_matrices, texel),
        texelFetch(palette_matrices, texel + 1),
        texelFetch(palette_matrices, texel + 2));
#else
    vec4 translation_and_scale = texelFetch(palette_matrices, texel);
    vec4 rotation = texelFetch(palette_matrices, texel + 1);
    vec3 t = translation_and_scale.xyz;
    float s = translation_and_scale.w;
    float x = rotation.x, y = rotation.y, z = rotation.z, w = rotation.w;
    return mat3x4(
        s * (1.0 - 2.0 * (y * y + z * z)), s * (2.0 * (x * y - z * w)), s * (2.0 * (x * z + y * w)), t.x,
        s * (2.0 * (x * y + z * w)), s * (1.0 - 2.0 * (x * x + z * z)), s * (2.0 * (y * z - x * w)), t.y,
        s * (2.0 * (x * z - y * w)), s * (2.0 * (y * z + x * w)), s * (1.0 - 2.0 * (x * x + y * y)), t.z);
#endif
}

#if INFLUENCES > 0
// Index of the largest weight; of equal weights the first.
int strongest_influence() {
    int best = 0;
    for (int i = 1; i < INFLUENCES; i++) {
        if (in_weights[i / 4][i % 4] > in_weights[best / 4][best % 4]) {
            best = i;
        }
    }
    return best;
}
#endif

#if INFLUENCES > 0 && defined(DUAL_QUATERNION_SKINNING)
// Quaternion of a rotation matrix, as x, y, z, w. Divides by its largest component (Shepperd, 1978).
vec4 quaternion_of(mat3x4 rows) {
    float a = rows[0].x, b = rows[1].y, c = rows[2].z;
    vec4 squares = 1.0 + vec4(a - b - c, b - a - c, c - a - b, a + b + c);
    float yx = rows[1].x + rows[0].y, zx = rows[2].x + rows[0].z, zy = rows[2].y + rows[1].z;
    vec3 v = vec3(rows[2].y - rows[1].z, rows[0].z - rows[2].x, rows[1].x - rows[0].y);
    float largest = max(max(squares.x, squares.y), max(squares.z, squares.w));
    if (squares.w == largest) {
        return normalize(vec4(v, squares.w));
    }
    if (squares.x == largest) {
        return normalize(vec4(squares.x, yx, zx, v.x));
    }
    return normalize(squares.y == largest ? vec4(yx, squares.y, zy, v.y) : vec4(zx, zy, squares.z, v.z));
}

// Hamilton product of quaternions as x, y, z, w.
vec4 product(vec4 a, vec4 b) {
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

// Rows of the matrix that weighted dual quaternions blend to (Kavan et al., 2007); `linear` if a matrix is singular, or they cancel out.
mat3x4 blend_dual_quaternions(mat3x4 linear) {
    vec4 first = vec4(0.0), real = vec4(0.0), dual = vec4(0.0);
    float scale = 0.0;
    for (int i = 0; i < INFLUENCES; i++) {
        float weight = in_weights[i / 4][i % 4];
        if (weight != 0.0) {
            mat3x4 rows = fetch_matrix(int(in_slots[i / 4][i % 4]));
            float determinant = dot(rows[0].xyz, cross(rows[1].xyz, rows[2].xyz));
            float matrix_scale = sign(determinant) * pow(abs(determinant), 1.0 / 3.0);
            if (determinant == 0.0 || !is_finite(matrix_scale)) {
                return linear;
            }
            vec4 rotation = quaternion_of(rows * (1.0 / matrix_scale));
            // A rotation has two quaternions of opposite sign.
            first = first == vec4(0.0) ? rotation : first;
            rotation = dot(rotation, first) < 0.0 ? -rotation : rotation;
            real += weight * rotation;
            dual += 0.5 * weight * product(vec4(rows[0].w, rows[1].w, rows[2].w, 0.0), rotation);
            scale += weight * matrix_scale;
        }
    }
    float size = length(real);
    if (!(size >= 1e-6)) {
        return linear;
    }
    vec4 q = real / size;
    vec3 t = 2.0 * product(dual / size, vec4(-q.xyz, q.w)).xyz;
    float x = q.x, y = q.y, z = q.z, w = q.w;
    return mat3x4(
        scale * (1.0 - 2.0 * (y * y + z * z)), scale * 2.0 * (x * y - z * w), scale * 2.0 * (x * z + y * w), t.x,
        scale * 2.0 * (x * y + z * w), scale * (1.0 - 2.0 * (x * x + z * z)), scale * 2.0 * (y * z - x * w), t.y,
        scale * 2.0 * (x * z - y * w), scale * 2.0 * (y * z + x * w), scale * (1.0 - 2.0 * (x * x + y * y)), t.z);
}
#endif

// The vertex's matrices blended, as rows: their weighted sum, unless the view has another method of skinning.
mat3x4 blend_matrix() {
#if INFLUENCES > 0 && defined(RIGID_SKINNING)
    int i = strongest_influence();
    return fetch_matrix(int(in_slots[i / 4][i % 4]));
#elif INFLUENCES > 0
    mat3x4 sum = mat3x4(0.0);
    for (int i = 0; i < INFLUENCES; i++) {
        float weight = in_weights[i / 4][i % 4];
        if (weight != 0.0) {
            sum += weight * fetch_matrix(int(in_slots[i / 4][i % 4]));
        }
    }
#ifdef DUAL_QUATERNION_SKINNING
    return blend_dual_quaternions(sum);
#else
    return sum;
#endif
#else
    return fetch_matrix(0);
#endif
}

#ifdef TEXELS_PER_MORPH_DELTA
vec4 fetch_delta(uint texel) {
    return texelFetch(morph_deltas, ivec3(texel & 1023u, (texel >> 10) & 1023u, texel >> 20), 0);
}

// Adds the weighted deltas, target by target, to the arguments and to the outputs `color` and `tex_coords`.
void morph(inout vec3 position, inout vec3 normal, inout vec3 tangent) {
    for (uint i = 0u; i < in_morph_run.y; i++) {
        uint texel = in_morph_run.x + i * uint(TEXELS_PER_MORPH_DELTA);
        vec4 position_and_target = fetch_delta(texel);
        int target = int(position_and_target.w);
        int weight_texel = FIRST_MORPH_WEIGHT + target / 4;
        float weight = texelFetch(morph_weights, weight_texel)[target % 4];
        if (weight != 0.0) {
            position += position_and_target.xyz * weight;
#if TEXELS_PER_MORPH_DELTA > 1 && defined(NORMALS)
            normal += fetch_delta(texel + 1u).xyz * weight;
#endif
#if TEXELS_PER_MORPH_DELTA > 2 && defined(TANGENTS)
            tangent += fetch_delta(texel + 2u).xyz * weight;
#endif
#if TEXELS_PER_MORPH_DELTA > 3 && defined(COLORS)
            color += fetch_delta(texel + 3u) * weight;
#endif
#if TEXELS_PER_MORPH_DELTA > 4 && TEX_COORD_SETS > 0
            // One texel has the deltas of two sets.
            for (int i = 0; i < min(TEX_COORD_SETS, 2 * (TEXELS_PER_MORPH_DELTA - 4)); i++) {
                vec4 deltas = fetch_delta(texel + 4u + uint(i / 2));
                tex_coords[i] += (i % 2 == 0 ? deltas.xy : deltas.zw) * weight;
            }
#endif
        }
    }
#if TEXELS_PER_MORPH_DELTA > 3 && defined(COLORS)
    color = clamp(color, 0.0, 1.0);
#endif
}
#endif

float max_abs_component(vec3 v) {
    v = abs(v);
    return max(max(v.x, v.y), v.z);
}

// Scales `linear` to a maximum component of 1, which keeps triple products in range.
mat3 scale_to_unit(mat3 linear) {
    float max_component =
        max(max(max_abs_component(linear[0]), max_abs_component(linear[1])), max_abs_component(linear[2]));
    return max_component > 0.0 ? linear / max_component : linear;
}

// Cofactors with the sign of the determinant: transforms normals, even for singular matrices.
mat3 normal_matrix(mat3 linear, out bool mirrors) {
    vec3 x = linear[0], y = linear[1], z = linear[2];
    mat3 cofactors = mat3(cross(y, z), cross(z, x), cross(x, y));
    mirrors = dot(x, cofactors[0]) < 0.0;
    return mirrors ? -cofactors : cofactors;
}

// Normalizes `v`; returns `other` if it has no direction.
vec3 normalize_or(vec3 other, vec3 v) {
    float max_component = max_abs_component(v);
    if (!(max_component > 0.0 && is_finite(max_component))) {
        return other;
    }
    return normalize(v / max_component);
}

#ifdef DEBUG_VIEW
// Writes the outputs of a debug view: shaders/debug_view.vert.
void write_debug_view(vec3 rest, vec3 world);
#endif

void main() {
    mat3x4 rows = blend_matrix();
    vec3 position = in_position;
    vec3 normal = vec3(0.0);
    vec3 tangent = vec3(0.0);
#ifdef NORMALS
    normal = in_normal;
#endif
#ifdef TANGENTS
    tangent = in_tangent.xyz;
#endif
#ifdef COLORS
    color = in_color;
#endif
#if TEX_COORD_SETS > 0
    for (int i = 0; i < TEX_COORD_SETS; i++) {
        tex_coords[i] = in_tex_coords[i];
    }
#endif
#ifdef TEXELS_PER_MORPH_DELTA
    morph(position, normal, tangent);
#endif

    vec3 world = vec4(position, 1.0) * rows;
#ifdef POSITION_OUT
    position_in_world = world;
#endif
    gl_Position = frame.projection_from_world * vec4(world, 1.0);
    // Moves vertices without a finite position far behind the camera, which clips their triangles.
    float size = dot(abs(gl_Position), vec4(1.0));
    if (size > 1e30 || !is_finite(size)) {
        gl_Position = vec4(0.0, 0.0, -1e30, 1.0);
    }

#if defined(NORMALS) || defined(TANGENTS) || defined(WINDING_SIGN_OUT)
    mat3 linear = scale_to_unit(transpose(mat3(rows[0].xyz, rows[1].xyz, rows[2].xyz)));
    bool mirrors;
    mat3 normals = normal_matrix(linear, mirrors);
#endif
#ifdef NORMALS
    normal_in_world = normalize_or(vec3(0.0, 0.0, 1.0), normals * normal);
#endif
#ifdef TANGENTS
    // Mirroring negates the bitangent sign.
    tangent_in_world = vec4(normalize_or(vec3(1.0, 0.0, 0.0), linear * tangent), mirrors ? -in_tangent.w : in_tangent.w);
#endif
#ifdef WINDING_SIGN_OUT
    winding_sign = mirrors ? -1.0 : 1.0;
#endif
#ifdef VOLUME
    vec3 x_row = rows[0].xyz, y_row = rows[1].xyz, z_row = rows[2].xyz;
    scale_in_world = pow(abs(dot(x_row, cross(y_row, z_row))), 1.0 / 3.0);
#endif
#ifdef DEBUG_VIEW
    write_debug_view(in_position, world);
#endif
}
