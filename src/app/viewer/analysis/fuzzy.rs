//! Fuzzy search.

/// Scores how well `asked` matches `name`; `None` if it does not. Higher is better.
///
/// All letters of `asked` must occur in order. Runs and starts of words score more.
pub(crate) fn fuzzy_score(asked: &str, name: &str) -> Option<i32> {
    if asked.trim().is_empty() {
        // All names are as good, whatever their length.
        return Some(0);
    }
    let lower = |text: &str| text.to_lowercase().chars().collect::<Vec<_>>();
    let (asked, name) = (lower(asked), lower(name));
    let (mut fuzzy_score, mut next, mut last) = (0, 0, None);
    for letter in asked.iter().filter(|letter| !letter.is_whitespace()) {
        // A run goes on if it can; else the letter is sought at the start of a word, else anywhere.
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
