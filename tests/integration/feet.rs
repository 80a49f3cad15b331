//! Feet on a ground.

use crate::support::models::{name, open_model, samples};
use nalgebra::Vector3;
use rigview::crowd::{Crowd, CrowdAnimator, Instance};
use rigview::ik::{Aim, ConstraintTargets, Feet, Ground, Limb, PoseConstraints, Target};
use rigview::math::Affine;
use rigview::model::{ClipIndex, InstanceIndex, Model};
use rigview::palette::Rig;
use rigview::pose::{Cursor, ModelPose, Pose, sample as sample_clip};
use rigview::retarget::{RigMap, retarget_clips};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/motion").join(name)
}

/// CesiumMan and Fox, if there is a folder of sample models.
fn sample_rigs() -> impl Iterator<Item = PathBuf> {
    let samples = samples("feet").into_iter().flatten();
    samples.filter(|file| ["CesiumMan.glb", "Fox.glb"].iter().any(|name| file.ends_with(name)))
}

/// Returns a model with its own clips, or with the walk of the guide, and its legs.
fn walking(file: &Path) -> (Model, Feet) {
    let mut model = open_model(file);
    let map = RigMap::detect(&model);
    if model.clips.is_empty() {
        let walk = open_model(&example("walk.bvh"));
        retarget_clips(&mut model, &map, &walk, &RigMap::detect(&walk)).unwrap();
    }
    let feet = map.feet(&model).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    (model, feet)
}

/// Largest distances on a slope, relative to the length of a leg.
#[derive(Debug, Default)]
struct Distances {
    /// Between the height of a standing foot above the slope and that above the flat ground of the clip.
    off_ground: f64,
    /// Between two positions of a foot 1/120 s apart, beyond that in the clip.
    jump: f64,
}

/// Measures standing feet on a slope through all clips.
fn distances(model: &Model, feet: &Feet, degrees: f64) -> Distances {
    let skeleton = &model.skeleton;
    let mut constraints = PoseConstraints::new(skeleton);
    constraints.add_feet(skeleton, feet);
    let mut targets = ConstraintTargets::default();
    targets.set_ground(Some(Arc::new(Ground::slope(degrees))));
    let normal = Vector3::new(0.0, 1.0, -degrees.to_radians().tan()).normalize();
    let (mut pose, mut model_pose, mut cursor) = (Pose::rest(skeleton), ModelPose::default(), Cursor::default());
    model_pose.update(skeleton, &pose);
    let lowest = |pose: &ModelPose, joint| pose.model_from_joint(joint).translation.y - feet.model_ground;
    let joints = |i: usize| [feet.legs[i].limb.end, feet.legs[i].toes];
    let rest: Vec<[f64; 2]> = (0..feet.legs.len()).map(|i| joints(i).map(|joint| lowest(&model_pose, joint))).collect();
    // Of two legs, one may be lifted at rest.
    let rest = |i: usize| {
        [0, 1].map(|k| rest[i / 2 * 2][k].min(rest.get(i / 2 * 2 + 1).map_or(f64::INFINITY, |pair| pair[k])))
    };
    let mut worst = Distances::default();
    for clip in &model.clips {
        let mut last: Vec<Option<[Vector3<f64>; 2]>> = vec![None; feet.legs.len()];
        for step in 0..=(f64::from(clip.duration_secs) * 120.0).min(1200.0) as u32 {
            sample_clip(skeleton, clip, f64::from(step) / 120.0, &mut cursor, &mut pose);
            model_pose.update(skeleton, &pose);
            let before = model_pose.clone();
            constraints.apply(&targets, InstanceIndex(0), &Affine::IDENTITY, &mut model_pose);
            for (i, last) in last.iter_mut().enumerate() {
                let heights = joints(i).map(|joint| lowest(&before, joint));
                let stands = heights.iter().zip(rest(i)).any(|(height, rest)| height - rest < 0.02 * feet.leg_length);
                let foot = joints(i)[0];
                let positions = [&before, &model_pose].map(|pose| pose.model_from_joint(foot).translation);
                if stands {
                    let off = (positions[1].dot(&normal) - heights[0]).abs() / feet.leg_length;
                    worst.off_ground = worst.off_ground.max(off);
                }
                if let Some(last) = last {
                    let [flat, sloped] = [0, 1].map(|k| (positions[k] - last[k]).norm());
                    worst.jump = worst.jump.max((sloped - flat) / feet.leg_length);
                }
                *last = Some(positions);
            }
        }
    }
    worst
}

