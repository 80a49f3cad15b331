//! A field of windmills, drawn by a small program with its own window and shaders.
//!
//!     cargo run --release --example wind_farm -- 400
//!
//! A recipe for games that use rigview's crowds without its viewer. It uses three parts of the library: the importer
//! ([`open`]), the animation ([`Crowd`], [`CrowdAnimator`]) and the palette, the array of matrices that is uploaded to the GPU
//! unchanged. The camera moves on its own; Esc closes the window.

#![allow(unsafe_code, reason = "OpenGL is called directly, as a game would")]

use glow::HasContext as _;
use glutin::config::{ConfigTemplateBuilder, GlConfig as _};
use glutin::context::{ContextApi, ContextAttributesBuilder, GlProfile, PossiblyCurrentContext, Version};
use glutin::display::{GetGlDisplay as _, GlDisplay as _};
use glutin::prelude::NotCurrentGlContext as _;
use glutin::surface::{GlSurface as _, Surface, SwapInterval, WindowSurface};
use glutin_winit::{DisplayBuilder, GlWindow as _};
use nalgebra::{Matrix4, Perspective3, Point3, UnitQuaternion, Vector3};
use rigview::crowd::{Crowd, CrowdAnimator, Instance};
use rigview::import::{ImportOptions, open};
use rigview::math::Transform;
use rigview::model::{ClipIndex, Model, TextureSlot, Topology};
use rigview::palette::{MatrixFormat, PrimitiveDraw, Rig};
use std::error::Error;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::raw_window_handle::HasWindowHandle as _;
use winit::window::{Window, WindowId};

/// Approximate distance of neighboring windmills in meters.
const SPACING_M: f64 = 26.0;

/// Linear color of the sky.
const SKY: [f32; 3] = [0.50, 0.68, 0.86];

const VERTEX_SHADER: &str = "#version 330 core
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 tex_coord;
layout(location = 3) in uvec4 slots;
layout(location = 4) in vec4 weights;
uniform mat4 projection_from_world;
// The matrices of all instances: three texels per matrix, the rows of a 3x4 matrix.
uniform samplerBuffer palette;
// Texels per instance, and index of the first texel of this draw within the instance.
uniform ivec2 stride_and_first;
out vec3 position_in_world;
out vec3 normal_in_world;
out vec2 uv;

// The columns of the returned matrix are the rows of the 3x4 matrix.
mat3x4 rows_of(uint slot) {
    int texel = gl_InstanceID * stride_and_first.x + stride_and_first.y + 3 * int(slot);
    return mat3x4(texelFetch(palette, texel), texelFetch(palette, texel + 1), texelFetch(palette, texel + 2));
}

void main() {
    mat3x4 rows = weights.x * rows_of(slots.x);
    if (weights.y > 0.0) rows += weights.y * rows_of(slots.y);
    if (weights.z > 0.0) rows += weights.z * rows_of(slots.z);
    if (weights.w > 0.0) rows += weights.w * rows_of(slots.w);
    position_in_world = vec4(position, 1.0) * rows;
    normal_in_world = vec4(normal, 0.0) * rows;
    uv = tex_coord;
    gl_Position = projection_from_world * vec4(position_in_world, 1.0);
}
";

const MEADOW_SHADER: &str = "#version 330 core
uniform mat4 projection_from_world;
uniform vec3 eye;
out vec3 position_in_world;
out vec3 normal_in_world;
out vec2 uv;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    position_in_world = vec3(corner.x * 4000.0 + eye.x, -0.05, eye.z - corner.y * 4000.0);
    normal_in_world = vec3(0.0, 1.0, 0.0);
    uv = vec2(0.0);
    gl_Position = projection_from_world * vec4(position_in_world, 1.0);
}
";

