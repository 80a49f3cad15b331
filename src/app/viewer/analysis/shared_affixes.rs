//! Prefixes and suffixes that names share, such as `mixamorig:`, `Armature|` and `_bind_JNT`.

use std::collections::HashMap;

/// Fewer names do not show that a prefix is systematic.
const MIN_NAMES: usize = 3;

/// A suffix of fewer names may distinguish them, as `_L` and `_end` do. In percent.
const MIN_SUFFIX_PERCENT: usize = 70;

/// The lengths in bytes of each name's prefix and suffix that other names share, 0 for none.
///
/// A prefix ends with `:` or `|`, and at least three names share it. A suffix starts with `_`, and most names share it.
pub(crate) fn shared_affixes<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<[usize; 2]> {
    // A name that ends with the separator has nothing else to show.
    let prefix = |name: &'a str| name.rfind([':', '|']).map_or("", |end| &name[..=end]);
    let suffixes = |name: &'a str| name.rmatch_indices('_').take(2).map(|(start, _)| &name[start..]);
    let (mut prefixes, mut suffix_counts): (HashMap<&str, usize>, HashMap<&str, usize>) = Default::default();
    names.clone().for_each(|name| *prefixes.entry(prefix(name)).or_default() += 1);
    names.clone().flat_map(suffixes).for_each(|suffix| *suffix_counts.entry(suffix).or_default() += 1);
    let min = MIN_NAMES.max((names.clone().count() * MIN_SUFFIX_PERCENT).div_ceil(100));
    suffix_counts.retain(|_, count| *count >= min);
    let suffix = suffix_counts.into_keys().max_by_key(|suffix| suffix.len()).unwrap_or_default();
    let lengths = |name: &'a str| {
        let prefix = prefix(name).len();
        let prefix = if prefixes[&name[..prefix]] >= MIN_NAMES && prefix < name.len() { prefix } else { 0 };
        let ends_with_suffix = name[prefix..].ends_with(suffix) && prefix + suffix.len() < name.len();
        [prefix, if ends_with_suffix { suffix.len() } else { 0 }]
    };
    names.map(lengths).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<'a>(names: &[&'a str]) -> Vec<&'a str> {
        let affixes = shared_affixes(names.iter().copied());
        names.iter().zip(affixes).map(|(name, [prefix, suffix])| &name[prefix..name.len() - suffix]).collect()
    }

    #[test]
    fn prefix_of_three_names_or_more_is_dropped() {
        let rig = ["Armature", "mixamorig:Hips", "mixamorig:Spine", "mixamorig:", "eye:L"];
        assert_eq!(shown(&rig), ["Armature", "Hips", "Spine", "mixamorig:", "eye:L"]);
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
