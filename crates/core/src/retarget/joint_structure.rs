//! Roles by the structure of a skeleton: two pairs of equal limbs, the spine between them, and the head.
//!
//! Limbs are compared by the lengths of their bones, which no pose changes. Names that state sides decide left and right.

use super::joint_names::{is_wing, stated_side};
use super::role::{BodyPart, Role, Side};
use crate::math::Affine;
use crate::model::{JointIndex, Skeleton};
use nalgebra::Vector3;
use std::collections::BTreeSet;

/// Largest difference of the lengths of two equal bones, relative to the length of their limb.
const LENGTH_TOLERANCE: f64 = 0.06;

/// Longest limb, in joints.
const MAX_LIMB: usize = 16;

/// Shortest leg, relative to the longest path along bones from one end of the body to another. Fins are shorter.
const MIN_LEG: f64 = 0.12;

/// Fewest joints of the arms or the legs that only the structure of the skeleton shows. Wheels and levers have fewer.
const MIN_LIMB_JOINTS: usize = 3;

/// Length of a further limb of a body, relative to the shortest arm or leg.
const MIN_FURTHER_LIMB: f64 = 0.6;

/// Largest number of children that are compared in pairs.
const MAX_CHILDREN: usize = 32;

/// Two limbs of equal lengths that begin at the same joint.
#[derive(Clone)]
struct LimbPair {
    parent: usize,
    limbs: [Vec<usize>; 2],
    length: f64,
}

/// Skeleton at rest.
struct JointContext<'a> {
    skeleton: &'a Skeleton,
    positions: Vec<Vector3<f64>>,
    children: Vec<Vec<usize>>,
    /// The child with the longest chain of bones below each joint, and the length of that chain.
    longest: Vec<(Option<usize>, f64)>,
}

impl<'a> JointContext<'a> {
    /// Creates a shape of the joints that `is_part` marks.
    fn new(skeleton: &'a Skeleton, model_from_joint: &[Affine], is_part: &[bool]) -> Self {
        let count = skeleton.len();
        let positions: Vec<_> = model_from_joint.iter().map(|affine| affine.translation).collect();
        let mut children = vec![Vec::new(); count];
        for (i, joint) in skeleton.joints().iter().enumerate().filter(|(i, _)| is_part[*i]) {
            if let Some(parent) = joint.parent {
                children[parent.get()].push(i);
            }
        }
        let mut longest = vec![(None, 0.0); count];
        for i in (0..count).rev() {
            for &child in &children[i] {
                let length = (positions[child] - positions[i]).norm() + longest[child].1;
                if longest[i].0.is_none() || length > longest[i].1 {
                    longest[i] = (Some(child), length);
                }
            }
        }
        Self { skeleton, positions, children, longest }
    }

    /// Returns the longest chain of joints from `joint` on.
    fn chain(&self, joint: usize) -> Vec<usize> {
        std::iter::successors(Some(joint), |&joint| self.longest[joint].0).take(MAX_LIMB).collect()
    }

    /// Returns the length of the longest path along bones between two joints.
    fn diameter(&self) -> f64 {
        let through = |joint: usize| {
            let (mut first, mut second) = (0.0, 0.0);
            for &child in &self.children[joint] {
                let length = self.bone(joint, child) + self.longest[child].1;
                (first, second) = if length > first { (length, first) } else { (first, length.max(second)) };
            }
            first + second
        };
        (0..self.children.len()).map(through).fold(0.0, f64::max)
    }

    /// Returns which limb of a pair is the left one by the names of its joints, or `None` without sides in names.
    ///
    /// # Errors
    /// If the names contradict each other.
    fn first_is_left_by_name(&self, pair: &LimbPair) -> Result<Option<bool>, ()> {
        let mut first_is_left = None;
        for (limb, is_first) in pair.limbs.iter().zip([true, false]) {
            for joint in limb {
                let name = self.skeleton.joints()[*joint].name.as_deref();
                let Some(side) = name.and_then(stated_side) else { continue };
                let found = (side == Side::Left) == is_first;
                if first_is_left.replace(found).is_some_and(|before| before != found) {
                    return Err(());
                }
            }
        }
        Ok(first_is_left)
    }

