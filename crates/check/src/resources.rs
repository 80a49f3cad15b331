//! Data outside the JSON: the BIN chunk, data URIs and external files.

use super::issue::Issues;
use super::json_path::JsonPath;
use rigview_core::import::{ImportPolicy, ModelFile, Problem, decode_data_uri, is_data_uri};
use rigview_core::util::text::quoted;

#[derive(Clone, Copy)]
pub(super) struct Resources<'a> {
    pub(super) file: &'a ModelFile,
    pub(super) policy: &'a ImportPolicy,
    pub(super) is_glb: bool,
    pub(super) bin: Option<&'a [u8]>,
    /// The BIN chunk is truncated, which has been reported.
    pub(super) bin_is_truncated: bool,
}

impl Resources<'_> {
    /// Reports URIs in a GLB file, which is meant to be self-contained.
    pub(super) fn report_uri_in_glb(&self, uri: &str, at: &JsonPath<'_>, issues: &mut Issues) {
        if self.is_glb {
            issues.add("URI_GLB", at, format_args!("a GLB file should be self-contained, without external files"));
            if is_data_uri(uri) {
                issues.add("DATA_URI_GLB", at, format_args!("a data URI is a third larger than data in the BIN chunk"));
            }
        }
    }

    /// Reads the external file of a relative URI, or its first `length` bytes.
    pub(super) fn read_external(
        &self,
        uri: &str,
        length: Option<u64>,
        at: &JsonPath<'_>,
        issues: &mut Issues,
    ) -> Option<Vec<u8>> {
        let report = |problem: Problem| {
            issues.add_with_change("IO_ERROR", at, format_args!("{problem}"), problem.policy_change);
        };
        self.file.read_external(uri, self.policy, length).map_err(report).ok()
    }
}

/// Decodes a data URI; reports an issue if it is malformed, also where the import is lenient.
pub(super) fn decode_data(uri: &str, at: &JsonPath<'_>, issues: &mut Issues) -> Option<Vec<u8>> {
    let mut report = |problem: &str| issues.add("INVALID_URI", at, format_args!("{problem}"));
    match decode_data_uri(uri) {
        Ok(_) if uri.bytes().any(|byte| byte.is_ascii_whitespace()) => {
            report("its data URI contains spaces or line breaks; remove them, or export again");
            None
        }
        Ok(_) if has_trailing_bits(uri) => {
            report("the last character of its data URI is not base64; copy or export the file again");
            None
        }
        Ok(bytes) => Some(bytes),
        Err(problem) => {
            report(&problem.message);
            None
        }
    }
}

/// Returns `true` if the last base64 character of a data URI has bits beyond the last byte (RFC 4648, section 3.5).
fn has_trailing_bits(uri: &str) -> bool {
    let Some((head, payload)) = uri.split_once(',') else { return false };
    if !head.to_ascii_lowercase().ends_with(";base64") || payload.contains('%') {
        return false;
    }
    let payload = payload.trim_end_matches('=');
    let allowed = match payload.len() % 4 {
        2 => "AQgw",
        3 => "AEIMQUYcgkosw048",
        _ => return false,
    };
    !payload.ends_with(|last| allowed.contains(last))
}

/// Checks the syntax of a URI of an external file; returns `false` if it is not a URI.
pub(super) fn check_uri(uri: &str, at: &JsonPath<'_>, issues: &mut Issues) -> bool {
    let head = uri.split(['/', '?', '#']).next().unwrap_or_default();
    let scheme = head.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    if scheme == Some("") || uri.contains("//[") {
        issues.add("INVALID_URI", at, format_args!("{} is not a URI; rename the file and export again", quoted(uri)));
        return false;
    }
    if scheme.is_some_and(is_scheme) || uri.starts_with('/') || uri.contains(['?', '#']) {
        let uri = quoted(uri);
        let message = format_args!("{uri} is not relative to the model; put the file next to it");
        issues.add("NON_RELATIVE_URI", at, message);
    }
    true
}