#[test]
fn standing_feet_of_different_rigs_follow_a_slope() {
    for file in ["body.glb", "walk.bvh"].map(example).into_iter().chain(sample_rigs()) {
        let (model, feet) = walking(&file);
        for degrees in [20.0, -20.0] {
            let found = distances(&model, &feet, degrees);
            assert!(found.off_ground < 0.01 && found.jump < 0.1, "{} on {degrees}: {found:?}", file.display());
        }
    }
}

/// Prints the table of docs/measurements.md.
#[test]
#[ignore = "prints a table; needs RIGVIEW_RIGS and RIGVIEW_SAMPLE_MODELS"]
fn feet_table() {
    let rigs = PathBuf::from(std::env::var_os("RIGVIEW_RIGS").unwrap());
    let names = ["cmu_01_01.bvh", "mannequiny.glb", "player.glb", "robot.glb", "expressions.vrm"];
    let files = ["body.glb", "walk.bvh"].map(example).into_iter().chain(sample_rigs());
    for file in files.chain(names.map(|name| rigs.join(name))) {
        let (model, feet) = walking(&file);
        let [up, down] = [20.0, -20.0].map(|degrees| distances(&model, &feet, degrees));
        let percent = |x: f64| 100.0 * x;
        println!(
            "| {} | {:.2} | {:.2} | {:.1} | {:.1} |",
            name(&file),
            percent(up.off_ground),
            percent(down.off_ground),
            percent(up.jump),
            percent(down.jump)
        );
    }
}

#[test]
fn stages_of_a_running_crowd_allocate_nothing() {
    let (model, feet) = walking(&example("body.glb"));
    let skeleton = model.skeleton.clone();
    let joint = |name: &str| skeleton.find(name).unwrap();
    let arm = Limb::new(&skeleton, ["upper_arm.L", "forearm.L", "hand.L"].map(joint), -Vector3::z());
    let mut constraints = PoseConstraints::new(&skeleton);
    let hold = constraints.add_reach(&skeleton, arm);
    constraints.add_aim(&skeleton, Aim::new(joint("head"), Vector3::y(), 1.0));
    constraints.add_feet(&skeleton, &feet);
    let scene = model.default_scene;
    let mut animator = CrowdAnimator::new(&Rig::new(model, scene).unwrap());
    animator.set_constraints(Some(constraints));
    let instance = |i: u32| Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), f64::from(i) * 0.01);
    let mut crowd = Crowd::new((0..300).map(instance));
    crowd.set_ground(Some(Arc::new(Ground::steps(0.2))));
    let mut frame = |number: u32| {
        for instance in 0..300 {
            let point = Vector3::new(0.1, 1.0, f64::from(number) / 100.0);
            crowd.set_target(hold, InstanceIndex(instance as u32), Target { point, weight: 1.0 });
        }
        animator.update(&mut crowd, f64::from(number) / 60.0);
        animator.update_in_double_precision(&mut crowd, f64::from(number) / 60.0);
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let counted = pool.install(|| {
        (0..3).for_each(&mut frame);
        allocation_counter::measure(|| (3..40).for_each(&mut frame))
    });
    assert_eq!(counted.count_total, 0, "{counted:?}");
    assert_eq!(animator.simd_instance_count(&crowd), 300);
}
