//! Feet that follow a ground.

use super::ground::GroundSample;
use super::solver::bend_limb;
use super::vector::{
    Rigid, add, dot, length, max, min, positive, scaled, scaled_rotation_between, smooth_step, sub, unit,
};
use crate::math::simd::{Floats, SimdFloat};

/// Height of a foot above its rest position up to which it stands on the ground, relative to the length of its leg.
const CONTACT_HEIGHT: f32 = 0.03;

/// Height from which a foot follows the smooth ground.
const AIR_HEIGHT: f32 = 0.15;

/// Extension of a leg from which the pelvis sinks, relative to its length.
const MAX_EXTENSION: f32 = 0.995;

/// Largest drop of the pelvis, relative to the length of a leg.
const MAX_DROP: f32 = 0.4;

/// Largest number of legs.
pub(super) const MAX_LEGS: usize = 4;

/// A leg as the clip poses it, in world space.
#[derive(Clone, Copy)]
pub(super) struct PosedLeg<V> {
    /// Hip, knee and ankle.
    pub(super) joints: [[V; 3]; 3],
    pub(super) toes: [V; 3],
    /// The point towards which a straight leg bends.
    pub(super) bend: [V; 3],
    /// Heights of ankle and toes above the ground at rest, relative to the length of the leg.
    pub(super) rest_heights: [V; 2],
    /// The ground under the foot.
    pub(super) ground: GroundSample<V>,
}

/// Rigid maps of a leg's parts.
#[derive(Clone, Copy)]
pub(super) struct MovedLeg<V> {
    pub(super) upper: Rigid<V>,
    pub(super) lower: Rigid<V>,
    pub(super) foot: Rigid<V>,
}

impl<V: SimdFloat> PosedLeg<V> {
    /// Returns the middle of the foot, under which the ground is sampled.
    #[inline(always)]
    pub(super) fn middle_of_foot<N: Floats<Float = V>>(n: N, ankle: [V; 3], toes: [V; 3]) -> [V; 3] {
        scaled(add(ankle, toes), n.constant(0.5))
    }

    #[inline(always)]
    fn length<N: Floats<Float = V>>(&self, n: N) -> V {
        let [hip, knee, ankle] = self.joints;
        length(n, sub(knee, hip)).0 + length(n, sub(ankle, knee)).0
    }

    /// Returns the map that takes the foot from the flat ground at height `base` to the one under it, how much it stands there, and how
    /// far its tilt moves the ankle aside while the foot is flat.
    #[inline(always)]
    fn planted<N: Floats<Float = V>>(&self, n: N, base: V) -> (Rigid<V>, V, [V; 3]) {
        let (zero, one) = (n.constant(0.0), n.constant(1.0));
        let (ankle, toes, length) = (self.joints[2], self.toes, self.length(n));
        let of_ankle = ankle[1] - base - self.rest_heights[0] * length;
        let height = min(n, of_ankle, toes[1] - base - self.rest_heights[1] * length);
        let in_air = n.constant(1.0 / (AIR_HEIGHT - CONTACT_HEIGHT));
        let height = length.select_eq_zero(zero, height / length);
        let contact = smooth_step(n, (n.constant(AIR_HEIGHT) - height) * in_air);
        let GroundSample { height, slopes, smooth_height, smooth_slopes } = self.ground;
        let height = smooth_height + (height - smooth_height) * contact;
        let along_x = smooth_slopes[0] + (slopes[0] - smooth_slopes[0]) * contact;
        let along_z = smooth_slopes[1] + (slopes[1] - smooth_slopes[1]) * contact;
        let normal = unit(n, [zero - along_x, one, zero - along_z], [zero, one, zero]);
        let rotation = unit(n, scaled_rotation_between(n, [zero, one, zero], normal, [one, zero, zero]), [zero; 4]);
        let [x, _, z] = Self::middle_of_foot(n, ankle, toes);
        let aside = scaled([normal[0], zero, normal[2]], self.rest_heights[0] * length);
        (Rigid::identity(n).then(rotation, [x, base, z], [x, height, z]), contact, aside)
    }

