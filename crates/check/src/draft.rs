//! References of the draft of glTF 2.1: files, external assets and the thumbnail.

use super::json_path::JsonPath;
use super::json_values::{array, version};
use super::reference_pass::{ReferencePass, ViewUse};

impl ReferencePass<'_> {
    /// Checks in files of version 2.1 what the [draft schemas](https://github.com/KhronosGroup/glTF/tree/draft-2.1/specification/2.1/schema) require.
    pub(super) fn draft(&mut self) {
        let Some(asset) = self.file.root.get("asset") else { return };
        if asset.get("version").and_then(version).is_none_or(|version| version < (2, 1)) {
            return;
        }
        let at_root = JsonPath::ROOT;
        self.follow(asset, "thumbnail", "images", &at_root.key("asset"));
        let at_files = at_root.key("files");
        for (i, file) in self.file.array("files").iter().enumerate() {
            let at = at_files.item(i);
            if let Some(view) = self.follow(file, "bufferView", "bufferViews", &at) {
                self.use_view(view, ViewUse::Other, at.key("bufferView"));
            }
            if file.get("uri").is_some() == file.get("bufferView").is_some() {
                self.issues.add("ONE_OF_MISMATCH", at, format_args!("a file has one of `uri` and `bufferView`"));
            }
            if file.get("mimeType").is_none() {
                self.issues.add("UNDEFINED_PROPERTY", at, format_args!("`mimeType` is missing here"));
            }
            let at = at.key("aliases");
            for (k, alias) in array(file, "aliases").iter().enumerate() {
                self.follow(alias, "file", "files", &at.item(k));
            }
        }
        let at_assets = at_root.key("externalAssets");
        for (i, asset) in self.file.array("externalAssets").iter().enumerate() {
            self.follow(asset, "file", "files", &at_assets.item(i));
        }
        let at_nodes = at_root.key("nodes");
        for (i, node) in self.file.array("nodes").iter().enumerate() {
            let at = at_nodes.item(i);
            if self.follow(node, "externalAsset", "externalAssets", &at).is_some() && node.get("mesh").is_some() {
                let message = format_args!("a node shows a mesh or an external asset, not both");
                self.issues.add("ONE_OF_MISMATCH", at, message);
            }
        }
    }
}