const FRAGMENT_SHADER: &str = "#version 330 core
in vec3 position_in_world;
in vec3 normal_in_world;
in vec2 uv;
uniform sampler2D base_color;
uniform vec4 color;
uniform vec3 sky;
uniform vec3 eye;
out vec4 pixel;
void main() {
    vec3 normal = normalize(gl_FrontFacing ? normal_in_world : -normal_in_world);
    vec3 to_sun = normalize(vec3(0.5, 0.7, 0.4));
    vec3 light = vec3(1.0, 0.93, 0.82) * max(dot(normal, to_sun), 0.0) * 0.85 + sky * (0.28 + 0.14 * normal.y);
    vec3 lit = texture(base_color, uv).rgb * color.rgb * light;
    float haze = 1.0 - exp(-0.0007 * distance(position_in_world, eye));
    pixel = vec4(pow(mix(lit, sky, haze), vec3(1.0 / 2.2)), 1.0);
}
";

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> Fallible<()> {
    let count = std::env::args().nth(1).map_or(Ok(400), |text| text.parse::<usize>())?.clamp(1, 100_000);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
    let model = open(&file, &ImportOptions::default())?.model;
    let mut farm = Farm { field: Field::new(model, count), screen: None, error: None };
    EventLoop::new()?.run_app(&mut farm)?;
    farm.error.map_or(Ok(()), Err)
}

/// The windmills and their animation. Only this type needs rigview.
struct Field {
    crowd: Crowd,
    animator: CrowdAnimator,
}

impl Field {
    fn new(model: Model, count: usize) -> Self {
        // The rig has the palette layout: the matrices of one windmill, and the matrix range of each draw.
        let scene = model.default_scene;
        let rig = Rig::new(model, scene).unwrap().with_format(MatrixFormat::Mat3x4);
        let golden_angle = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
        let instance = |i: usize| {
            let (angle, radius) = (i as f64 * golden_angle, SPACING_M * (i as f64 / 2.0).sqrt());
            let placement = Transform {
                translation: Vector3::new(radius * angle.cos(), 0.0, radius * angle.sin()),
                rotation: UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.35 * (3.0 * angle).sin()),
                scale: Vector3::repeat(0.9 + 0.2 * (angle * 5.0).sin().abs()),
            };
            // All play the same clip with different start offsets.
            Instance::new(placement.to_affine(), Some(ClipIndex(0)), angle % 4.0)
        };
        let crowd = Crowd::new((0..count).map(instance));
        Self { crowd, animator: CrowdAnimator::new(&rig) }
    }

    /// Updates the palette for one frame.
    fn animate(&mut self, time_secs: f64) {
        self.animator.update(&mut self.crowd, time_secs);
    }
}

/// Vertex layout of the shader.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Vertex {
    position: [f32; 3],
    normal: [f32; 3],
    tex_coord: [f32; 2],
    slots: [u16; 4],
    weights: [f32; 4],
}

/// One draw call for all windmills.
struct GpuDraw {
    vertices: glow::VertexArray,
    indices: i32,
    first_texel: i32,
    texture: glow::Texture,
    color: [f32; 4],
}

struct Screen {
    gl: glow::Context,
    mills: glow::Program,
    meadow: glow::Program,
    draws: Vec<GpuDraw>,
    /// The meadow has neither vertices nor a texture.
    empty_vertex_array: glow::VertexArray,
    white: glow::Texture,
    palette: (glow::Buffer, glow::Texture),
    surface: Surface<WindowSurface>,
    context: PossiblyCurrentContext,
    window: Window,
    start: Instant,
    statistics: Statistics,
}

/// Statistics since the last update of the window title.
struct Statistics {
    since: Instant,
    frames: u32,
    animation_time: Duration,
}

struct Farm {
    field: Field,
    screen: Option<Screen>,
    error: Option<Box<dyn Error>>,
}

impl ApplicationHandler for Farm {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        match Screen::new(event_loop, &self.field) {
            Ok(screen) => self.screen = Some(screen),
            Err(error) => {
                self.error = Some(error);
                event_loop.exit();
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(screen) = &mut self.screen else { return };
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::KeyboardInput {
                event: KeyEvent { logical_key: Key::Named(NamedKey::Escape), state: ElementState::Pressed, .. },
                ..
            } => event_loop.exit(),
            WindowEvent::Resized(size) => {
                let [width, height] =
                    [size.width, size.height].map(|side| NonZeroU32::new(side).unwrap_or(NonZeroU32::MIN));
                screen.surface.resize(&screen.context, width, height);
            }
            WindowEvent::RedrawRequested => {
                let time_secs = screen.start.elapsed().as_secs_f64();
                let before = Instant::now();
                self.field.animate(time_secs);
                screen.statistics.animation_time += before.elapsed();
                if let Err(error) = screen.draw(&self.field, time_secs) {
                    self.error = Some(error);
                    event_loop.exit();
                }
                screen.window.request_redraw();
            }
            _ => {}
        }
    }
}

