//! Meshes with KHR_draco_mesh_compression: the accessors of compressed data.

use super::json_path::JsonPath;
use super::json_values::{index, reference};
use super::reference_pass::ReferencePass;
use rigview_core::util::text::quoted;
use serde_json::{Map, Value};

const DRACO: &str = "KHR_draco_mesh_compression";

impl ReferencePass<'_> {
    pub(super) fn compressed_mesh(&mut self, json: &Value, attributes: &Map<String, Value>, at: &JsonPath<'_>) {
        let extension = json.get("extensions").and_then(|extensions| extensions.get(DRACO));
        let Some(extension) = extension.filter(|_| self.file.extensions.is_declared(DRACO)) else { return };
        let at = at.key("extensions");
        let at = at.key(DRACO);
        let at = at.key("attributes");
        let mut accessors: Vec<_> = reference(json, "indices").into_iter().collect();
        for name in extension.get("attributes").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            match attributes.get(name) {
                Some(accessor) => accessors.extend(index(accessor)),
                None => {
                    let quoted_name = quoted(name);
                    let message =
                        format_args!("the primitive does not have this attribute: {quoted_name}; compress it again");
                    self.issues.add("RIGVIEW_COMPRESSED_MESH", at.key(name), message);
                }
            }
        }
        let is_required = self.file.extensions.is_required(DRACO);
        let found = accessors.into_iter().filter_map(|accessor| Some((accessor, self.file.accessors.get(accessor)?)));
        let found: Vec<_> =
            found.map(|(accessor, json)| (accessor, json.view.is_some(), json.sparse.is_some())).collect();
        let at_accessors = JsonPath::ROOT.key("accessors");
        for (accessor, has_view, is_sparse) in &found {
            let at = at_accessors.item(*accessor);
            if is_required && *has_view {
                let message = format_args!("it has uncompressed data that no viewer reads: the file requires {DRACO}");
                self.issues.add("RIGVIEW_COMPRESSED_MESH", at, message);
            }
            if !has_view && *is_sparse {
                let message = format_args!(
                    "it is sparse, which accessors of compressed data must not be; compress the mesh again"
                );
                self.issues.add("RIGVIEW_COMPRESSED_MESH", at, message);
            }
        }
        if !is_required && found.iter().any(|(_, has_view, _)| !has_view) {
            let message = format_args!("without {DRACO} the mesh has no data: add it to extensionsRequired");
            self.issues.add("RIGVIEW_EXTENSION_NOT_REQUIRED", at, message);
        }
    }
}
