//! Benchmark of bevy_animation: `crowd-by-bevy --model FILE [--animation NAME] [--instances N] [--rounds N]`.
//!
//! Prints one line of JSON. `ns_per_joint` is processor time per skin joint, instance and frame. It includes advancing the
//! players, sampling, transform propagation, and the skin matrices, computed as in bevy's renderer.

use bevy_animation::animation_curves::AnimatedField;
use bevy_animation::graph::{AnimationGraph, AnimationGraphHandle};
use bevy_animation::prelude::{AnimatableCurve, AnimatableKeyframeCurve};
use bevy_animation::{
    AnimatedBy, AnimationClip, AnimationPlayer, AnimationPlugin, AnimationTargetId, VariableCurve, animated_field,
    gltf_curves::{CubicKeyframeCurve, CubicRotationCurve, SteppedKeyframeCurve},
};
use bevy_app::{App, PostUpdate, TaskPoolPlugin};
use bevy_asset::{AssetPlugin, Assets};
use bevy_ecs::prelude::*;
use bevy_math::curve::{ConstantCurve, Interval};
use bevy_math::{Mat4, Quat, Vec3, Vec4};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::TransformSystems;
use bevy_transform::prelude::{GlobalTransform, Transform};
use gltf::animation::Interpolation;
use gltf::animation::util::ReadOutputs;
use std::time::Duration;

/// The skin joints of all instances, and their matrices.
#[derive(Resource)]
struct Palette {
    joints: Vec<Entity>,
    inverse_bind_matrices: Vec<Mat4>,
    matrices: Vec<Mat4>,
}

fn update_matrices(mut palette: ResMut<Palette>, joints: Query<&GlobalTransform>) {
    let Palette { joints: entities, inverse_bind_matrices, matrices } = &mut *palette;
    matrices.clear();
    for skin in entities.chunks(inverse_bind_matrices.len()) {
        for (&joint, inverse) in skin.iter().zip(&*inverse_bind_matrices) {
            let joint = joints.get(joint).expect("a joint");
            matrices.push(Mat4::from(joint.affine()) * *inverse);
        }
    }
}

/// A step or linear curve of any property; constant for a single key.
macro_rules! curve {
    ($property:expr, $interpolation:expr, $times:expr, $values:expr) => {{
        let (times, values): (&[f32], Vec<_>) = ($times, $values);
        let pairs = || times.iter().copied().zip(values.iter().copied());
        match $interpolation {
            _ if times.len() == 1 => {
                let value = *values.last().expect("a key");
                VariableCurve::new(AnimatableCurve::new($property, ConstantCurve::new(Interval::EVERYWHERE, value)))
            }
            Interpolation::Linear => VariableCurve::new(AnimatableCurve::new(
                $property,
                AnimatableKeyframeCurve::new(pairs()).expect("two keys"),
            )),
            Interpolation::Step => VariableCurve::new(AnimatableCurve::new(
                $property,
                SteppedKeyframeCurve::new(pairs()).expect("two keys"),
            )),
            Interpolation::CubicSpline => unreachable!("splines have their own curves"),
        }
    }};
}

fn curve_of(channel: &gltf::animation::Channel<'_>, blob: &[u8]) -> Option<VariableCurve> {
    let reader = channel.reader(|_| Some(blob));
    let times: Vec<f32> = reader.read_inputs()?.collect();
    let interpolation = channel.sampler().interpolation();
    let cubic = interpolation == Interpolation::CubicSpline && times.len() > 1;
    Some(match reader.read_outputs()? {
        ReadOutputs::Translations(v) | ReadOutputs::Scales(v) if cubic => {
            let values: Vec<Vec3> = v.map(Vec3::from).collect();
            let curve = CubicKeyframeCurve::new(times, values).expect("keys");
            match channel.target().property() {
                gltf::animation::Property::Translation => {
                    VariableCurve::new(AnimatableCurve::new(animated_field!(Transform::translation), curve))
                }
                _ => VariableCurve::new(AnimatableCurve::new(animated_field!(Transform::scale), curve)),
            }
        }
        ReadOutputs::Rotations(v) if cubic => {
            let values: Vec<Vec4> = v.into_f32().map(Vec4::from).collect();
            let curve = CubicRotationCurve::new(times, values).expect("keys");
            VariableCurve::new(AnimatableCurve::new(animated_field!(Transform::rotation), curve))
        }
        ReadOutputs::Translations(v) => {
            curve!(animated_field!(Transform::translation), interpolation, &times, v.map(Vec3::from).collect())
        }
        ReadOutputs::Scales(v) => {
            curve!(animated_field!(Transform::scale), interpolation, &times, v.map(Vec3::from).collect())
        }
        ReadOutputs::Rotations(v) => {
            curve!(
                animated_field!(Transform::rotation),
                interpolation,
                &times,
                v.into_f32().map(Quat::from_array).collect()
            )
        }
        ReadOutputs::MorphTargetWeights(_) => return None,
    })
}

