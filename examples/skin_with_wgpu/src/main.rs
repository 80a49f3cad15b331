//! Skins a model in a vertex shader of your own, by wgpu, and compares the vertices with `skin_on_cpu`.
//!
//!     cargo run --manifest-path examples/skin_with_wgpu/Cargo.toml -- [FILE]
//!
//! No knowledge of rigview is needed. The steps are numbered: 1 to 3 import and animate, 4 to 7 are those of a renderer, and 8 shows
//! that the shader computes what it should. The same sample for OpenGL is `crates/render/examples/skin_with_glow.rs`.

use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::import::{ImageLoading, ImportOptions, open};
use rigview_core::math::Affine;
use rigview_core::model::{ClipIndex, Model};
use rigview_core::palette::{MatrixFormat, PrimitiveDraw, Rig, skin_on_cpu};
use std::error::Error;
use std::path::Path;
use wgpu::util::{BufferInitDescriptor, DeviceExt as _};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Largest difference between a coordinate of the shader and of the CPU, divided by the largest coordinate. Both add single-precision
/// products, in an order that is not the same. With the software drivers of Mesa at most 1.8e-7 was measured.
const MAX_ERROR: f32 = 1e-6;

/// Skins the vertices. A renderer returns the position in the view of its camera; here each vertex becomes the pixel of its index.
const SHADER: &str = "
struct Vertex {
    @location(0) position: vec3<f32>,
    // Eight influences: indices of joints in the skin, and their weights.
    @location(1) slots_0: vec4<u32>,
    @location(2) slots_1: vec4<u32>,
    @location(3) weights_0: vec4<f32>,
    @location(4) weights_1: vec4<f32>,
}

struct Draw {
    stride: u32,        // Elements of a block of the palette.
    first_matrix: u32,  // First element of this draw's matrices in a block.
    first_weight: u32,  // First element of its morph weights in a block.
    vertex_count: u32,
    target_count: u32,
    width: u32,         // Size of the image.
    height: u32,
    padding: u32,
}

// The palette: for each instance a block of matrices, three elements each, then the weights of morph targets, four per element.
@group(0) @binding(0) var<storage, read> palette: array<vec4<f32>>;
// Displacements of the vertices: all of the first morph target, all of the second, and so on.
@group(0) @binding(1) var<storage, read> morph_deltas: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> draw: Draw;

struct Skinned {
    @builtin(position) pixel: vec4<f32>,
    @location(0) @interpolate(flat) position_in_world: vec3<f32>,
}

// The rows of a 3x4 matrix. In WGSL they are the columns of this type, so that a vector is multiplied from the left.
fn rows_of(block: u32, slot: u32) -> mat3x4<f32> {
    let first = block + draw.first_matrix + 3u * slot;
    return mat3x4<f32>(palette[first], palette[first + 1u], palette[first + 2u]);
}

