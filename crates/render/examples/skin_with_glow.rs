//! Skins a model in a vertex shader of your own, by OpenGL 3.3 and the crate `glow`, and compares the vertices with `skin_on_cpu`.
//!
//!     cargo run -p rigview-render --example skin_with_glow -- [FILE]
//!
//! No knowledge of rigview is needed. The steps are numbered: 1 to 3 import and animate, 4 to 7 are those of a renderer, and 8 shows
//! that the shader computes what it should. Only the context without a window is of `rigview-render`. A program with a window and
//! materials is `examples/wind_farm.rs`; the same sample for wgpu is `examples/skin_with_wgpu`.

#![allow(unsafe_code, reason = "OpenGL is called directly, as a game would")]

use glow::HasContext as _;
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::import::{ImageLoading, ImportOptions, open};
use rigview_core::math::Affine;
use rigview_core::model::{ClipIndex, Model};
use rigview_core::palette::{MatrixFormat, Palette, PrimitiveDraw, Rig, skin_on_cpu};
use rigview_render::platform::headless::Headless;
use std::error::Error;
use std::path::Path;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Largest difference between a coordinate of the shader and of the CPU, divided by the largest coordinate. Both add single-precision
/// products, in an order that is not the same. With the software drivers of Mesa at most 1.8e-7 was measured.
const MAX_ERROR: f32 = 1e-6;

/// Skins the vertices. A renderer adds `gl_Position`, normals and a fragment shader.
const VERTEX_SHADER: &str = "#version 330 core
layout(location = 0) in vec3 position;
// Eight influences: indices of joints in the skin, and their weights. Each array takes two locations.
layout(location = 1) in uvec4 slots[2];
layout(location = 3) in vec4 weights[2];

// The palette: for each instance a block of matrices, three texels each, then the weights of morph targets, four per texel.
uniform samplerBuffer palette;
uniform int stride;         // Texels of a block.
uniform int first_matrix;   // First texel of this draw's matrices in a block.
uniform int first_weight;   // First texel of its morph weights in a block.
// Displacements of the vertices: all of the first morph target, all of the second, and so on.
uniform samplerBuffer morph_deltas;
uniform int vertex_count;
uniform int target_count;

out vec3 position_in_world;

// The rows of a 3x4 matrix. In GLSL they are the columns of this type, so that a vector is multiplied from the left.
mat3x4 rows_of(int block, uint slot) {
    int texel = block + first_matrix + 3 * int(slot);
    return mat3x4(texelFetch(palette, texel), texelFetch(palette, texel + 1), texelFetch(palette, texel + 2));
}

void main() {
    int block = gl_InstanceID * stride;
    vec3 morphed = position;
    for (int target = 0; target < target_count; target++) {
        float weight = texelFetch(palette, block + first_weight + target / 4)[target % 4];
        if (weight != 0.0) morphed += weight * texelFetch(morph_deltas, target * vertex_count + gl_VertexID).xyz;
    }
    mat3x4 rows = mat3x4(0.0);
    for (int i = 0; i < 8; i++) {
        float weight = weights[i / 4][i % 4];
        if (weight != 0.0) rows += weight * rows_of(block, slots[i / 4][i % 4]);
    }
    position_in_world = vec4(morphed, 1.0) * rows;
}
";

/// A vertex as the shader reads it.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Vertex {
    position: [f32; 3],
    slots: [u16; 8],
    weights: [f32; 8],
}

fn main() -> Fallible<()> {
    let file = std::env::args().nth(1);
    let file = file.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/hare.glb").to_owned());

    // 1. Import. Textures are not needed here.
    let options = ImportOptions::default().with_images(ImageLoading::Skip);
    let model = open(Path::new(&file), &options)?.model;

    let headless = Headless::new()?;
    println!("{file}, skinned by {}", headless.gpu().renderer());
    let error = largest_error(&headless.gpu().functions(), model)?;
    println!("largest difference from the CPU: {error:e} of the largest coordinate");
    if error <= MAX_ERROR { Ok(()) } else { Err("the shader and the CPU differ".into()) }
}

