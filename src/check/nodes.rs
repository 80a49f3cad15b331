//! Nodes, scenes and skins.

use super::accessor_view::Component;
use super::file::{list, reference};
use super::formats::{Format, fits};
use super::issue::JsonPath;
use super::object_rules::numbers;
use super::references::{AccessorUse, DataRule, ReferencePass, ViewUse};
use super::schema::index;
use super::transforms;
use super::tree::Tree;
use crate::util::text::counted;
use serde_json::Value;
use std::collections::BTreeSet;

impl ReferencePass<'_> {
    pub(super) fn nodes(&mut self) {
        let at_list = JsonPath::ROOT.key("nodes");
        let mut parents: Vec<Option<usize>> = vec![None; self.file.list("nodes").len()];
        let skins = self.file.list("skins").iter();
        let joints: BTreeSet<usize> = skins.flat_map(|skin| list(skin, "joints").iter().filter_map(index)).collect();
        for (i, node) in self.file.list("nodes").iter().enumerate() {
            let at = at_list.item(i);
            self.file.follow(node, "camera", "cameras", &at, self.issues);
            let skin = self.file.follow(node, "skin", "skins", &at, self.issues);
            if let Some(mesh) = self.file.follow(node, "mesh", "meshes", &at, self.issues) {
                self.node_mesh(node, mesh, skin.is_some(), &at);
            }
            let at_children = at.key("children");
            for (k, child) in list(node, "children").iter().enumerate() {
                let at = at_children.item(k);
                let Some(child) = index(child).and_then(|i| self.file.resolve(i, "nodes", &at, self.issues)) else {
                    continue;
                };
                if let Some(other) = parents[child] {
                    let message =
                        format_args!("node {child} hangs on node {other} already; a node has one parent only");
                    self.issues.add("NODE_PARENT_OVERRIDE", at, message);
                }
                parents[child] = Some(i);
            }
            if let Some(light) = node.pointer("/extensions/KHR_lights_punctual").and_then(|l| reference(l, "light")) {
                let lights = self.file.root.pointer("/extensions/KHR_lights_punctual/lights");
                let count = lights.and_then(Value::as_array).map_or(0, Vec::len);
                if light >= count {
                    let (at, name) = (at.key("extensions"), "KHR_lights_punctual");
                    let at = at.key(name);
                    let message = format_args!("light {light} does not exist, the file has {count}");
                    self.issues.add("UNRESOLVED_REFERENCE", at.key("light"), message);
                }
            }
            let content = ["mesh", "camera", "children", "extensions", "extras"];
            if node.is_object() && !content.iter().any(|name| node.get(name).is_some()) && !joints.contains(&i) {
                self.issues.add("NODE_EMPTY", at, format_args!("the node holds nothing and moves nothing"));
            }
        }
    }

    fn node_mesh(&mut self, node: &Value, mesh: usize, has_skin: bool, at: &JsonPath<'_>) {
        let Some(Some(primitives)) = self.meshes.get(mesh) else { return };
        let targets = primitives.first().and_then(|first| first.targets);
        let is_skinned = |primitive: &super::references::PrimitiveSummary| primitive.influence_sets > 0;
        let (any, none) = (primitives.iter().any(is_skinned), !primitives.iter().any(is_skinned));
        let weights = node.get("weights").and_then(Value::as_array).filter(|weights| !weights.is_empty());
        if let Some(weights) = weights
            && Some(weights.len()) != targets
        {
            let message = format_args!(
                "{} for {}",
                counted(weights.len(), "weight", "weights"),
                counted(targets.unwrap_or(0), "morph target", "morph targets")
            );
            self.issues.add("NODE_WEIGHTS_INVALID", at.key("weights"), message);
        }
        if has_skin && none {
            let message = format_args!(
                "it has a skin, but mesh {mesh} has no joints and weights; bind the mesh (Ctrl P, With Automatic Weights) and export again"
            );
            self.issues.add("NODE_SKIN_WITH_NON_SKINNED_MESH", at, message);
        }
        if !has_skin && any {
            let message =
                format_args!("mesh {mesh} is made for a skeleton, but the node has no skin; it will stand still");
            self.issues.add("NODE_SKINNED_MESH_WITHOUT_SKIN", at, message);
        }
    }

    pub(super) fn skins(&mut self) {
        let tree = Tree::new(self.file);
        let at_nodes = JsonPath::ROOT.key("nodes");
        for (i, _) in tree.in_loop.iter().enumerate().filter(|(_, in_loop)| **in_loop) {
            let message = format_args!("node {i} is its own ancestor; export the file again");
            self.issues.add("NODE_LOOP", at_nodes.item(i), message);
        }
        // The root of each skin's joints, if they have one in common.
        let mut skin_roots = Vec::new();
        let at_list = JsonPath::ROOT.key("skins");
        for (i, skin) in self.file.list("skins").iter().enumerate() {
            let root = self.skin(skin, &tree, &at_list.item(i));
            skin_roots.push(root);
        }
        self.skinned_nodes(&tree, &skin_roots);
    }

    fn skin(&mut self, skin: &Value, tree: &Tree, at: &JsonPath<'_>) -> Option<usize> {
        let at_joints = at.key("joints");
        let list = list(skin, "joints");
        let mut joints = Vec::with_capacity(list.len());
        for (k, joint) in list.iter().enumerate() {
            joints.extend(index(joint).and_then(|i| self.file.resolve(i, "nodes", &at_joints.item(k), self.issues)));
        }
        let root = joints.first().map(|joint| tree.roots[*joint]);
        let common = root.filter(|root| joints.iter().all(|joint| tree.roots[*joint] == *root));
        if common.is_none() && !list.is_empty() {
            let message = format_args!(
                "its joints hang on different roots; put all bones under one armature in Blender and export again"
            );
            self.issues.add("SKIN_NO_COMMON_ROOT", at_joints, message);
        }
        if let Some(accessor) = self.file.follow(skin, "inverseBindMatrices", "accessors", at, self.issues) {
            self.inverse_bind(accessor, list.len(), &at.key("inverseBindMatrices"));
        }
        if let Some(skeleton) = self.file.follow(skin, "skeleton", "nodes", at, self.issues)
            && joints.iter().any(|joint| tree.is_below(*joint, skeleton) == Some(false))
        {
            let message = format_args!("node {skeleton} is not above all joints of the skin; leave `skeleton` out");
            self.issues.add("SKIN_SKELETON_INVALID", at.key("skeleton"), message);
        }
        common
    }

    fn inverse_bind(&mut self, index: usize, joints: usize, at: &JsonPath<'_>) {
        self.use_accessor(index, AccessorUse::InverseBindMatrices, ViewUse::InverseBindMatrices, *at);
        let Some(accessor) = self.accessor(index) else { return };
        if self.has_stride(index) {
            let message = format_args!("inverse bind matrices must stand side by side, without a byteStride");
            self.issues.add("SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", at, message);
        }
        if fits(accessor, &[Format("MAT4", Component::F32, false)]) {
            self.add_data_rule(index, DataRule::InverseBind, at);
        } else {
            let message =
                format_args!("{} cannot be inverse bind matrices: MAT4 of FLOAT is needed", accessor.format());
            self.issues.add("SKIN_IBM_INVALID_FORMAT", at, message);
        }
        if let Some(count) = accessor.count.filter(|count| *count < joints as u64) {
            let message = format_args!(
                "{} for {}; export the file again",
                counted(count as usize, "matrix", "matrices"),
                counted(joints, "joint", "joints")
            );
            self.issues.add("INVALID_IBM_ACCESSOR_COUNT", at, message);
        }
    }

    fn skinned_nodes(&mut self, tree: &Tree, skin_roots: &[Option<usize>]) {
        let nodes = self.file.list("nodes");
        let mut scenes_of: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for (i, scene) in self.file.list("scenes").iter().enumerate() {
            for node in list(scene, "nodes").iter().filter_map(index) {
                if let Some(scenes) = scenes_of.get_mut(node) {
                    scenes.push(i);
                }
            }
        }
        let mut moved = vec![false; nodes.len()];
        for node in &tree.order {
            moved[*node] = has_transform(&nodes[*node]) || tree.parents[*node].is_some_and(|parent| moved[parent]);
        }
        let at_list = JsonPath::ROOT.key("nodes");
        for (i, node) in nodes.iter().enumerate() {
            let Some(skin) = reference(node, "skin").filter(|skin| self.file.element("skins", Some(*skin)).is_some())
            else {
                continue;
            };
            let at = at_list.item(i);
            if let Some(parent) = tree.parents[i] {
                let message = format_args!("it hangs on node {parent}, whose transform does not move a skinned mesh");
                self.issues.add("NODE_SKINNED_MESH_NON_ROOT", at, message);
                if moved[parent] {
                    let message = format_args!(
                        "nodes above it are moved, turned or scaled, and a skinned mesh ignores that; apply transforms in Blender (Ctrl A) to see the same everywhere"
                    );
                    self.issues.add("NODE_SKINNED_MESH_PARENT_TRANSFORMS", at, message);
                }
            }
            if has_transform(node) {
                let message = format_args!(
                    "its own transform does not move a skinned mesh; apply it in Blender (Ctrl A, All Transforms)"
                );
                self.issues.add("NODE_SKINNED_MESH_LOCAL_TRANSFORMS", at, message);
            }
            let Some(Some(joints_root)) = skin_roots.get(skin) else { continue };
            if tree.parents[*joints_root].is_some() || tree.roots[i] == *joints_root {
                continue;
            }
            let with_joints = &scenes_of[*joints_root];
            let mut above = Some(i);
            let mut steps = 0;
            while let Some(node) = above.filter(|_| steps < 1000) {
                if scenes_of[node].iter().any(|scene| !with_joints.contains(scene)) {
                    let message =
                        format_args!("it is in a scene that its joints are not in; put the armature into the scene");
                    self.issues.add("NODE_SKIN_NO_SCENE", at, message);
                    break;
                }
                above = tree.parents[node];
                steps += 1;
            }
        }
    }

    pub(super) fn scenes(&mut self) {
        let tree = Tree::new(self.file);
        let at_list = JsonPath::ROOT.key("scenes");
        for (i, scene) in self.file.list("scenes").iter().enumerate() {
            let at = at_list.item(i);
            let at = at.key("nodes");
            for (k, node) in list(scene, "nodes").iter().enumerate() {
                let at = at.item(k);
                let Some(node) = index(node).and_then(|i| self.file.resolve(i, "nodes", &at, self.issues)) else {
                    continue;
                };
                if let Some(parent) = tree.parents[node] {
                    let message = format_args!("node {node} hangs on node {parent}, and a scene lists roots only");
                    self.issues.add("SCENE_NON_ROOT_NODE", at, message);
                }
            }
        }
    }
}

/// Whether a node's own transform does anything.
fn has_transform(node: &Value) -> bool {
    numbers::<16>(node.get("matrix")).is_some_and(|matrix| !transforms::is_identity(&matrix))
        || numbers::<3>(node.get("translation")).is_some_and(|t| t != [0.0; 3])
        || numbers::<4>(node.get("rotation")).is_some_and(|r| r != [0.0, 0.0, 0.0, 1.0])
        || numbers::<3>(node.get("scale")).is_some_and(|s| s != [1.0; 3])
}
