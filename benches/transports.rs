//! Compares ways to send the palette to the vertex shader, with a small renderer of its own.
//!
//!     cargo bench --bench transports -- fox.glb --instances 1000 --width 640 --height 360
//!
//! The renderer of rigview has an orphaned buffer texture. A frame is an upload and the draw calls, until the GPU has finished.
//! Fails if the images differ.

#![allow(unsafe_code, unsafe_op_in_unsafe_fn, reason = "OpenGL is called directly; the context is current in `main`")]

mod measure;

use clap::Parser as _;
use glow::HasContext as _;
use measure::{Args, BenchCrowd, Fallible, Times, median, print_table};
use rigview::model::Topology;
use rigview::palette::{MatrixFormat, Palette, PrimitiveDraw, Rig};
use rigview::platform::headless::Headless;
use rigview::scene::Orbit;

#[derive(Clone, Copy, PartialEq)]
enum Transport {
    Orphaned,
    Mapped,
    Ring,
    Texture2d,
    StorageBuffer,
    UniformArray,
    UniformBlock,
}

// GLSL that reads texel `i` of an instance. Texture units and bindings are 0.
const BUFFER_TEXTURE: &str = "uniform samplerBuffer palette;
#define TEXEL(i) texelFetch(palette, gl_InstanceID * STRIDE + (i))";
const TEXTURE_2D: &str = "uniform sampler2D palette;
#define TEXEL(i) texelFetch(palette, ivec2(i, gl_InstanceID), 0)";
const STORAGE_BUFFER: &str = "layout(std430, binding = 0) readonly buffer Block { vec4 palette[]; };
#define TEXEL(i) palette[gl_InstanceID * STRIDE + (i)]";
const UNIFORM_ARRAY: &str = "uniform vec4 palette[STRIDE];
#define TEXEL(i) palette[i]";
const UNIFORM_BLOCK: &str = "layout(std140) uniform Block { vec4 palette[STRIDE]; };
#define TEXEL(i) palette[i]";

const TRANSPORTS: [(Transport, &str, &str); 7] = [
    (Transport::Orphaned, "buffer texture, orphaned", BUFFER_TEXTURE),
    (Transport::Mapped, "buffer texture, mapped and invalidated", BUFFER_TEXTURE),
    (Transport::Ring, "buffer texture, ring of three with fences", BUFFER_TEXTURE),
    (Transport::Texture2d, "2D texture, a row per instance", TEXTURE_2D),
    (Transport::StorageBuffer, "storage buffer (OpenGL 4.3)", STORAGE_BUFFER),
    (Transport::UniformArray, "uniform array", UNIFORM_ARRAY),
    (Transport::UniformBlock, "uniform buffer range", UNIFORM_BLOCK),
];

const BYTES_PER_TEXEL: usize = 16;

const VERTEX_SHADER: &str = "
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 weights;
layout(location = 2) in vec4 slots;
uniform mat4 projection_from_world;
// First texel of the draw within the instance.
uniform int first_texel;
out vec3 position_in_world;

void main() {
    mat3x4 rows = mat3x4(0.0);
    for (int i = 0; i < 4; i++) {
        int texel = first_texel + 3 * int(slots[i]);
        // The texels are the rows of a 3x4 matrix, and the columns of this one.
        if (weights[i] > 0.0) rows += weights[i] * mat3x4(TEXEL(texel), TEXEL(texel + 1), TEXEL(texel + 2));
    }
    position_in_world = vec4(position, 1.0) * rows;
    gl_Position = projection_from_world * vec4(position_in_world, 1.0);
}
";

const FRAGMENT_SHADER: &str = "#version 330 core
in vec3 position_in_world;
out vec4 pixel;
void main() {
    vec3 normal = normalize(cross(dFdx(position_in_world), dFdy(position_in_world)));
    pixel = vec4(normal * 0.5 + 0.5, 1.0);
}
";

impl Transport {
    /// Returns the maximum number of texels per instance, and of instances of `stride` texels per draw call.
    unsafe fn capacity(self, gl: &glow::Context, stride: usize) -> (usize, usize) {
        let limit = |name| gl.get_parameter_i32(name).max(0) as usize;
        let has_storage_buffers = (gl.version().major, gl.version().minor) >= (4, 3);
        let texels = match self {
            // 16 are left for the other uniforms, and for the driver.
            Self::UniformArray => limit(glow::MAX_VERTEX_UNIFORM_COMPONENTS) / 4 - 16,
            Self::UniformBlock => limit(glow::MAX_UNIFORM_BLOCK_SIZE) / BYTES_PER_TEXEL,
            Self::Texture2d => limit(glow::MAX_TEXTURE_SIZE),
            Self::StorageBuffer if !has_storage_buffers || limit(glow::MAX_VERTEX_SHADER_STORAGE_BLOCKS) == 0 => 0,
            Self::StorageBuffer => limit(glow::MAX_SHADER_STORAGE_BLOCK_SIZE) / BYTES_PER_TEXEL,
            Self::Orphaned | Self::Mapped | Self::Ring => limit(glow::MAX_TEXTURE_BUFFER_SIZE),
        };
        let instances = match self {
            _ if texels < stride => 0,
            Self::UniformArray | Self::UniformBlock => 1,
            Self::Texture2d => texels,
            _ => texels / stride,
        };
        (texels, instances)
    }

