//! Roles by the names of joints.
//!
//! The names are those of Mixamo, Unreal, Unity, Rigify and Blender's defaults, VRoid, SMPL, CMU, 3ds Max Biped, Character Creator,
//! Daz, MakeHuman and MMD.

use super::role::{BodyPart, Role, Side};
use crate::model::{Joint, JointIndex, Skeleton};

/// Words in names that say nothing about the role.
#[rustfmt::skip]
const NOISE: [&str; 26] = [
    "b", "base", "bc", "bind", "bip", "bone", "c", "cc", "character", "ctrl", "def", "human", "j", "jnt", "joint", "jt",
    "m", "main", "mixamorig", "rig", "sec", "sk", "skel", "skeleton", "skin", "adj",
];

/// Words of joints that have no role, since they help or control others.
#[rustfmt::skip]
const HELPERS: [&str; 24] = [
    "bend", "control", "corrective", "end", "fk", "goal", "helper", "ik", "mch", "nub", "org", "orient", "pole", "roll",
    "site", "socket", "target", "tip", "top", "tweak", "twist", "weapon", "attach", "legcontrol",
];

const FINGERS: [&[&str]; 5] = [
    &["thumb", "親指"],
    &["index", "point", "pointer", "人指", "人差指"],
    &["middle", "mid", "中指"],
    &["ring", "薬指"],
    &["little", "pinky", "pinkie", "小指"],
];

/// Words in names of fingers beside that of the finger.
#[rustfmt::skip]
const FINGER_WORDS: [&str; 14] = [
    "hand", "finger", "f", "proximal", "prox", "intermediate", "inter", "medial", "distal", "dist", "metacarpal", "phalanx",
    "phalange", "phalanges",
];

/// Words of parts of a body that are neither limbs nor its trunk.
#[rustfmt::skip]
const APPENDAGES: [&str; 26] = [
    "antenna", "antler", "beard", "braid", "breast", "cape", "cloak", "coat", "dress", "ear", "ears", "feather", "fin", "fins",
    "fluke", "hair", "hood", "horn", "mane", "ponytail", "scarf", "skirt", "tail", "tentacle", "tongue", "whisker",
];

/// What a name says.
#[derive(Clone, Copy, PartialEq)]
enum NameToken {
    Center(Role),
    Limb(BodyPart),
    /// A joint of an arm or a leg, as in `arm_joint_L_2`.
    AnyOfLimb(usize),
    /// Clavicle or upper arm.
    Shoulder,
    /// A thigh, or a joint between the pelvis and a thigh.
    Hip,
    /// Foot, or toes below an ankle.
    Foot,
    /// Hand, or fingers below a wrist.
    Hand,
    Finger(usize),
}

/// A joint with the meaning of its name.
struct Named {
    joint: usize,
    meaning: NameToken,
    side: Option<Side>,
}

