//! All checks of one file, in order.

use super::accessor_data;
use super::buffers;
use super::checked_file::CheckedFile;
use super::codes::Severity;
use super::container;
use super::extensions::Extensions;
use super::flex::FlexCheck;
use super::images;
use super::influences;
use super::issue::{Issue, Issues};
use super::json_path::JsonPath;
use super::json_values::version;
use super::profile::{self, Profile, Rules};
use super::reference_pass::ReferencePass;
use super::resources::Resources;
use super::rig;
use super::schema_validator::SchemaValidator;
use rigview_core::import::{
    self, BYTE_ORDER_MARK, Diagnostic, DiagnosticKind, ImageLoading, ImportError, ImportOptions, ImportPolicy,
    ModelFile,
};
use rigview_core::schema;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display};
use std::ops::Range;
use std::path::Path;

/// Checks the file at `path` and the external files that it refers to. Read errors are issues, too.
///
/// `flex` also poses the joints and measures the skinned mesh. A `profile` adds its own rules, and sets severities.
pub fn check_file(
    path: &Path,
    policy: &ImportPolicy,
    flex: Option<&mut FlexCheck<'_>>,
    profile: Option<&Profile>,
) -> Vec<Issue> {
    match ModelFile::read(path, &policy.limits) {
        Ok(file) => check_model(path, file, policy, flex, profile),
        Err(error) => unreadable(&error),
    }
}

/// Checks a model that has been read. `path` chooses the rules of the profile.
pub fn check_model(
    path: &Path,
    file: ModelFile,
    policy: &ImportPolicy,
    flex: Option<&mut FlexCheck<'_>>,
    profile: Option<&Profile>,
) -> Vec<Issue> {
    let rules = profile.map(|profile| profile.rules_for(Some(path)));
    check_by(file, policy, flex, rules.as_ref())
}

/// Checks a file in memory. The URIs of external files are relative to `base`.
pub fn check_bytes(bytes: Vec<u8>, base: Option<&Path>, policy: &ImportPolicy) -> Vec<Issue> {
    match ModelFile::from_bytes(bytes, base, &policy.limits) {
        Ok(file) => check_by(file, policy, None, None),
        Err(error) => unreadable(&error),
    }
}

fn unreadable(error: &ImportError) -> Vec<Issue> {
    let mut issues = Issues::default();
    report_error(error, "IO_ERROR", JsonPath::ROOT, &mut issues);
    issues.into_vec(b"", false)
}

/// Checks a model, with the range of motion test if there is `flex`, and by rules.
pub(super) fn check_by(
    file: ModelFile,
    policy: &ImportPolicy,
    flex: Option<&mut FlexCheck<'_>>,
    rules: Option<&Rules>,
) -> Vec<Issue> {
    let mut issues = Issues::default();
    // The specification does not apply to BVH, which is imported as glTF.
    let json = if import::is_bvh(file.bytes()) { 0..0 } else { validate(&file, policy, &mut issues) };
    import_and_lint(file.clone(), policy, flex, rules, &mut issues);
    let bytes = file.bytes();
    let mut issues = issues.into_vec(bytes.get(json).unwrap_or_default(), !container::is_glb(bytes));
    if let Some(rules) = rules {
        issues.retain_mut(|issue| match rules.severity(issue.code, issue.severity) {
            Some(severity) => {
                issue.severity = severity;
                true
            }
            None => false,
        });
    }
    issues
}

/// [`check_by`] without a profile.
#[cfg(test)]
pub(super) fn check(
    bytes: Vec<u8>,
    base: Option<&Path>,
    policy: &ImportPolicy,
    flex: Option<&mut FlexCheck<'_>>,
) -> Vec<Issue> {
    check_by(ModelFile::from_bytes(bytes, base, &policy.limits).unwrap(), policy, flex, None)
}

/// Validates the file against the specification, and returns the range of its JSON.
fn validate(file: &ModelFile, policy: &ImportPolicy, issues: &mut Issues) -> Range<usize> {
    let bytes = file.bytes();
    let is_glb = container::is_glb(bytes);
    let parts = if is_glb { container::check(bytes, issues) } else { container::Parts::default() };
    let json = if is_glb { parts.json } else { Some(0..bytes.len()) };
    let bin = parts.bin.and_then(|range| bytes.get(range));
    let Some(json) = json else { return 0..0 };
    let Some(root) = bytes.get(json.clone()).and_then(|text| parse(text, is_glb, policy, issues)) else { return json };

    let extensions = Extensions::new(&root);
    extensions.check(issues);
    SchemaValidator { issues, extensions: &extensions }.object(&root, &schema::ROOT, &JsonPath::ROOT);
    if root.pointer("/asset/version").and_then(version).is_some_and(|(major, _)| major == 2) {
        let bin_is_truncated = issues.has("GLB_UNEXPECTED_END_OF_CHUNK_DATA");
        let resources = Resources { file, policy, is_glb, bin, bin_is_truncated };
        let buffers = buffers::read(&root, resources, issues);
        let file = CheckedFile::new(&root, &extensions, bytes.len() as u64).with_buffers(buffers, &policy.limits);
        let mut pass = ReferencePass::new(&file, issues);
        pass.check_all();
        let ReferencePass { rules, meshes, .. } = pass;
        images::check(&file, resources, issues);
        accessor_data::check(&file, &rules, issues);
        influences::check(&file, &meshes, issues);
    }
    json
}

