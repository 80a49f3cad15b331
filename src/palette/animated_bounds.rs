//! How far an instance reaches, whatever its clips do.

use super::PaletteLayout;
use crate::math::{Aabb, BoundingSphere, Transform};
use crate::model::{Clip, Interpolation, JointIndex, Keys, Model, Track};
use crate::pose::PoseOverride;
use nalgebra::{Quaternion, UnitQuaternion, Vector3, Vector4};

/// The boxes that hang on a layout's matrices: what of a model does not depend on what it plays.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// For each matrix, the vertices that it moves, in the space that it is applied to.
    boxes: Vec<Aabb>,
    /// For each draw with morph targets: its section, its joint, and the box of each target's deltas.
    targets: Vec<(usize, JointIndex, Vec<Aabb>)>,
}

impl Parts {
    /// Those of a layout.
    pub(super) fn new(model: &Model, layout: &PaletteLayout) -> Self {
        let mut parts = Self { boxes: vec![Aabb::EMPTY; layout.matrix_count as usize], targets: Vec::new() };
        for draw in &layout.draws {
            let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
            let first = layout.sections[draw.section].first_matrix as usize;
            let influences = primitive.vertices.influences.as_ref().filter(|_| draw.skinned);
            for (vertex, position) in layout.positions(model, draw).iter().enumerate() {
                let position = Vector3::from(*position).cast();
                match influences {
                    None => parts.boxes[first].add(position),
                    Some(influences) => {
                        for (slot, _) in influences.of_vertex(vertex).filter(|(_, weight)| *weight > 0.0) {
                            parts.boxes[first + slot.get()].add(position);
                        }
                    }
                }
            }
            if draw.first_weight.is_some() {
                let of_target = |target: &crate::model::MorphTarget| {
                    let mut bounds = Aabb::EMPTY;
                    bounds.add(Vector3::zeros());
                    for delta in target.positions.iter().flatten() {
                        bounds.add(Vector3::from(*delta).cast());
                    }
                    bounds
                };
                parts.targets.push((draw.section, draw.joint, primitive.targets.iter().map(of_target).collect()));
            }
        }
        parts
    }
}

/// The ball in model space that holds every vertex at any time of any mixture of `clips` (`None` is the rest pose), with
/// these joints put by hand.
///
/// A blended vertex lies between the places that its joints would put it, so it is in their common ball; and what hangs on
/// a joint stays in a ball of the joint's own space, whose way through the parent's space is that of one point. Between two
/// keys a point goes along the chord of its arc or, farthest from it, by the arc's height beside it.
pub(super) fn reach(
    model: &Model,
    layout: &PaletteLayout,
    parts: &Parts,
    clips: &[Option<&Clip>],
    hand: Option<&PoseOverride>,
) -> BoundingSphere {
    let skeleton = &model.skeleton;
    let moves = Moves::of(model, clips);
    let mut balls = vec![BoundingSphere::EMPTY; skeleton.len()];
    let mut matrix = 0;
    for (number, section) in layout.sections.iter().enumerate() {
        let mut grown = Aabb { min: Vector3::zeros(), max: Vector3::zeros() };
        for (_, joint, targets) in parts.targets.iter().filter(|(section, ..)| *section == number) {
            let growth = growth(targets, &moves.weights(model, *joint, hand));
            grown.merge(&growth);
        }
        for (joint, joint_from_origin) in PaletteLayout::joints_of(model, section) {
            let mut here = parts.boxes[matrix];
            matrix += 1;
            if !here.is_empty() {
                (here.min, here.max) = (here.min + grown.min, here.max + grown.max);
                balls[joint.get()].merge(&BoundingSphere::around(&here).transformed(&joint_from_origin));
            }
        }
    }
    let mut all = BoundingSphere::EMPTY;
    for (number, joint) in skeleton.joints().iter().enumerate().rev() {
        if balls[number].is_empty() {
            continue;
        }
        let put = hand.and_then(|hand| hand.get(JointIndex(number as u32)));
        let ball = match (&joint.sheared_rest, put) {
            (Some(parent_from_joint), _) => balls[number].transformed(parent_from_joint),
            (None, Some(put)) => balls[number].transformed(&put.to_affine()),
            (None, None) => moves.joints[number].ball(&joint.rest, &balls[number]),
        };
        match joint.parent {
            Some(parent) => balls[parent.get()].merge(&ball),
            None => all.merge(&ball),
        }
    }
    all
}