    fn bone(&self, from: usize, to: usize) -> f64 {
        (self.positions[to] - self.positions[from]).norm()
    }

    /// Returns `true` if the longest chains of bones from two joints on are equal limbs that do not lie on each other.
    fn are_pair(&self, a: usize, b: usize) -> bool {
        let (limbs, length) = ([self.chain(a), self.chain(b)], self.longest[a].1);
        let bone = |limb: &[usize], i: usize| self.bone(limb[i], limb[i + 1]);
        limbs[0].len() == limbs[1].len()
            && limbs[0].len() >= 2
            && (0..limbs[0].len() - 1)
                .all(|i| (bone(&limbs[0], i) - bone(&limbs[1], i)).abs() <= LENGTH_TOLERANCE * length)
            && (self.bone(a, b) > 1e-3 * length || self.bone(limbs[0][1], limbs[1][1]) > 1e-3 * length)
    }

    /// Returns the largest pair of equal limbs that begin at `parent`.
    fn pair_at(&self, parent: usize) -> Option<LimbPair> {
        let children = &self.children[parent];
        let mut best: Option<LimbPair> = None;
        for (i, &a) in children.iter().take(MAX_CHILDREN).enumerate() {
            for &b in &children[i + 1..children.len().min(MAX_CHILDREN)] {
                let length = self.longest[a].1;
                if best.as_ref().is_none_or(|best| length > best.length) && self.are_pair(a, b) {
                    best = Some(LimbPair { parent, limbs: [self.chain(a), self.chain(b)], length });
                }
            }
        }
        best
    }

    /// Returns the joints above `joint`, from its parent on.
    fn ancestors(&self, joint: usize) -> impl Iterator<Item = usize> {
        let parent = |&joint: &usize| self.skeleton.joints()[joint].parent.map(JointIndex::get);
        std::iter::successors(parent(&joint), parent)
    }

    /// Marks `roots` and all joints below.
    fn below(&self, roots: &[usize]) -> Vec<bool> {
        let mut is_below = vec![false; self.skeleton.len()];
        for (i, joint) in self.skeleton.joints().iter().enumerate() {
            is_below[i] = roots.contains(&i) || joint.parent.is_some_and(|parent| is_below[parent.get()]);
        }
        is_below
    }

    /// Returns the indices in `limb` of the first joints of its two main bones, which are the longest neighbors.
    fn main_bones(&self, limb: &[usize]) -> usize {
        let bone = |i: usize| limb.get(i + 1).map_or(0.0, |next| self.bone(limb[i], *next));
        let score = |i: usize| bone(i).min(bone(i + 1));
        (0..limb.len().saturating_sub(2)).max_by(|a, b| score(*a).total_cmp(&score(*b)).then(b.cmp(a))).unwrap_or(0)
    }
}