    /// Returns `true` if a draw call reads one instance only.
    fn is_per_instance(self) -> bool {
        matches!(self, Self::UniformArray | Self::UniformBlock)
    }
}

/// The program and the buffers of a transport.
struct Candidate {
    transport: Transport,
    program: glow::Program,
    texture: glow::Texture,
    /// The first is the current one. A fence is signaled when the GPU has executed the draws that read the buffer.
    buffers: Vec<(glow::Buffer, Option<glow::Fence>)>,
    /// Bytes from one uniform buffer range to the next.
    range_stride: usize,
}

impl Candidate {
    unsafe fn new(gl: &glow::Context, transport: Transport, fetch: &str, palette: &Palette) -> Fallible<Self> {
        let version = if transport == Transport::StorageBuffer { 430 } else { 330 };
        let stride = palette.stride_texels();
        let vertex = format!("#version {version} core\n#define STRIDE {stride}\n{fetch}\n{VERTEX_SHADER}");
        let program = gl.create_program()?;
        for (kind, source) in [(glow::VERTEX_SHADER, vertex.as_str()), (glow::FRAGMENT_SHADER, FRAGMENT_SHADER)] {
            let shader = gl.create_shader(kind)?;
            gl.shader_source(shader, source);
            gl.compile_shader(shader);
            gl.attach_shader(program, shader);
        }
        gl.link_program(program);
        if !gl.get_program_link_status(program) {
            return Err(gl.get_program_info_log(program).into());
        }
        let mut buffers = Vec::new();
        for _ in 0..if transport == Transport::Ring { 3 } else { 1 } {
            let buffer = gl.create_buffer()?;
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            gl.buffer_data_size(glow::ARRAY_BUFFER, size_of_val(palette.texels()) as i32, glow::STREAM_DRAW);
            buffers.push((buffer, None));
        }
        let alignment = gl.get_parameter_i32(glow::UNIFORM_BUFFER_OFFSET_ALIGNMENT) as usize;
        let range_stride = (stride * BYTES_PER_TEXEL).next_multiple_of(alignment);
        Ok(Self { transport, program, texture: gl.create_texture()?, buffers, range_stride })
    }

    /// Uploads the palette and binds it.
    unsafe fn upload(&mut self, gl: &glow::Context, palette: &Palette) {
        let bytes: &[u8] = bytemuck::cast_slice(palette.texels());
        match self.transport {
            Transport::Orphaned | Transport::Mapped | Transport::Ring => {
                let buffer = self.upload_buffer(gl, bytes);
                gl.bind_texture(glow::TEXTURE_BUFFER, Some(self.texture));
                gl.tex_buffer(glow::TEXTURE_BUFFER, glow::RGBA32F, Some(buffer));
            }
            Transport::Texture2d => {
                let [width, height] = [palette.stride_texels(), palette.instance_count()].map(|size| size as i32);
                let (target, internal) = (glow::TEXTURE_2D, glow::RGBA32F as i32);
                let pixels = glow::PixelUnpackData::Slice(Some(bytes));
                gl.bind_texture(target, Some(self.texture));
                gl.tex_parameter_i32(target, glow::TEXTURE_MIN_FILTER, glow::NEAREST as i32);
                gl.tex_image_2d(target, 0, internal, width, height, 0, glow::RGBA, glow::FLOAT, pixels);
            }
            Transport::StorageBuffer => {
                let buffer = self.upload_buffer(gl, bytes);
                gl.bind_buffer_base(glow::SHADER_STORAGE_BUFFER, 0, Some(buffer));
            }
            Transport::UniformArray => {}
            Transport::UniformBlock => {
                let mut ranges = vec![0; self.range_stride * palette.instance_count()];
                let blocks = bytes.chunks(palette.stride_texels() * BYTES_PER_TEXEL);
                for (range, block) in ranges.chunks_mut(self.range_stride).zip(blocks) {
                    range[..block.len()].copy_from_slice(block);
                }
                self.upload_buffer(gl, &ranges);
            }
        }
    }

