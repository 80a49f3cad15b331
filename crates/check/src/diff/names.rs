//! Names of items in a report, and matching of items by name.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// Items of one kind in both models, matched by name. The second of two items with one name matches the second one.
pub(crate) struct Names {
    /// Unique names for the report, of both models.
    pub(crate) shown: [Vec<String>; 2],
    /// Indices in both models.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// Names of the items of the second model without a match.
    pub(crate) added: Vec<String>,
    /// Names of the items of the first model without a match.
    pub(crate) removed: Vec<String>,
}

impl Names {
    /// Matches items with these names. An item without a name matches the item with the same index.
    pub(crate) fn new(kind: &str, names: [Vec<Option<&str>>; 2]) -> Self {
        let shown = names.each_ref().map(|names| {
            let name = |(i, name): (usize, &Option<&str>)| name.map_or_else(|| format!("{kind} {i}"), str::to_owned);
            numbered(names.iter().enumerate().map(|entry| ((), name(entry))))
        });
        let [before, after] = names.map(|names| keys(&names));
        let index: HashMap<_, _> = after.iter().zip(0..).collect();
        let mut is_matched = vec![false; after.len()];
        let (mut pairs, mut removed) = (Vec::new(), Vec::new());
        for (i, key) in before.iter().enumerate() {
            match index.get(key) {
                Some(j) => {
                    pairs.push((i, *j));
                    is_matched[*j] = true;
                }
                None => removed.push(shown[0][i].clone()),
            }
        }
        let added = shown[1].iter().zip(is_matched).filter(|(_, is_matched)| !is_matched);
        let added = added.map(|(name, _)| name.clone()).collect();
        Self { shown, pairs, added, removed }
    }
}

/// Returns each name with its ordinal among equal names; without a name, the index.
fn keys<'a>(names: &[Option<&'a str>]) -> Vec<(Option<&'a str>, usize)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let key = |(i, name): (usize, &Option<&'a str>)| match *name {
        Some(name) => {
            let count = counts.entry(name).or_default();
            *count += 1;
            (Some(name), *count)
        }
        None => (None, i),
    };
    names.iter().enumerate().map(key).collect()
}

/// Makes names unique within their scope: repeated ones get the next free number, as in `name#2`.
pub(crate) fn numbered<S: Copy + Eq + Hash>(names: impl Iterator<Item = (S, String)>) -> Vec<String> {
    let mut taken = HashSet::new();
    // The next number of each name.
    let mut next: HashMap<(S, String), usize> = HashMap::new();
    let unique = |(scope, name): (S, String)| {
        let mut candidate = name.clone();
        while !taken.insert((scope, candidate.clone())) {
            let count = next.entry((scope, name.clone())).or_insert(2);
            candidate = format!("{name}#{count}");
            *count += 1;
        }
        candidate
    };
    names.map(unique).collect()
}

/// Returns the index of the item with this name in a report.
pub(crate) fn position<'a>(kind: &str, names: impl Iterator<Item = Option<&'a str>>, requested: &str) -> Option<u32> {
    let names = [names.collect(), Vec::new()];
    let index = Names::new(kind, names).shown[0].iter().position(|name| name == requested)?;
    Some(index as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_names_are_numbered() {
        let names = ["a", "a", "a#2", "", "a"].map(|name| (!name.is_empty()).then_some(name)).to_vec();
        let found = Names::new("mesh", [names.clone(), names.clone()]);
        assert_eq!(found.shown[0], ["a", "a#2", "a#2#2", "mesh 3", "a#3"]);
        assert_eq!(found.pairs, [0, 1, 2, 3, 4].map(|i| (i, i)));
        assert_eq!(position("mesh", names.into_iter(), "a#2#2"), Some(2));
        let many = vec![Some("a"); 20_000];
        let found = Names::new("mesh", [many.clone(), many]);
        assert_eq!((found.shown[0].last().unwrap().as_str(), found.pairs.len()), ("a#20000", 20_000));
    }

    #[test]
    fn name_that_looks_numbered_is_another_name() {
        let found = Names::new("clip", [vec![Some("a"), Some("a")], vec![Some("a"), Some("a#2")]]);
        assert_eq!((found.pairs, found.removed, found.added), (vec![(0, 0)], vec!["a#2".into()], vec!["a#2".into()]));
        let found = Names::new("clip", [vec![None, Some("clip 0")], vec![Some("clip 0")]]);
        assert_eq!((found.pairs, found.removed.len()), (vec![(1, 0)], 1));
    }
}