impl Screen {
    fn new(event_loop: &ActiveEventLoop, field: &Field) -> Fallible<Self> {
        let attributes = Window::default_attributes().with_title("wind farm");
        let (window, config) = DisplayBuilder::new().with_window_attributes(Some(attributes)).build(
            event_loop,
            ConfigTemplateBuilder::new().with_depth_size(24),
            |configs| configs.min_by_key(|config| config.num_samples().abs_diff(4)).expect("a configuration"),
        )?;
        let window = window.ok_or("the system opened no window")?;
        let handle = window.window_handle()?.as_raw();
        let attributes = ContextAttributesBuilder::new()
            .with_context_api(ContextApi::OpenGl(Some(Version::new(3, 3))))
            .with_profile(GlProfile::Core)
            .build(Some(handle));
        let display = config.display();
        // SAFETY: the window outlives surface and context, and the context is current from here on.
        let (surface, context, gl) = unsafe {
            let surface =
                display.create_window_surface(&config, &window.build_surface_attributes(Default::default())?)?;
            let context = display.create_context(&config, &attributes)?.make_current(&surface)?;
            let gl = glow::Context::from_loader_function_cstr(|name| display.get_proc_address(name));
            (surface, context, gl)
        };
        let _ = surface.set_swap_interval(&context, SwapInterval::Wait(NonZeroU32::MIN));

        // SAFETY: as above.
        unsafe {
            let max_instances =
                gl.get_parameter_i32(glow::MAX_TEXTURE_BUFFER_SIZE) as usize / field.animator.palette().stride_texels();
            if field.crowd.len() > max_instances {
                return Err(format!("this GPU draws {max_instances} windmills at once; more need a second draw").into());
            }
            let white = srgb_texture(&gl, 1, 1, &[255; 4])?;
            let draws = field.animator.rig().layout().draws.iter().map(|draw| GpuDraw::new(&gl, field, draw, white));
            let draws = draws.collect::<Fallible<_>>()?;
            let palette = (gl.create_buffer()?, gl.create_texture()?);
            Ok(Self {
                mills: program(&gl, VERTEX_SHADER)?,
                meadow: program(&gl, MEADOW_SHADER)?,
                empty_vertex_array: gl.create_vertex_array()?,
                gl,
                draws,
                white,
                palette,
                surface,
                context,
                window,
                start: Instant::now(),
                statistics: Statistics { since: Instant::now(), frames: 0, animation_time: Duration::ZERO },
            })
        }
    }

