//! Headless contexts on several threads.

use crate::context::{GlTestContext, Shot};
use crate::rigs::Tube;
use rigview::palette::MatrixFormat;
use rigview::render::Target;
use rigview::scene::Background;
use std::sync::Barrier;

#[test]
fn contexts_of_several_threads_exist_at_once() {
    const THREADS: usize = 3;
    let barrier = Barrier::new(THREADS);
    let sizes = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..=THREADS as u32)
            .map(|size| {
                let barrier = &barrier;
                scope.spawn(move || {
                    let context = GlTestContext::new();
                    barrier.wait();
                    let target = Target::new(context.headless.gpu(), size, size, 1).unwrap();
                    let bytes = target.read_rgba().unwrap().len();
                    // No thread may destroy its context before all have used theirs.
                    barrier.wait();
                    bytes
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(sizes, [4, 16, 36]);
}

/// Buffers of one context are written while others draw: llvmpipe crashed in the lists of their frames.
#[test]
fn threads_draw_equal_images_at_once() {
    const THREADS: usize = 4;
    const IMAGES: usize = 60;
    let model = Tube::default().model();
    let images = std::thread::scope(|scope| {
        let draw_all = || {
            let shot = Shot::of_crowd(&model, MatrixFormat::Mat3x4, 4).before(Background::Studio);
            let mut context = GlTestContext::new();
            [(); IMAGES].map(|()| context.try_render(&shot, 1).unwrap())
        };
        let threads = [(); THREADS].map(|()| scope.spawn(draw_all));
        threads.map(|thread| thread.join().unwrap()).concat()
    });
    assert!(images.iter().all(|image| *image == images[0]));
}