/// The box of all sums of deltas with weights in these ranges.
fn growth(targets: &[Aabb], weights: &[[f64; 2]]) -> Aabb {
    let mut all = Aabb { min: Vector3::zeros(), max: Vector3::zeros() };
    for (deltas, [least, most]) in targets.iter().zip(weights) {
        let corners = [deltas.min * *least, deltas.min * *most, deltas.max * *least, deltas.max * *most];
        all.min += corners.iter().fold(Vector3::zeros(), |min: Vector3<f64>, corner| min.inf(corner));
        all.max += corners.iter().fold(Vector3::zeros(), |max: Vector3<f64>, corner| max.sup(corner));
    }
    all
}

/// What clips do to the joints of a skeleton.
struct Moves<'a> {
    joints: Vec<Move<'a>>,
    /// Tracks of morph weights.
    weights: Vec<(JointIndex, Timed<'a>)>,
    /// Whether more than one thing plays, so that rest poses and tracks are mixed.
    mixed: bool,
}

/// What clips do to one joint.
#[derive(Clone, Default)]
struct Move<'a> {
    translations: Vec<Timed<'a>>,
    rotations: Vec<Timed<'a>>,
    scales: Vec<Timed<'a>>,
    /// Whether something plays beside its tracks that leaves it at rest.
    mixed: bool,
}

impl<'a> Moves<'a> {
    fn of(model: &Model, clips: &[Option<&'a Clip>]) -> Self {
        let mixed = clips.len() > 1;
        let joints = vec![Move { mixed, ..Move::default() }; model.skeleton.len()];
        let mut moves = Self { joints, weights: Vec::new(), mixed };
        for clip in clips.iter().flatten() {
            for track in &clip.tracks {
                let joint = &mut moves.joints[track.joint.get()];
                let timed = Timed { track, times_secs: &clip.timelines[track.timeline].times_secs };
                match track.keys {
                    Keys::Translation(_) => joint.translations.push(timed),
                    Keys::Rotation(_) => joint.rotations.push(timed),
                    Keys::Scale(_) => joint.scales.push(timed),
                    Keys::Weights(_) => moves.weights.push((track.joint, timed)),
                }
            }
        }
        moves
    }

    /// The least and the most of each morph weight of a joint.
    fn weights(&self, model: &Model, joint: JointIndex, hand: Option<&PoseOverride>) -> Vec<[f64; 2]> {
        let places = model.skeleton.joint(joint).weights.clone();
        let rest = &model.skeleton.rest_weights()[places.clone()];
        let mut ranges: Vec<Option<[f64; 2]>> = vec![None; rest.len()];
        let mut tracks = 0;
        for (_, timed) in self.weights.iter().filter(|(of, _)| *of == joint) {
            let Keys::Weights(values) = &timed.track.keys else { continue };
            tracks += 1;
            for (place, range) in ranges.iter_mut().enumerate() {
                let [least, most] = timed.range(|value| values[value * rest.len() + place]);
                let range = range.get_or_insert([least, most]);
                *range = [range[0].min(least), range[1].max(most)];
            }
        }
        let alone = tracks > 0 && !self.mixed;
        let mut ranges: Vec<[f64; 2]> = ranges
            .into_iter()
            .zip(rest)
            .map(|(range, rest)| {
                let rest = f64::from(*rest);
                match range {
                    Some([least, most]) if alone => [least, most],
                    Some([least, most]) => [least.min(rest), most.max(rest)],
                    None => [rest; 2],
                }
            })
            .collect();
        for (place, weight) in hand.map_or(&[][..], PoseOverride::weights) {
            if let Some(range) = place.checked_sub(places.start).and_then(|place| ranges.get_mut(place)) {
                *range = [f64::from(*weight); 2];
            }
        }
        ranges
    }
}

impl Move<'_> {
    /// The ball in the parent's space that holds `ball` of the joint's space wherever the joint goes.
    fn ball(&self, rest: &Transform, ball: &BoundingSphere) -> BoundingSphere {
        let translations = self.vectors(&self.translations, rest.translation);
        let scales = self.vectors(&self.scales, rest.scale);
        // Where the middle of the ball goes by the scale alone.
        let mut scaled = Aabb::EMPTY;
        [scales.min, scales.max].iter().for_each(|scale| scaled.add(scale.component_mul(&ball.center)));
        let growth = scales.min.abs().sup(&scales.max.abs()).max();
        let (middle, slack) = (scaled.center(), 0.5 * scaled.diagonal());
        let turned = match (self.rotations.as_slice(), self.mixed) {
            ([], _) => BoundingSphere { center: rest.rotation * middle, radius: 0.0 },
            ([track], false) => turned(track, &middle),
            _ => BoundingSphere { center: Vector3::zeros(), radius: middle.norm() },
        };
        BoundingSphere {
            center: translations.center() + turned.center,
            radius: 0.5 * translations.diagonal() + turned.radius + slack + growth * ball.radius,
        }
    }

