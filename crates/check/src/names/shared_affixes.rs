//! Prefixes and suffixes that names share, such as `mixamorig:`, `Armature|` and `_bind_JNT`.

use std::collections::HashMap;

/// Fewer names do not show that a prefix is systematic.
const MIN_NAMES: usize = 3;

/// A part that fewer names share may distinguish them, as `_L` and `_end` do. In percent.
const MIN_PERCENT: usize = 70;

/// Ends of prefixes.
const SEPARATORS: [char; 6] = [':', '|', '_', '.', '-', ' '];

/// The lengths in bytes of each name's prefix and suffix that other names share, 0 for none.
///
/// Most names share a prefix up to a separator, and a suffix from a `_`. Three names are enough for a prefix with `:` or `|`.
/// What is left of each name contains a letter.
pub fn shared_affixes<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<[usize; 2]> {
    let namespace = |name: &'a str| name.rfind([':', '|']).map_or("", |end| &name[..=end]);
    let namespaces = occurrences(names.clone().map(namespace));
    let starts = |name: &'a str| name.match_indices(SEPARATORS).take(4).map(|(end, _)| &name[..=end]);
    let ends = |name: &'a str| name.rmatch_indices('_').take(2).map(|(start, _)| &name[start..]);
    let min = MIN_NAMES.max((names.clone().count() * MIN_PERCENT).div_ceil(100));
    let shared = |counts: HashMap<&'a str, usize>| {
        let shared = counts.into_iter().filter(|(_, count)| *count >= min);
        let mut parts: Vec<&str> = shared.map(|(part, _)| part).collect();
        parts.sort_by_key(|part| (std::cmp::Reverse(part.len()), *part));
        parts
    };
    let has_letters = |text: &str| text.contains(char::is_alphabetic);
    // The longest one, unless it leaves numbers alone.
    let leaves_letters = |part: &&str| names.clone().filter_map(|name| name.strip_prefix(part)).all(has_letters);
    let prefix =
        shared(occurrences(names.clone().flat_map(starts))).into_iter().find(leaves_letters).unwrap_or_default();
    let suffix = shared(occurrences(names.clone().flat_map(ends))).first().copied().unwrap_or_default();
    let lengths = |name: &'a str| {
        let namespace = Some(namespace(name)).filter(|namespace| namespaces[namespace] >= MIN_NAMES);
        let prefix = if name.starts_with(prefix) { prefix.len() } else { 0 }.max(namespace.map_or(0, str::len));
        let prefix = if has_letters(&name[prefix..]) { prefix } else { 0 };
        let rest = name[prefix..].strip_suffix(suffix).filter(|rest| has_letters(rest));
        [prefix, rest.map_or(0, |_| suffix.len())]
    };
    names.map(lengths).collect()
}

/// Counts equal texts.
fn occurrences<'a>(texts: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    texts.for_each(|text| *counts.entry(text).or_default() += 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<'a>(names: &[&'a str]) -> Vec<&'a str> {
        let affixes = shared_affixes(names.iter().copied());
        names.iter().zip(affixes).map(|(name, [prefix, suffix])| &name[prefix..name.len() - suffix]).collect()
    }

    #[test]
    fn prefix_that_leaves_numbers_alone_is_shorter() {
        let clips = ["fem_F_Walk_001", "fem_F_Walk_002", "fem_F_Walk_003"];
        assert_eq!(shown(&clips), ["Walk_001", "Walk_002", "Walk_003"]);
    }

    #[test]
    fn prefix_of_three_names_or_more_is_dropped() {
        let rig = ["Armature", "mixamorig:Hips", "mixamorig:Spine", "mixamorig:", "eye:L"];
        assert_eq!(shown(&rig), ["Armature", "Hips", "Spine", "mixamorig:", "eye:L"]);
        assert_eq!(
            shown(&["Robot_Walk", "Robot_Run", "Robot_Jump", "Rest pose"]),
            ["Walk", "Run", "Jump", "Rest pose"]
        );
        assert_eq!(shown(&["face.ai_smile", "face.ai_blink", "face.ai_jaw_open"]), ["smile", "blink", "jaw_open"]);
        assert_eq!(shown(&["Bone.001", "Bone.002", "Bone.003"]), ["Bone.001", "Bone.002", "Bone.003"]);
        assert_eq!(shown(&["Armature|Walk", "Armature|Run"]), ["Armature|Walk", "Armature|Run"]);
        assert_eq!(shown(&["A|\u{e4}|x", "A|\u{e4}|y", "A|\u{e4}|z"]), ["x", "y", "z"]);
        assert_eq!(shown(&["plain", "names", "only"]), ["plain", "names", "only"]);
    }

    #[test]
    fn suffix_of_most_names_is_dropped() {
        let rig = ["C_spine_bind_JNT", "L_arm_bind_JNT", "R_arm_bind_JNT", "_bind_JNT", "eye"];
        assert_eq!(shown(&rig), ["C_spine", "L_arm", "R_arm", "_bind_JNT", "eye"]);
        let sides = ["arm_L", "leg_L", "eye_L", "arm_R", "leg_R", "eye_R"];
        assert_eq!(shown(&sides), sides);
        assert_eq!(shown(&["rig:a_JNT", "rig:b_JNT", "rig:_JNT"]), ["a", "b", "_JNT"]);
    }
}
