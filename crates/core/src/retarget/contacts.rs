//! Contacts of feet with the ground, and two-bone inverse kinematics that keeps them in place.

use super::role::{Part, Role, Side};
use super::transfer::{Sample, Transfer};
use crate::ik::two_bone;
use crate::model::JointIndex;
use crate::pose::ModelPose;
use nalgebra::{UnitQuaternion, Vector3};
use std::collections::HashMap;
use std::ops::Range;

/// Largest speed of a foot that stands still, in lengths of a leg per second.
const MAX_SPEED: f64 = 0.3;

/// Largest displacement of a foot that stands still, relative to the length of a leg.
const MAX_DRIFT: f64 = 0.04;

/// Largest height of a foot on the ground above its lowest position, relative to the length of a leg.
const MAX_HEIGHT: f64 = 0.15;

/// Shortest contact in seconds.
const MIN_CONTACT_SECS: f64 = 0.08;

/// Time in seconds in which a foot leaves or reaches its place on the ground.
const BLEND_SECS: f64 = 0.2;

/// Half of the time in seconds over which the motion of the pelvis is smoothed.
const PELVIS_SECS: f64 = 0.1;

/// Largest drop of the pelvis, relative to the length of a leg.
const MAX_DROP: f64 = 0.3;

/// Largest extension of a leg, relative to its length.
const MAX_EXTENSION: f64 = 0.9999;

/// The contacts of the feet in a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ContactReport {
    /// Number of times that a foot stands still.
    pub count: usize,
    /// Largest displacement of a standing foot, relative to the length of a leg.
    pub max_slide: f64,
    /// The same without inverse kinematics.
    pub max_slide_before: f64,
}

/// A leg: indices of nodes, and the points that touch the ground.
struct Leg {
    upper: usize,
    lower: usize,
    foot: usize,
    /// Node of the toes, else of the foot.
    point: usize,
    source_point: JointIndex,
    /// Positions of the point in the source, as positions in the target.
    track: Vec<Vector3<f64>>,
    /// Height of the point at rest in the source, as a height in the target, and in the target.
    rest_heights: [f64; 2],
}

/// The legs of a transfer, and their motion in the source.
pub(super) struct Feet<'a> {
    transfer: &'a Transfer<'a>,
    legs: Vec<Leg>,
}

/// A leg of the target at one time.
#[derive(Clone, Copy)]
struct LegPose {
    hip: Vector3<f64>,
    knee: Vector3<f64>,
    ankle: Vector3<f64>,
    point: Vector3<f64>,
}

impl<'a> Feet<'a> {
    pub(super) fn new(transfer: &'a Transfer<'a>) -> Self {
        let mut legs = Vec::new();
        let quadruped = transfer.target.map.is_quadruped();
        let limbs = [
            [Part::UpperLeg, Part::LowerLeg, Part::Foot, Part::Toes],
            [Part::UpperArm, Part::LowerArm, Part::Hand, Part::Hand],
        ];
        for limb in &limbs[..if quadruped { 2 } else { 1 }] {
            for side in Side::BOTH {
                let roles = limb.map(|part| Role::sided(part, side));
                let [Some(upper), Some(lower), Some(foot), toes] = roles.map(|role| transfer.node(role)) else {
                    continue;
                };
                let is_detached = [lower, foot].iter().any(|node| transfer.nodes[*node].is_detached());
                let (point, point_role) = toes.map_or((foot, roles[2]), |toes| (toes, roles[3]));
                let Some(source_point) = transfer.source.map.joint(point_role).filter(|_| !is_detached) else {
                    continue;
                };
                let mut leg =
                    Leg { upper, lower, foot, point, source_point, track: Vec::new(), rest_heights: [0.0; 2] };
                let up = transfer.target.up();
                // Of two legs, one may be lifted at rest. Those of motion capture are spread, each in its own way.
                let are_on_origin = transfer.source.is_on_origin() && transfer.target.is_on_origin();
                let sides = if are_on_origin { Side::BOTH } else { [side; 2] };
                let part = limb[if toes.is_some() { 3 } else { 2 }];
                leg.rest_heights = [f64::INFINITY; 2];
                for role in sides.map(|side| Role::sided(part, side)) {
                    let joints = transfer.source.map.joint(role).zip(transfer.target.map.joint(role));
                    let Some((source, target)) = joints else { continue };
                    let at_rest = transfer.position(transfer.source.standing_position(source)).dot(&up);
                    let in_target = transfer.target.standing_position(target).dot(&up);
                    leg.rest_heights = [leg.rest_heights[0].min(at_rest), leg.rest_heights[1].min(in_target)];
                }
                legs.push(leg);
            }
        }
        Self { transfer, legs }
    }

