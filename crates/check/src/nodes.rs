//! Nodes, scenes and skins.

use super::data_rules::DataRule;
use super::formats::{normalized, plain};
use super::json_path::JsonPath;
use super::json_values::{array, index, numbers, reference};
use super::reference_pass::{AccessorUse, MeshSummary, ReferencePass, ViewUse};
use super::transforms;
use super::tree::Tree;
use rigview_core::gltf_format::ComponentType::{F32, I8, I16};
use rigview_core::gltf_format::ElementFormat;
use rigview_core::gltf_format::ElementType::{Mat4, Vec3, Vec4};
use rigview_core::util::text::counted;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// Maximum ancestors that are searched for a scene.
const MAX_ANCESTORS: usize = 1000;

impl ReferencePass<'_> {
    pub(super) fn nodes(&mut self) {
        let at_array = JsonPath::ROOT.key("nodes");
        let mut parents: Vec<Option<usize>> = vec![None; self.file.array("nodes").len()];
        let skins = self.file.array("skins").iter();
        let joints: BTreeSet<usize> = skins.flat_map(|skin| array(skin, "joints").iter().filter_map(index)).collect();
        for (i, node) in self.file.array("nodes").iter().enumerate() {
            let at = at_array.item(i);
            self.follow(node, "camera", "cameras", &at);
            let skin = self.follow(node, "skin", "skins", &at);
            if let Some(mesh) = self.follow(node, "mesh", "meshes", &at) {
                self.node_mesh(node, mesh, skin.is_some(), &at);
            }
            let at_children = at.key("children");
            for (k, child) in array(node, "children").iter().enumerate() {
                let at = at_children.item(k);
                let Some(child) = self.resolve(child, "nodes", &at) else {
                    continue;
                };
                if let Some(other) = parents[child] {
                    let message =
                        format_args!("node {child} is already a child of node {other}; a node has only one parent");
                    self.issues.add("NODE_PARENT_OVERRIDE", at, message);
                }
                parents[child] = Some(i);
            }
            if let Some(light) = node.pointer("/extensions/KHR_lights_punctual").filter(|light| light.is_object()) {
                let root = self.file.root.pointer("/extensions/KHR_lights_punctual");
                let lights = root.map_or(&[][..], |root| array(root, "lights"));
                let (at, name) = (at.key("extensions"), "KHR_lights_punctual");
                let at = at.key(name);
                if root.is_none() {
                    let message = format_args!("the file has no list of lights; export it again");
                    self.issues.add("UNSATISFIED_DEPENDENCY", at, message);
                } else if let Some(light) = reference(light, "light")
                    && !lights.get(light).is_some_and(Value::is_object)
                {
                    let count = lights.len();
                    let message = format_args!("lights[{light}] does not exist: the file has {count}");
                    self.issues.add("UNRESOLVED_REFERENCE", at.key("light"), message);
                }
            }
            if let Some(instances) = node.pointer("/extensions/EXT_mesh_gpu_instancing") {
                self.gpu_instances(instances, &at);
            }
            let content = ["mesh", "camera", "children", "extensions", "extras"];
            if node.is_object() && !content.iter().any(|name| node.get(name).is_some()) && !joints.contains(&i) {
                self.issues.add("NODE_EMPTY", at, format_args!("the node has no content and is not a joint"));
            }
        }
    }

    fn node_mesh(&mut self, node: &Value, mesh: usize, has_skin: bool, at: &JsonPath<'_>) {
        let Some(Some(MeshSummary { targets, is_skinned, .. })) = self.meshes.get(mesh) else { return };
        let (targets, is_skinned) = (*targets, *is_skinned);
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
        if has_skin && !is_skinned {
            let message = format_args!(
                "it has a skin, but mesh {mesh} has no joints and weights; bind the mesh (Ctrl P, With Automatic Weights) and export again"
            );
            self.issues.add("NODE_SKIN_WITH_NON_SKINNED_MESH", at, message);
        }
        if !has_skin && is_skinned {
            let message =
                format_args!("mesh {mesh} has joints and weights, but the node has no skin; it will not be deformed");
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
        // The common root of each skin's joints, if there is one.
        let mut skin_roots = Vec::new();
        let at_array = JsonPath::ROOT.key("skins");
        for (i, skin) in self.file.array("skins").iter().enumerate() {
            let root = self.skin(skin, &tree, &at_array.item(i));
            skin_roots.push(root);
        }
        self.skinned_nodes(&tree, &skin_roots);
    }

    fn skin(&mut self, skin: &Value, tree: &Tree, at: &JsonPath<'_>) -> Option<usize> {
        let at_joints = at.key("joints");
        let list = array(skin, "joints");
        let mut joints = Vec::with_capacity(list.len());
        for (k, joint) in list.iter().enumerate() {
            joints.extend(self.resolve(joint, "nodes", &at_joints.item(k)));
        }
        let root = joints.first().map(|joint| tree.roots[*joint]);
        let common = root.filter(|root| joints.iter().all(|joint| tree.roots[*joint] == *root));
        if common.is_none() && !list.is_empty() {
            let message = format_args!(
                "its joints have different root nodes; put all bones under one armature in Blender and export again"
            );
            self.issues.add("SKIN_NO_COMMON_ROOT", at_joints, message);
        }
        if let Some(accessor) = self.follow(skin, "inverseBindMatrices", "accessors", at) {
            self.inverse_bind(accessor, list.len(), &at.key("inverseBindMatrices"));
        }
        if let Some(skeleton) = self.follow(skin, "skeleton", "nodes", at)
            && joints.iter().any(|joint| tree.is_below(*joint, skeleton) == Some(false))
        {
            let message =
                format_args!("node {skeleton} is not an ancestor of all joints of the skin; remove `skeleton`");
            self.issues.add("SKIN_SKELETON_INVALID", at.key("skeleton"), message);
        }
        common
    }

    /// Checks the accessors of EXT_mesh_gpu_instancing. Names other than those of the three properties are free.
    fn gpu_instances(&mut self, instances: &Value, at: &JsonPath<'_>) {
        const TRANSFORMS: [(&str, &[ElementFormat]); 3] = [
            ("TRANSLATION", &[plain(Vec3, F32)]),
            ("ROTATION", &[plain(Vec4, F32), normalized(Vec4, I8), normalized(Vec4, I16)]),
            ("SCALE", &[plain(Vec3, F32)]),
        ];
        let at = at.key("extensions");
        let at = at.key("EXT_mesh_gpu_instancing");
        let at = at.key("attributes");
        let mut first_count = None;
        for (name, value) in instances.get("attributes").and_then(Value::as_object).into_iter().flatten() {
            let at = at.key(name);
            let Some(accessor) = self.resolve(value, "accessors", &at).and_then(|index| self.accessor(index)) else {
                continue;
            };
            let formats = TRANSFORMS.iter().find(|(known, _)| known == name).map_or(&[][..], |(_, formats)| formats);
            if !formats.is_empty() && !accessor.has_format(formats) {
                let message = format_args!("{} is not a format of {name}", accessor.format_name());
                self.issues.add("RIGVIEW_INSTANCE_ATTRIBUTES", at, message);
            }
            if let Some(count) = accessor.count
                && *first_count.get_or_insert(count) != count
            {
                let message = format_args!("all attributes of instances must be of the same length");
                self.issues.add("RIGVIEW_INSTANCE_ATTRIBUTES", at, message);
            }
        }
    }

    fn inverse_bind(&mut self, index: usize, joints: usize, at: &JsonPath<'_>) {
        self.use_accessor(index, AccessorUse::InverseBindMatrices, ViewUse::InverseBindMatrices, *at);
        let Some(accessor) = self.accessor(index) else { return };
        if self.has_stride(index) {
            let message = format_args!("inverse bind matrices must be contiguous, without a byteStride");
            self.issues.add("SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", at, message);
        }
        if accessor.has_format(&[plain(Mat4, F32)]) {
            self.add_data_rule(index, DataRule::InverseBindMatrices, at);
        } else {
            let format = accessor.format_name();
            let message = format_args!("{format} is not a format of inverse bind matrices, which is MAT4 of FLOAT");
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
        let nodes = self.file.array("nodes");
        let mut scenes_of: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for (i, scene) in self.file.array("scenes").iter().enumerate() {
            for node in array(scene, "nodes").iter().filter_map(index) {
                if let Some(scenes) = scenes_of.get_mut(node).filter(|scenes| scenes.last() != Some(&i)) {
                    scenes.push(i);
                }
            }
        }
        // The nearest node with a transform: the node or an ancestor.
        let mut transformed: Vec<Option<usize>> = vec![None; nodes.len()];
        for node in &tree.order {
            let inherited = || tree.parents[*node].and_then(|parent| transformed[parent]);
            transformed[*node] = if has_transform(&nodes[*node]) { Some(*node) } else { inherited() };
        }
        let ends_of_skins: Vec<_> = self
            .file
            .array("skins")
            .iter()
            .map(|skin| tree.ends(array(skin, "joints").iter().filter_map(index)))
            .collect();
        let at_array = JsonPath::ROOT.key("nodes");
        // Whether a node is in a scene without the root of some joints, by both.
        let mut is_apart: HashMap<(usize, usize), bool> = HashMap::new();
        for (i, node) in nodes.iter().enumerate() {
            let Some(skin) = reference(node, "skin").filter(|skin| self.file.element("skins", Some(*skin)).is_some())
            else {
                continue;
            };
            let at = at_array.item(i);
            if let Some(parent) = tree.parents[i] {
                let message =
                    format_args!("it is a child of node {parent}, whose transform does not affect a skinned mesh");
                self.issues.add("NODE_SKINNED_MESH_NON_ROOT", at, message);
                // An ancestor of mesh and joints transforms both.
                if let Some(ancestor) = transformed[parent]
                    && !ends_of_skins[skin].is_some_and(|ends| tree.are_below(ends, ancestor))
                {
                    let message = format_args!(
                        "its ancestor, node {ancestor}, has a transform, which a skinned mesh ignores, and not all joints are below it; in Blender, parent the armature to that object, too (Ctrl P, Object (Keep Transform))"
                    );
                    self.issues.add("NODE_SKINNED_MESH_PARENT_TRANSFORMS", at, message);
                }
            }
            if has_transform(node) {
                let message = format_args!(
                    "its own transform does not affect a skinned mesh; apply it in Blender (Ctrl A, All Transforms)"
                );
                self.issues.add("NODE_SKINNED_MESH_LOCAL_TRANSFORMS", at, message);
            }
            let Some(Some(joints_root)) = skin_roots.get(skin) else { continue };
            if tree.parents[*joints_root].is_some() || tree.roots[i] == *joints_root {
                continue;
            }
            // In ascending order.
            let with_joints = &scenes_of[*joints_root];
            let mut ancestor = Some(i);
            let mut steps = 0;
            while let Some(node) = ancestor.filter(|_| steps < MAX_ANCESTORS) {
                let find = || scenes_of[node].iter().any(|scene| with_joints.binary_search(scene).is_err());
                if *is_apart.entry((node, *joints_root)).or_insert_with(find) {
                    let message = format_args!("it is in a scene without its joints; put the armature into the scene");
                    self.issues.add("NODE_SKIN_NO_SCENE", at, message);
                    break;
                }
                ancestor = tree.parents[node];
                steps += 1;
            }
        }
    }

    pub(super) fn scenes(&mut self) {
        let tree = Tree::new(self.file);
        let at_array = JsonPath::ROOT.key("scenes");
        for (i, scene) in self.file.array("scenes").iter().enumerate() {
            let at = at_array.item(i);
            let at = at.key("nodes");
            for (k, node) in array(scene, "nodes").iter().enumerate() {
                let at = at.item(k);
                let Some(node) = self.resolve(node, "nodes", &at) else {
                    continue;
                };
                if let Some(parent) = tree.parents[node] {
                    let message =
                        format_args!("node {node} is a child of node {parent}, but a scene contains only root nodes");
                    self.issues.add("SCENE_NON_ROOT_NODE", at, message);
                }
            }
        }
    }
}

/// Returns `true` if the node's own transform is not the identity.
fn has_transform(node: &Value) -> bool {
    numbers::<16>(node.get("matrix")).is_some_and(|matrix| !transforms::is_identity(&matrix))
        || numbers::<3>(node.get("translation")).is_some_and(|t| t != [0.0; 3])
        || numbers::<4>(node.get("rotation")).is_some_and(|r| r != [0.0, 0.0, 0.0, 1.0])
        || numbers::<3>(node.get("scale")).is_some_and(|s| s != [1.0; 3])
}
