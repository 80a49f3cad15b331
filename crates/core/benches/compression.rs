//! Study of lossy keys: what 16-bit rotations and dropped keys would save, and the error of the joints' positions.
//!
//! Usage: `cargo bench -p rigview-core --bench compression -- FILE...`. Errors are relative to the extent of the skeleton at rest.

use nalgebra::{Quaternion, SVector, UnitQuaternion, Vector3, Vector4};
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::import::{ImageLoading, ImportOptions, open};
use rigview_core::math::{Aabb, Affine};
use rigview_core::model::{Clip, ClipIndex, Interpolation, JointIndex, KeyValues, Model, Timeline, Track};
use rigview_core::palette::Rig;
use rigview_core::pose::{Cursor, ModelPose, Pose, sample};
use std::path::Path;
use std::sync::Arc;

/// Times at which the error of a clip is measured.
const TIMES: u32 = 200;

fn main() {
    println!(
        "| clip | seconds | keys, kB | packed, kB | 16-bit rotations, kB | error | keys within 1e-4, kB | error | both, kB | error |"
    );
    println!("|{}", " --- |".repeat(10));
    for file in std::env::args().skip(1).filter(|arg| !arg.starts_with("--")) {
        let options = ImportOptions::default().with_images(ImageLoading::Skip);
        let model = open(Path::new(&file), &options).expect("a model").model;
        let name = Path::new(&file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let positions = positions(&model, &Pose::rest(&model.skeleton));
        let mut bounds = Aabb::EMPTY;
        positions.iter().for_each(|position| bounds.add(*position));
        let extent = bounds.diagonal();
        for (index, clip) in model.clips.iter().enumerate() {
            let (quantized, dropped) = (quantize(clip), drop_keys(clip, extent));
            let columns =
                [(&quantized, true), (&dropped, false), (&quantize(&dropped), true)].map(|(lossy, is_short)| {
                    format!("{:.1} | {:.1e}", size_bytes(lossy, is_short) / 1e3, error(&model, clip, lossy) / extent)
                });
            let clip_name = clip.name.as_deref().unwrap_or("unnamed");
            println!(
                "| {name}, {clip_name} | {:.2} | {:.1} | {:.1} | {} |",
                clip.duration_secs,
                size_bytes(clip, false) / 1e3,
                packed_bytes(&model, ClipIndex(index as u32)) as f64 / 1e3,
                columns.join(" | ")
            );
        }
    }
}

/// Size of the values and times of all tracks. Rotations of 16 bits take six bytes: three components and the index of the largest.
fn size_bytes(clip: &Clip, has_short_rotations: bool) -> f64 {
    let values: usize = clip
        .tracks
        .iter()
        .map(|track| match &track.keys {
            KeyValues::Rotation(values) => values.len() * if has_short_rotations { 6 } else { 16 },
            KeyValues::Translation(values) | KeyValues::Scale(values) => values.len() * 12,
            KeyValues::Weights(values) => values.len() * 4,
        })
        .sum();
    let times: usize = clip.timelines.iter().map(|timeline| timeline.times_secs().len() * 4).sum();
    (values + times) as f64
}

fn packed_bytes(model: &Model, clip: ClipIndex) -> usize {
    let mut crowd = Crowd::new([Instance::new(Affine::IDENTITY, Some(clip), 0.0)]);
    let mut animator = CrowdAnimator::new(&Rig::new(model.clone(), model.default_scene).unwrap());
    animator.prepare(&mut crowd);
    animator.packed_key_bytes()
}

/// Rounds rotations to 15 bits per component. The largest component follows from the others.
fn quantize(clip: &Clip) -> Clip {
    let mut clip = clip.clone();
    for track in &mut clip.tracks {
        if let (KeyValues::Rotation(values), true) =
            (&mut track.keys, track.interpolation != Interpolation::CubicSpline)
        {
            for value in Arc::make_mut(values) {
                let largest = value.iamax();
                let unit = value.normalize() * value[largest].signum();
                let step = std::f32::consts::SQRT_2 / 32767.0;
                *value = unit.map(|x| (x / step).round() * step);
                value[largest] = 0.0;
                value[largest] = (1.0 - value.norm_squared()).max(0.0).sqrt();
            }
        }
    }
    clip
}

/// Drops the keys of linear tracks that interpolation restores within 1e-4, of the skeleton's extent for translations.
fn drop_keys(clip: &Clip, extent: f64) -> Clip {
    let mut dropped = Clip { timelines: Vec::new(), tracks: Vec::new(), ..clip.clone() };
    for track in &clip.tracks {
        let times = clip.timelines[track.timeline].times_secs();
        let (keys, kept) = match &track.keys {
            KeyValues::Rotation(values) if track.interpolation == Interpolation::Linear => {
                let rotation = |v: &Vector4<f32>| UnitQuaternion::new_normalize(Quaternion::from(v.cast::<f64>()));
                let error = |a: usize, b: usize, key: usize, t: f64| {
                    rotation(&values[a]).slerp(&rotation(&values[b]), t).angle_to(&rotation(&values[key]))
                };
                let kept = needed(times, 1e-4, error);
                (KeyValues::Rotation(pick(values, &kept)), kept)
            }
            KeyValues::Translation(values) if track.interpolation == Interpolation::Linear => {
                let kept = needed(times, 1e-4 * extent, linear_error(values));
                (KeyValues::Translation(pick(values, &kept)), kept)
            }
            KeyValues::Scale(values) if track.interpolation == Interpolation::Linear => {
                let kept = needed(times, 1e-4, linear_error(values));
                (KeyValues::Scale(pick(values, &kept)), kept)
            }
            other => (other.clone(), (0..times.len()).collect()),
        };
        // Tracks share a timeline where they keep the same keys.
        let timeline = Timeline::new(kept.iter().map(|key| times[*key]).collect::<Vec<_>>());
        let known = dropped.timelines.iter().position(|known| *known == timeline);
        let index = known.unwrap_or(dropped.timelines.len());
        if known.is_none() {
            dropped.timelines.push(timeline);
        }
        dropped.tracks.push(Track { timeline: (index as u32).into(), keys, ..track.clone() });
    }
    dropped
}

fn pick<const N: usize>(values: &[SVector<f32, N>], kept: &[usize]) -> Arc<[SVector<f32, N>]> {
    kept.iter().map(|key| values[*key]).collect()
}

fn linear_error(values: &[Vector3<f32>]) -> impl Fn(usize, usize, usize, f64) -> f64 + '_ {
    |a, b, key, t| (values[a].cast::<f64>().lerp(&values[b].cast(), t) - values[key].cast::<f64>()).norm()
}

