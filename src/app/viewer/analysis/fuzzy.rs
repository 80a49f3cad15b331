//! Fuzzy search.

/// Scores how well `text` matches `name`; `None` if it does not. Higher is better.
///
/// All letters of `text` must occur in order. Runs and starts of words score more.
pub(crate) fn fuzzy_score(text: &str, name: &str) -> Option<i32> {
    if text.trim().is_empty() {
        // An empty text matches all names equally.
        return Some(0);
    }
    let lower = |text: &str| text.to_lowercase().chars().collect::<Vec<_>>();
    let (text, name) = (lower(text), lower(name));
    let (mut fuzzy_score, mut next, mut last) = (0, 0, None);
    for letter in text.iter().filter(|letter| !letter.is_whitespace()) {
        // Prefers to continue a run, then the start of a word.
        let starts_word = |i: usize| i == 0 || !name[i - 1].is_alphanumeric();
        let after = last.map(|last: usize| last + 1).filter(|&i| name.get(i) == Some(letter));
        let at_word = || (next..name.len()).find(|&i| name[i] == *letter && starts_word(i));
        let anywhere = || (next..name.len()).find(|&i| name[i] == *letter);
        let place = after.or_else(at_word).or_else(anywhere)?;
        fuzzy_score += match (after.is_some(), starts_word(place)) {
            (true, _) => 3,
            (_, true) => 4,
            _ => 0,
        };
        (next, last) = (place + 1, Some(place));
    }
    Some(fuzzy_score * 4 - name.len() as i32 / 8)
}
