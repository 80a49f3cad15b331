//! A running crowd allocates nothing per frame.

use crate::support::models::{open_model, shipped};
use nalgebra::{UnitQuaternion, Vector3};
use rigview::crowd::{Crowd, CrowdAnimator, Instance, Marker};
use rigview::math::{Affine, Transform};
use rigview::model::{ClipIndex, InstanceIndex, JointIndex};
use rigview::palette::{MatrixFormat, Rig};
use rigview::pose::{Layer, Playback, PoseOverride};

#[test]
fn running_crowd_frame_allocates_nothing() {
    // On one thread: counts are a thread's own.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for file in shipped() {
        let model = open_model(&file);
        let (clips, scene) = (model.clips.len() as u32, model.default_scene);
        let rig = Rig::new(model, scene).unwrap();
        for packing in [MatrixFormat::Mat3x4, rig.format()] {
            let instance = |i: u32| Instance::new(Affine::IDENTITY, Some(ClipIndex(i % clips)), f64::from(i) * 0.01);
            let mut crowd = Crowd::new((0..300).map(instance));
            let layer = |clip| Layer::new(Some(ClipIndex(clip)), Playback::looping(0.2));
            for i in (0..300).step_by(3) {
                crowd.set_layers(InstanceIndex(i as u32), &Layer::cross_fade(layer(0), layer(clips - 1), 0.4));
            }
            let mut animator = CrowdAnimator::new(&rig.with_format(packing));
            let mut frame = |number: u32| {
                let time_secs = f64::from(number) / 60.0;
                crowd.set_layers(
                    InstanceIndex(0),
                    &Layer::cross_fade(layer(0), layer(clips - 1), number as f32 / 100.0),
                );
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

#[test]
fn changing_crowd_frame_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for file in shipped() {
        let model = open_model(&file);
        let (clips, scene) = (model.clips.len(), model.default_scene);
        let clip = |i: usize| (clips > 0).then(|| ClipIndex((i % clips.max(1)) as u32));
        let placed = |i: usize, number: usize| Transform {
            translation: Vector3::new(i as f64 + 0.01 * number as f64, 0.0, 0.0),
            rotation: UnitQuaternion::from_euler_angles(0.0, 0.1 * (i + number) as f64, 0.0),
            ..Transform::identity()
        };
        let instance = |i: usize| Instance::new(placed(i, 0).to_affine(), clip(i), 0.01 * i as f64);
        let mut crowd = Crowd::new((0..500).map(instance));
        let mut turned = PoseOverride::new();
        turned.set(JointIndex(0), Transform::identity());
        let turned = crowd.add_override(turned);
        let rig = Rig::new(model, scene).unwrap().with_joints(&[JointIndex(0)]);
        let mut animator = CrowdAnimator::new(&rig);
        let steps = clip(0).map(|clip| Marker { clip, time_secs: 0.1 });
        let mut frame = |number: usize| {
            (0..crowd.len()).for_each(|i| crowd.set_transform(InstanceIndex(i as u32), &placed(i, number)));
            // Some begin to fade, are in the middle, or end.
            for i in (0..5).map(|k| (5 * number + 101 * k) % 500) {
                let layers = [i, i + 1].map(|k| Layer::new(clip(k), Playback::looping(0.1)));
                crowd.set_layers(InstanceIndex(i as u32), &Layer::cross_fade(layers[0], layers[1], 0.3));
                crowd.set_layers(InstanceIndex(((i + 250) % 500) as u32), &layers[..1]);
                crowd.swap_remove(InstanceIndex(((i + 100) % 500) as u32));
                crowd.push(instance(i));
            }
            let rotation = UnitQuaternion::from_euler_angles(0.0, 0.1 * number as f64, 0.0);
            crowd.override_joint(turned, JointIndex(0), Transform { rotation, ..Transform::identity() });
            crowd.set_override(InstanceIndex((number % 500) as u32), Some(turned));
            crowd.set_override(InstanceIndex(((number + 250) % 500) as u32), None);
            let time_secs = number as f64 / 60.0;
            animator.update_with(
                &mut crowd,
                time_secs,
                |i| i == InstanceIndex((number % 500) as u32),
                |pose| {
                    let raised = Affine::from_translation(Vector3::y()) * *pose.model_from_joint(JointIndex(0));
                    pose.set_model_from_joint(JointIndex(0), raised);
                },
            );
            animator.cull(&mut crowd, None);
            let sphere = animator.bounding_sphere(&mut crowd, InstanceIndex((number % 500) as u32));
            let positions = animator.joint_matrices(&crowd, JointIndex(0)).map(|(_, map)| map.translation.x);
            let steps = crowd.events(rig.model(), steps.as_slice(), time_secs..time_secs + 1.0 / 60.0);
            assert!(sphere.radius >= 0.0 && positions.sum::<f64>() > 0.0 && steps.count() < 1000);
        };
        let counted = pool.install(|| {
            (0..600).for_each(&mut frame);
            allocation_counter::measure(|| (600..1000).for_each(&mut frame))
        });
        assert_eq!(counted.count_total, 0, "{}: {counted:?}", file.display());
    }
}