    fn draw(&mut self, field: &Field, time_secs: f64) -> Fallible<()> {
        let size = self.window.inner_size();
        let aspect = f64::from(size.width.max(1)) / f64::from(size.height.max(1));
        let extent = SPACING_M * (field.crowd.len() as f64 / 2.0).sqrt();
        let (angle, radius) = (0.05 * time_secs + 0.6, 0.55 * extent + 30.0);
        let eye = Point3::new(angle.cos() * radius, 24.0 + 0.05 * extent, angle.sin() * radius);
        let target = Point3::new(-0.25 * eye.x, 6.0, -0.25 * eye.z);
        let view = Matrix4::look_at_rh(&eye, &target, &Vector3::y());
        let projection = Perspective3::new(aspect, 0.8, 1.0, 6000.0).to_homogeneous();
        let projection_from_world = (projection * view).cast::<f32>();
        let eye = eye.cast::<f32>();

        let gl = &self.gl;
        // SAFETY: the context is current; every slice is copied before the call returns.
        unsafe {
            // Uploads the palette unchanged, as a buffer texture with four floats per texel.
            let (buffer, texture) = self.palette;
            gl.bind_buffer(glow::TEXTURE_BUFFER, Some(buffer));
            gl.buffer_data_u8_slice(
                glow::TEXTURE_BUFFER,
                bytemuck::cast_slice(field.animator.palette().texels()),
                glow::STREAM_DRAW,
            );
            gl.active_texture(glow::TEXTURE1);
            gl.bind_texture(glow::TEXTURE_BUFFER, Some(texture));
            gl.tex_buffer(glow::TEXTURE_BUFFER, glow::RGBA32F, Some(buffer));

            gl.viewport(0, 0, size.width as i32, size.height as i32);
            let [r, g, b] = SKY.map(|c| c.powf(1.0 / 2.2));
            gl.clear_color(r, g, b, 1.0);
            gl.enable(glow::DEPTH_TEST);
            gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT);
            let begin = |program| {
                gl.use_program(Some(program));
                let location = |name| gl.get_uniform_location(program, name);
                let matrix = location("projection_from_world");
                gl.uniform_matrix_4_f32_slice(matrix.as_ref(), false, projection_from_world.as_slice());
                gl.uniform_3_f32(location("eye").as_ref(), eye.x, eye.y, eye.z);
                gl.uniform_3_f32(location("sky").as_ref(), SKY[0], SKY[1], SKY[2]);
                gl.uniform_1_i32(location("palette").as_ref(), 1);
                gl.active_texture(glow::TEXTURE0);
                (location("color"), location("stride_and_first"))
            };

            let (color, _) = begin(self.meadow);
            gl.uniform_4_f32(color.as_ref(), 0.13, 0.22, 0.04, 1.0);
            gl.bind_texture(glow::TEXTURE_2D, Some(self.white));
            gl.bind_vertex_array(Some(self.empty_vertex_array));
            gl.draw_arrays(glow::TRIANGLE_STRIP, 0, 4);

            let (color, stride_and_first) = begin(self.mills);
            let stride = field.animator.palette().stride_texels() as i32;
            for draw in &self.draws {
                gl.uniform_4_f32_slice(color.as_ref(), &draw.color);
                gl.uniform_2_i32(stride_and_first.as_ref(), stride, draw.first_texel);
                gl.bind_texture(glow::TEXTURE_2D, Some(draw.texture));
                gl.bind_vertex_array(Some(draw.vertices));
                let count = field.animator.palette().instance_count() as i32;
                gl.draw_elements_instanced(glow::TRIANGLES, draw.indices, glow::UNSIGNED_INT, 0, count);
            }
        }
        self.surface.swap_buffers(&self.context)?;

        self.statistics.frames += 1;
        let Statistics { since, frames, animation_time } = &self.statistics;
        if since.elapsed() > Duration::from_secs(1) {
            let joints =
                field.crowd.len() as f64 * f64::from(field.animator.rig().layout().matrix_count) * f64::from(*frames);
            self.window.set_title(&format!(
                "wind farm: {} windmills, {:.1} frames a second, {:.1} ns a joint to animate",
                field.crowd.len(),
                f64::from(*frames) / since.elapsed().as_secs_f64(),
                animation_time.as_nanos() as f64 / joints,
            ));
            self.statistics = Statistics { since: Instant::now(), frames: 0, animation_time: Duration::ZERO };
        }
        Ok(())
    }
}

