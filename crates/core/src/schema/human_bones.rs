//! Human bones of VRM avatars, and the names of their preset expressions.

use HumanBoneNeed::{NeedsParent, Optional, Required};

/// Names of the preset expressions of VRM 1.0: emotions, lip sync, blinking, gaze, and the neutral one.
pub const PRESET_EXPRESSIONS: [&str; 18] = [
    "happy",
    "angry",
    "sad",
    "relaxed",
    "surprised",
    "aa",
    "ih",
    "ou",
    "ee",
    "oh",
    "blink",
    "blinkLeft",
    "blinkRight",
    "lookUp",
    "lookDown",
    "lookLeft",
    "lookRight",
    "neutral",
];

/// The condition for the absence of a human bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HumanBoneNeed {
    /// Every avatar has the bone.
    Required,
    /// The bone may be absent.
    Optional,
    /// The bone may be absent, and is so without its parent.
    NeedsParent,
}

/// A bone of the human body, such as `leftUpperArm`.
#[derive(Clone, Debug)]
pub struct HumanBone {
    /// Name in the file.
    pub name: String,
    /// Name of the parent; empty for the hips.
    pub parent: String,
    /// Condition for its absence.
    pub need: HumanBoneNeed,
}

/// Bones outside of the hands, with their parents. `*` is `left` or `right`.
const BODY: [(&str, &str, HumanBoneNeed); 16] = [
    ("hips", "", Required),
    ("spine", "hips", Required),
    ("chest", "spine", Optional),
    ("upperChest", "chest", NeedsParent),
    ("neck", "upperChest", Optional),
    ("head", "neck", Required),
    ("jaw", "head", Optional),
    ("*Eye", "head", Optional),
    ("*UpperLeg", "hips", Required),
    ("*LowerLeg", "*UpperLeg", Required),
    ("*Foot", "*LowerLeg", Required),
    ("*Toes", "*Foot", Optional),
    ("*Shoulder", "upperChest", Optional),
    ("*UpperArm", "*Shoulder", Required),
    ("*LowerArm", "*UpperArm", Required),
    ("*Hand", "*LowerArm", Required),
];

/// Returns the human bones of VRM 1.0, or of VRM 0.x.
///
/// Version 0.x requires chest and neck, and has other names for the bones of a thumb.
pub fn human_bones(is_version_1: bool) -> Vec<HumanBone> {
    let mut bones = Vec::new();
    let mut add = |name: &str, parent: &str, need| {
        let sides: &[&str] = if name.starts_with('*') { &["left", "right"] } else { &[""] };
        let bone = |side: &&str| HumanBone { name: name.replace('*', side), parent: parent.replace('*', side), need };
        bones.extend(sides.iter().map(bone));
    };
    for (name, parent, need) in BODY {
        let is_required = !is_version_1 && matches!(name, "chest" | "neck");
        add(name, parent, if is_required { Required } else { need });
    }
    for finger in ["Thumb", "Index", "Middle", "Ring", "Little"] {
        let parts = if finger == "Thumb" && is_version_1 {
            ["Metacarpal", "Proximal", "Distal"]
        } else {
            ["Proximal", "Intermediate", "Distal"]
        };
        let [first, second, third] = parts.map(|part| format!("*{finger}{part}"));
        add(&first, "*Hand", Optional);
        add(&second, &first, NeedsParent);
        add(&third, &second, NeedsParent);
    }
    bones
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_precede_their_bones() {
        for (is_version_1, required_count) in [(true, 15), (false, 17)] {
            let bones = human_bones(is_version_1);
            assert_eq!(bones.len(), 55);
            assert_eq!(bones.iter().filter(|bone| bone.need == Required).count(), required_count);
            for (i, bone) in bones.iter().enumerate().skip(1) {
                assert!(bones[..i].iter().any(|other| other.name == bone.parent), "{bone:?}");
            }
        }
        assert!(human_bones(true).iter().any(|bone| bone.name == "leftThumbMetacarpal"));
        assert!(human_bones(false).iter().any(|bone| bone.name == "rightThumbIntermediate"));
    }
}
