//! Driver limits, foreign GL state, and determinism.
#![allow(unsafe_code, reason = "one test sets random GL state, as other users of the context may")]

use crate::context::{GlTestContext, Shot};
use crate::rigs::Tube;
use glow::HasContext;
use rigview::model::{JointIndex, MeshIndex, MeshNode, SkinIndex};
use rigview::palette::MatrixFormat;
use rigview::platform::headless::Headless;
use rigview::render::{RenderOptions, Renderer, Target};
use rigview::scene::Background;
use rigview_render::disk_cache::DiskCache;
use std::collections::BTreeMap;

#[test]
fn image_is_independent_of_palette_pages() {
    let mut tube = Tube { targets: 9, ..Tube::default() };
    tube.material.roughness = 0.4;
    let mut model = tube.model();
    // A rigid twin beside it, so that an instance has two matrix ranges: 18 texels, then 3, then 3 and 3 of weights.
    model.scenes[0].mesh_nodes.push(MeshNode { joint: JointIndex(1), mesh: MeshIndex(0), skin: None });
    model.meshes[0].primitives[0].targets_mut().truncate(9);
    let shot = Shot::of_crowd(&model, MatrixFormat::Mat3x4, 9);
    let whole = GlTestContext::new().try_render(&shot, 4).unwrap();
    assert!(whole.rgba.chunks_exact(4).filter(|pixel| pixel[..3] != [0; 3]).count() > 500);
    for limit in [100_000, 200, 54, 27, 26, 20, 18] {
        let cut = GlTestContext::with_palette_limit(Some(limit)).try_render(&shot, 4).unwrap();
        assert!(cut == whole, "{limit} texels a page give another image");
    }
    let error = GlTestContext::with_palette_limit(Some(17)).try_render(&shot, 4).err().unwrap().to_string();
    assert!(error.contains("a skin of 6 joints takes 18 texels") && error.contains("hold 17"), "{error}");
}

#[test]
fn image_is_independent_of_row_tiles() {
    let model = Tube::default().model();
    for (background, samples) in [(Background::Studio, 4), (Background::Transparent, 1), (Background::Transparent, 4)] {
        let shot = Shot::of_crowd(&model, MatrixFormat::Mat3x4, 5).before(background);
        let whole = GlTestContext::new().try_render(&shot, samples).unwrap();
        for rows in [1, 7, 64, 100_000] {
            let options = RenderOptions { rows_per_tile: Some(rows), ..RenderOptions::default() };
            let cut = GlTestContext::with(options).try_render(&shot, samples).unwrap();
            // A band's own origin may round what is interpolated another way, which shows at the edge of a byte's step.
            let off: Vec<u8> =
                cut.rgba.iter().zip(&whole.rgba).map(|(a, b)| a.abs_diff(*b)).filter(|d| *d > 0).collect();
            let slight = off.len() <= 8 && off.iter().all(|off| *off == 1);
            assert!(slight, "bands of {rows} rows give another image with {samples} samples: {off:?}");
        }
    }
}

#[test]
fn equal_frames_render_equal_bytes() {
    let model = Tube::default().model();
    for (background, samples) in [(Background::Studio, 4), (Background::Transparent, 1), (Background::Studio, 1)] {
        let shot = Shot::of_crowd(&model, MatrixFormat::QuatTranslationScale, 4).before(background);
        let mut stage = GlTestContext::new();
        let first = stage.try_render(&shot, samples).unwrap();
        assert!(stage.try_render(&shot, samples).unwrap() == first);
        assert!(GlTestContext::new().try_render(&shot, samples).unwrap() == first);
    }
}

#[test]
fn uniform_layouts_match_driver() {
    assert_eq!(GlTestContext::new().renderer.uniform_layout_mismatches().unwrap(), Vec::<String>::new());
}

#[test]
fn sample_count_is_clamped_to_driver() {
    let stage = GlTestContext::new();
    let gpu = stage.headless.gpu();
    for samples in [0, 1] {
        assert_eq!(Target::new(gpu, 8, 8, samples).unwrap().samples(), 1);
    }
    for samples in [2, 3, 4, 8, 1000] {
        let made = Target::new(gpu, 8, 8, samples).unwrap().samples();
        assert!(made >= samples.min(gpu.limits().samples) && made <= gpu.limits().samples, "{samples}: {made}");
    }
}