/// Returns the joints whose place in the skeleton has a role; none without two pairs of limbs. `walking_direction` is that of hips and
/// feet, if the body walks.
pub(super) fn find(
    skeleton: &Skeleton,
    model_from_joint: &[Affine],
    is_part: &[bool],
    walking_direction: impl Fn(JointIndex, &[JointIndex]) -> Option<Vector3<f64>>,
) -> [Option<JointIndex>; Role::COUNT] {
    let mut roles = [None; Role::COUNT];
    let mut set = |role: Role, joint: usize| roles[role.index()] = Some(JointIndex(joint as u32));
    let shape = JointContext::new(skeleton, model_from_joint, is_part);
    let mut pairs: Vec<LimbPair> = (0..skeleton.len()).filter_map(|joint| shape.pair_at(joint)).collect();
    pairs.sort_by(|a, b| b.length.total_cmp(&a.length));
    // The longest pair, and the longest one that is not a part of it.
    let Some(first) = pairs.first().cloned() else { return roles };
    let is_above: BTreeSet<usize> = shape.ancestors(first.parent).chain([first.parent]).collect();
    let is_below = shape.below(&first.limbs.each_ref().map(|limb| limb[0]));
    let is_apart =
        |pair: &&LimbPair| !is_below[pair.parent] && !pair.limbs.iter().any(|limb| is_above.contains(&limb[0]));
    let Some(second) = pairs[1..].iter().find(is_apart).cloned() else { return roles };
    let end_height =
        |pair: &LimbPair| pair.limbs.iter().map(|limb| shape.positions[limb[limb.len() - 1]].y).sum::<f64>();
    // Arms branch off above the legs. If neither pair is above the other, the neck branches off beside the arms.
    let is_above_second = second.parent == first.parent || shape.ancestors(second.parent).any(|at| at == first.parent);
    let is_above_first = second.parent == first.parent || is_above.contains(&second.parent);
    let other_branches = |pair: &LimbPair| shape.children[pair.parent].len() - 2;
    let first_is_legs = match (is_above_second, is_above_first) {
        (true, false) => true,
        (false, true) => false,
        (false, false) if (other_branches(&first) == 0) != (other_branches(&second) == 0) => {
            other_branches(&first) == 0
        }
        _ => end_height(&first) < end_height(&second),
    };
    let (legs, arms) = if first_is_legs { (first, second) } else { (second, first) };
    let is_short = [&legs, &arms].iter().all(|pair| pair.limbs[0].len() < MIN_LIMB_JOINTS);
    if is_short || legs.length < MIN_LEG * shape.diameter() {
        return roles;
    }

    let up = Vector3::y();
    let chest = arms.parent;
    // The legs may hang on a joint beside the spine.
    let above_chest: BTreeSet<usize> = shape.ancestors(chest).chain([chest]).collect();
    let above_legs = std::iter::once(legs.parent).chain(shape.ancestors(legs.parent));
    let Some(hips) = { above_legs }.find(|joint| above_chest.contains(joint)) else { return roles };
    set(Role::HIPS, hips);
    let mut trunk: Vec<usize> =
        std::iter::once(chest).chain(shape.ancestors(chest)).take_while(|joint| *joint > hips).collect();
    trunk.reverse();
    for (role, joint) in spine_roles(trunk.len()).into_iter().zip(spine_joints(&trunk)) {
        set(role, joint);
    }
    // The head is at the end of the longest chain that is not a limb.
    let is_limb = |joint: usize| arms.limbs.iter().chain(&legs.limbs).any(|limb| limb[0] == joint);
    let upwards = |joint: &usize| (shape.positions[*joint] - shape.positions[chest]).dot(&up) + shape.longest[*joint].1;
    let free = shape.children[chest].iter().copied().filter(|joint| !is_limb(*joint));
    if let Some(neck) = free.max_by(|a, b| upwards(a).total_cmp(&upwards(b))) {
        match shape.children[neck].len() {
            1 => {
                set(Role::NECK, neck);
                set(Role::HEAD, shape.children[neck][0]);
            }
            _ => set(Role::HEAD, neck),
        }
    }
    // Toes point forward, else the body walks forward, else glTF's +Z is forward.
    let main = |limb: &[usize]| shape.main_bones(limb);
    let foot = |limb: &[usize]| {
        limb.get(main(limb) + 2).zip(limb.last()).map(|(a, b)| shape.positions[*b] - shape.positions[*a])
    };
    let toes: Vector3<f64> = legs.limbs.iter().filter_map(|limb| foot(limb)).sum();
    let feet = || legs.limbs.each_ref().map(|limb| JointIndex(limb[limb.len() - 1] as u32));
    let walk = || walking_direction(JointIndex(hips as u32), &feet());
    let forward = Vector3::new(toes.x, 0.0, toes.z).try_normalize(1e-3 * legs.length).or_else(walk);
    let forward = forward.unwrap_or_else(Vector3::z);
    let left = up.cross(&forward);
    let by_name = [&arms, &legs].map(|pair| shape.first_is_left_by_name(pair));
    // Names that contradict each other state nothing.
    let by_name = by_name.map(|found| found.unwrap_or(None).filter(|_| by_name.iter().all(Result::is_ok)));
    let pairs = [(&arms, BodyPart::LIMBS[0]), (&legs, BodyPart::LIMBS[1])];
    for ((pair, parts), by_name) in pairs.into_iter().zip(by_name) {
        let middle = |limb: &[usize]| shape.positions[limb[main(limb)]] + shape.positions[limb[limb.len() - 1]];
        let by_place = (middle(&pair.limbs[0]) - middle(&pair.limbs[1])).dot(&left) > 0.0;
        let first_is_left = by_name.unwrap_or(by_place);
        for (limb, is_first) in pair.limbs.iter().zip([true, false]) {
            let side = if is_first == first_is_left { Side::Left } else { Side::Right };
            let start = main(limb);
            let is_arm = parts[0] == BodyPart::Shoulder;
            if is_arm && start > 0 {
                set(Role::sided(BodyPart::Shoulder, side), limb[start - 1]);
            }
            for (part, joint) in parts[usize::from(is_arm)..].iter().zip(&limb[start..]) {
                set(Role::sided(*part, side), *joint);
            }
        }
    }
    roles
}