/// Splits a name into words in lower case: at punctuation, digits and capitals, without a prefix such as `mixamorig:`.
fn words(name: &str) -> Vec<String> {
    let name = name.rsplit([':', '|']).find(|part| !part.is_empty()).unwrap_or(name);
    let mut words = vec![String::new()];
    let chars: Vec<char> = name.chars().take(80).collect();
    for (i, &c) in chars.iter().enumerate() {
        let previous = i.checked_sub(1).map(|i| chars[i]);
        let is_next_lower = chars.get(i + 1).is_some_and(|next| next.is_lowercase());
        let starts = previous.is_some_and(|previous| {
            previous.is_numeric() != c.is_numeric()
                || c.is_uppercase() && (previous.is_lowercase() || previous.is_uppercase() && is_next_lower)
        });
        if (starts || !c.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn side_of(word: &str) -> Option<Side> {
    match word {
        "l" | "left" | "lft" | "lt" | "links" | "左" => Some(Side::Left),
        "r" | "right" | "rgt" | "rt" | "rechts" | "右" => Some(Side::Right),
        _ => None,
    }
}

/// Splits a word such as `leftarm` into its side and the rest.
fn split_side(word: &str) -> Option<(Side, &str)> {
    ["left", "right", "左", "右"].into_iter().find_map(|prefix| side_of(prefix).zip(word.strip_prefix(prefix)))
}

/// Returns the side that a name states.
pub(super) fn stated_side(name: &str) -> Option<Side> {
    let words = words(name);
    let whole = words.iter().find_map(|word| side_of(word));
    whole.or_else(|| words.iter().find_map(|word| Some(split_side(word)?.0)))
}

/// Returns `true` for names of parts that are neither limbs nor the trunk, such as a tail or a fin.
pub(super) fn is_appendage(name: &str) -> bool {
    words(name).iter().any(|word| APPENDAGES.contains(&&word[..]))
}

/// Returns `true` for names of wings.
pub(super) fn is_wing(name: &str) -> bool {
    words(name).iter().any(|word| matches!(&word[..], "wing" | "wings"))
}

/// Returns the finger of a word such as `index` or `handring`.
fn finger_of(word: &str) -> Option<usize> {
    let word = word.strip_prefix("hand").unwrap_or(word);
    let word = word.strip_suffix("finger").unwrap_or(word);
    let word = FINGER_WORDS[3..].iter().find_map(|suffix| word.strip_suffix(suffix)).unwrap_or(word);
    FINGERS.iter().position(|names| names.contains(&word))
}

/// Returns the meaning of a name, and its side.
fn parse(name: &str) -> Option<(NameToken, Option<Side>)> {
    let (mut side, mut key, mut number) = (None, String::new(), String::new());
    let (mut is_front, mut is_hind, mut finger, mut is_finger) = (false, false, None, true);
    for word in words(name) {
        let found = side_of(&word);
        if found.is_some() {
            side = side.or(found);
        } else if word.starts_with(|c: char| c.is_numeric()) {
            // Not that of a prefix, as in `Bip001`.
            if !key.is_empty() {
                number = word;
            }
        } else if matches!(&word[..], "mch" | "org" | "twist" | "roll" | "ik") && key != "neck" {
            return None;
        } else if !NOISE.contains(&&word[..]) {
            let rest = match split_side(&word) {
                Some((stated, rest)) => {
                    side = side.or(Some(stated));
                    rest
                }
                None => &word,
            };
            let found = finger_of(rest);
            is_finger &= found.is_some() || FINGER_WORDS.contains(&rest);
            finger = finger.or(found);
            match rest {
                "front" | "fore" => is_front = true,
                "hind" | "back" | "rear" => is_hind = true,
                _ => key.push_str(rest),
            }
        }
    }
    let finger = finger.filter(|_| is_finger);
    let is_helper =
        HELPERS.iter().any(|helper| key.ends_with(helper) && key != "shldrbend" && !key.starts_with("neck"));
    let is_thumb = finger == Some(0);
    // As in `Back_Leg_Shin_L`.
    let part = key.strip_prefix("leg").filter(|part| !["", "upper", "lower"].contains(part)).unwrap_or(&key);
    let meaning = match part {
        "shldrbend" | "shldr" => NameToken::Limb(BodyPart::UpperArm),
        "forearmbend" => NameToken::Limb(BodyPart::LowerArm),
        "thighbend" => NameToken::Limb(BodyPart::UpperLeg),
        _ if is_helper => return None,
        "hips" | "hip" | "pelvis" if side.is_none() => NameToken::Center(Role::HIPS),
        "neck" | "necklower" | "necktwist" | "首" => NameToken::Center(Role::NECK),
        "head" | "頭" => NameToken::Center(Role::HEAD),
        "jaw" | "lowerjaw" => NameToken::Center(Role::JAW),
        "eye" | "faceeye" | "eyeball" | "目" => NameToken::Limb(BodyPart::Eye),
        "clavicle" | "scapula" | "collar" | "collarbone" => NameToken::Limb(BodyPart::Shoulder),
        "肩" => NameToken::Limb(BodyPart::Shoulder),
        "shoulder" => NameToken::Shoulder,
        "upperarm" | "uparm" | "armupper" | "bicep" | "humerus" | "腕" => NameToken::Limb(BodyPart::UpperArm),
        "forearm" | "lowerarm" | "lowarm" | "loarm" | "armlower" | "elbow" | "ひじ" => {
            NameToken::Limb(BodyPart::LowerArm)
        }
        "wrist" | "手首" => NameToken::Limb(BodyPart::Hand),
        "hand" => NameToken::Hand,
        "upperleg" | "upleg" | "legupper" | "thigh" | "femur" if is_front => NameToken::Limb(BodyPart::UpperArm),
        "lowerleg" | "lowleg" | "loleg" | "leglower" | "calf" | "shin" | "knee" if is_front => {
            NameToken::Limb(BodyPart::LowerArm)
        }
        "foot" | "paw" | "ankle" if is_front => NameToken::Limb(BodyPart::Hand),
        "upperleg" | "upleg" | "legupper" | "thigh" | "femur" | "足" => NameToken::Limb(BodyPart::UpperLeg),
        "hip" | "hips" => NameToken::Hip,
        "lowerleg" | "lowleg" | "loleg" | "leglower" | "calf" | "shin" | "knee" | "ひざ" => {
            NameToken::Limb(BodyPart::LowerLeg)
        }
        "ankle" | "足首" => NameToken::Limb(BodyPart::Foot),
        "foot" | "paw" => NameToken::Foot,
        "toe" | "toes" | "toebase" | "ball" | "balltoe" | "つま先" => NameToken::Limb(BodyPart::Toes),
        "arm" => NameToken::AnyOfLimb(0),
        "leg" => NameToken::AnyOfLimb(usize::from(!is_front)),
        // Biped: the first digit is the finger.
        "finger" => NameToken::Finger(number.bytes().next().map(|digit| usize::from(digit.wrapping_sub(b'0')))?),
        _ if key.contains("palm") || key.contains("metacarpal") && !is_thumb => return None,
        _ => NameToken::Finger(finger?),
    };
    let is_of_leg = matches!(
        meaning,
        NameToken::AnyOfLimb(1)
            | NameToken::Hip
            | NameToken::Foot
            | NameToken::Limb(BodyPart::UpperLeg | BodyPart::LowerLeg | BodyPart::Foot | BodyPart::Toes)
    );
    (is_of_leg || !is_hind).then_some((meaning, side))
}

/// Returns the joints whose names have a role, by role.
///
/// Of several joints of one role, skinned ones and those near the root are preferred.
pub(super) fn find(skeleton: &Skeleton, is_skinned: &[bool]) -> [Option<JointIndex>; Role::COUNT] {
    let joints = skeleton.joints();
    let named = joints.iter().enumerate().filter_map(|(joint, Joint { name, .. })| {
        let (meaning, side) = parse(name.as_deref()?)?;
        Some(Named { joint, meaning, side })
    });
    let mut named: Vec<Named> = named.collect();
    // Parents precede their children.
    named.sort_by_key(|named| (!is_skinned[named.joint], named.joint));
    let mut found = Found { roles: [None; Role::COUNT], is_used: vec![false; joints.len()] };

    let hips = named.iter().find(|named| named.meaning == NameToken::Center(Role::HIPS)).map(|named| named.joint);
    if let Some(hips) = hips {
        // Controls of the same names are usually next to the hips, not below.
        let mut is_below = vec![false; joints.len()];
        for (i, joint) in joints.iter().enumerate() {
            is_below[i] = i == hips || joint.parent.is_some_and(|parent| is_below[parent.get()]);
        }
        named.sort_by_key(|named| (!is_below[named.joint], !is_skinned[named.joint], named.joint));
    }
    for named in &named {
        if let NameToken::Center(role) = named.meaning {
            found.set(role, named.joint);
        }
    }
    for side in Side::BOTH {
        let of_side = || named.iter().filter(move |named| named.side == Some(side));
        let all = |meaning: NameToken| of_side().filter(move |named| named.meaning == meaning).map(|named| named.joint);
        let has = |part: BodyPart| all(NameToken::Limb(part)).next().is_some();
        for part in [
            BodyPart::Eye,
            BodyPart::Shoulder,
            BodyPart::UpperArm,
            BodyPart::LowerArm,
            BodyPart::Hand,
            BodyPart::UpperLeg,
            BodyPart::LowerLeg,
            BodyPart::Foot,
            BodyPart::Toes,
        ] {
            for joint in all(NameToken::Limb(part)) {
                found.set(Role::sided(part, side), joint);
            }
        }
        let shoulder =
            if has(BodyPart::Shoulder) || !has(BodyPart::UpperArm) && all(NameToken::AnyOfLimb(0)).next().is_none() {
                BodyPart::UpperArm
            } else {
                BodyPart::Shoulder
            };
        found.fill(&[Role::sided(shoulder, side)], all(NameToken::Shoulder));
        let limb = |parts: &[BodyPart]| parts.iter().map(|part| Role::sided(*part, side)).collect::<Vec<_>>();
        found.fill(&limb(&[BodyPart::UpperLeg]), last_of_chain(joints, all(NameToken::Hip)).into_iter());
        found.fill(&limb(&[BodyPart::Hand]), all(NameToken::Hand).filter(|_| !has(BodyPart::Hand)));
        found.fill(&limb(&[BodyPart::Foot, BodyPart::Toes]), all(NameToken::Foot));
        found.fill(&limb(&BodyPart::LIMBS[0][1..]), all(NameToken::AnyOfLimb(0)));
        found.fill(&limb(&BodyPart::LIMBS[1]), all(NameToken::AnyOfLimb(1)));
        for finger in 0..FINGERS.len() {
            let roles = [0, 1, 2].map(|phalanx| Role::finger(finger, phalanx, side));
            found.fill(&roles, all(NameToken::Finger(finger)));
        }
    }
    found.roles
}

/// Returns the first of `found` that is a descendant of none of the others, or its last descendant of them: the thigh `LeftHip` below
/// the joint `LHipJoint` of the pelvis.
fn last_of_chain(joints: &[Joint], found: impl Iterator<Item = usize>) -> Option<usize> {
    let found: Vec<usize> = found.collect();
    let (mut last, mut is_below) = (*found.first()?, vec![false; joints.len()]);
    // Parents precede their children.
    for (i, joint) in joints.iter().enumerate() {
        is_below[i] = i == found[0] || joint.parent.is_some_and(|parent| is_below[parent.get()]);
    }
    for joint in found.into_iter().filter(|joint| is_below[*joint]) {
        last = last.max(joint);
    }
    Some(last)
}

/// Roles found so far.
struct Found {
    roles: [Option<JointIndex>; Role::COUNT],
    is_used: Vec<bool>,
}

impl Found {
    /// Sets a role, unless it has a joint.
    fn set(&mut self, role: Role, joint: usize) {
        if self.roles[role.index()].is_none() && !self.is_used[joint] {
            self.roles[role.index()] = Some(JointIndex(joint as u32));
            self.is_used[joint] = true;
        }
    }

    /// Sets the roles without a joint, in order.
    fn fill(&mut self, roles: &[Role], joints: impl Iterator<Item = usize>) {
        let free: Vec<Role> = roles.iter().copied().filter(|role| self.roles[role.index()].is_none()).collect();
        for (role, joint) in free.into_iter().zip(joints) {
            self.set(role, joint);
        }
    }
}