    /// Returns the buffer that holds `bytes`.
    unsafe fn upload_buffer(&mut self, gl: &glow::Context, bytes: &[u8]) -> glow::Buffer {
        self.buffers.rotate_left(1);
        let (buffer, fence) = &mut self.buffers[0];
        if let Some(fence) = fence.take() {
            while gl.client_wait_sync(fence, glow::SYNC_FLUSH_COMMANDS_BIT, 1_000_000_000) == glow::TIMEOUT_EXPIRED {}
            gl.delete_sync(fence);
        }
        gl.bind_buffer(glow::ARRAY_BUFFER, Some(*buffer));
        let access = match self.transport {
            Transport::Mapped => glow::MAP_INVALIDATE_BUFFER_BIT,
            Transport::Ring => glow::MAP_UNSYNCHRONIZED_BIT,
            _ => {
                gl.buffer_data_size(glow::ARRAY_BUFFER, bytes.len() as i32, glow::STREAM_DRAW);
                gl.buffer_sub_data_u8_slice(glow::ARRAY_BUFFER, 0, bytes);
                return *buffer;
            }
        };
        let mapped = gl.map_buffer_range(glow::ARRAY_BUFFER, 0, bytes.len() as i32, glow::MAP_WRITE_BIT | access);
        assert!(!mapped.is_null(), "the driver cannot map a buffer");
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), mapped, bytes.len());
        gl.unmap_buffer(glow::ARRAY_BUFFER);
        *buffer
    }

    /// Draws all instances and waits for the GPU. The program is bound.
    unsafe fn draw(&mut self, gl: &glow::Context, meshes: &[Mesh], palette: &Palette) {
        gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT);
        let [first_texel, array] = ["first_texel", "palette"].map(|name| gl.get_uniform_location(self.program, name));
        let batches = if self.transport.is_per_instance() { palette.instance_count() } else { 1 };
        for batch in 0..batches {
            if self.transport == Transport::UniformArray {
                gl.uniform_4_f32_slice(array.as_ref(), palette.block(batch).as_flattened());
            } else if self.transport == Transport::UniformBlock {
                let (offset, size) = (batch * self.range_stride, palette.stride_texels() * BYTES_PER_TEXEL);
                gl.bind_buffer_range(glow::UNIFORM_BUFFER, 0, Some(self.buffers[0].0), offset as i32, size as i32);
            }
            for &(vertices, indices, first) in meshes {
                gl.bind_vertex_array(Some(vertices));
                gl.uniform_1_i32(first_texel.as_ref(), first);
                let instances = (palette.instance_count() / batches) as i32;
                gl.draw_elements_instanced(glow::TRIANGLES, indices, glow::UNSIGNED_INT, 0, instances);
            }
        }
        if self.transport == Transport::Ring {
            self.buffers[0].1 = gl.fence_sync(glow::SYNC_GPU_COMMANDS_COMPLETE, 0).ok();
        }
        gl.finish();
    }
}

/// Vertices, number of indices, and first texel within an instance.
type Mesh = (glow::VertexArray, i32, i32);

unsafe fn upload_mesh(gl: &glow::Context, rig: &Rig, draw: &PrimitiveDraw) -> Fallible<Mesh> {
    let section = &rig.layout().sections[draw.section];
    let primitive = &rig.model().meshes[draw.mesh.get()].primitives[draw.primitive];
    let source = &primitive.vertices;
    let influences = source.influences.as_ref().filter(|_| draw.skinned);
    if primitive.topology != Topology::Triangles || influences.is_some_and(|influences| influences.per_vertex > 4) {
        return Err("only triangles with up to four joints per vertex are supported".into());
    }
    let vertex = |i: usize| {
        let (mut slots, mut weights) = ([0.0; 4], [1.0, 0.0, 0.0, 0.0]);
        for (k, (slot, weight)) in influences.into_iter().flat_map(|all| all.of_vertex(i)).enumerate() {
            (slots[k], weights[k]) = (f32::from(slot.0), weight);
        }
        // The matrices of a section apply to positions relative to its offset.
        let position = [0, 1, 2].map(|axis| source.positions[i][axis] - section.position_offset[axis]);
        [position.as_slice(), &weights, &slots].concat()
    };
    let vertices: Vec<f32> = (0..source.positions.len()).flat_map(vertex).collect();
    let indices = primitive.triangles();
    let array = gl.create_vertex_array()?;
    gl.bind_vertex_array(Some(array));
    gl.bind_buffer(glow::ARRAY_BUFFER, Some(gl.create_buffer()?));
    gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, bytemuck::cast_slice(&vertices), glow::STATIC_DRAW);
    gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(gl.create_buffer()?));
    gl.buffer_data_u8_slice(glow::ELEMENT_ARRAY_BUFFER, bytemuck::cast_slice(&indices), glow::STATIC_DRAW);
    for (location, numbers, first) in [(0, 3, 0), (1, 4, 3), (2, 4, 7)] {
        gl.enable_vertex_attrib_array(location);
        gl.vertex_attrib_pointer_f32(location, numbers, glow::FLOAT, false, 4 * 11, 4 * first);
    }
    Ok((array, indices.len() as i32, 3 * section.first_matrix as i32))
}

