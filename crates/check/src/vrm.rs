//! VRM avatars and animations: human bones, references, expressions, springs and constraints.

use super::json_path::JsonPath;
use super::json_values::{array, numbers, reference};
use super::object_rules::require_element;
use super::reference_pass::ReferencePass;
use super::tree::Tree;
use rigview_core::schema::{HumanBoneNeed, PRESET_EXPRESSIONS, human_bones};
use rigview_core::util::text::quoted;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Members of VRM objects that are the index of an element, or an array of such indices.
const REFERENCES: [(&str, &str); 9] = [
    ("bones", "nodes"),
    ("center", "nodes"),
    ("firstPersonBone", "nodes"),
    ("material", "materials"),
    ("mesh", "meshes"),
    ("node", "nodes"),
    ("source", "nodes"),
    ("texture", "textures"),
    ("thumbnailImage", "images"),
];

/// Code of the issues about nodes that are not above or below each other as VRM requires.
const HIERARCHY: &str = "RIGVIEW_VRM_HIERARCHY";

/// A human bone with a node that exists.
struct AssignedBone {
    node: usize,
    /// JSON Pointer.
    at: String,
}

impl ReferencePass<'_> {
    /// Checks all extensions of VRM. The meshes must be known.
    pub(super) fn vrm(&mut self) {
        self.constraints();
        let extensions = self.file.root.get("extensions");
        let at_extensions = JsonPath::ROOT.key("extensions");
        let mut tree = None;
        for name in ["VRM", "VRMC_vrm", "VRMC_vrm_animation", "VRMC_springBone"] {
            let Some(extension) = extensions.and_then(|extensions| extensions.get(name)) else { continue };
            let at = at_extensions.key(name);
            let tree = tree.get_or_insert_with(|| Tree::new(self.file));
            self.references_within(extension, &at);
            if let Some(humanoid) = extension.get("humanoid") {
                self.human_bones(humanoid, name != "VRM", tree, &at.key("humanoid"));
            }
            match name {
                "VRM" => self.version_0(extension, &at),
                "VRMC_vrm" => self.version_1(extension, &at),
                "VRMC_springBone" => self.springs(extension, tree, &at),
                _ => {}
            }
        }
    }

    /// Checks the bones of VRM 1.0, an object by name, or of VRM 0.x, an array.
    fn human_bones<'a>(&mut self, humanoid: &'a Value, is_version_1: bool, tree: &Tree, at: &JsonPath<'_>) {
        let at = at.key("humanBones");
        let mut bones: Vec<(&str, Option<usize>, String)> = Vec::new();
        match humanoid.get("humanBones") {
            Some(Value::Object(members)) => {
                let bone = |(name, bone): (&'a String, &'a Value)| {
                    (&**name, reference(bone, "node"), at.key(name).to_string())
                };
                bones.extend(members.iter().map(bone));
            }
            Some(Value::Array(items)) => {
                let bone = |(i, bone): (usize, &'a Value)| {
                    Some((bone.get("bone")?.as_str()?, reference(bone, "node"), at.item(i).to_string()))
                };
                bones.extend(items.iter().enumerate().filter_map(bone));
            }
            _ => {}
        }
        let known = human_bones(is_version_1);
        let known_names: BTreeSet<&str> = known.iter().map(|bone| &*bone.name).collect();
        let (mut names, mut bone_of_node, mut assigned) = (BTreeSet::new(), BTreeMap::new(), BTreeMap::new());
        for (name, node, at) in bones {
            if !known_names.contains(name) {
                self.issues.add("VALUE_NOT_IN_LIST", &at, format_args!("{} is not a bone of VRM", quoted(name)));
            }
            if !names.insert(name) {
                self.issues.add("DUPLICATE_ELEMENTS", &at, format_args!("{} is a bone already", quoted(name)));
            }
            let Some((node, json)) = node.and_then(|node| Some((node, self.file.element("nodes", Some(node))?))) else {
                continue;
            };
            if let Some(first) = bone_of_node.insert(node, name) {
                let message = format_args!("node {node} is already the bone {}", quoted(first));
                self.issues.add("DUPLICATE_ELEMENTS", format_args!("{at}/node"), message);
            }
            if is_version_1 && numbers::<3>(json.get("scale")).is_some_and(|scale| scale.iter().any(|s| *s <= 0.0)) {
                self.issues.add(
                    "VALUE_NOT_IN_RANGE",
                    format_args!("/nodes/{node}/scale"),
                    format_args!("the bone {} has a scale of 0 or less: apply the scale", quoted(name)),
                );
            }
            assigned.insert(name, AssignedBone { node, at });
        }
        let missing: Vec<&str> = known
            .iter()
            .filter(|bone| bone.need == HumanBoneNeed::Required && !names.contains(&*bone.name))
            .map(|bone| &*bone.name)
            .collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            let message = format_args!("missing bones: {missing}; assign them in the VRM panel of the exporter");
            self.issues.add("UNDEFINED_PROPERTY", at, message);
        }
        if is_version_1 {
            self.bone_hierarchy(&assigned, tree);
        }
    }

    /// Checks that each bone is below its parent, or below the nearest one that is present.
    fn bone_hierarchy(&mut self, assigned: &BTreeMap<&str, AssignedBone>, tree: &Tree) {
        let known = human_bones(true);
        let parents: BTreeMap<&str, &str> = known.iter().map(|bone| (&*bone.name, &*bone.parent)).collect();
        for bone in &known {
            let Some(AssignedBone { node, at }) = assigned.get(&*bone.name) else { continue };
            if bone.need == HumanBoneNeed::NeedsParent && !assigned.contains_key(&*bone.parent) {
                let message = format_args!("this bone needs the bone {}; assign both or none", bone.parent);
                self.issues.add("UNSATISFIED_DEPENDENCY", at, message);
            }
            let above = |name: &&str| parents.get(name).copied();
            let mut ancestors = std::iter::successors(Some(&*bone.parent), above);
            let Some((name, parent)) = ancestors.find_map(|name| Some((name, assigned.get(name)?))) else { continue };
            if *node == parent.node || tree.is_below(*node, parent.node) == Some(false) {
                let message = format_args!("node {node} is not below node {}, the bone {name}", parent.node);
                self.issues.add(HIERARCHY, at, message);
            }
        }
    }

    /// Checks all indices of elements in the objects of `value`.
    fn references_within(&mut self, value: &Value, at: &JsonPath<'_>) {
        match value {
            // The nesting of the JSON is limited.
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, item)| self.references_within(item, &at.item(i)));
            }
            Value::Object(members) => {
                for (name, value) in members {
                    let at = at.key(name);
                    let target = REFERENCES.iter().find(|(key, _)| key == name).map(|(_, target)| *target);
                    match (target, value) {
                        (Some(target), Value::Number(_)) => drop(self.resolve(value, target, &at)),
                        (Some(target), Value::Array(items)) if name == "bones" => {
                            for (i, item) in items.iter().enumerate() {
                                self.resolve(item, target, &at.item(i));
                            }
                        }
                        (None, Value::Object(textures)) if name == "textureProperties" => {
                            for (name, texture) in textures {
                                self.resolve(texture, "textures", &at.key(name));
                            }
                        }
                        _ => self.references_within(value, &at),
                    }
                }
            }
            _ => {}
        }
    }

    fn version_0(&mut self, vrm: &Value, at: &JsonPath<'_>) {
        let at_master = at.key("blendShapeMaster");
        let at_groups = at_master.key("blendShapeGroups");
        let mut names = BTreeSet::new();
        for (i, group) in
            vrm.get("blendShapeMaster").map_or(&[][..], |it| array(it, "blendShapeGroups")).iter().enumerate()
        {
            let text = |name: &str| group.get(name).and_then(Value::as_str).unwrap_or_default().to_uppercase();
            let preset = Some(text("presetName")).filter(|preset| !matches!(&**preset, "" | "UNKNOWN"));
            let name = preset.unwrap_or_else(|| text("name"));
            let at = at_groups.item(i);
            if !names.insert(name.clone()) {
                self.issues.add(
                    "DUPLICATE_ELEMENTS",
                    at,
                    format_args!("{} is the name of an earlier expression", quoted(&name)),
                );
            }
            let at_binds = at.key("binds");
            for (k, bind) in array(group, "binds").iter().enumerate() {
                if let Some(mesh) = reference(bind, "mesh") {
                    self.morph_target(bind, mesh, &at_binds.item(k));
                }
            }
        }
        let Some(animation) = vrm.get("secondaryAnimation") else { return };
        let at_animation = at.key("secondaryAnimation");
        let at_springs = at_animation.key("boneGroups");
        for (i, spring) in array(animation, "boneGroups").iter().enumerate() {
            self.local_references(animation, spring, "colliderGroups", &at_springs.item(i));
        }
    }

    fn version_1(&mut self, vrm: &Value, at: &JsonPath<'_>) {
        let authors = vrm.get("meta").and_then(|meta| meta.get("authors"));
        let is_name = |author: &Value| author.as_str().is_some_and(|author| !author.is_empty());
        if authors.is_some_and(|authors| !authors.as_array().is_some_and(|authors| authors.iter().any(is_name))) {
            let message = format_args!("no author has a name; enter one in the VRM panel of the exporter");
            self.issues.add("EMPTY_ENTITY", at.key("meta").key("authors"), message);
        }
        let at = at.key("expressions");
        for kind in ["preset", "custom"] {
            let expressions = vrm.get("expressions").and_then(|expressions| expressions.get(kind)?.as_object());
            let at = at.key(kind);
            for (name, expression) in expressions.into_iter().flatten() {
                let at = at.key(name);
                let is_preset_name = PRESET_EXPRESSIONS.contains(&&**name);
                if kind == "preset" && !is_preset_name {
                    self.issues.add(
                        "VALUE_NOT_IN_LIST",
                        at,
                        format_args!("{} is not a preset of VRM; it belongs into `custom`", quoted(name)),
                    );
                } else if kind == "custom" && is_preset_name {
                    self.issues.add(
                        "DUPLICATE_ELEMENTS",
                        at,
                        format_args!("{} is the name of a preset; choose another one", quoted(name)),
                    );
                }
                let at = at.key("morphTargetBinds");
                for (i, bind) in array(expression, "morphTargetBinds").iter().enumerate() {
                    let Some((node, json)) =
                        reference(bind, "node").and_then(|node| Some((node, self.file.element("nodes", Some(node))?)))
                    else {
                        continue;
                    };
                    match reference(json, "mesh") {
                        Some(mesh) => self.morph_target(bind, mesh, &at.item(i)),
                        None => {
                            let message = format_args!("node {node} has no mesh, so that nothing moves");
                            self.issues.add("UNRESOLVED_REFERENCE", at.item(i).key("node"), message);
                        }
                    }
                }
            }
        }
    }

    /// Checks that the mesh of a bind has the morph target.
    fn morph_target(&mut self, bind: &Value, mesh: usize, at: &JsonPath<'_>) {
        let Some(Some(found)) = self.meshes.get(mesh) else { return };
        let count = found.max_targets;
        if let Some(target) = reference(bind, "index").filter(|target| *target >= count) {
            let message = format_args!("morph target {target} does not exist: mesh {mesh} has {count}");
            self.issues.add("UNRESOLVED_REFERENCE", at.key("index"), message);
        }
    }

    /// Checks the indices in the array `list` of `value`, which refer to the array of this name in `owner`.
    fn local_references(&mut self, owner: &Value, value: &Value, list: &str, at: &JsonPath<'_>) {
        let empty = Map::new();
        let owner = owner.as_object().unwrap_or(&empty);
        let at = at.key(list);
        for (i, item) in array(value, list).iter().enumerate() {
            require_element(owner, list, Some(item), &at.item(i), self.issues);
        }
    }

    /// Checks the colliders and the chains of joints of VRMC_springBone.
    fn springs(&mut self, extension: &Value, tree: &Tree, at: &JsonPath<'_>) {
        let at_groups = at.key("colliderGroups");
        for (i, group) in array(extension, "colliderGroups").iter().enumerate() {
            self.local_references(extension, group, "colliders", &at_groups.item(i));
        }
        let at_springs = at.key("springs");
        let mut spring_of_node = BTreeMap::new();
        for (i, spring) in array(extension, "springs").iter().enumerate() {
            let at = at_springs.item(i);
            self.local_references(extension, spring, "colliderGroups", &at);
            let joints: Vec<Option<usize>> =
                array(spring, "joints").iter().map(|joint| reference(joint, "node")).collect();
            if let Some((center, first)) = reference(spring, "center").zip(joints.first().copied().flatten())
                && tree.is_below(first, center) == Some(false)
            {
                let message = format_args!("the center, node {center}, is not above the first joint, node {first}");
                self.issues.add(HIERARCHY, at.key("center"), message);
            }
            let at = at.key("joints");
            for (k, joint) in joints.iter().enumerate() {
                let Some(node) = *joint else { continue };
                let at = at.item(k);
                if let Some(other) = spring_of_node.insert(node, i) {
                    let message = format_args!("node {node} is already a joint of spring {other}");
                    self.issues.add("DUPLICATE_ELEMENTS", at, message);
                } else if let Some(before) = k.checked_sub(1).and_then(|k| joints[k])
                    && tree.is_below(node, before) == Some(false)
                {
                    let message = format_args!("node {node} is not below node {before}, the joint before it");
                    self.issues.add(HIERARCHY, at, message);
                }
            }
        }
    }

    /// Checks the constraints of all nodes: each has one kind, and none depends on itself.
    fn constraints(&mut self) {
        let at_nodes = JsonPath::ROOT.key("nodes");
        let nodes = self.file.array("nodes");
        let mut sources = vec![None; nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            let Some(extension) = node.pointer("/extensions/VRMC_node_constraint") else { continue };
            let at = at_nodes.item(i);
            let at = at.key("extensions");
            let at = at.key("VRMC_node_constraint");
            self.references_within(extension, &at);
            let Some(constraint) = extension.get("constraint").filter(|constraint| constraint.is_object()) else {
                continue;
            };
            let kinds: Vec<&Value> =
                ["roll", "aim", "rotation"].iter().filter_map(|kind| constraint.get(kind)).collect();
            match kinds[..] {
                [one] => sources[i] = reference(one, "source"),
                _ => {
                    self.issues.add(
                        "ONE_OF_MISMATCH",
                        at.key("constraint"),
                        format_args!("one of `roll`, `aim` and `rotation` is needed, not {}", kinds.len()),
                    );
                }
            }
        }
        // Each node has at most one source, so a walk along the sources meets its own steps only in a cycle.
        let mut walk_of_node = vec![usize::MAX; nodes.len()];
        for start in 0..nodes.len() {
            let mut node = start;
            while let Some(source) = sources[node].filter(|source| *source < nodes.len()) {
                if walk_of_node[node] != usize::MAX {
                    break;
                }
                walk_of_node[node] = start;
                if walk_of_node[source] == start {
                    let message = format_args!("the constraint depends on itself, by node {source}");
                    self.issues.add(HIERARCHY, format_args!("/nodes/{node}/extensions/VRMC_node_constraint"), message);
                    break;
                }
                node = source;
            }
        }
    }
}
