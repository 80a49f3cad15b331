//! The extensions that a file declares.

use super::issue::Issues;
use super::json_path::JsonPath;
use super::json_values::array;
use rigview_core::gltf_format::extensions::{self, is_unsupported};
use rigview_core::schema::{IMAGE_TYPES, PATHS, extended_objects};
use rigview_core::util::text::quoted;
use serde_json::Value;

/// Maximum extensions that are read; each lookup searches them all.
const MAX_EXTENSIONS: usize = 1000;

/// Extensions that add an image format to textures, with its MIME type.
pub(super) fn image_extensions() -> impl Iterator<Item = (&'static str, &'static str)> {
    let known = extensions::EXTENSIONS.iter().filter(|extension| extension.has_schemas);
    known.filter_map(|extension| Some((extension.name, extension.texture_image?.mime_type())))
}

pub(super) struct Extensions<'a> {
    used: Vec<&'a str>,
    required: Vec<&'a str>,
}

impl<'a> Extensions<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        let names = |key| array(root, key).iter().take(MAX_EXTENSIONS).filter_map(Value::as_str).collect();
        Self { used: names("extensionsUsed"), required: names("extensionsRequired") }
    }

    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.used.contains(&name)
    }

    pub(super) fn is_required(&self, name: &str) -> bool {
        self.required.contains(&name)
    }

    /// Returns `true` if a declared extension adds `value` to the values of `list`, one of the core schemas' enums.
    pub(super) fn extends_enum(&self, list: &[&str], value: &str) -> bool {
        if list == IMAGE_TYPES {
            image_extensions().any(|(extension, mime)| mime == value && self.is_declared(extension))
        } else {
            list == PATHS && value == "pointer" && self.is_declared("KHR_animation_pointer")
        }
    }

    pub(super) fn allows_image(&self, mime: &str) -> bool {
        IMAGE_TYPES.contains(&mime) || self.extends_enum(IMAGE_TYPES, mime)
    }

    /// Checks `extensionsUsed` and `extensionsRequired`.
    pub(super) fn check(&self, issues: &mut Issues) {
        let at = JsonPath::ROOT.key("extensionsUsed");
        for (i, name) in self.used.iter().enumerate() {
            if !is_well_formed(name) {
                let name = quoted(name);
                let message = format_args!("{name} does not follow the form PREFIX_name");
                issues.add("INVALID_EXTENSION_NAME_FORMAT", at.item(i), message);
            }
            if extended_objects(name).is_none() {
                let name = quoted(name);
                let message = format_args!("the content of {name} is not checked");
                issues.add("UNSUPPORTED_EXTENSION", at.item(i), message);
            }
            if *name == "KHR_mesh_quantization" && !self.required.contains(name) {
                let message =
                    format_args!("{name} must also be in extensionsRequired: without it the file cannot be read");
                issues.add("NON_REQUIRED_EXTENSION", at.item(i), message);
            }
        }
        let at = JsonPath::ROOT.key("extensionsRequired");
        for (i, name) in self.required.iter().enumerate() {
            if !self.used.contains(name) {
                let name = quoted(name);
                let message = format_args!("{name} is required but missing from extensionsUsed");
                issues.add("UNUSED_EXTENSION_REQUIRED", at.item(i), message);
            }
            if is_unsupported(name) {
                let name = quoted(name);
                let message = format_args!("rigview does not support {name} and refuses a file that requires it");
                issues.add("RIGVIEW_UNSUPPORTED_EXTENSION", at.item(i), message);
            }
        }
    }
}

/// Returns `true` for an uppercase prefix, an underscore and alphanumeric characters.
fn is_well_formed(name: &str) -> bool {
    name.split_once('_').is_some_and(|(prefix, rest)| {
        !prefix.is_empty()
            && prefix.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
            && !rest.is_empty()
            && rest.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
    })
}
