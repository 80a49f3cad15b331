//! Elements to which nothing refers.

use super::json_path::JsonPath;
use super::json_values::{array, reference};
use super::reference_pass::ReferencePass;
use serde_json::Value;
use std::collections::BTreeSet;

/// Arrays whose elements are of use only through references.
const LISTS: [&str; 11] = [
    "accessors",
    "buffers",
    "bufferViews",
    "cameras",
    "images",
    "materials",
    "meshes",
    "nodes",
    "samplers",
    "skins",
    "textures",
];

impl ReferencePass<'_> {
    /// Reports elements to which nothing refers. The pass over all references comes first.
    pub(super) fn unused_elements(&mut self) {
        self.use_compressed_data();
        for list in LISTS {
            // Without a scene, viewers show all nodes.
            if list == "nodes" && self.file.array("scenes").is_empty() {
                continue;
            }
            let at_array = JsonPath::ROOT.key(list);
            for (i, element) in self.file.array(list).iter().enumerate() {
                if element.is_object() && !self.file.is_used(list, i) {
                    let message = format_args!("nothing refers to it; export the file again, or remove it");
                    self.issues.add("UNUSED_OBJECT", at_array.item(i), message);
                }
            }
        }
        self.unused_animation_samplers();
        self.unused_mesh_weights();
    }

    /// Buffers and buffer views of compressed data.
    fn use_compressed_data(&self) {
        let extensions = |value: &Value| value.get("extensions").and_then(Value::as_object).cloned();
        for view in self.file.array("bufferViews") {
            for (_, extension) in extensions(view).into_iter().flatten() {
                reference(&extension, "buffer").inspect(|buffer| self.file.set_used("buffers", *buffer));
            }
        }
        for primitive in self.file.array("meshes").iter().flat_map(|mesh| array(mesh, "primitives")) {
            for (_, extension) in extensions(primitive).into_iter().flatten() {
                reference(&extension, "bufferView").inspect(|view| self.file.set_used("bufferViews", *view));
            }
        }
    }

    fn unused_animation_samplers(&mut self) {
        let at_array = JsonPath::ROOT.key("animations");
        for (i, animation) in self.file.array("animations").iter().enumerate() {
            let channels = array(animation, "channels").iter();
            let used: BTreeSet<usize> = channels.filter_map(|channel| reference(channel, "sampler")).collect();
            let at = at_array.item(i);
            let at = at.key("samplers");
            for k in (0..array(animation, "samplers").len()).filter(|k| !used.contains(k)) {
                self.issues.add("UNUSED_OBJECT", at.item(k), format_args!("no channel refers to it; remove it"));
            }
        }
    }

    /// Reports the weights of a mesh whose nodes all have weights of their own.
    fn unused_mesh_weights(&mut self) {
        let meshes = self.file.array("meshes");
        // Per mesh: whether a node has the mesh, and whether all such nodes have weights.
        let mut nodes = vec![(false, true); meshes.len()];
        for node in self.file.array("nodes") {
            if let Some((is_used, have_weights)) = reference(node, "mesh").and_then(|mesh| nodes.get_mut(mesh)) {
                *is_used = true;
                *have_weights &= node.get("weights").is_some();
            }
        }
        let at_array = JsonPath::ROOT.key("meshes");
        for (i, (mesh, overridden)) in meshes.iter().zip(nodes).enumerate() {
            if mesh.get("weights").is_some() && overridden == (true, true) {
                let message = format_args!("all nodes with this mesh have weights of their own, which replace these");
                self.issues.add("UNUSED_MESH_WEIGHTS", at_array.item(i).key("weights"), message);
            }
        }
    }
}
