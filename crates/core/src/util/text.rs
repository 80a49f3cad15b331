//! Sanitizing and formatting of text for messages. Text from files may contain any character.

use std::cmp::Ordering;
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

/// Compares texts with runs of digits as numbers: `a2` is before `a10`.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let (run_a, run_b) = (digits(a), digits(b));
        if !run_a.is_empty() && !run_b.is_empty() {
            // Without leading zeros, the longer number is larger.
            let [number_a, number_b] = [run_a, run_b].map(|run| run.trim_start_matches('0'));
            let order = number_a.len().cmp(&number_b.len()).then(number_a.cmp(number_b));
            if order != Ordering::Equal {
                return order;
            }
            (a, b) = (&a[run_a.len()..], &b[run_b.len()..]);
            continue;
        }
        let (mut chars_a, mut chars_b) = (a.chars(), b.chars());
        match (chars_a.next(), chars_b.next()) {
            (Some(x), Some(y)) if x == y => (a, b) = (chars_a.as_str(), chars_b.as_str()),
            (x, y) => return x.cmp(&y),
        }
    }
}

/// The ASCII digits at the start of `text`.
fn digits(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn digits_compare_as_numbers() {
        let sorted = ["", "a", "a1", "a01b", "a2", "a10", "a10b2", "a10b11", "a99999999999999999999", "b", "ä"];
        for (i, a) in sorted.iter().enumerate() {
            assert_eq!(natural_order(a, a), Ordering::Equal);
            for b in &sorted[i + 1..] {
                assert_eq!((natural_order(a, b), natural_order(b, a)), (Ordering::Less, Ordering::Greater), "{a} {b}");
            }
        }
    }
}
