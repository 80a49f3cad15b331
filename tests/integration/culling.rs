//! Frustum culling of crowd instances.

use crate::support::models::{open_model, shipped};
use nalgebra::{Rotation3, Vector3};
use rigview::crowd::{Crowd, CrowdAnimator, Instance};
use rigview::math::{Affine, Frustum};
use rigview::model::{ClipIndex, InstanceIndex, JointIndex, Model};
use rigview::palette::{MatrixFormat, Rig, skin_on_cpu};
use rigview::pose::{Layer, LoopMode, Playback, PoseOverride};
use rigview::scene::Camera;
use std::path::Path;

fn open(file: &Path) -> Rig {
    let model = open_model(file);
    let scene = model.default_scene;
    Rig::new(model, scene).unwrap().with_format(MatrixFormat::Mat3x4)
}

fn place(i: usize) -> Affine {
    let linear = *Rotation3::from_axis_angle(&Vector3::y_axis(), i as f64).matrix() * (1.0 + 0.1 * (i % 5) as f64);
    Affine { linear, translation: Vector3::new((i % 20) as f64 * 3.0, 0.0, (i / 20) as f64 * 3.0) }
}

/// A crowd with several clips, layers and pose overrides.
fn crowd(model: &Model, count: usize) -> Crowd {
    let clips = model.clips.len().max(1) as u32;
    let instance = |i: usize| Instance::new(place(i), Some(ClipIndex(i as u32 % clips)), 0.37 * i as f64);
    let mut crowd = Crowd::new((0..count).map(instance));
    let playback = Playback { speed: 1.5, start_offset_secs: 0.2, loop_mode: LoopMode::PingPong };
    for i in (0..count).step_by(3) {
        let layer = |clip, weight| Layer { weight, ..Layer::new(Some(ClipIndex(clip % clips)), playback) };
        crowd.set_layers(InstanceIndex(i as u32), &[layer(0, 0.3), layer(1, 0.4)]);
    }
    let mut hand = PoseOverride::new();
    let moved = model.skeleton.len() as u32 / 2;
    let mut put = model.skeleton.joint(JointIndex(moved)).rest;
    put.translation.y += 1.0;
    hand.set(JointIndex(moved), put);
    let hand = crowd.add_override(hand);
    (0..count).step_by(7).for_each(|i| crowd.set_override(InstanceIndex(i as u32), Some(hand)));
    crowd
}

#[test]
fn animated_bounds_contain_every_vertex() {
    for file in &shipped() {
        let rig = open(file);
        let mut crowd = crowd(rig.model(), 42);
        let mut animator = CrowdAnimator::new(&rig);
        let (mut least_room, mut size) = (f64::INFINITY, 0.0_f64);
        for time in 0..9 {
            animator.update_in_double_precision(&mut crowd, 0.19 * f64::from(time));
            for block in animator.palette().blocks() {
                let instance = crowd.instance_of_block(block);
                let ball = animator.bounding_sphere(&mut crowd, instance);
                for draw in &rig.layout().draws {
                    for p in skin_on_cpu(&rig, animator.palette(), block, draw).positions {
                        let p = Vector3::from(p).cast::<f64>();
                        let room = ball.radius - (p - ball.center).norm();
                        assert!(room >= 0.0, "{}: {instance}", file.display());
                        (least_room, size) = (least_room.min(room / ball.radius), size.max(ball.radius));
                    }
                }
            }
        }
        // Loose balls would be of no use. The mannequin leaves 0.41.
        assert!(least_room < 0.45, "{}: there is always {least_room} of {size} left", file.display());
    }
}