    /// Adds a pose of the source.
    pub(super) fn add(&mut self, pose: &ModelPose) {
        for leg in &mut self.legs {
            leg.track.push(self.transfer.position(pose.model_from_joint(leg.source_point).translation));
        }
    }

    /// Moves legs and pelvis so that the feet stand still where they do in the source.
    pub(super) fn plant(self, times_secs: &[f32], samples: &mut [Sample]) -> ContactReport {
        let up = self.transfer.target.up();
        let length = self.transfer.target.leg_length;
        let poses: Vec<Vec<LegPose>> = self.leg_poses(samples);
        let contacts: Vec<Vec<Range<usize>>> = self.legs.iter().map(|leg| self.contacts(leg, times_secs)).collect();
        let offsets: Vec<Vec<Vector3<f64>>> = self
            .legs
            .iter()
            .zip(&contacts)
            .enumerate()
            .map(|(i, (leg, contacts))| {
                let points: Vec<Vector3<f64>> = poses.iter().map(|legs| legs[i].point).collect();
                offsets(leg, contacts, &points, times_secs, up)
            })
            .collect();
        let needed: Vec<f64> = (0..samples.len())
            .map(|i| {
                let needed = |leg: usize| {
                    let offset = offsets[leg][i];
                    if offset == Vector3::zeros() { 0.0 } else { poses[i][leg].needed_drop(offset, up) }
                };
                (0..self.legs.len()).map(needed).fold(0.0, f64::max).min(MAX_DROP * length)
            })
            .collect();
        for (i, drop) in smooth_maximum(&needed, times_secs).into_iter().enumerate() {
            for (leg, nodes) in self.legs.iter().enumerate() {
                let pose = poses[i][leg];
                if drop > 0.0 || offsets[leg][i] != Vector3::zeros() {
                    let [upper, lower] = pose.reach(pose.ankle + offsets[leg][i], pose.hip - up * drop, self.forward());
                    let rotations = &mut samples[i].rotations;
                    rotations[nodes.upper] = upper * rotations[nodes.upper];
                    rotations[nodes.lower] = lower * rotations[nodes.lower];
                }
            }
            samples[i].hips -= up * drop;
        }
        let after = self.leg_poses(samples);
        let slide = |poses: &[Vec<LegPose>]| {
            let of_contact = |leg: usize, contact: &Range<usize>| {
                let first = poses[contact.start][leg].point;
                contact.clone().map(|i| (poses[i][leg].point - first).norm() / length).fold(0.0, f64::max)
            };
            let legs = contacts.iter().enumerate();
            legs.flat_map(|(leg, contacts)| contacts.iter().map(move |contact| of_contact(leg, contact)))
                .fold(0.0, f64::max)
        };
        ContactReport {
            count: contacts.iter().map(Vec::len).sum(),
            max_slide: slide(&after),
            max_slide_before: slide(&poses),
        }
    }

    fn forward(&self) -> Vector3<f64> {
        self.transfer.target.frame * Vector3::z()
    }

    /// Returns the legs of the target at the time of each sample.
    fn leg_poses(&self, samples: &[Sample]) -> Vec<Vec<LegPose>> {
        let mut pose = HashMap::new();
        let mut poses = Vec::with_capacity(samples.len());
        for sample in samples {
            self.transfer.pose(sample, &mut pose);
            let position = |node: usize| pose[&self.transfer.nodes[node].joint].1.translation;
            let leg_pose = |leg: &Leg| LegPose {
                hip: position(leg.upper),
                knee: position(leg.lower),
                ankle: position(leg.foot),
                point: position(leg.point),
            };
            poses.push(self.legs.iter().map(leg_pose).collect());
        }
        poses
    }

