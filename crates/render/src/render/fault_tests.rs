//! A small render under each fault of the driver.

use super::test_scene::{self, TestScene};
use super::*;
use crate::gpu::fault_injection::{self, Calls, Fault};
use crate::platform::headless::Headless;
use crate::scene::FrameSamples;
use rigview_core::model::ClipIndex;
use rigview_core::palette::Rig;
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
    let mut scene = TestScene::new(rig, Some(ClipIndex(0)), &[0.0, 0.5]);
    let mut renderer = Renderer::new(headless.gpu(), RenderOptions::default())?;
    let gpu_model = renderer.upload(rig.model(), rig.layout())?;
    let mut target = Target::new(headless.gpu(), 24, 16, SAMPLES)?;
    renderer.draw(&[&gpu_model], &scene.frame(1.5), &mut target)?;
    let first = target.read_rgba()?;
    scene.update(0.3);
    let frame = scene.frame(1.5);
    let samples = FrameSamples::new(&scene.lighting, Vec::new(), scene.hull.bounds(), 2);
    target.begin_accumulation()?;
    for sample in 0..2 {
        renderer.accumulate(&[&gpu_model], &frame, &samples.get(sample), &mut target)?;
    }
    renderer.resolve_accumulation(&frame, &target)?;
    Ok(([first, target.read_rgba()?], target.samples()))
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
    let rig = test_scene::rig();
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
