//! A thousand animals walk over a field: they move, turn and cross-fade between their clips, and the head of the first one looks at a
//! point. A frame allocates nothing.
//!
//! Usage: `cargo run --release -p rigview-core --example field -- [FILE]`; the default is the hare.

use nalgebra::{UnitQuaternion, Vector3};
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::import::{ImageLoading, ImportOptions, open};
use rigview_core::math::{Affine, Transform};
use rigview_core::model::{ClipIndex, InstanceIndex, JointIndex};
use rigview_core::palette::Rig;
use rigview_core::pose::{Layer, ModelPose, Playback};
use std::{error::Error, path::Path, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1);
    let file = file.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb").to_owned());
    let options = ImportOptions::default().with_images(ImageLoading::Skip);
    let model = open(Path::new(&file), &options)?.model;
    let (clips, scene) = (model.clips.len() as u32, model.default_scene);
    let is_head = |name: &String| name.to_lowercase().contains("head");
    let head = model.skeleton.joints().iter().position(|joint| joint.name.as_ref().is_some_and(is_head));
    let head = JointIndex(head.ok_or("no joint is named head")? as u32);

    // The direction of the face, +Z of the model, in the space of the head.
    let at_rest = ModelPose::rest(&model.skeleton);
    let head_from_model = at_rest.model_from_joint(head).inverse().ok_or("the head has no size")?;
    let face_in_head = head_from_model.transform_vector(Vector3::z());

    let rig = Rig::new(model, scene).unwrap();
    let clip = |i: usize| (clips > 0).then(|| ClipIndex(i as u32 % clips));
    let mut crowd = Crowd::new((0..1000).map(|i| Instance::new(Affine::IDENTITY, clip(i), 0.1 * i as f64)));
    let mut animator = CrowdAnimator::new(&rig);
    let mut frame = |frame: u32| {
        let time_secs = f64::from(frame) / 60.0;
        for i in 0..crowd.len() {
            // Each one walks in a circle, and fades to its next clip and back.
            let angle = 0.3 * time_secs + i as f64;
            let center = Vector3::new((i % 40) as f64, 0.0, (i / 40) as f64) * 8.0;
            let translation = center + Vector3::new(-angle.cos(), 0.0, angle.sin()) * 3.0;
            let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
            crowd.set_transform(InstanceIndex(i as u32), &Transform { translation, rotation, ..Transform::identity() });
            let layers = [i, i + 1].map(|k| Layer::new(clip(k), Playback::looping(0.1 * i as f64)));
            crowd.set_layers(
                InstanceIndex(i as u32),
                &Layer::cross_fade(layers[0], layers[1], (0.5 + angle.sin()) as f32),
            );
        }
        // The first one looks at a point.
        animator.update_with(
            &mut crowd,
            time_secs,
            |i| i == InstanceIndex(0),
            |pose| {
                let Some(model_from_world) = pose.world_from_model().inverse() else { return };
                let mut model_from_head = *pose.model_from_joint(head);
                let point = model_from_world.transform_point(Vector3::new(0.0, 5.0, 20.0));
                let face = model_from_head.transform_vector(face_in_head);
                let turn = UnitQuaternion::rotation_between(&face, &(point - model_from_head.translation));
                model_from_head.linear = turn.unwrap_or_default().to_rotation_matrix() * model_from_head.linear;
                pose.set_model_from_joint(head, model_from_head);
            },
        );
    };

    (0..100).for_each(&mut frame);
    let start = Instant::now();
    let allocations = allocation_counter::measure(|| (100..600).for_each(&mut frame)).count_total;
    println!("{:.3} ms per frame, {allocations} allocations in 500 frames", start.elapsed().as_secs_f64() * 2.0);
    Ok(())
}