    /// The box of what tracks make of a vector that is `rest` otherwise.
    fn vectors(&self, tracks: &[Timed<'_>], rest: Vector3<f64>) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        if tracks.is_empty() || self.mixed {
            bounds.add(rest);
        }
        for timed in tracks {
            let (Keys::Translation(values) | Keys::Scale(values)) = &timed.track.keys else { continue };
            let ranges = [0, 1, 2].map(|axis| timed.range(|value| values[value][axis]));
            (0..2).for_each(|end| bounds.add(Vector3::from(ranges.map(|range| range[end]))));
        }
        bounds
    }
}

/// Where a track of rotations turns a point to.
fn turned(Timed { track, .. }: &Timed<'_>, point: &Vector3<f64>) -> BoundingSphere {
    let far = point.norm();
    let anywhere = BoundingSphere { center: Vector3::zeros(), radius: far };
    let Keys::Rotation(values) = &track.keys else { return anywhere };
    if track.interpolation == Interpolation::CubicSpline {
        return anywhere;
    }
    let rotation = |value: &Vector4<f32>| UnitQuaternion::new_normalize(Quaternion::from(value.cast::<f64>()));
    let mut bounds = Aabb::EMPTY;
    values.iter().for_each(|value| bounds.add(rotation(value) * point));
    let mut ball = BoundingSphere::around(&bounds);
    if track.interpolation == Interpolation::Linear {
        let height = |pair: &[Vector4<f32>]| {
            let angle = rotation(&pair[0]).angle_to(&rotation(&pair[1]));
            far * (1.0 - libm::cos(0.5 * angle))
        };
        ball.radius += values.windows(2).map(height).fold(0.0, f64::max);
    }
    if ball.radius < far { ball } else { anywhere }
}

/// A track and the times of its keys.
#[derive(Clone, Copy)]
struct Timed<'a> {
    track: &'a Track,
    times_secs: &'a [f32],
}

impl Timed<'_> {
    /// The least and the most that one number of the values becomes; `at` tells that number of a value.
    ///
    /// A spline stays among the corners of its Bézier curve, a third of the way along the tangents.
    fn range(&self, at: impl Fn(usize) -> f32) -> [f64; 2] {
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        let mut add = |x: f64| range = [range[0].min(x), range[1].max(x)];
        let at = |value: usize| f64::from(at(value));
        let is_spline = self.track.interpolation == Interpolation::CubicSpline;
        for (key, time) in self.times_secs.iter().enumerate() {
            if !is_spline {
                add(at(key));
                continue;
            }
            let value = at(3 * key + 1);
            add(value);
            let third = |other: &f32| f64::from(other - time).abs() / 3.0;
            if let Some(before) = key.checked_sub(1) {
                add(value - at(3 * key) * third(&self.times_secs[before]));
            }
            if let Some(after) = self.times_secs.get(key + 1) {
                add(value + at(3 * key + 2) * third(after));
            }
        }
        range
    }
}
