//! Prefixes that names share, such as `mixamorig:` and `Armature|`.

use std::collections::HashMap;

/// Fewer names do not show that a prefix is systematic.
const MIN_NAMES: usize = 3;

/// The length in bytes of each name's prefix up to its last `:` or `|`, if at least three names share it; else 0.
pub(crate) fn shared_prefixes<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<usize> {
    // A name that ends with the separator has nothing else to show.
    let prefix = |name: &'a str| name.rfind([':', '|']).map_or("", |end| &name[..=end]);
    let mut counts: HashMap<&str, usize> = HashMap::new();
    names.clone().for_each(|name| *counts.entry(prefix(name)).or_default() += 1);
    let length = |name: &'a str| {
        let prefix = prefix(name);
        if counts[prefix] >= MIN_NAMES && prefix.len() < name.len() { prefix.len() } else { 0 }
    };
    names.map(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_of_three_names_or_more_counts() {
        let lengths = |names: &[&str]| shared_prefixes(names.iter().copied());
        let rig = ["Armature", "mixamorig:Hips", "mixamorig:Spine", "mixamorig:", "eye:L"];
        assert_eq!(lengths(&rig), [0, 10, 10, 0, 0]);
        assert_eq!(lengths(&["Armature|Walk", "Armature|Run"]), [0, 0]);
        assert_eq!(lengths(&["A|\u{e4}|x", "A|\u{e4}|y", "A|\u{e4}|z"]), [5, 5, 5]);
        assert_eq!(lengths(&["plain", "names", "only"]), [0, 0, 0]);
    }
}