#[test]
fn invalid_target_sizes_are_errors() {
    let stage = GlTestContext::new();
    let limit = stage.headless.gpu().limits().texture_size;
    for (width, height, text) in [
        (0, 5, "an image of 0 x 5 pixels is empty".to_owned()),
        (limit + 1, 1, format!("an image of {} x 1 pixels is too large", limit + 1)),
    ] {
        let error = Target::new(stage.headless.gpu(), width, height, 1).err().unwrap().to_string();
        assert!(error.starts_with(&text), "{error}");
    }
}

#[test]
fn empty_frame_is_background() {
    let model = Tube::default().model();
    let mut shot = Shot::of_crowd(&model, MatrixFormat::Mat3x4, 1);
    shot.palette = rigview::palette::Palette::new(&shot.layout, MatrixFormat::Mat3x4);
    shot.background = Background::Color([1.0, 0.0, 0.0]);
    let image = GlTestContext::new().image(&shot);
    assert_eq!(image.count([255, 0, 0, 255]), 160 * 120);
}

/// Name and function.
type StateChange = (&'static str, fn(&glow::Context));

#[test]
fn foreign_gl_state_changes_nothing() {
    let mut model = Tube { targets: 3, ..Tube::default() }.model();
    model.scenes[0].mesh_nodes[0].skin = Some(SkinIndex(0));
    let shot = Shot::of_crowd(&model, MatrixFormat::Mat3x4, 2);
    let expected = GlTestContext::new().try_render(&shot, 4).unwrap();
    let mut stage = GlTestContext::new();
    let mut target = Target::new(stage.headless.gpu(), 160, 120, 4).unwrap();
    let on_gpu = stage.renderer.upload(&model, &shot.layout).unwrap();
    // SAFETY: the context is current; these are states of OpenGL 3.3 core, and the sampler is bound while it exists.
    let states: [StateChange; 19] = unsafe {
        [
            ("scissor test", |gl| {
                gl.enable(glow::SCISSOR_TEST);
                gl.scissor(1, 1, 2, 2);
            }),
            ("stencil test", |gl| gl.enable(glow::STENCIL_TEST)),
            ("blending", |gl| {
                gl.enable(glow::BLEND);
                gl.blend_equation(glow::FUNC_REVERSE_SUBTRACT);
                gl.blend_func(glow::ZERO, glow::ZERO);
            }),
            ("sRGB framebuffer", |gl| gl.enable(glow::FRAMEBUFFER_SRGB)),
            ("logic operation", |gl| gl.enable(glow::COLOR_LOGIC_OP)),
            ("polygon offset", |gl| {
                gl.enable(glow::POLYGON_OFFSET_FILL);
                gl.polygon_offset(9.0, 9.0);
            }),
            ("primitive restart", |gl| gl.enable(glow::PRIMITIVE_RESTART)),
            ("rasterizer discard", |gl| gl.enable(glow::RASTERIZER_DISCARD)),
            ("alpha to coverage", |gl| gl.enable(glow::SAMPLE_ALPHA_TO_COVERAGE)),
            ("sample mask", |gl| gl.enable(glow::SAMPLE_MASK)),
            ("culling", |gl| {
                gl.enable(glow::CULL_FACE);
                gl.cull_face(glow::FRONT_AND_BACK);
                gl.front_face(glow::CW);
            }),
            ("depth clamp", |gl| gl.enable(glow::DEPTH_CLAMP)),
            ("no multisampling", |gl| gl.disable(glow::MULTISAMPLE)),
            ("depth test", |gl| {
                gl.disable(glow::DEPTH_TEST);
                gl.depth_mask(false);
                gl.depth_func(glow::NEVER);
                gl.depth_range(1.0, 0.5);
            }),
            ("polygon mode", |gl| gl.polygon_mode(glow::FRONT_AND_BACK, glow::LINE)),
            ("color mask", |gl| gl.color_mask(false, true, false, true)),
            ("viewport", |gl| gl.viewport(3, 3, 3, 3)),
            ("pixel pack", |gl| {
                gl.pixel_store_i32(glow::PACK_ROW_LENGTH, 1000);
                gl.pixel_store_i32(glow::PACK_ALIGNMENT, 8);
            }),
            ("samplers", |gl| {
                // Its filter uses mip levels, which buffers of the renderer do not have.
                let sampler = gl.create_sampler().unwrap();
                (0..32).for_each(|unit| gl.bind_sampler(unit, Some(sampler)));
                gl.active_texture(glow::TEXTURE0 + 9);
            }),
        ]
    };
    for (name, set) in states {
        set(&stage.headless.gpu().functions());
        stage.renderer.draw(&[&on_gpu], &shot.frame(), &mut target).unwrap();
        assert!(target.read_rgba().unwrap() == expected.rgba, "{name}");
    }
}

#[test]
fn driver_error_fails_rendering() {
    let model = Tube::default().model();
    let shot = Shot::of_crowd(&model, MatrixFormat::Mat3x4, 1);
    let mut stage = GlTestContext::new();
    let mut target = Target::new(stage.headless.gpu(), 160, 120, 1).unwrap();
    let on_gpu = stage.renderer.upload(&model, &shot.layout).unwrap();
    stage.renderer.draw(&[&on_gpu], &shot.frame(), &mut target).unwrap();
    // SAFETY: the context is current; an invalid enum only sets the GL error.
    unsafe { stage.headless.gpu().functions().enable(0xffff) };
    let error = target.read_rgba().err().unwrap().to_string();
    assert_eq!(error, "OpenGL error 0x0500 while drawing the image (invalid enum)");
    assert!(target.read_rgba().is_ok(), "the error belongs to that image only");
}

#[test]
fn palette_beyond_minimum_texture_buffer_size_draws() {
    // 4,000 instances of 18 texels: 72,000, where OpenGL 3.3 promises 65,536.
    let model = Tube { rings: 2, ..Tube::default() }.model();
    let mut shot = Shot::of_crowd(&model, MatrixFormat::Mat3x4, 4000);
    shot.size = (640, 480);
    let own_limit = GlTestContext::new().image(&shot);
    let least = GlTestContext::with_palette_limit(Some(65_536)).image(&shot);
    assert!(own_limit == least);
    assert!(own_limit.rgba.chunks_exact(4).filter(|pixel| pixel[..3] != [0; 3]).count() > 500);
}

#[test]
fn programs_come_from_the_cache() {
    let folder = tempfile::TempDir::new().unwrap();
    let model = Tube::default().model();
    let shot = Shot::of_crowd(&model, MatrixFormat::Mat3x4, 2);
    let render = || {
        let headless = Headless::new().unwrap();
        headless.gpu().cache_programs(folder.path().to_owned());
        let renderer = Renderer::new(headless.gpu(), RenderOptions::default()).unwrap();
        GlTestContext { renderer, headless }.image(&shot)
    };
    let entries = || {
        let paths = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        paths.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect::<BTreeMap<_, _>>()
    };
    let uncached = GlTestContext::new().image(&shot);
    assert!(render() == uncached);
    if GlTestContext::new().headless.gpu().info().program_binary_formats == 0 {
        eprintln!("skipped: programs_come_from_the_cache, since the driver has no program binaries");
        return;
    }
    let compiled = entries();
    assert!(compiled.len() >= 2, "the mesh shader and the resolve shader");
    assert!(render() == uncached);
    assert!(entries() == compiled, "loaded programs are not written again");
    // The driver refuses what is no binary of its own; the checksum of the cache is right.
    let cache = DiskCache::new(folder.path().to_owned(), 1 << 20);
    for path in compiled.keys() {
        let key = u128::from_str_radix(path.file_name().unwrap().to_str().unwrap(), 16).unwrap();
        cache.put(key, b"\x01\x02\x03\x04 no binary");
    }
    assert!(render() == uncached);
    // Drivers may add data that differs in each run, such as NVIDIA 580.159.
    let compiled_again = entries();
    assert!(compiled_again.keys().eq(compiled.keys()));
    assert!(compiled_again.values().all(|entry| entry.len() > 100), "refused programs are compiled again");
}