/// Skins three instances of `model` on the GPU and on the CPU. Returns the largest difference, divided by the largest coordinate.
fn largest_error(gl: &glow::Context, model: Model) -> Fallible<f32> {
    // 2. A rig is a model with the layout of its palette. This format has three texels per matrix, for every model. The one that
    //    `Rig::new` selects may have two.
    let (scene, clip) = (model.default_scene, (!model.clips.is_empty()).then_some(ClipIndex(0)));
    let rig = Rig::new(model, scene)?.with_format(MatrixFormat::Mat3x4);

    // 3. Three instances beside each other, each half a second ahead of the one before. In a game `update` is called once per frame.
    let mut crowd = Crowd::new((0..3).map(|i| {
        let world_from_model = Affine { translation: [2.0 * f64::from(i), 0.0, 0.0].into(), ..Affine::IDENTITY };
        Instance::new(world_from_model, clip, 0.5 * f64::from(i))
    }));
    let mut animator = CrowdAnimator::new(&rig);
    animator.update(&mut crowd, 0.25);
    let palette = animator.palette();

    let (mut largest, mut difference) = (0.0_f32, 0.0_f32);
    // SAFETY: the context is current, and each slice is copied before the call returns.
    unsafe {
        // 4. The palette becomes a buffer texture, unchanged. Every driver permits 65,536 texels, most a thousand times as many.
        let max_texels = gl.get_parameter_i32(glow::MAX_TEXTURE_BUFFER_SIZE) as usize;
        if palette.texels().len() > max_texels {
            return Err(format!("this GPU takes {max_texels} texels at once; draw the instances in parts").into());
        }
        let program = program(gl)?;
        gl.use_program(Some(program));
        let uniform = |name: &str, value: usize| {
            gl.uniform_1_i32(gl.get_uniform_location(program, name).as_ref(), value as i32);
        };
        buffer_texture(gl, 0, bytemuck::cast_slice(palette.texels()))?;
        uniform("palette", 0);
        uniform("morph_deltas", 1);
        uniform("stride", palette.stride_texels());

        // OpenGL draws nothing without a framebuffer. With a window it has one.
        let (framebuffer, color) = (gl.create_framebuffer()?, gl.create_renderbuffer()?);
        gl.bind_renderbuffer(glow::RENDERBUFFER, Some(color));
        gl.renderbuffer_storage(glow::RENDERBUFFER, glow::RGBA8, 1, 1);
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        gl.framebuffer_renderbuffer(glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0, glow::RENDERBUFFER, Some(color));

        for draw in &rig.layout().draws {
            // 5. Once per draw: its vertices and morph targets.
            let vertices = vertices_of(&rig, draw);
            gl.bind_vertex_array(Some(gl.create_vertex_array()?));
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(gl.create_buffer()?));
            gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, bytemuck::cast_slice(&vertices), glow::STATIC_DRAW);
            let bytes = size_of::<Vertex>() as i32;
            gl.vertex_attrib_pointer_f32(0, 3, glow::FLOAT, false, bytes, 0);
            // Integers, not floats: `vertexAttribIPointer`.
            gl.vertex_attrib_pointer_i32(1, 4, glow::UNSIGNED_SHORT, bytes, 12);
            gl.vertex_attrib_pointer_i32(2, 4, glow::UNSIGNED_SHORT, bytes, 20);
            gl.vertex_attrib_pointer_f32(3, 4, glow::FLOAT, false, bytes, 28);
            gl.vertex_attrib_pointer_f32(4, 4, glow::FLOAT, false, bytes, 44);
            (0..5).for_each(|location| gl.enable_vertex_attrib_array(location));
            let deltas = morph_deltas_of(&rig, draw);
            buffer_texture(gl, 1, bytemuck::cast_slice(&deltas))?;

            // 6. Where the draw's matrices and morph weights are in a block. The weights follow the matrices of all draws.
            let layout = rig.layout();
            uniform("first_matrix", 3 * layout.matrix_ranges[draw.matrix_range].first_matrix as usize);
            let first_weight = draw.first_morph_weight.unwrap_or(0) as usize;
            uniform("first_weight", 3 * layout.matrix_count as usize + first_weight / 4);
            uniform("vertex_count", vertices.len());
            uniform("target_count", deltas.len() / vertices.len().max(1));

            // 7. One call draws all instances. A renderer draws triangles by the indices of the primitive; here each vertex is a
            //    point, and transform feedback writes what the shader returns into a buffer.
            let count = palette.instance_count();
            let mut skinned = vec![[0.0_f32; 3]; count * vertices.len()];
            let output = gl.create_buffer()?;
            gl.bind_buffer_base(glow::TRANSFORM_FEEDBACK_BUFFER, 0, Some(output));
            let output_bytes = size_of_val(skinned.as_slice()) as i32;
            gl.buffer_data_size(glow::TRANSFORM_FEEDBACK_BUFFER, output_bytes, glow::STREAM_READ);
            gl.enable(glow::RASTERIZER_DISCARD);
            gl.begin_transform_feedback(glow::POINTS);
            gl.draw_arrays_instanced(glow::POINTS, 0, vertices.len() as i32, count as i32);
            gl.end_transform_feedback();
            gl.disable(glow::RASTERIZER_DISCARD);
            let bytes = bytemuck::cast_slice_mut(&mut skinned);
            gl.get_buffer_sub_data(glow::TRANSFORM_FEEDBACK_BUFFER, 0, bytes);
            let error = gl.get_error();
            if error != glow::NO_ERROR {
                return Err(format!("OpenGL error {error:#x}").into());
            }

            // 8. The same on the CPU.
            compare(&skinned, &rig, palette, draw, &mut largest, &mut difference);
        }
    }
    Ok(difference / largest)
}