/// Returns `true` if there are more limbs like those that begin at `limbs`, as in a spider: on the joints above these, or as low as their
/// ends. Wings do not count.
pub(super) fn has_further_limbs(
    skeleton: &Skeleton,
    model_from_joint: &[Affine],
    is_part: &[bool],
    limbs: &[JointIndex],
) -> bool {
    let shape = JointContext::new(skeleton, model_from_joint, is_part);
    let limbs: Vec<usize> = limbs.iter().map(|joint| joint.get()).collect();
    let least = limbs.iter().map(|joint| shape.longest[*joint].1).fold(f64::INFINITY, f64::min) * MIN_FURTHER_LIMB;
    let is_of_limb = shape.below(&limbs);
    let trunk: BTreeSet<usize> = limbs.iter().flat_map(|limb| shape.ancestors(*limb)).collect();
    let is_wing = |joint: usize| skeleton.joints()[joint].name.as_deref().is_some_and(is_wing);
    let is_limb = |joint: &usize| {
        !is_of_limb[*joint]
            && !trunk.contains(joint)
            && shape.longest[*joint].1 >= least
            && shape.chain(*joint).len() >= MIN_LIMB_JOINTS
            && !is_wing(*joint)
    };
    let end = |joint: usize| shape.chain(joint).last().map_or(0.0, |end| shape.positions[*end].y);
    let lowest = limbs.iter().map(|limb| end(*limb)).fold(f64::INFINITY, f64::min);
    let is_low = |joint: usize| (end(joint) - lowest).abs() < least / 2.0;
    (0..skeleton.len()).filter(|parent| !is_of_limb[*parent]).any(|parent| {
        let is_limb = |joint: &usize| is_limb(joint) && (trunk.contains(&parent) || is_low(*joint));
        let further: Vec<usize> = shape.children[parent].iter().copied().filter(is_limb).take(MAX_CHILDREN).collect();
        further.iter().enumerate().any(|(i, a)| further[i + 1..].iter().any(|b| shape.are_pair(*a, *b)))
    })
}

/// Returns the roles of the joints of a spine, from the hips up.
pub(super) fn spine_roles(count: usize) -> Vec<Role> {
    match count {
        0 => Vec::new(),
        1 => vec![Role::SPINE],
        2 => vec![Role::SPINE, Role::CHEST],
        _ => vec![Role::SPINE, Role::CHEST, Role::UPPER_CHEST],
    }
}

/// Returns the joints of a spine that have a role: the first, the middle one and the last.
pub(super) fn spine_joints(trunk: &[usize]) -> Vec<usize> {
    match *trunk {
        [] | [_] | [_, _] | [_, _, _] => trunk.to_vec(),
        [first, .., last] => vec![first, trunk[trunk.len() / 2], last],
    }
}