    /// Returns the ranges of samples in which a foot stands still near the ground.
    fn contacts(&self, leg: &Leg, times_secs: &[f32]) -> Vec<Range<usize>> {
        let (track, length, up) = (&leg.track, self.transfer.target.leg_length, self.transfer.target.up());
        let lowest = track.iter().map(|position| position.dot(&up)).fold(f64::INFINITY, f64::min);
        let is_slow = |i: usize| {
            let (before, after) = (i.saturating_sub(1), (i + 1).min(track.len() - 1));
            let secs = f64::from(times_secs[after]) - f64::from(times_secs[before]);
            (track[after] - track[before]).norm() <= MAX_SPEED * length * secs
        };
        let stands = |i: usize| is_slow(i) && track[i].dot(&up) - lowest <= MAX_HEIGHT * length;
        let (mut contacts, mut start) = (Vec::new(), 0);
        while start < track.len() {
            let stays = |i: &usize| stands(*i) && (track[*i] - track[start]).norm() <= MAX_DRIFT * length;
            let end = start + (start..track.len()).take_while(stays).count();
            if end > start + 1 && f64::from(times_secs[end - 1]) - f64::from(times_secs[start]) >= MIN_CONTACT_SECS {
                contacts.push(start..end);
            }
            start = end.max(start + 1);
        }
        contacts
    }
}

/// Returns the displacement of a foot at each sample to its place on the ground: all of it in contacts, and a part before and after.
fn offsets(
    leg: &Leg,
    contacts: &[Range<usize>],
    points: &[Vector3<f64>],
    times_secs: &[f32],
    up: Vector3<f64>,
) -> Vec<Vector3<f64>> {
    let mut offsets = vec![Vector3::zeros(); points.len()];
    for contact in contacts {
        let count = contact.len() as f64;
        let mean = points[contact.clone()].iter().sum::<Vector3<f64>>() / count;
        let height = leg.track[contact.clone()].iter().map(|position| position.dot(&up)).sum::<f64>() / count;
        let [source_rest, target_rest] = leg.rest_heights;
        let place = mean + up * (target_rest + height - source_rest - mean.dot(&up));
        for i in contact.clone() {
            offsets[i] = place - points[i];
        }
    }
    let time = |i: usize| f64::from(times_secs[i]);
    let smooth = |x: f64| x * x * (3.0 - 2.0 * x);
    let mut ends = contacts.iter().map(|contact| contact.end - 1).map(Some).collect::<Vec<_>>();
    ends.insert(0, None);
    let starts = contacts.iter().map(|contact| Some(contact.start)).chain([None]);
    for (before, after) in ends.into_iter().zip(starts) {
        let range = before.map_or(0, |before| before + 1)..after.unwrap_or(points.len());
        let gap = before.zip(after).map_or(f64::INFINITY, |(before, after)| time(after) - time(before));
        let blend_secs = BLEND_SECS.min(gap);
        let weight = |secs: f64| smooth((1.0 - secs / blend_secs).max(0.0));
        let [from, to] = [before, after].map(|i| i.map_or(Vector3::zeros(), |i| offsets[i]));
        for i in range {
            let leaves = before.map_or(0.0, |before| weight(time(i) - time(before)));
            let reaches = after.map_or(0.0, |after| weight(time(after) - time(i)));
            offsets[i] = from * leaves + to * reaches;
        }
    }
    offsets
}

/// Returns values that are at least `values` and change smoothly over time.
fn smooth_maximum(values: &[f64], times_secs: &[f32]) -> Vec<f64> {
    let window = |i: usize| {
        let time = f64::from(times_secs[i]);
        let start = times_secs.partition_point(|at| f64::from(*at) < time - PELVIS_SECS);
        start..times_secs.partition_point(|at| f64::from(*at) <= time + PELVIS_SECS)
    };
    let maximum = |i: usize| values[window(i)].iter().copied().fold(0.0, f64::max);
    let maxima: Vec<f64> = (0..values.len()).map(maximum).collect();
    (0..values.len()).map(|i| maxima[window(i)].iter().sum::<f64>() / window(i).len() as f64).collect()
}

impl LegPose {
    /// Returns how far the hip sinks for the leg to reach its ankle, moved by `offset`.
    fn needed_drop(&self, offset: Vector3<f64>, up: Vector3<f64>) -> f64 {
        let reach = MAX_EXTENSION * ((self.knee - self.hip).norm() + (self.ankle - self.knee).norm());
        let way = self.ankle + offset - self.hip;
        let height = way.dot(&up);
        let across = (way - up * height).norm();
        match way.norm() > reach && across < reach {
            true => (-height - (reach * reach - across * across).sqrt()).max(0.0),
            false => 0.0,
        }
    }

    /// Returns the rotations of thigh and shin with which the ankle reaches `target` from the hip at `hip`.
    fn reach(&self, target: Vector3<f64>, hip: Vector3<f64>, forward: Vector3<f64>) -> [UnitQuaternion<f64>; 2] {
        let shift = hip - self.hip;
        two_bone([self.hip, self.knee, self.ankle].map(|joint| joint + shift), target, forward)
    }
}
