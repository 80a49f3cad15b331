//! What is wrong with a file, in the order in which it stands there; the linter behind `rigview check`.
//!
//! Where [`crate::import`] stops at the first fault, this goes on: it walks the JSON value itself, so that one
//! fault hides no other. Codes and severities are those of the Khronos validator, where it has the code; what no
//! validator tells an artist comes from the rig lints, once the file can be imported.
//!
//! The same bounds hold as for an import: no recursion along the file, no allocation by what the file says, and a budget
//! for numbers that many accessors share.

mod accessor_view;
mod animations;
mod buffers;
mod container;
mod core_schemas;
mod data;
mod extension_schemas;
mod file;
mod formats;
mod images;
mod influences;
mod issue;
mod mesh_materials;
mod meshes;
mod nodes;
mod object_rules;
mod references;
mod rig;
mod schema;
mod schema_validator;
mod source_map;
mod targets;
#[cfg(test)]
mod tests;
mod textures;
mod transforms;
mod tree;

pub use issue::{Issue, MAX_ISSUES_PER_CODE, Severity, severity};

use crate::import::{self, ImageLoading, ImportError, ImportOptions, ImportPolicy, Limits};
use buffers::Source;
use extension_schemas::Extensions;
use file::CheckedFile;
use issue::{JsonPath, Issues};
use schema::version;
use schema_validator::SchemaValidator;
use serde_json::Value;
use std::ops::Range;
use std::path::Path;

/// What is wrong with the file at `path`, and the files beside it that it names.
pub fn check_file(path: &Path, trust: &ImportPolicy) -> Vec<Issue> {
    match import::read_main_file(path, &trust.limits) {
        Ok(bytes) => check_bytes(bytes, Some(path.parent().unwrap_or(Path::new(""))), trust),
        Err(error) => {
            let mut issues = Issues::default();
            let code = if matches!(error, ImportError::Limit { .. }) { "RIGVIEW_LIMIT" } else { "IO_ERROR" };
            issues.add(code, JsonPath::ROOT, format_args!("{}", Chain(&error)));
            issues.into_vec(b"", false)
        }
    }
}

/// What is wrong with a file that is in memory; files that it names are looked for in `base`.
pub fn check_bytes(bytes: Vec<u8>, base: Option<&Path>, trust: &ImportPolicy) -> Vec<Issue> {
    let mut issues = Issues::default();
    let text = validate(&bytes, (base, trust), &mut issues);
    import_and_lint(bytes.clone(), (base, trust), &mut issues);
    issues.into_vec(bytes.get(text).unwrap_or_default(), !container::is_glb(&bytes))
}

/// Checks the file against the specification; where its JSON is.
fn validate(bytes: &[u8], (base, trust): (Option<&Path>, &ImportPolicy), issues: &mut Issues) -> Range<usize> {
    let is_glb = container::is_glb(bytes);
    let parts = if is_glb { container::check(bytes, issues) } else { container::Parts::default() };
    let json = if is_glb { parts.json } else { Some(0..bytes.len()) };
    let bin = parts.bin.and_then(|range| bytes.get(range));
    let Some(place) = json else { return 0..0 };
    let Some(root) = bytes.get(place.clone()).and_then(|text| parse(text, &trust.limits, issues)) else { return place };

    let extensions = Extensions::new(&root);
    extensions.check(issues);
    SchemaValidator { issues, extensions: &extensions }.object(&root, &core_schemas::ROOT, &JsonPath::ROOT);
    if root.pointer("/asset/version").and_then(version).is_some_and(|(major, _)| major == 2) {
        let bin_is_cut = issues.has("GLB_UNEXPECTED_END_OF_CHUNK_DATA");
        let source = Source { base, trust, is_glb, bin, bin_is_cut };
        let size_bytes = bytes.len() as u64;
        let buffers = buffers::read(&root, source, issues);
        let file = CheckedFile::new(&root, &extensions, size_bytes).with_buffers(buffers, &trust.limits);
        let mut links = references::ReferencePass::new(&file, issues);
        links.run();
        let (rules, meshes) = (std::mem::take(&mut links.rules), std::mem::take(&mut links.meshes));
        images::check(&file, source, issues);
        data::check(&file, &rules, issues);
        influences::check(&file, &meshes, issues);
    }
    place
}

/// The JSON of a file, if it is an object of bearable size.
fn parse(text: &[u8], limits: &Limits, issues: &mut Issues) -> Option<Value> {
    let value = match import::parse_json(text, limits) {
        Ok((value, padded)) => {
            if padded {
                let message = format_args!("its JSON is padded with zeros instead of spaces; export the file again");
                issues.add("INVALID_JSON", JsonPath::ROOT, message);
            }
            value
        }
        Err(error) => {
            let code = if matches!(error, ImportError::Limit { .. }) { "RIGVIEW_LIMIT" } else { "INVALID_JSON" };
            issues.add(code, JsonPath::ROOT, format_args!("{}", Chain(&error)));
            return None;
        }
    };
    if !value.is_object() {
        issues.add("TYPE_MISMATCH", JsonPath::ROOT, format_args!("the JSON is not an object, so it is not glTF"));
        return None;
    }
    Some(value)
}

/// Imports the file and looks at the rig; whatever the import refuses is an error, even if no check has seen it.
fn import_and_lint(bytes: Vec<u8>, (base, trust): (Option<&Path>, &ImportPolicy), issues: &mut Issues) {
    let options = ImportOptions { images: ImageLoading::SizesOnly, policy: trust.clone(), ..ImportOptions::default() };
    match import::from_bytes(bytes, base, &options) {
        Ok(loaded) => rig::check(&loaded, issues),
        Err(error @ ImportError::Limit { .. }) if !issues.has("RIGVIEW_LIMIT") => {
            issues.add("RIGVIEW_LIMIT", error.pointer(), format_args!("{}", Chain(&error)));
        }
        Err(error) if !issues.any_error() => {
            issues.add("RIGVIEW_IMPORT_FAILED", error.pointer(), format_args!("{}", Chain(&error)));
        }
        Err(_) => {}
    }
}

/// An error with its sources, outer to inner.
struct Chain<'a>(&'a dyn std::error::Error);

impl std::fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}
