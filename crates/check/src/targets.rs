//! Morph targets: names, formats and base attributes.

use super::formats::attribute_formats;
use super::json_path::JsonPath;
use super::json_values::index;
use super::meshes::set_number;
use super::reference_pass::{AccessorUse, PrimitiveSummary, ReferencePass, ViewUse};
use rigview_core::util::text::{counted, quoted};
use serde_json::{Map, Value};

impl ReferencePass<'_> {
    /// Checks the morph targets of a primitive with `attributes`, and counts them in `summary`.
    pub(super) fn targets(
        &mut self,
        json: &Value,
        attributes: &Map<String, Value>,
        summary: &mut PrimitiveSummary,
        at: &JsonPath<'_>,
    ) {
        let Some(targets) = json.get("targets").and_then(Value::as_array).filter(|targets| !targets.is_empty()) else {
            return;
        };
        summary.targets = Some(targets.len());
        let at = at.key("targets");
        for (i, target) in targets.iter().enumerate() {
            let at = at.item(i);
            for (name, value) in target.as_object().into_iter().flatten() {
                let at = at.key(name);
                self.target_name(name, &at);
                let Some(accessor) = self.resolve(value, "accessors", &at) else {
                    continue;
                };
                self.use_accessor(accessor, AccessorUse::Vertices, ViewUse::Vertices, at);
                let Some(json) = self.accessor(accessor) else { continue };
                let base = attributes.get(name).and_then(index);
                match base.and_then(|base| self.accessor(base)) {
                    None => {
                        let name = quoted(name);
                        let message = format_args!("the mesh has no {name} for this morph target");
                        self.issues.add("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", at, message);
                    }
                    Some(base) if base.count != json.count => {
                        let message = format_args!(
                            "{}, but the mesh has {}; export the file again",
                            counted(json.count.unwrap_or(0) as usize, "element", "elements"),
                            counted(base.count.unwrap_or(0) as usize, "vertex", "vertices")
                        );
                        self.issues.add("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT", at, message);
                    }
                    Some(_) => {}
                }
                if name == "POSITION" {
                    self.bounds(json, &at);
                }
                let prefix = name.split('_').next().unwrap_or_default();
                let formats =
                    attribute_formats(prefix, true, self.file.extensions.is_declared("KHR_mesh_quantization"));
                if !formats.is_empty() {
                    self.format(json, &formats, &at);
                }
                self.alignment(accessor, json, &at);
                self.require_stride_if_shared(accessor, at);
            }
        }
    }

    fn target_name(&mut self, name: &str, at: &JsonPath<'_>) {
        let plain = matches!(name, "POSITION" | "NORMAL" | "TANGENT") || name.starts_with('_');
        let set = || {
            ["COLOR_", "TEXCOORD_"].iter().any(|set| name.strip_prefix(set).is_some_and(|n| set_number(n).is_some()))
        };
        if !plain && !set() {
            let name = quoted(name);
            let message = format_args!("{name} is not an attribute of morph targets");
            self.issues.add("MESH_PRIMITIVE_INVALID_ATTRIBUTE", at, message);
        }
    }
}