/// Parses the JSON; `None` if it is invalid, too large or not an object.
fn parse(text: &[u8], is_glb: bool, policy: &ImportPolicy, issues: &mut Issues) -> Option<Value> {
    let (value, is_padded) = match import::parse_json(text, &policy.limits) {
        Ok(parsed) => parsed,
        Err(error) => {
            let other_format = if is_glb { None } else { import::reject_other_formats(text).err() };
            let error = other_format.unwrap_or(error);
            report_error(&error, "INVALID_JSON", JsonPath::ROOT, issues);
            return None;
        }
    };
    if text.starts_with(BYTE_ORDER_MARK) {
        let message = format_args!("its JSON begins with a byte order mark, which glTF forbids; export the file again");
        issues.add("INVALID_JSON", JsonPath::ROOT, message);
    }
    if is_padded {
        let message = format_args!("its JSON is padded with zeros instead of spaces; export the file again");
        issues.add("INVALID_JSON", JsonPath::ROOT, message);
    }
    if !value.is_object() {
        issues.add("TYPE_MISMATCH", JsonPath::ROOT, format_args!("the JSON is not an object, so it is not glTF"));
        return None;
    }
    Some(value)
}

/// Imports the file and lints the rig. An import error is an issue unless a check has reported an error.
fn import_and_lint(
    file: ModelFile,
    policy: &ImportPolicy,
    flex: Option<&mut FlexCheck<'_>>,
    rules: Option<&Rules>,
    issues: &mut Issues,
) {
    let options = ImportOptions::default().with_images(ImageLoading::Verify).with_policy(policy.clone());
    let is_bvh = import::is_bvh(file.bytes());
    match file.import(&options) {
        Ok(loaded) => {
            report_diagnostics(&loaded.diagnostics, issues);
            rig::check(&loaded.model, is_bvh, issues);
            if let Some(rules) = rules {
                profile::check(rules, &loaded, issues);
            }
            if let Some(flex) = flex {
                flex.check(loaded.model, issues);
            }
        }
        Err(error) => {
            let is_limit = error.is_limit();
            if is_limit && !issues.has("RIGVIEW_LIMIT") || !is_limit && !issues.any_error() {
                report_error(&error, "RIGVIEW_IMPORT_FAILED", error.pointer(), issues);
            }
        }
    }
}

/// Adds the diagnostics of the import about elements without an issue of at least the same severity.
fn report_diagnostics(diagnostics: &[Diagnostic], issues: &mut Issues) {
    let mut known: BTreeMap<Severity, BTreeSet<String>> = BTreeMap::new();
    for issue in issues.list() {
        known.entry(issue.severity).or_default().insert(issue.pointer.clone());
    }
    for diagnostic in diagnostics {
        let (code, min_severity) = match diagnostic.kind {
            DiagnosticKind::LeftOut => ("RIGVIEW_LEFT_OUT", Severity::Warning),
            DiagnosticKind::Unsupported => ("RIGVIEW_UNSUPPORTED", Severity::Info),
            DiagnosticKind::Note => ("RIGVIEW_IMPORT_NOTE", Severity::Info),
        };
        let is_known = known.range(min_severity..).any(|(_, pointers)| has_related(pointers, &diagnostic.pointer));
        if !is_known {
            let message = format_args!("{}", diagnostic.message);
            issues.add_with_change(code, &diagnostic.pointer, message, diagnostic.policy_change);
        }
    }
}

/// Returns `true` if `pointers` has the pointer, one of its ancestors or a descendant. The root is no ancestor.
fn has_related(pointers: &BTreeSet<String>, pointer: &str) -> bool {
    if pointer.is_empty() {
        return pointers.contains(pointer);
    }
    let below = format!("{pointer}/");
    pointers.contains(pointer)
        || pointer.match_indices('/').skip(2).any(|(end, _)| pointers.contains(&pointer[..end]))
        || pointers.range(below.clone()..).next().is_some_and(|found| found.starts_with(&below))
}

/// Reports an error with its sources; exceeded limits have a code of their own.
fn report_error(error: &ImportError, code: &'static str, at: impl Display, issues: &mut Issues) {
    let code = if error.is_limit() { "RIGVIEW_LIMIT" } else { code };
    issues.add_with_change(code, at, format_args!("{}", ErrorChain(error)), error.policy_change());
}

/// An error with its sources, outer to inner.
struct ErrorChain<'a>(&'a dyn std::error::Error);

impl Display for ErrorChain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}
