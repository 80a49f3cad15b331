//! Roles of joints: the human bones of VRM.

use std::fmt;

/// Role of a joint in a humanoid: one of the 55 human bones of VRM 1.0, such as `leftUpperArm`.
///
/// In a quadruped, the front legs have the roles of arms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Role(u8);

/// Roles without a side.
const CENTER: [&str; 7] = ["hips", "spine", "chest", "upperChest", "neck", "head", "jaw"];

/// Roles with a side, without it.
#[rustfmt::skip]
const SIDED: [&str; 24] = [
    "Eye", "Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes", "ThumbMetacarpal",
    "ThumbProximal", "ThumbDistal", "IndexProximal", "IndexIntermediate", "IndexDistal", "MiddleProximal",
    "MiddleIntermediate", "MiddleDistal", "RingProximal", "RingIntermediate", "RingDistal", "LittleProximal",
    "LittleIntermediate", "LittleDistal",
];

/// Sides of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    pub(super) const BOTH: [Self; 2] = [Self::Left, Self::Right];
}

impl Role {
    /// Number of roles.
    pub const COUNT: usize = CENTER.len() + 2 * SIDED.len();
    /// The pelvis.
    pub const HIPS: Self = Self(0);
    pub(super) const SPINE: Self = Self(1);
    pub(super) const CHEST: Self = Self(2);
    pub(super) const UPPER_CHEST: Self = Self(3);
    pub(super) const NECK: Self = Self(4);
    pub(super) const HEAD: Self = Self(5);
    pub(super) const JAW: Self = Self(6);

    /// Returns all roles, parents first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// Returns the role of this name in VRM 1.0.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|role| role.to_string() == name)
    }

    pub(super) fn index(self) -> usize {
        self.0.into()
    }

    /// Returns a role with a side.
    pub(super) const fn sided(part: BodyPart, side: Side) -> Self {
        Self((CENTER.len() + 2 * part as usize + side as usize) as u8)
    }

    /// Returns the role of a phalanx, from 0 at the palm; finger 0 is the thumb.
    pub(super) fn finger(finger: usize, phalanx: usize, side: Side) -> Self {
        Self((CENTER.len() + 2 * (BodyPart::Thumb as usize + 3 * finger + phalanx) + side as usize) as u8)
    }

    /// Returns the role on the other side of the body; itself if it has no side.
    pub(super) fn mirrored(self) -> Self {
        let Some(sided) = self.index().checked_sub(CENTER.len()) else { return self };
        Self((CENTER.len() + (sided ^ 1)) as u8)
    }

    /// Returns part and side; `None` for a role without a side.
    pub(super) fn part_and_side(self) -> Option<(usize, Side)> {
        let sided = self.index().checked_sub(CENTER.len())?;
        Some((sided / 2, Side::BOTH[sided % 2]))
    }

    /// Returns the side of a role that has one.
    pub(super) fn side(self) -> Option<Side> {
        Some(self.part_and_side()?.1)
    }

    /// Returns `true` for phalanges.
    pub(super) fn is_finger(self) -> bool {
        self.part_and_side().is_some_and(|(part, _)| part >= BodyPart::Thumb as usize)
    }

    /// Returns the role of the next joint towards the hips.
    pub(super) fn parent(self) -> Option<Self> {
        let Some((part, side)) = self.part_and_side() else {
            return match self {
                Self::HIPS => None,
                Self::JAW => Some(Self::HEAD),
                _ => Some(Self(self.0 - 1)),
            };
        };
        Some(match part {
            0 => Self::HEAD,
            1 => Self::UPPER_CHEST,
            5 => Self::HIPS,
            _ if part > BodyPart::Thumb as usize && !part.is_multiple_of(3) => Self(self.0 - 2),
            _ if part >= BodyPart::Thumb as usize => Self::sided(BodyPart::Hand, side),
            _ => Self(self.0 - 2),
        })
    }
}

/// Roles with a side, without fingers other than the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyPart {
    Eye,
    Shoulder,
    UpperArm,
    LowerArm,
    Hand,
    UpperLeg,
    LowerLeg,
    Foot,
    Toes,
    Thumb,
}

impl BodyPart {
    /// The joints of an arm and of a leg, from the body on.
    pub(super) const LIMBS: [[Self; 4]; 2] = [
        [Self::Shoulder, Self::UpperArm, Self::LowerArm, Self::Hand],
        [Self::UpperLeg, Self::LowerLeg, Self::Foot, Self::Toes],
    ];
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part_and_side() {
            None => f.write_str(CENTER[self.index()]),
            Some((part, Side::Left)) => write!(f, "left{}", SIDED[part]),
            Some((part, Side::Right)) => write!(f, "right{}", SIDED[part]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_round_trip_and_have_parents_before_them() {
        for role in Role::all() {
            assert_eq!(Role::from_name(&role.to_string()), Some(role));
            assert!(role.parent().is_none_or(|parent| parent < role), "{role}");
        }
        let parent = |name: &str| Role::from_name(name).unwrap().parent().unwrap().to_string();
        for (name, expected) in [
            ("leftUpperLeg", "hips"),
            ("rightShoulder", "upperChest"),
            ("leftHand", "leftLowerArm"),
            ("leftThumbMetacarpal", "leftHand"),
            ("rightIndexProximal", "rightHand"),
            ("rightLittleDistal", "rightLittleIntermediate"),
            ("leftThumbDistal", "leftThumbProximal"),
            ("leftEye", "head"),
            ("jaw", "head"),
        ] {
            assert_eq!(parent(name), expected, "{name}");
        }
    }
}