    /// Returns how far the hip has to sink for the leg to reach `ankle`.
    #[inline(always)]
    fn needed_drop<N: Floats<Float = V>>(&self, n: N, hip: [V; 3], ankle: [V; 3]) -> V {
        let (way, present) = (sub(ankle, hip), sub(self.joints[2], self.joints[0]));
        let reach = max(n, self.length(n) * n.constant(MAX_EXTENSION), dot(present, present).sqrt());
        let across = way[0] * way[0] + way[2] * way[2];
        let height = positive(n, reach * reach - across).sqrt();
        min(n, positive(n, n.constant(0.0) - way[1] - height), self.length(n) * n.constant(MAX_DROP))
    }
}

/// Moves a body and its legs to the ground. `base` is the height of the flat ground that the clip is made for, and `body` the map of the
/// body to the ground under it, which receives the drop of the pelvis. The body moves aside with the ankles of feet that tilt.
#[inline(always)]
pub(super) fn move_legs<N: Floats>(
    n: N,
    base: N::Float,
    body: &mut Rigid<N::Float>,
    legs: &[PosedLeg<N::Float>],
    moved: &mut [MovedLeg<N::Float>; MAX_LEGS],
) {
    let mut drop = n.constant(0.0);
    let mut contacts = [drop; MAX_LEGS];
    for (i, leg) in legs.iter().enumerate() {
        let (foot, contact, aside) = leg.planted(n, base);
        (moved[i].foot, contacts[i]) = (foot, contact);
        body.translation = add(body.translation, scaled(aside, n.constant(1.0 / legs.len() as f32)));
    }
    for ((leg, moved), contact) in legs.iter().zip(moved.iter()).zip(contacts) {
        let ankle = moved.foot.transform_point(leg.joints[2]);
        drop = max(n, drop, contact * leg.needed_drop(n, body.transform_point(leg.joints[0]), ankle));
    }
    body.translation[1] = body.translation[1] - drop;
    for (leg, moved) in legs.iter().zip(moved) {
        let mut joints = leg.joints;
        for joint in &mut joints {
            *joint = body.transform_point(*joint);
        }
        let target = moved.foot.transform_point(leg.joints[2]);
        let bent = bend_limb(n, joints, target, sub(body.transform_point(leg.bend), joints[0]));
        moved.upper = body.then(bent.upper, joints[0], joints[0]);
        moved.lower = body.then(bent.lower, joints[1], bent.middle);
        // A foot beyond the reach of its leg stays at the leg.
        let off = sub(moved.lower.transform_point(leg.joints[2]), target);
        moved.foot.translation = add(moved.foot.translation, off);
    }
}

/// Returns the map that takes a body from the flat ground at height `base` to the one under it. A body on four legs, with the middles of
/// its rear and of its front hips, follows the slope along it.
#[inline(always)]
pub(super) fn body_on_ground<N: Floats>(
    n: N,
    base: N::Float,
    ends: [[N::Float; 3]; 2],
    heights: [N::Float; 2],
) -> Rigid<N::Float> {
    let (zero, one, half) = (n.constant(0.0), n.constant(1.0), n.constant(0.5));
    let along = sub(ends[1], ends[0]);
    let raised = [along[0], along[1] + heights[1] - heights[0], along[2]];
    let from = unit(n, along, [zero; 3]);
    let rotation = scaled_rotation_between(n, from, unit(n, raised, from), [one, zero, zero]);
    let rotation = unit(n, rotation, [zero, zero, zero, one]);
    let center = scaled(add(ends[0], ends[1]), half);
    let lifted = [center[0], center[1] + (heights[0] + heights[1]) * half - base, center[2]];
    Rigid::identity(n).then(rotation, center, lifted)
}
