//! XML escaping.

use rigview_core::util::text::is_unprintable;

/// Escapes `text` for XML element content and attributes. Unprintable characters and those that XML 1.0 does not allow become
/// U+FFFD.
pub fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if is_unprintable(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn markup_is_escaped_and_invalid_characters_are_replaced() {
        assert_eq!(
            super::escape_xml("a<b> & \"c\"\u{1}\u{ffff}\u{202e}"),
            "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd}\u{fffd}\u{fffd}"
        );
    }
}
