//! Headless contexts on several threads.

use crate::context::GlTestContext;
use rigview::render::Target;
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