/// Returns the keys that are needed: each run of others is restored within `tolerance` from the needed ones around it.
fn needed(times: &[f32], tolerance: f64, error: impl Fn(usize, usize, usize, f64) -> f64) -> Vec<usize> {
    let mut kept = vec![0];
    let (mut from, last) = (0, times.len() - 1);
    while from < last {
        let restores = |to: usize| {
            let span = f64::from(times[to] - times[from]);
            (from + 1..to)
                .all(|key| span > 0.0 && error(from, to, key, f64::from(times[key] - times[from]) / span) <= tolerance)
        };
        from = (from + 1..=last).take_while(|to| restores(*to)).last().unwrap_or(from + 1);
        kept.push(from);
    }
    kept
}

fn positions(model: &Model, pose: &Pose) -> Vec<Vector3<f64>> {
    let mut model_pose = ModelPose::default();
    model_pose.update(&model.skeleton, pose);
    let joints = (0..model.skeleton.len() as u32).map(JointIndex);
    joints.map(|joint| model_pose.model_from_joint(joint).translation).collect()
}

/// Returns the largest distance of any joint's positions in two clips.
fn error(model: &Model, exact: &Clip, lossy: &Clip) -> f64 {
    let at = |clip: &Clip, time_secs: f64| {
        let mut pose = Pose::default();
        sample(&model.skeleton, clip, time_secs, &mut Cursor::default(), &mut pose);
        positions(model, &pose)
    };
    let distance = |i: u32| {
        let time_secs = f64::from(exact.duration_secs) * f64::from(i) / f64::from(TIMES);
        let pairs = at(exact, time_secs).into_iter().zip(at(lossy, time_secs));
        pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
    };
    (0..=TIMES).map(distance).fold(0.0, f64::max)
}
