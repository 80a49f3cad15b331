//! A small render under each fault of the driver.

use super::*;
use crate::gpu::fault_injection::{self, Calls, Fault};
use crate::platform::headless::Headless;
use crate::scene::{
    Background, DebugView, Frame, FrameSamples, Light, LightKind, Lighting, Orbit, SunShadow, clip_hull,
};
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::import::{ImportOptions, open};
use rigview_core::math::Affine;
use rigview_core::model::ClipIndex;
use rigview_core::palette::Rig;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Requested samples per pixel.
const SAMPLES: u32 = 4;

/// Maximum time of one render.
const MAX_TIME: Duration = Duration::from_secs(120);

/// Images of one render, and the samples per pixel.
type Images = ([Vec<u8>; 2], u32);

/// Draws a crowd of two with shadows and occlusion, and two samples of high quality, in a new context.
fn draw(rig: &Rig) -> Result<Images, String> {
    let headless = Headless::new().map_err(|error| error.to_string())?;
    draw_in(&headless, rig).map_err(|error| error.to_string())
}

fn draw_in(headless: &Headless, rig: &Rig) -> Result<Images, RenderError> {
    let mut animator = CrowdAnimator::new(rig);
    let instance = |x| Instance::new(Affine::from_translation(Vector3::new(x, 0.0, 0.0)), Some(ClipIndex(0)), 0.0);
    let mut crowd = Crowd::new([instance(0.0), instance(0.5)]);
    let to_sun = Vector3::new(1.0, 2.0, 1.0).normalize();
    let hull = clip_hull(rig, Some(ClipIndex(0)));
    let lighting = Lighting {
        lights: vec![Light { kind: LightKind::Directional { to_light_in_world: to_sun }, intensity_rgb: [2.0; 3] }],
        ambient_occlusion: true,
        sun_shadow: SunShadow::with_catcher(hull.bounds(), to_sun),
        ..Lighting::studio()
    };
    let mut renderer = Renderer::new(headless.gpu(), RenderOptions::default())?;
    let gpu_model = renderer.upload(rig.model(), rig.layout())?;
    let mut target = Target::new(headless.gpu(), 24, 16, SAMPLES)?;
    let mut images = [Vec::new(), Vec::new()];
    for (index, image) in images.iter_mut().enumerate() {
        animator.update(&mut crowd, 0.3 * index as f64);
        let frame = Frame {
            layout: rig.layout(),
            palette: animator.palette(),
            detail: None,
            other_crowds: &[],
            camera: Orbit::framing(&hull, 1.5).camera(hull.bounds()),
            lighting: &lighting,
            background: Background::Studio,
            debug_view: DebugView::default(),
        };
        if index == 0 {
            renderer.draw(&[&gpu_model], &frame, &mut target)?;
        } else {
            let samples = FrameSamples::new(&lighting, Vec::new(), hull.bounds(), 2);
            target.begin_accumulation()?;
            for sample in 0..2 {
                renderer.accumulate(&[&gpu_model], &frame, &samples.get(sample), &mut target)?;
            }
            renderer.resolve_accumulation(&frame, &target)?;
        }
        *image = target.read_rgba()?;
    }
    Ok((images, target.samples()))
}

/// Draws under a fault in a new thread.
///
/// # Panics
/// If it does not end.
fn draw_with(rig: &Rig, fault: Fault, call: u32) -> (Result<Images, String>, Calls) {
    let (rig, (sender, receiver)) = (rig.clone(), channel());
    std::thread::spawn(move || {
        fault_injection::inject(fault, call);
        let drawn = draw(&rig);
        sender.send((drawn, fault_injection::end()))
    });
    receiver.recv_timeout(MAX_TIME).unwrap_or_else(|error| panic!("{fault:?} at call {call}: {error}"))
}

/// The texts of the errors that a fault causes; none if the image is right in spite of it.
fn errors_of(fault: Fault) -> &'static [&'static str] {
    match fault {
        Fault::LostContext => &["the graphics driver was reset"],
        Fault::OutOfMemory => &["out of memory"],
        Fault::LostMapping => &[],
        Fault::IncompleteFramebuffer => &["cannot draw into a framebuffer"],
        Fault::Compilation => &["cannot compile", "cannot link"],
        Fault::Link => &["cannot link"],
    }
}

#[test]
fn each_fault_of_the_driver_is_one_clear_error_or_a_right_image() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/hare.glb");
    let model = open(&file, &ImportOptions::default()).unwrap().model;
    let rig = Rig::new(model.clone(), model.default_scene).unwrap();
    let expected = draw(&rig).unwrap();
    // Each call of the driver is one of the faults; the others are few.
    let max_lost: u32 = std::env::var("RIGVIEW_LOST_CONTEXTS").map_or(60, |text| text.parse().unwrap());
    for fault in [
        Fault::LostMapping,
        Fault::IncompleteFramebuffer,
        Fault::Link,
        Fault::Compilation,
        Fault::OutOfMemory,
        Fault::LostContext,
    ] {
        let (unfaulted, calls) = draw_with(&rig, fault, u32::MAX);
        assert!(unfaulted.as_ref() == Ok(&expected), "{fault:?}: the wrapper changes the image");
        let step = if fault == Fault::LostContext { calls.concerned.div_ceil(max_lost) } else { 1 };
        let (mut faults, mut errors, mut images, mut fewer_samples) = (0, 0, 0, 0);
        for call in (0..calls.concerned).step_by(step as usize) {
            let (drawn, seen) = draw_with(&rig, fault, call);
            faults += 1;
            match drawn {
                Err(error) => {
                    let is_clear = errors_of(fault).iter().any(|text| error.contains(text));
                    assert!(is_clear, "{fault:?} at call {call}: {error}");
                    errors += 1;
                }
                Ok((_, samples)) if fault == Fault::IncompleteFramebuffer && samples < SAMPLES => fewer_samples += 1,
                Ok(drawn) => {
                    // A context that is lost while its objects are deleted, too.
                    assert!(drawn == expected, "{fault:?} at call {call}: a wrong image without an error");
                    images += 1;
                }
            }
            assert_eq!(seen.after_loss, 0, "call {call}: a lost context is used after the driver has reported it");
        }
        println!(
            "{fault:?}: {} calls, {} of them concerned, {faults} faults: {errors} errors, {images} equal images, \
             {fewer_samples} images with fewer samples",
            calls.all, calls.concerned
        );
        assert!(faults > 0, "{fault:?} concerns no call");
    }
}
