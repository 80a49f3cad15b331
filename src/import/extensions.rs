//! Reports the extensions that are not supported.

use super::diagnostic::Diagnostics;
use super::json::Document;
use crate::gltf_format::extensions::{is_registered, is_unsupported};
use crate::util::text::{excerpt, quoted};

/// Reports each unsupported extension once. Returns those that the file requires.
pub(super) fn check(document: &Document, diagnostics: &mut Diagnostics) -> Vec<String> {
    /// More occur in hostile files only.
    const MAX_REPORTED: usize = 100;
    let lists = [("extensionsUsed", &document.extensions_used), ("extensionsRequired", &document.extensions_required)];
    let mut reported: Vec<&str> = Vec::new();
    let mut required: Vec<String> = Vec::new();
    for (list, names) in lists {
        for (i, name) in names.iter().enumerate().filter(|(_, name)| is_unsupported(name)) {
            if !reported.contains(&name.as_str()) && reported.len() < MAX_REPORTED {
                reported.push(name);
                let message = if is_registered(name) {
                    format!("{} is not supported", excerpt(name))
                } else {
                    format!("the extension {} is unknown and is ignored", quoted(name))
                };
                diagnostics.push(format!("/{list}/{i}"), message);
            }
            let name = excerpt(name);
            if list == "extensionsRequired" && !required.contains(&name) && required.len() < MAX_REPORTED {
                required.push(name);
            }
        }
    }
    required
}
