//! Search of names by words.

/// How well a name matches, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchRank {
    /// A typed word is in the middle of a word.
    Middle,
    /// Each typed word begins a word.
    Words,
    /// The name begins with the typed words.
    Beginning,
    /// The name has no other words.
    Whole,
}

/// A search for names that contain every typed word. Case, blanks and punctuation within words do not matter.
pub struct NameSearch {
    words: Vec<Vec<char>>,
}

impl NameSearch {
    /// Creates the search for the words of `query`.
    pub fn new(query: &str) -> Self {
        let words = query.split_whitespace().map(|word| Name::new(word).letters);
        Self { words: words.filter(|word| !word.is_empty()).collect() }
    }

    /// Returns how well `name` matches; `None` if it does not. An empty query matches all names equally.
    pub fn rank(&self, name: &str) -> Option<MatchRank> {
        if self.words.is_empty() {
            return Some(MatchRank::Middle);
        }
        let (name, phrase) = (Name::new(name), self.words.concat());
        let worst = self.words.iter().map(|word| name.rank(word)).min()??;
        // The words may be anywhere in the name, or follow each other at its beginning.
        Some(if worst == MatchRank::Middle { worst } else { name.rank(&phrase).unwrap_or(MatchRank::Words) })
    }
}

/// Letters and digits of a text in lower case.
struct Name {
    letters: Vec<char>,
    /// `true` where a word begins: after another character, a capital after a small letter, a digit after a letter and reversed.
    is_start: Vec<bool>,
}

impl Name {
    fn new(text: &str) -> Self {
        let (mut name, mut before) = (Self { letters: Vec::new(), is_start: Vec::new() }, ' ');
        for c in text.chars() {
            let begins = !before.is_alphanumeric()
                || before.is_lowercase() && c.is_uppercase()
                || before.is_numeric() != c.is_numeric();
            before = c;
            if c.is_alphanumeric() {
                let first = name.letters.len();
                name.letters.extend(c.to_lowercase());
                name.is_start.resize(name.letters.len(), false);
                name.is_start[first] = begins;
            }
        }
        name
    }

    /// Returns how well `word` matches at its best place.
    fn rank(&self, word: &[char]) -> Option<MatchRank> {
        let places = self.letters.windows(word.len()).enumerate().filter(|(_, letters)| *letters == word);
        let rank = |(i, _): (usize, &[char])| {
            let end = i + word.len();
            match (self.is_start[i], i, end == self.letters.len()) {
                (true, 0, true) => Some(MatchRank::Whole),
                (true, 0, _) => Some(MatchRank::Beginning),
                (true, ..) => Some(MatchRank::Words),
                // Letters of neighboring words are scattered.
                (false, ..) => (!self.is_start[i + 1..end].contains(&true)).then_some(MatchRank::Middle),
            }
        };
        places.filter_map(rank).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_match_at_their_beginning_then_within() {
        let rank = |query: &str, name: &str| NameSearch::new(query).rank(name);
        for (query, name, expected) in [
            ("full", "Full screen", Some(MatchRank::Beginning)),
            ("fullscreen", "Full screen", Some(MatchRank::Whole)),
            ("FULL SCR", "Full screen", Some(MatchRank::Beginning)),
            ("screen full", "Full screen", Some(MatchRank::Words)),
            ("screen", "Full screen", Some(MatchRank::Words)),
            ("low screen", "Very low screen", Some(MatchRank::Words)),
            ("reen", "Full screen", Some(MatchRank::Middle)),
            ("full reen", "Full screen", Some(MatchRank::Middle)),
            ("lscr", "Full screen", None),
            ("fscr", "Full screen", None),
            ("upperarm", "leftUpperArm", Some(MatchRank::Words)),
            ("leftUpperArm", "left_upper_arm", Some(MatchRank::Whole)),
            ("left upper arm", "leftUpperArm", Some(MatchRank::Whole)),
            ("3", "tail_03", Some(MatchRank::Middle)),
            ("tail03", "tail_03", Some(MatchRank::Whole)),
            ("t-pose", "T-pose", Some(MatchRank::Whole)),
            ("", "anything", Some(MatchRank::Middle)),
            ("!", "anything", Some(MatchRank::Middle)),
            ("x", "", None),
            ("\u{e9}l", "\u{c9}l\u{e8}ve", Some(MatchRank::Beginning)),
        ] {
            assert_eq!(rank(query, name), expected, "{query} in {name}");
        }
    }
}
