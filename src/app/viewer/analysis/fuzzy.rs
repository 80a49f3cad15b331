//! Fuzzy search.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// A search for names that contain the letters of every word of a query in order.
pub(crate) struct FuzzySearch {
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
}

impl FuzzySearch {
    pub(crate) fn new(query: &str) -> Self {
        let pattern = Pattern::new(query, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
        Self { pattern, matcher: Matcher::new(Config::DEFAULT), buffer: Vec::new() }
    }

    /// Scores how well `name` matches; `None` if it does not. Higher is better. An empty query matches all names equally.
    pub(crate) fn score(&mut self, name: &str) -> Option<u32> {
        self.pattern.score(Utf32Str::new(name, &mut self.buffer), &mut self.matcher)
    }
}
