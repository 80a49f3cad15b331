//! Sanitizing and formatting of text for messages. Text from files may contain any character.

use std::path::Path;

/// Maximum characters that [`quoted`] keeps.
const MAX_QUOTED_CHARS: usize = 80;

/// Returns `true` if `c` can move a terminal's cursor, end a line or change the text direction, or if it has no width.
pub fn is_unprintable(c: char) -> bool {
    let is_invisible =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    c.is_control() || is_invisible
}

/// Replaces unprintable characters: line breaks and tabs with a space, others with U+FFFD.
pub fn one_line(text: &str) -> String {
    let replacement = |c: char| if c.is_whitespace() { ' ' } else { '\u{fffd}' };
    text.chars().map(|c| if is_unprintable(c) { replacement(c) } else { c }).collect()
}

/// The first `max_chars` characters of `text`, unprintable ones escaped as in Rust; `…` marks a cut.
pub fn escaped(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == max_chars {
            out.push('…');
            break;
        }
        if is_unprintable(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// A name or value from a file, [`escaped`] and cut to 80 characters.
pub fn excerpt(text: &str) -> String {
    escaped(text, MAX_QUOTED_CHARS)
}

/// Like [`excerpt`], in double quotes.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", excerpt(text))
}

/// The last component of `path`, for display.
pub fn file_name(path: &Path) -> String {
    one_line(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy())
}

/// `text` with its first letter in upper case, if that is ASCII.
pub fn capitalized(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// A count with its noun: `1 vertex`, `2 vertices`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `x` with this number of decimals. A number that rounds to zero has no sign.
pub fn fixed(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| matches!(c, '0' | '.')) => digits.to_owned(),
        _ => text,
    }
}

/// Returns an error with its causes in one line, separated by colons.
pub fn line_of_causes(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", line_of_causes(source)),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_round_to_zero_have_no_sign() {
        assert_eq!([-0.0, -0.0004, 0.0004].map(|x| fixed(x, 3)), ["0.000"; 3]);
        assert_eq!([fixed(-0.0006, 3), fixed(-1.0, 0), fixed(-0.04, 1)], ["-0.001", "-1", "0.0"]);
    }

    #[test]
    fn unprintable_characters_are_escaped_or_replaced() {
        for (text, expected_escaped, expected_line) in [
            ("Körper 體 🦊", "Körper 體 🦊", "Körper 體 🦊"),
            ("a\u{1b}[2J\nb", "a\\u{1b}[2J\\nb", "a\u{fffd}[2J b"),
            ("\u{202e}exe", "\\u{202e}exe", "\u{fffd}exe"),
            ("\u{2067}x\u{200b}\u{85}", "\\u{2067}x\\u{200b}\\u{85}", "\u{fffd}x\u{fffd} "),
        ] {
            assert_eq!(escaped(text, 80), expected_escaped);
            assert_eq!(one_line(text), expected_line);
        }
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(quoted("Body"), "\"Body\"");
        assert_eq!(quoted(&"é".repeat(100)).chars().count(), 83);
    }

    #[test]
    fn first_letter_is_capitalized() {
        let texts = ["local transform copied", "é", ""].map(capitalized);
        assert_eq!(texts, ["Local transform copied", "é", ""]);
    }

    #[test]
    fn file_name_has_no_folders() {
        assert_eq!(file_name(Path::new("/models/fox\n.glb")), "fox .glb");
        assert_eq!(file_name(Path::new("/")), "/");
    }
}