impl GpuDraw {
    /// Uploads the vertices of one primitive. A rigid mesh uses slot 0 of its matrix range.
    unsafe fn new(gl: &glow::Context, field: &Field, draw: &PrimitiveDraw, white: glow::Texture) -> Fallible<Self> {
        let (model, layout) = (field.animator.rig().model(), field.animator.rig().layout());
        let (matrix_range, primitive) =
            (&layout.matrix_ranges[draw.matrix_range], &model.meshes[draw.mesh.get()].primitives[draw.primitive]);
        let source = &primitive.vertices;
        let influences = source.influences.as_ref().filter(|_| draw.skinned);
        if primitive.topology != Topology::Triangles || influences.is_some_and(|influences| influences.per_vertex > 4) {
            return Err("this example supports triangles with up to four joints per vertex".into());
        }
        let vertex = |i: usize| {
            let (mut slots, mut weights) = ([0; 4], [1.0, 0.0, 0.0, 0.0]);
            if let Some(influences) = influences {
                for (k, (slot, weight)) in influences.of_vertex(i).enumerate() {
                    (slots[k], weights[k]) = (slot.0, weight);
                }
            }
            // The matrices of a matrix range apply to positions relative to its offset.
            let position = [0, 1, 2].map(|axis| source.positions[i][axis] - matrix_range.position_offset[axis]);
            let normal = source.normals.as_ref().map_or([0.0, 1.0, 0.0], |normals| normals[i]);
            let tex_coord = source.tex_coords.first().map_or([0.0; 2], |tex_coords| tex_coords[i]);
            Vertex { position, normal, tex_coord, slots, weights }
        };
        let vertices: Vec<Vertex> = (0..source.positions.len()).map(vertex).collect();
        let indices = primitive.triangles();
        let material = primitive.material.map(|material| &model.materials[material.get()]);
        let image = material.and_then(|material| {
            let texture = &model.textures[material.textures[TextureSlot::BaseColor].as_ref()?.texture.get()];
            texture.image.map(|image| &model.images[image.get()])
        });
        // SAFETY: the context is current; offsets and types are those of `Vertex`.
        unsafe {
            let array = gl.create_vertex_array()?;
            gl.bind_vertex_array(Some(array));
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(gl.create_buffer()?));
            gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, bytemuck::cast_slice(&vertices), glow::STATIC_DRAW);
            gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(gl.create_buffer()?));
            gl.buffer_data_u8_slice(glow::ELEMENT_ARRAY_BUFFER, bytemuck::cast_slice(&indices), glow::STATIC_DRAW);
            let stride = size_of::<Vertex>() as i32;
            for (location, numbers, offset) in [(0, 3, 0), (1, 3, 12), (2, 2, 24), (4, 4, 40)] {
                gl.enable_vertex_attrib_array(location);
                gl.vertex_attrib_pointer_f32(location, numbers, glow::FLOAT, false, stride, offset);
            }
            gl.enable_vertex_attrib_array(3);
            gl.vertex_attrib_pointer_i32(3, 4, glow::UNSIGNED_SHORT, stride, 32);
            let texture = match image {
                Some(image) => srgb_texture(gl, image.width as i32, image.height as i32, &image.rgba)?,
                None => white,
            };
            Ok(Self {
                vertices: array,
                indices: indices.len() as i32,
                first_texel: 3 * matrix_range.first_matrix as i32,
                texture,
                color: material.map_or([1.0; 4], |material| material.base_color),
            })
        }
    }
}

/// An sRGB texture with mipmaps.
unsafe fn srgb_texture(gl: &glow::Context, width: i32, height: i32, rgba: &[u8]) -> Fallible<glow::Texture> {
    // SAFETY: the context is current, and GL copies the bytes.
    unsafe {
        let texture = gl.create_texture()?;
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        let (format, pixels) = (glow::SRGB8_ALPHA8 as i32, glow::PixelUnpackData::Slice(Some(rgba)));
        gl.tex_image_2d(glow::TEXTURE_2D, 0, format, width, height, 0, glow::RGBA, glow::UNSIGNED_BYTE, pixels);
        gl.generate_mipmap(glow::TEXTURE_2D);
        Ok(texture)
    }
}

unsafe fn program(gl: &glow::Context, vertex: &str) -> Fallible<glow::Program> {
    // SAFETY: the context is current.
    unsafe {
        let program = gl.create_program()?;
        for (kind, source) in [(glow::VERTEX_SHADER, vertex), (glow::FRAGMENT_SHADER, FRAGMENT_SHADER)] {
            let shader = gl.create_shader(kind)?;
            gl.shader_source(shader, source);
            gl.compile_shader(shader);
            if !gl.get_shader_compile_status(shader) {
                return Err(gl.get_shader_info_log(shader).into());
            }
            gl.attach_shader(program, shader);
        }
        gl.link_program(program);
        if gl.get_program_link_status(program) { Ok(program) } else { Err(gl.get_program_info_log(program).into()) }
    }
}