@vertex
fn skin(vertex: Vertex, @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Skinned {
    let block = instance * draw.stride;
    var morphed = vertex.position;
    for (var i = 0u; i < draw.target_count; i++) {
        let weight = palette[block + draw.first_weight + i / 4u][i % 4u];
        if weight != 0.0 { morphed += weight * morph_deltas[i * draw.vertex_count + index].xyz; }
    }
    var slots = array(vertex.slots_0, vertex.slots_1);
    var weights = array(vertex.weights_0, vertex.weights_1);
    var rows = mat3x4<f32>();
    for (var i = 0u; i < 8u; i++) {
        let weight = weights[i / 4u][i % 4u];
        if weight != 0.0 { rows += weight * rows_of(block, slots[i / 4u][i % 4u]); }
    }
    let number = instance * draw.vertex_count + index;
    let size = vec2<f32>(f32(draw.width), f32(draw.height));
    let pixel = (vec2<f32>(f32(number % draw.width), f32(number / draw.width)) + 0.5) / size;
    return Skinned(vec4(2.0 * pixel.x - 1.0, 1.0 - 2.0 * pixel.y, 0.0, 1.0), vec4(morphed, 1.0) * rows);
}

@fragment
fn write(skinned: Skinned) -> @location(0) vec4<f32> {
    return vec4(skinned.position_in_world, 1.0);
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

const ATTRIBUTES: [wgpu::VertexAttribute; 5] = wgpu::vertex_attr_array![
    0 => Float32x3, 1 => Uint16x4, 2 => Uint16x4, 3 => Float32x4, 4 => Float32x4
];

/// Pixels in a row of the image of vertices. wgpu copies rows of a multiple of 256 bytes.
const WIDTH: u32 = 1024;

fn main() -> Fallible<()> {
    let file = std::env::args().nth(1);
    let file = file.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/hare.glb").to_owned());

    // 1. Import. Textures are not needed here.
    let options = ImportOptions::default().with_images(ImageLoading::Skip);
    let model = open(Path::new(&file), &options)?.model;

    let gpu = Gpu::new()?;
    println!("{file}, skinned by {}", gpu.name);
    let error = largest_error(&gpu, model)?;
    println!("largest difference from the CPU: {error:e} of the largest coordinate");
    if error <= MAX_ERROR { Ok(()) } else { Err("the shader and the CPU differ".into()) }
}

/// Skins three instances of `model` on the GPU and on the CPU. Returns the largest difference, divided by the largest coordinate.
fn largest_error(gpu: &Gpu, model: Model) -> Fallible<f32> {
    // 2. A rig is a model with the layout of its palette. This format has three elements per matrix, for every model. The one that
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

    // 4. The palette becomes a storage buffer, unchanged. A game writes it by `Queue::write_buffer` each frame. The default limit of a
    //    binding is 128 MiB.
    let palette_buffer = gpu.buffer(bytemuck::cast_slice(palette.texels()), wgpu::BufferUsages::STORAGE);

    let (mut largest, mut difference) = (0.0_f32, 0.0_f32);
    for draw in &rig.layout().draws {
        // 5. Once per draw: its vertices and morph targets. A binding is never empty.
        let vertices = vertices_of(&rig, draw);
        let mut deltas = morph_deltas_of(&rig, draw);
        let target_count = deltas.len() / vertices.len().max(1);
        deltas.resize(deltas.len().max(1), [0.0; 4]);

        // 6. Where the draw's matrices and morph weights are in a block. The weights follow the matrices of all draws.
        let (layout, instances) = (rig.layout(), palette.instance_count() as u32);
        let vertex_count = vertices.len() as u32;
        let height = (instances * vertex_count).div_ceil(WIDTH).max(1);
        let numbers: [u32; 8] = [
            palette.stride_texels() as u32,
            3 * layout.matrix_ranges[draw.matrix_range].first_matrix,
            3 * layout.matrix_count + draw.first_morph_weight.unwrap_or(0) / 4,
            vertex_count,
            target_count as u32,
            WIDTH,
            height,
            0,
        ];

        // 7. One call draws all instances. A renderer draws triangles by the indices of the primitive; here each vertex is a point.
        let vertex_buffer = gpu.buffer(bytemuck::cast_slice(&vertices), wgpu::BufferUsages::VERTEX);
        let delta_buffer = gpu.buffer(bytemuck::cast_slice(&deltas), wgpu::BufferUsages::STORAGE);
        let draw_buffer = gpu.buffer(bytemuck::cast_slice(&numbers), wgpu::BufferUsages::UNIFORM);
        let bindings = [&palette_buffer, &delta_buffer, &draw_buffer];
        let skinned = gpu.skin(&vertex_buffer, bindings, 0..vertex_count, 0..instances, height)?;

        // 8. The same on the CPU.
        let blocks = palette.blocks();
        let on_cpu: Vec<_> = blocks.flat_map(|block| skin_on_cpu(&rig, palette, block, draw).positions).collect();
        assert!(skinned.len() >= on_cpu.len(), "a pixel per vertex of each instance");
        for (a, [x, y, z, alpha]) in on_cpu.iter().zip(skinned) {
            if alpha != 1.0 {
                return Err("a vertex has no pixel".into());
            }
            for (a, b) in a.iter().zip([x, y, z]) {
                largest = largest.max(a.abs());
                // `max` ignores NaN.
                difference = if b.is_finite() { difference.max((a - b).abs()) } else { f32::INFINITY };
            }
        }
    }
    Ok(difference / largest)
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

/// A device with the pipeline of the shader.
struct Gpu {
    name: String,
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::RenderPipeline,
}

impl Gpu {
    fn new() -> Fallible<Self> {
        let instance = wgpu::Instance::default();
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(SHADER.into()),
        });
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            // The bind group is that of the shader.
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: None,
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: size_of::<Vertex>() as u64,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &ATTRIBUTES,
                })],
            },
            primitive: wgpu::PrimitiveState {
                topology: wgpu::PrimitiveTopology::PointList,
                ..wgpu::PrimitiveState::default()
            },
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: None,
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(wgpu::TextureFormat::Rgba32Float.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let info = adapter.get_info();
        Ok(Self { name: format!("{} ({:?})", info.name, info.backend), device, queue, pipeline })
    }

    fn buffer(&self, contents: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
    }

    /// Draws the vertices as pixels, and returns all pixels of the image.
    fn skin(
        &self,
        vertices: &wgpu::Buffer,
        bindings: [&wgpu::Buffer; 3],
        indices: std::ops::Range<u32>,
        instances: std::ops::Range<u32>,
        height: u32,
    ) -> Fallible<Vec<[f32; 4]>> {
        let size = wgpu::Extent3d { width: WIDTH, height, depth_or_array_layers: 1 };
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Float,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let bytes_per_row = WIDTH * 16;
        let output = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(bytes_per_row) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let entries = [0, 1, 2].map(|i| wgpu::BindGroupEntry {
            binding: i as u32,
            resource: bindings[i].as_entire_binding(),
        });
        let bind_group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &bind_group, &[]);
            pass.set_vertex_buffer(0, vertices.slice(..));
            pass.draw(indices, instances);
        }
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &output,
                layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(bytes_per_row), rows_per_image: None },
            },
            size,
        );
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        output.map_async(wgpu::MapMode::Read, .., move |result| drop(sender.send(result)));
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        receiver.recv()??;
        Ok(bytemuck::cast_slice(&output.get_mapped_range(..)?).to_vec())
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
        let gpu = Gpu::new().unwrap_or_else(|error| panic!("this test needs Vulkan, Metal or Direct3D 12: {error}"));
        let models = [model("hare.glb"), model("mannequin.glb"), model("windmill.glb"), morphed()];
        for (i, model) in models.into_iter().enumerate() {
            let error = largest_error(&gpu, model).unwrap();
            assert!(error <= MAX_ERROR, "model {i}: {error:e}");
        }
    }
}