fn processor_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| args.iter().position(|arg| arg == name).and_then(|i| args.get(i + 1)).cloned();
    let file = option("--model").expect("--model FILE.glb");
    let instances: usize = option("--instances").map_or(1000, |number| number.parse().expect("a number"));
    let rounds: usize = option("--rounds").map_or(7, |number| number.parse().expect("a number"));
    let gltf::Gltf { document, blob } = gltf::Gltf::open(&file).expect("a glTF file");
    let blob = blob.expect("a .glb with its data inside");
    let animation = match option("--animation") {
        Some(name) => document.animations().find(|animation| animation.name() == Some(&name)),
        None => document.animations().next(),
    };
    let animation = animation.expect("an animation");

    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, AssetPlugin::default(), TransformPlugin, AnimationPlugin));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 60.0)));
    app.finish();
    app.cleanup();

    let target = |node: usize| AnimationTargetId::from_iter([format!("{node}")]);
    let mut clip = AnimationClip::default();
    for channel in animation.channels() {
        if let Some(curve) = curve_of(&channel, &blob) {
            clip.add_variable_curve_to_target(target(channel.target().node().index()), curve);
        }
    }
    let duration = clip.duration();
    let clip = app.world_mut().resource_mut::<Assets<AnimationClip>>().add(clip);
    let (graph, playing) = AnimationGraph::from_clip(clip);
    let graph = app.world_mut().resource_mut::<Assets<AnimationGraph>>().add(graph);

    let skin = document.skins().next().expect("a skin");
    let inverse_bind_matrices: Vec<Mat4> = match skin.reader(|_| Some(&blob)).read_inverse_bind_matrices() {
        Some(matrices) => matrices.map(|columns| Mat4::from_cols_array_2d(&columns)).collect(),
        None => vec![Mat4::IDENTITY; skin.joints().count()],
    };
    let mut joints = Vec::new();
    let world = app.world_mut();
    for instance in 0..instances {
        let mut player = AnimationPlayer::default();
        let phase = (instance as f64 * 0.618_033_988_749_895).fract() as f32 * duration;
        player.play(playing).repeat().set_seek_time(phase);
        let root = world.spawn((Transform::default(), player, AnimationGraphHandle(graph.clone()))).id();
        let entities: Vec<Entity> = document
            .nodes()
            .map(|node| {
                let (translation, rotation, scale) = node.transform().decomposed();
                let transform = Transform {
                    translation: translation.into(),
                    rotation: Quat::from_array(rotation),
                    scale: scale.into(),
                };
                world.spawn((transform, target(node.index()), AnimatedBy(root))).id()
            })
            .collect();
        let mut is_child = vec![false; entities.len()];
        for node in document.nodes() {
            for child in node.children() {
                is_child[child.index()] = true;
                world.entity_mut(entities[child.index()]).insert(ChildOf(entities[node.index()]));
            }
        }
        for (entity, _) in entities.iter().zip(&is_child).filter(|(_, is_child)| !**is_child) {
            world.entity_mut(*entity).insert(ChildOf(root));
        }
        joints.extend(skin.joints().map(|joint| entities[joint.index()]));
    }
    let count = joints.len();
    app.insert_resource(Palette { joints, inverse_bind_matrices, matrices: Vec::new() });
    app.add_systems(PostUpdate, update_matrices.after(TransformSystems::Propagate));

    app.update();
    app.update();
    let before = processor_seconds();
    app.update();
    let frames = (0.1 / (processor_seconds() - before)).ceil().clamp(3.0, 5000.0) as usize;
    let mut ns_per_joint: Vec<f64> = (0..rounds)
        .map(|_| {
            let before = processor_seconds();
            for _ in 0..frames {
                app.update();
            }
            (processor_seconds() - before) / (frames * count) as f64 * 1e9
        })
        .collect();
    ns_per_joint.sort_by(f64::total_cmp);
    // The mean of all matrix components of the last frame, for comparison with other programs.
    let matrices = &app.world().resource::<Palette>().matrices;
    let sum: f64 = matrices.iter().flat_map(|matrix| matrix.to_cols_array()).map(f64::from).sum();
    println!(
        "{{\"peer\":\"bevy_animation 0.19.1\",\"instances\":{instances},\"joints\":{},\"frames\":{frames},\"rounds\":{rounds},\
         \"ns_per_joint\":{:.3},\"mean\":{}}}",
        count / instances,
        ns_per_joint[rounds / 2],
        sum / (16 * matrices.len()) as f64
    );
}
