//! JSON output without characters that a terminal interprets.

use rigview_core::util::text::is_unprintable;
use serde::Serialize;
use std::fmt::Write;

/// Returns `value` as one line of JSON, with the line feed.
///
/// # Panics
/// If it is no plain data, such as a map whose keys are not strings.
pub(crate) fn json_line(value: &impl Serialize) -> String {
    escape(&serde_json::to_string(value).expect("plain data becomes JSON"))
}

/// Returns `value` as indented JSON, with a line feed at the end.
///
/// # Panics
/// If it is no plain data, such as a map whose keys are not strings.
pub(crate) fn json_pretty(value: &impl Serialize) -> String {
    escape(&serde_json::to_string_pretty(value).expect("plain data becomes JSON"))
}

/// Escapes unprintable characters, and `##[`, which GitHub Actions obeys anywhere in a line. One `\u` escape suffices: no such character needs a surrogate pair. Outside of
/// strings, line feeds are the only ones in JSON.
fn escape(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 1);
    // Outside of strings there is no `#`.
    let json = json.replace("##[", "#\\u0023[");
    for c in json.chars() {
        if c != '\n' && is_unprintable(c) {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unprintable_characters_are_escaped() {
        let text = "é\u{202e}\u{85}\n\u{1b}\u{feff}";
        assert_eq!(json_line(&text), "\"é\\u202e\\u0085\\n\\u001b\\ufeff\"\n");
        assert_eq!(json_pretty(&[text]), "[\n  \"é\\u202e\\u0085\\n\\u001b\\ufeff\"\n]\n");
        assert_eq!(serde_json::from_str::<String>(&json_line(&text)).unwrap(), text);
        assert_eq!(json_line(&"##[error]"), "\"#\\u0023[error]\"\n");
        assert_eq!(serde_json::from_str::<String>(&json_line(&"##[error]")).unwrap(), "##[error]");
    }
}
