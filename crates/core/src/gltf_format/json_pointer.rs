//! JSON Pointer (RFC 6901).

use std::borrow::Cow;

/// Escapes one reference token.
pub fn escape(token: &str) -> Cow<'_, str> {
    if token.contains(['~', '/']) { token.replace('~', "~0").replace('/', "~1").into() } else { token.into() }
}
