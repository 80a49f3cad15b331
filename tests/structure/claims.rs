//! Each figure of README.md is one of `scripts/check-claims`, of a test, or no claim about rigview.

use crate::{root, spec_coverage};

/// Phrases with numbers that are versions, dates and settings.
const NO_CLAIMS: [&str; 8] = [
    "OpenGL 3.3",
    "2,016 shots",
    "Chrome 144 of January 2026",
    "glTF 2.0",
    "Rust 1.89",
    "the viewer 1.95",
    "1,000 animals",
    "Ubuntu Font License 1.0",
];

/// The prose without code and targets of links, on one line.
fn prose(markdown: &str) -> String {
    let lines = markdown.lines().filter(|line| !line.starts_with("    "));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let (text, mut prose) = (words.join(" "), String::new());
    for (i, part) in text.split("](").enumerate() {
        let shown = if i == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) };
        prose.push_str(shown);
    }
    let code = prose.split('`').step_by(2);
    code.collect::<Vec<_>>().join("").replace('[', "")
}

#[test]
fn figures_of_the_readme_have_a_command_or_a_test() {
    let mut text = prose(&std::fs::read_to_string(root().join("README.md")).unwrap());
    let script = std::fs::read_to_string(root().join("scripts/check-claims")).unwrap();
    let claims: Vec<&str> = script
        .lines()
        .skip_while(|line| *line != "CLAIMS = [")
        .filter_map(|line| line.strip_prefix("    (\"")?.split('"').next())
        .collect();
    assert!(claims.len() > 5, "{claims:?}");
    let tested = spec_coverage::claim();
    for claim in claims.iter().copied().chain([&*tested]) {
        assert!(text.contains(claim), "README.md lacks: {claim}");
    }
    // Phrases with numbers may be parts of claims.
    for phrase in claims.iter().copied().chain([&*tested]).chain(NO_CLAIMS) {
        text = text.replace(phrase, "");
    }
    let is_number = |word: &&str| {
        word.trim_start_matches(|c: char| c.is_ascii_punctuation()).starts_with(|c: char| c.is_ascii_digit())
    };
    let numbers: Vec<&str> = text.split(' ').filter(is_number).collect();
    let hint = "add its phrase to CLAIMS of scripts/check-claims, with what measures it";
    assert!(numbers.is_empty(), "README.md has figures without a command: {numbers:?}; {hint}");
}