fn main() -> Fallible<()> {
    // SAFETY: the context is current and outlives all objects; every slice is copied before the call returns.
    unsafe { compare(&Args::parse()) }
}

unsafe fn compare(args: &Args) -> Fallible<()> {
    let mut crowd = BenchCrowd::open(args, Some(MatrixFormat::Mat3x4))?;
    crowd.pose(0);
    let headless = Headless::new()?;
    let gl = &*headless.gpu().functions();
    let (width, height) = (args.width as i32, args.height as i32);
    gl.bind_framebuffer(glow::FRAMEBUFFER, Some(gl.create_framebuffer()?));
    let attachments = [(glow::RGBA8, glow::COLOR_ATTACHMENT0), (glow::DEPTH_COMPONENT24, glow::DEPTH_ATTACHMENT)];
    for (format, attachment) in attachments {
        let buffer = gl.create_renderbuffer()?;
        gl.bind_renderbuffer(glow::RENDERBUFFER, Some(buffer));
        gl.renderbuffer_storage(glow::RENDERBUFFER, format, width, height);
        gl.framebuffer_renderbuffer(glow::FRAMEBUFFER, attachment, glow::RENDERBUFFER, Some(buffer));
    }
    gl.viewport(0, 0, width, height);
    gl.enable(glow::DEPTH_TEST);
    let aspect = f64::from(width) / f64::from(height);
    let camera = Orbit::framing(&crowd.hull, aspect).camera(crowd.hull.bounds());
    let projection_from_world = camera.projection_from_world(aspect).cast::<f32>();
    let rig = crowd.animator.rig().clone();
    let meshes: Vec<Mesh> =
        rig.layout().draws.iter().map(|draw| upload_mesh(gl, &rig, draw)).collect::<Fallible<_>>()?;
    let (instances, stride) = (crowd.animator.palette().instance_count(), crowd.animator.palette().stride_texels());
    let mut candidates = Vec::new();
    for (transport, _, fetch) in TRANSPORTS {
        if transport.capacity(gl, stride).1 < if transport.is_per_instance() { 1 } else { instances } {
            continue;
        }
        let candidate = Candidate::new(gl, transport, fetch, crowd.animator.palette())?;
        gl.use_program(Some(candidate.program));
        let location = gl.get_uniform_location(candidate.program, "projection_from_world");
        gl.uniform_matrix_4_f32_slice(location.as_ref(), false, projection_from_world.as_slice());
        candidates.push((candidate, Times::default(), 0));
    }
    let mut pixels = vec![0; (4 * width * height) as usize];
    for frame in 0..=args.frames {
        crowd.pose(frame);
        let palette = crowd.animator.palette();
        let mut expected = None;
        for (candidate, times, different) in &mut candidates {
            gl.use_program(Some(candidate.program));
            times.measure(|| {
                candidate.upload(gl, palette);
                candidate.draw(gl, &meshes, palette);
                Ok(())
            })?;
            let slice = glow::PixelPackData::Slice(Some(&mut pixels));
            gl.read_pixels(0, 0, width, height, glow::RGBA, glow::UNSIGNED_BYTE, slice);
            *different += count_different_pixels(expected.get_or_insert_with(|| pixels.clone()), &pixels);
        }
    }
    let row = |(transport, name, _): (Transport, &str, &str)| {
        let (texels, per_call) = transport.capacity(gl, stride);
        let mut row = vec![name.to_owned(), (texels / 3).to_string(), per_call.to_string()];
        if let Some((_, times, different)) = candidates.iter().find(|found| found.0.transport == transport) {
            let calls = meshes.len() * if transport.is_per_instance() { instances } else { 1 };
            let [wall, cpu] = [times.wall_ms.as_slice(), times.cpu_ms()].map(median);
            row.extend([calls.to_string(), format!("{wall:.2}"), format!("{cpu:.2}"), different.to_string()]);
        }
        row.resize(7, "-".to_owned());
        row
    };
    let columns = ["transport", "matrices", "instances per call", "calls", "ms/frame", "CPU ms", "different pixels"];
    print_table(args, headless.gpu().renderer(), &columns, &TRANSPORTS.map(row));
    let all_equal = candidates.iter().all(|(.., different)| *different == 0);
    if all_equal { Ok(()) } else { Err("the images differ".into()) }
}

/// Counts the pixels that differ by more than 1 of 255 in a channel.
fn count_different_pixels(a: &[u8], b: &[u8]) -> usize {
    let differs = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 1);
    a.chunks_exact(4).zip(b.chunks_exact(4)).filter(|pixels| differs(*pixels)).count()
}
