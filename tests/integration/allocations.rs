//! A running crowd allocates nothing per frame.

use crate::support::models::shipped;
use rigview::crowd::{Crowd, CrowdAnimator, Instance};
use rigview::import::{ImageLoading, ImportOptions, open};
use rigview::math::Affine;
use rigview::model::ClipIndex;
use rigview::palette::{MatrixFormat, Rig};
use rigview::pose::{Layer, Playback};

#[test]
fn running_crowd_frame_allocates_nothing() {
    let options = ImportOptions::default().with_images(ImageLoading::Skip);
    // On one thread: counts are a thread's own.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for file in shipped() {
        let model = open(&file, &options).unwrap().model;
        let (clips, scene) = (model.clips.len() as u32, model.default_scene);
        let rig = Rig::new(model, scene);
        for packing in [MatrixFormat::Mat3x4, rig.format()] {
            let instance = |i: u32| Instance::new(Affine::IDENTITY, Some(ClipIndex(i % clips)), f64::from(i) * 0.01);
            let mut crowd = Crowd::new((0..300).map(instance));
            let layer = |clip| Layer::new(Some(ClipIndex(clip)), Playback::looping(0.2));
            for i in (0..300).step_by(3) {
                crowd.set_layers(i, &Layer::cross_fade(layer(0), layer(clips - 1), 0.4));
            }
            let mut animator = CrowdAnimator::new(&rig.with_format(packing));
            let mut frame = |number: u32| {
                let time_secs = f64::from(number) / 60.0;
                crowd.set_layers(0, &Layer::cross_fade(layer(0), layer(clips - 1), number as f32 / 100.0));
                animator.update(&mut crowd, time_secs);
                animator.update_in_double_precision(&mut crowd, time_secs);
            };
            let counted = pool.install(|| {
                (0..3).for_each(&mut frame);
                allocation_counter::measure(|| (3..40).for_each(&mut frame))
            });
            assert_eq!(counted.count_total, 0, "{}: {counted:?}", file.display());
        }
    }
}