/// Adds the largest coordinate of a draw, and the largest difference of the shader's vertices.
fn compare(
    skinned: &[[f32; 3]],
    rig: &Rig,
    palette: &Palette,
    draw: &PrimitiveDraw,
    largest: &mut f32,
    difference: &mut f32,
) {
    let blocks = palette.blocks();
    let on_cpu: Vec<_> = blocks.flat_map(|block| skin_on_cpu(rig, palette, block, draw).positions).collect();
    assert_eq!(on_cpu.len(), skinned.len(), "all vertices of all instances");
    for (a, b) in on_cpu.as_flattened().iter().zip(skinned.as_flattened()) {
        *largest = largest.max(a.abs());
        // `max` ignores NaN.
        *difference = if b.is_finite() { difference.max((a - b).abs()) } else { f32::INFINITY };
    }
}

/// Returns the vertices of a draw.
fn vertices_of(rig: &Rig, draw: &PrimitiveDraw) -> Vec<Vertex> {
    let source = &rig.model().meshes[draw.mesh.get()].primitives[draw.primitive].vertices;
    // A mesh without a skin is rigid, and follows slot 0 of its matrices.
    let influences = source.influences.as_ref().filter(|_| draw.skinned);
    // Not `source.positions`: those of a mesh far from its origin are relative to a point, for which the matrices compensate.
    let positions = rig.layout().positions(rig.model(), draw);
    let vertex = |(i, position): (usize, &[f32; 3])| {
        let (mut slots, mut weights) = ([0; 8], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        for (k, (slot, weight)) in influences.iter().flat_map(|influences| influences.of_vertex(i)).enumerate() {
            (slots[k], weights[k]) = (slot.0, weight);
        }
        Vertex { position: *position, slots, weights }
    };
    positions.iter().enumerate().map(vertex).collect()
}

/// Returns the displacements of each vertex of a draw by each of its morph targets.
fn morph_deltas_of(rig: &Rig, draw: &PrimitiveDraw) -> Vec<[f32; 4]> {
    let primitive = &rig.model().meshes[draw.mesh.get()].primitives[draw.primitive];
    let count = primitive.vertices.positions.len();
    // A target may change normals only.
    let of_target = |positions: Option<&Vec<[f32; 3]>>| match positions {
        Some(positions) => positions.iter().map(|[x, y, z]| [*x, *y, *z, 0.0]).collect(),
        None => vec![[0.0; 4]; count],
    };
    primitive.targets.iter().flat_map(|target| of_target(target.positions.as_ref())).collect()
}

/// Uploads texels of four floats, and binds them as a buffer texture to a texture unit.
unsafe fn buffer_texture(gl: &glow::Context, unit: u32, texels: &[u8]) -> Fallible<()> {
    // SAFETY: the context is current, and the bytes are copied.
    unsafe {
        let (buffer, texture) = (gl.create_buffer()?, gl.create_texture()?);
        gl.bind_buffer(glow::TEXTURE_BUFFER, Some(buffer));
        gl.buffer_data_u8_slice(glow::TEXTURE_BUFFER, texels, glow::STREAM_DRAW);
        gl.active_texture(glow::TEXTURE0 + unit);
        gl.bind_texture(glow::TEXTURE_BUFFER, Some(texture));
        gl.tex_buffer(glow::TEXTURE_BUFFER, glow::RGBA32F, Some(buffer));
    }
    Ok(())
}

unsafe fn program(gl: &glow::Context) -> Fallible<glow::Program> {
    // SAFETY: the context is current.
    unsafe {
        let (program, shader) = (gl.create_program()?, gl.create_shader(glow::VERTEX_SHADER)?);
        gl.shader_source(shader, VERTEX_SHADER);
        gl.compile_shader(shader);
        if !gl.get_shader_compile_status(shader) {
            return Err(gl.get_shader_info_log(shader).into());
        }
        gl.attach_shader(program, shader);
        // Before the program is linked.
        gl.transform_feedback_varyings(program, &["position_in_world"], glow::SEPARATE_ATTRIBS);
        gl.link_program(program);
        if gl.get_program_link_status(program) { Ok(program) } else { Err(gl.get_program_info_log(program).into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::model::{MorphTarget, Skeleton};
    use std::sync::Arc;

    fn model(name: &str) -> Model {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(name);
        open(&file, &ImportOptions::default().with_images(ImageLoading::Skip)).unwrap().model
    }

    /// The hare with five morph targets, the fourth without positions.
    fn morphed() -> Model {
        let mut model = model("hare.glb");
        let mut joints = model.skeleton.joints().to_vec();
        let weights = [0.5, -0.25, 0.0, 1.0, 2.0];
        let node = model.scenes[model.default_scene.get()].mesh_nodes[0];
        joints[node.joint.get()].morph_weights = 0..weights.len();
        model.skeleton = Skeleton::new(joints, weights.to_vec());
        let mesh = &mut model.meshes[node.mesh.get()];
        mesh.target_count = weights.len();
        for primitive in &mut mesh.primitives {
            let count = primitive.vertices.positions.len();
            let target = |target: usize| {
                let delta = |i: usize| [0.1 * (i % 7) as f32, 0.01 * target as f32, -0.03 * (i % 3) as f32];
                MorphTarget { positions: (target != 3).then(|| (0..count).map(delta).collect()), ..Default::default() }
            };
            primitive.targets = Arc::new((0..weights.len()).map(target).collect());
        }
        model
    }

    #[test]
    fn shader_and_cpu_agree() {
        let headless = Headless::new().unwrap_or_else(|error| panic!("this test needs OpenGL: {error}"));
        let models = [model("hare.glb"), model("mannequin.glb"), model("windmill.glb"), morphed()];
        for (i, model) in models.into_iter().enumerate() {
            let error = largest_error(&headless.gpu().functions(), model).unwrap();
            assert!(error <= MAX_ERROR, "model {i}: {error:e}");
        }
    }
}
