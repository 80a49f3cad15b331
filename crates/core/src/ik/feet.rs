//! Feet that follow a ground.

use super::ground::GroundSample;
use super::solver::{LimbLengths, bend_limb};
use super::vector::{Rigid, add, max, min, positive, scaled, scaled_rotation_between, smooth_step, sub, unit};
use crate::math::simd::{NumericBackend, SimdFloat, quat_mul, rotate};

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

/// A foot on the ground.
#[derive(Clone, Copy)]
struct FootPlacement<V> {
    /// The map of the foot from the flat ground.
    foot: Rigid<V>,
    /// The ankle after that.
    ankle: [V; 3],
    /// How much the foot stands there, from 0 to 1.
    contact: V,
    lengths: LimbLengths<V>,
}

impl<V: SimdFloat> PosedLeg<V> {
    /// Returns the middle of the foot, under which the ground is sampled.
    #[inline(always)]
    pub(super) fn middle_of_foot<N: NumericBackend<Float = V>>(n: N, ankle: [V; 3], toes: [V; 3]) -> [V; 3] {
        scaled(add(ankle, toes), n.constant(0.5))
    }

    /// Moves the foot from the flat ground at height `base` to the ground under it. Also returns the offset by which the tilt of a foot
    /// that lies on the ground moves the ankle.
    #[inline(always)]
    fn plant<N: NumericBackend<Float = V>>(&self, n: N, base: V) -> (FootPlacement<V>, [V; 3]) {
        let (zero, one) = (n.constant(0.0), n.constant(1.0));
        let (ankle, toes, lengths) = (self.joints[2], self.toes, LimbLengths::new(n, self.joints));
        let length = lengths.upper.0 + lengths.lower.0;
        let rest_height = self.rest_heights[0] * length;
        let height = min(n, ankle[1] - base - rest_height, toes[1] - base - self.rest_heights[1] * length);
        let in_air = n.constant(1.0 / (AIR_HEIGHT - CONTACT_HEIGHT));
        let height = length.select_eq_zero(zero, height / length);
        let contact = smooth_step(n, (n.constant(AIR_HEIGHT) - height) * in_air);
        let GroundSample { height, slopes, smooth_height, smooth_slopes } = self.ground;
        let height = smooth_height + (height - smooth_height) * contact;
        let along_x = smooth_slopes[0] + (slopes[0] - smooth_slopes[0]) * contact;
        let along_z = smooth_slopes[1] + (slopes[1] - smooth_slopes[1]) * contact;
        // The normal has the components -along_x, 1 and -along_z, divided by this length.
        let normal_length = (one + along_x * along_x + along_z * along_z).sqrt();
        let rotation = unit(n, [zero - along_z, zero, along_x, one + normal_length], [zero; 4]);
        let [x, _, z] = Self::middle_of_foot(n, ankle, toes);
        let foot = Rigid::about(rotation, [x, base, z], [x, height, z]);
        let aside = (zero - rest_height) / normal_length;
        let plant = FootPlacement { foot, ankle: foot.transform_point(ankle), contact, lengths };
        (plant, [along_x * aside, zero, along_z * aside])
    }
}

impl<V: SimdFloat> FootPlacement<V> {
    /// Returns how far the hip has to sink for the leg to reach the ankle.
    #[inline(always)]
    fn needed_drop<N: NumericBackend<Float = V>>(&self, n: N, hip: [V; 3]) -> V {
        let (way, length) = (sub(self.ankle, hip), self.lengths.upper.0 + self.lengths.lower.0);
        let reach = max(n, length * n.constant(MAX_EXTENSION), self.lengths.whole.0);
        let across = way[0] * way[0] + way[2] * way[2];
        let height = positive(n, reach * reach - across).sqrt();
        min(n, positive(n, n.constant(0.0) - way[1] - height), length * n.constant(MAX_DROP))
    }
}

/// Moves a body and its legs to the ground. `base` is the height of the flat ground that the clip is made for, and `body` the map of the
/// body to the ground under it, which receives the drop of the pelvis. The body moves aside with the ankles of feet that tilt. It has a
/// rotation if `TURNS`.
#[inline(always)]
pub(super) fn move_legs<N: NumericBackend, const TURNS: bool>(
    n: N,
    base: N::Float,
    body: &mut Rigid<N::Float>,
    legs: &[PosedLeg<N::Float>],
    moved: &mut [MovedLeg<N::Float>; MAX_LEGS],
) {
    let zero = n.constant(0.0);
    let [x, y, z, w] = body.rotation;
    let inverse = [zero - x, zero - y, zero - z, w];
    let still = Rigid::identity(n);
    let none = LimbLengths { upper: (zero, zero), lower: (zero, zero), whole: (zero, zero) };
    let mut plants = [FootPlacement { foot: still, ankle: [zero; 3], contact: zero, lengths: none }; MAX_LEGS];
    for (leg, plant) in legs.iter().zip(&mut plants) {
        let (planted, aside) = leg.plant(n, base);
        *plant = planted;
        body.translation = add(body.translation, scaled(aside, n.constant(1.0 / legs.len() as f32)));
    }
    let mut drop = zero;
    for (leg, plant) in legs.iter().zip(&plants) {
        let hip = add(turned::<_, TURNS>(body.rotation, leg.joints[0]), body.translation);
        drop = max(n, drop, plant.contact * plant.needed_drop(n, hip));
    }
    body.translation[1] = body.translation[1] - drop;
    for ((leg, plant), moved) in legs.iter().zip(&plants).zip(moved) {
        // Before the map of the body.
        let target = turned::<_, TURNS>(inverse, sub(plant.ankle, body.translation));
        let [hip, _, ankle] = leg.joints;
        let bent = bend_limb(n, leg.joints, &plant.lengths, target, sub(leg.bend, hip));
        moved.upper = on_body::<_, TURNS>(body, &Rigid::about(bent.upper, hip, hip));
        moved.lower = on_body::<_, TURNS>(body, &Rigid::about(bent.lower, ankle, bent.end));
        // A foot beyond the reach of its leg stays at the leg.
        let off = turned::<_, TURNS>(body.rotation, sub(bent.end, target));
        moved.foot = Rigid { translation: add(plant.foot.translation, off), ..plant.foot };
    }
}

#[inline(always)]
fn turned<V: SimdFloat, const TURNS: bool>(rotation: [V; 4], v: [V; 3]) -> [V; 3] {
    if TURNS { rotate(rotation, v) } else { v }
}

/// Returns the map of a part followed by that of the body.
#[inline(always)]
fn on_body<V: SimdFloat, const TURNS: bool>(body: &Rigid<V>, part: &Rigid<V>) -> Rigid<V> {
    Rigid {
        rotation: if TURNS { quat_mul(body.rotation, part.rotation) } else { part.rotation },
        translation: add(turned::<_, TURNS>(body.rotation, part.translation), body.translation),
    }
}

/// Returns the map that takes a body from the flat ground at height `base` to the one under it. A body on four legs, with the middles of
/// its rear and of its front hips, follows the slope along it.
#[inline(always)]
pub(super) fn body_on_ground<N: NumericBackend>(
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
    Rigid::about(rotation, center, lifted)
}