#[test]
fn culled_instances_are_outside_frustum() {
    let rig = open(&shipped().into_iter().find(|file| file.ends_with("hare.glb")).expect("the hare"));
    let mut crowd = crowd(rig.model(), 300);
    let mut animator = CrowdAnimator::new(&rig);
    let all_blocks = {
        animator.update_in_double_precision(&mut crowd, 0.4);
        let palette = animator.palette();
        let blocks = palette.blocks().map(|block| (crowd.instance_of_block(block), palette.block(block).to_vec()));
        blocks.collect::<std::collections::HashMap<_, _>>()
    };
    // Positions do not depend on the camera.
    let posed = |block| {
        let draws = rig.layout().draws.iter();
        draws.flat_map(|draw| skin_on_cpu(&rig, animator.palette(), block, draw).positions).collect()
    };
    let positions: Vec<Vec<[f32; 3]>> = animator.palette().blocks().map(posed).collect();
    let instances: Vec<InstanceIndex> =
        animator.palette().blocks().map(|block| crowd.instance_of_block(block)).collect();
    let eye = Vector3::new(20.0, 2.0, 20.0);
    let mut left_out = 0;
    for turn in 0..8 {
        let way = Rotation3::from_axis_angle(&Vector3::y_axis(), 0.8 * f64::from(turn)) * Vector3::z();
        let mut camera = Camera::look_at(eye, eye + way, 0.7);
        (camera.near, camera.far) = (0.1, 15.0);
        let projection = camera.projection_from_world(1.5);
        animator.cull(&mut crowd, Some(&Frustum::new(&projection)));
        assert!(!animator.cull(&mut crowd, Some(&Frustum::new(&projection))), "nothing has changed");
        animator.update_in_double_precision(&mut crowd, 0.4);
        let palette = animator.palette();
        let seen: Vec<InstanceIndex> = palette.blocks().map(|block| crowd.instance_of_block(block)).collect();
        left_out += crowd.len() - seen.len();
        for (block, instance) in palette.blocks().zip(&seen) {
            assert_eq!(palette.block(block), all_blocks[instance], "{instance}");
        }
        let row = |i: usize| [0, 1, 2, 3].map(|column| projection[(i, column)]);
        let dot = |row: [f64; 4], [x, y, z]: [f32; 3]| {
            row[0] * f64::from(x) + row[1] * f64::from(y) + row[2] * f64::from(z) + row[3]
        };
        let culled = instances.iter().zip(&positions).filter(|(instance, _)| !seen.contains(instance));
        for (instance, positions) in culled {
            // All vertices are beyond one plane of the frustum.
            let outside =
                |axis: usize, sign: f64| positions.iter().all(|p| sign * dot(row(axis), *p) > dot(row(3), *p));
            assert!((0..3).any(|axis| outside(axis, 1.0) || outside(axis, -1.0)), "{turn}, instance {instance}");
        }
        assert!(animator.cull(&mut crowd, None));
    }
    assert!(left_out > 1500, "{left_out} of 2400");
}

#[test]
fn range_scales_bound_every_matrix() {
    for file in &shipped() {
        let rig = open(file);
        let mut crowd = crowd(rig.model(), 42);
        let mut animator = CrowdAnimator::new(&rig);
        let scales = animator.range_scales(&mut crowd).to_vec();
        let mut tightest = 0.0_f64;
        for time in 0..9 {
            animator.update_in_double_precision(&mut crowd, 0.19 * f64::from(time));
            for block in animator.palette().blocks() {
                let placement_scale = 1.0 + 0.1 * f64::from(crowd.instance_of_block(block).0 % 5);
                for (matrix_range, scale) in rig.layout().matrix_ranges.iter().zip(&scales) {
                    for matrix in matrix_range.first_matrix..matrix_range.first_matrix + matrix_range.len {
                        let texels = &animator.palette().block(block)[3 * matrix as usize..];
                        let rows = animator.palette().format().read(texels);
                        for column in 0..3 {
                            let length = Vector3::from(rows.map(|row| f64::from(row[column]))).norm();
                            tightest = tightest.max(length / (scale * placement_scale));
                        }
                    }
                }
            }
        }
        assert!((0.3..1.0 + 1e-4).contains(&tightest), "{}: {tightest}", file.display());
    }
}
