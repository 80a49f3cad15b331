//! Fuzzy search.

/// Scores how well `query` matches `name`; `None` if it does not. Higher is better.
///
/// All letters of `query` must occur in order. Runs and starts of words score more.
pub(crate) fn fuzzy_score(query: &str, name: &str) -> Option<i32> {
    if query.trim().is_empty() {
        // An empty query matches all names equally.
        return Some(0);
    }
    let lower = |text: &str| text.to_lowercase().chars().collect::<Vec<_>>();
    let (query, name) = (lower(query), lower(name));
    let (mut score, mut next, mut last) = (0, 0, None);
    for letter in query.iter().filter(|letter| !letter.is_whitespace()) {
        // Prefers the letter that continues a run, then the start of a word.
        let starts_word = |i: usize| i == 0 || !name[i - 1].is_alphanumeric();
        let after = last.map(|last: usize| last + 1).filter(|&i| name.get(i) == Some(letter));
        let at_word = || (next..name.len()).find(|&i| name[i] == *letter && starts_word(i));
        let anywhere = || (next..name.len()).find(|&i| name[i] == *letter);
        let index = after.or_else(at_word).or_else(anywhere)?;
        score += match (after.is_some(), starts_word(index)) {
            (true, _) => 3,
            (_, true) => 4,
            _ => 0,
        };
        (next, last) = (index + 1, Some(index));
    }
    Some(score * 4 - name.len() as i32 / 8)
}
