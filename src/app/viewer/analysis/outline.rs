//! Outliner tree: rows of the file, with expansion, search and selection.

use crate::app::scene::selection::Selection;
use rigview_check::names::{NameSearch, shared_affixes};
use rigview_core::model::{CameraIndex, JointIndex, MaterialIndex, MeshIndex, Model, SceneIndex, SkinIndex};
use rigview_core::util::text::{counted, one_line};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

/// Maximum number of rows that are expanded at first.
const MAX_OPEN_ROWS: usize = 24;

/// The element of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Item {
    Heading(Heading),
    Scene(SceneIndex),
    Part(Selection),
    Camera(CameraIndex),
    Variant(usize),
}

/// A section of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Heading {
    /// Only for more than one scene.
    Scenes,
    /// As a hierarchy.
    Nodes,
    Skins,
    Meshes,
    Materials,
    Cameras,
    Variants,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) item: Item,
    /// Indentation level.
    pub(crate) depth: usize,
    pub(crate) label: String,
    /// Lengths in bytes of the start and the end of the label that other rows share, such as `mixamorig:`.
    pub(crate) affixes: [usize; 2],
    /// Count, or human bone.
    pub(crate) note: String,
    /// `None` for rows without children.
    pub(crate) open: Option<bool>,
}

/// The constant part of the tree of a model.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    children: Vec<Vec<JointIndex>>,
    roots: Vec<JointIndex>,
    kinds: Vec<&'static str>,
    labels: Vec<String>,
    /// Names of human bones (VRM); empty for other joints.
    human_bones: Vec<String>,
    affixes: Vec<[usize; 2]>,
    /// The node or a descendant has a mesh.
    has_mesh: Vec<bool>,
    /// Those of the last request.
    last: RefCell<Option<CachedRows>>,
}

/// Rows, after the revision and the search that they were built from.
type CachedRows = (u64, String, Arc<[Row]>);

/// Expanded rows and search text.
#[derive(Debug)]
pub(crate) struct OutlineState {
    open: HashSet<Item>,
    /// Counts the changes of the expansion.
    revision: u64,
    pub(crate) search: String,
}

impl Default for OutlineState {
    fn default() -> Self {
        let open = [Heading::Scenes, Heading::Nodes, Heading::Cameras, Heading::Variants].map(Item::Heading);
        Self { open: open.into(), revision: 0, search: String::new() }
    }
}

impl OutlineState {
    /// Expands or collapses a row.
    pub(crate) fn toggle(&mut self, item: Item) {
        self.revision += 1;
        if !self.open.remove(&item) {
            self.open.insert(item);
        }
    }

    /// Expands the ancestors of the selection.
    pub(crate) fn reveal(&mut self, model: &Model, selection: Selection) {
        self.revision += 1;
        let heading = match selection {
            Selection::Joint(joint) => {
                let mut parent = model.skeleton.joint(joint).parent;
                while let Some(joint) = parent {
                    self.open.insert(Item::Part(Selection::Joint(joint)));
                    parent = model.skeleton.joint(joint).parent;
                }
                Heading::Nodes
            }
            Selection::Skin(_) => Heading::Skins,
            Selection::Mesh(_) => Heading::Meshes,
            Selection::Material(_) => Heading::Materials,
        };
        self.open.insert(Item::Heading(heading));
    }
}

/// Returns a name, or a placeholder with the index.
pub(crate) fn named(name: Option<&str>, kind: &str, number: usize) -> String {
    match name.filter(|name| !name.trim().is_empty()) {
        Some(name) => one_line(name),
        None => format!("{kind} {number}"),
    }
}

impl Outline {
    pub(crate) fn new(model: &Model) -> Self {
        let joints = model.skeleton.joints();
        let mut outline = Self {
            children: vec![Vec::new(); joints.len()],
            roots: Vec::new(),
            kinds: vec![""; joints.len()],
            labels: Vec::with_capacity(joints.len()),
            human_bones: vec![String::new(); joints.len()],
            affixes: Vec::new(),
            has_mesh: vec![false; joints.len()],
            last: RefCell::default(),
        };
        for (i, joint) in joints.iter().enumerate() {
            let index = JointIndex(i as u32);
            match joint.parent {
                Some(parent) => outline.children[parent.get()].push(index),
                None => outline.roots.push(index),
            }
            outline.labels.push(named(joint.name.as_deref(), "node", joint.node));
        }
        for mesh_node in model.scenes.iter().flat_map(|scene| &scene.mesh_nodes) {
            let name = &model.meshes[mesh_node.mesh.get()].name;
            if let (None, Some(mesh)) = (&joints[mesh_node.joint.get()].name, name) {
                outline.labels[mesh_node.joint.get()].clone_from(mesh);
            }
        }
        outline.affixes = shared_affixes(outline.labels.iter().map(String::as_str));
        model.human_bones.iter().for_each(|it| outline.human_bones[it.joint.get()].clone_from(&it.bone));
        let mut set_kind = |joint: JointIndex, kind| outline.kinds[joint.get()] = kind;
        model.skins.iter().flat_map(|skin| &skin.joints).for_each(|joint| set_kind(*joint, "joint"));
        model.lights.iter().for_each(|light| set_kind(light.joint, "light"));
        model.cameras.iter().for_each(|camera| set_kind(camera.joint, "camera"));
        for mesh_node in model.scenes.iter().flat_map(|scene| &scene.mesh_nodes) {
            set_kind(mesh_node.joint, if mesh_node.skin.is_some() { "skinned" } else { "mesh" });
            outline.has_mesh[mesh_node.joint.get()] = true;
        }
        // Parents come before their children.
        for (i, joint) in joints.iter().enumerate().rev() {
            if let Some(parent) = joint.parent.filter(|_| outline.has_mesh[i]) {
                outline.has_mesh[parent.get()] = true;
            }
        }
        outline
    }

    /// The kind of a node: `joint`, `mesh`, `skinned`, `light`, `camera`, or empty.
    pub(crate) fn kind(&self, joint: JointIndex) -> &'static str {
        self.kinds.get(joint.get()).copied().unwrap_or_default()
    }

    /// Returns `true` if a part can be hidden: it is no node without meshes.
    pub(crate) fn can_hide(&self, part: Selection) -> bool {
        !matches!(part, Selection::Joint(joint) if !self.has_mesh[joint.get()])
    }

    pub(crate) fn joint(&self, joint: JointIndex) -> &str {
        self.labels.get(joint.get()).map_or("", String::as_str)
    }

    /// Lengths in bytes of the start and the end of a joint's name that other names share.
    pub(crate) fn affixes(&self, joint: JointIndex) -> [usize; 2] {
        self.affixes.get(joint.get()).copied().unwrap_or_default()
    }

    /// The visible rows of `model`, which must be the one that this was built from.
    pub(crate) fn rows(&self, model: &Model, state: &OutlineState) -> Arc<[Row]> {
        let mut last = self.last.borrow_mut();
        match &*last {
            // Cached, because it runs every frame and a rig may have thousands of joints.
            Some((revision, search, rows)) if (*revision, search) == (state.revision, &state.search) => {
                Arc::clone(rows)
            }
            _ => {
                let rows: Arc<[Row]> = self.new_rows(model, state).into();
                *last = Some((state.revision, state.search.clone(), Arc::clone(&rows)));
                rows
            }
        }
    }

    fn new_rows(&self, model: &Model, state: &OutlineState) -> Vec<Row> {
        let mut rows = Vec::new();
        let is_searching = !state.search.trim().is_empty();
        let matches_search =
            |label: &str| !is_searching || label.to_lowercase().contains(&state.search.trim().to_lowercase());
        let list = |heading: Heading,
                    label: &str,
                    items: Vec<(Item, String, String)>,
                    min_count: usize,
                    rows: &mut Vec<Row>| {
            let count = items.len();
            let items: Vec<_> = items.into_iter().filter(|(_, label, _)| matches_search(label)).collect();
            if count < min_count || items.is_empty() {
                return;
            }
            let open = is_searching || state.open.contains(&Item::Heading(heading));
            let (label, note) = (label.to_owned(), count.to_string());
            rows.push(Row { item: Item::Heading(heading), depth: 0, label, affixes: [0; 2], note, open: Some(open) });
            if open {
                let affixes = shared_affixes(items.iter().map(|(_, label, _)| label.as_str()));
                let row = |((item, label, note), affixes)| Row { item, depth: 1, label, affixes, note, open: None };
                rows.extend(items.into_iter().zip(affixes).map(row));
            }
        };
        let scenes = model.scenes.iter().enumerate().map(|(i, scene)| {
            let note = counted(scene.mesh_nodes.len(), "mesh", "meshes");
            (Item::Scene(SceneIndex(i as u32)), named(scene.name.as_deref(), "scene", i), note)
        });
        list(Heading::Scenes, "Scenes", scenes.collect(), 2, &mut rows);
        let cameras = model.cameras.iter().enumerate().map(|(i, camera)| {
            (Item::Camera(CameraIndex(i as u32)), named(camera.name.as_deref(), "camera", i), String::new())
        });
        list(Heading::Cameras, "Cameras", cameras.collect(), 1, &mut rows);
        let variants = model
            .variants
            .iter()
            .enumerate()
            .map(|(i, name)| (Item::Variant(i), named(name.as_deref(), "variant", i), String::new()));
        list(Heading::Variants, "Variants", variants.collect(), 1, &mut rows);
        self.joint_rows(state, &mut rows);
        let meshes = model.meshes.iter().enumerate().map(|(i, mesh)| {
            let vertices: usize = mesh.primitives.iter().map(|primitive| primitive.vertices.positions.len()).sum();
            let part = Item::Part(Selection::Mesh(MeshIndex(i as u32)));
            (part, named(mesh.name.as_deref(), "mesh", i), format!("{vertices} v"))
        });
        list(Heading::Meshes, "Meshes", meshes.collect(), 1, &mut rows);
        let skins = model.skins.iter().enumerate().map(|(i, skin)| {
            let part = Item::Part(Selection::Skin(SkinIndex(i as u32)));
            (part, named(skin.name.as_deref(), "skin", i), counted(skin.joints.len(), "joint", "joints"))
        });
        list(Heading::Skins, "Skins", skins.collect(), 1, &mut rows);
        let materials = model.materials.iter().enumerate().map(|(i, material)| {
            let part = Item::Part(Selection::Material(MaterialIndex(i as u32)));
            (part, named(material.name.as_deref(), "material", i), String::new())
        });
        list(Heading::Materials, "Materials", materials.collect(), 1, &mut rows);
        rows
    }

    /// Rows of the hierarchy; of a search, a flat list of the matches.
    fn joint_rows(&self, state: &OutlineState, rows: &mut Vec<Row>) {
        let search = state.search.trim();
        let row = |joint: JointIndex, depth, open| Row {
            item: Item::Part(Selection::Joint(joint)),
            depth,
            label: self.labels[joint.get()].clone(),
            affixes: self.affixes[joint.get()],
            note: self.human_bones[joint.get()].clone(),
            open,
        };
        let heading = |open| Row {
            item: Item::Heading(Heading::Nodes),
            depth: 0,
            label: "Nodes".to_owned(),
            affixes: [0; 2],
            note: self.labels.len().to_string(),
            open: Some(open),
        };
        if !search.is_empty() {
            let search = NameSearch::new(search);
            let names = |joint: &JointIndex| [&self.labels[joint.get()], &self.human_bones[joint.get()]];
            let mut found: Vec<JointIndex> = (0..self.labels.len() as u32).map(JointIndex).collect();
            found.retain(|joint| names(joint).iter().any(|name| search.rank(name).is_some()));
            if !found.is_empty() {
                rows.push(heading(true));
                rows.extend(found.into_iter().map(|joint| row(joint, 1, None)));
            }
            return;
        }
        if self.labels.is_empty() {
            return;
        }
        let open = state.open.contains(&Item::Heading(Heading::Nodes));
        rows.push(heading(open));
        let mut stack: Vec<(JointIndex, usize)> = Vec::new();
        if open {
            stack.extend(self.roots.iter().rev().map(|&root| (root, 1)));
        }
        while let Some((joint, depth)) = stack.pop() {
            let children = &self.children[joint.get()];
            let open = state.open.contains(&Item::Part(Selection::Joint(joint)));
            rows.push(row(joint, depth, (!children.is_empty()).then_some(open)));
            if open {
                stack.extend(children.iter().rev().map(|&child| (child, depth + 1)));
            }
        }
    }

    /// Expands or collapses a joint and everything below it.
    pub(crate) fn set_subtree_open(&self, state: &mut OutlineState, joint: JointIndex, open: bool) {
        state.revision += 1;
        let mut stack = vec![joint];
        while let Some(joint) = stack.pop() {
            let item = Item::Part(Selection::Joint(joint));
            if open {
                state.open.insert(item)
            } else {
                state.open.remove(&item)
            };
            stack.extend(&self.children[joint.get()]);
        }
    }

    /// Expands levels of the hierarchy from the roots down, up to a number of rows.
    pub(crate) fn open_first_levels(&self, state: &mut OutlineState) {
        let (mut level, mut row_count) = (self.roots.clone(), self.roots.len());
        while !level.is_empty() {
            let next: Vec<JointIndex> =
                level.iter().flat_map(|joint| self.children[joint.get()].iter().copied()).collect();
            row_count += next.len();
            if row_count > MAX_OPEN_ROWS {
                return;
            }
            state.open.extend(level.iter().map(|&joint| Item::Part(Selection::Joint(joint))));
            level = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::tests::joint;
    use rigview_core::model::{HumanBoneJoint, Skeleton, Skin};

    /// Joints `hips` (`spine` (`head`), `tail`) and an unnamed root.
    fn model() -> Model {
        let joints = vec![
            joint(4, Some("hips"), None),
            joint(3, None, None),
            joint(2, Some("spine"), Some(0)),
            joint(1, Some("Head"), Some(2)),
            joint(0, Some("tail"), Some(0)),
        ];
        let skin = Skin { name: None, joints: vec![JointIndex(0)], joint_from_mesh: [].into() };
        let human_bones = vec![HumanBoneJoint { joint: JointIndex(1), bone: "leftUpperArm".to_owned() }];
        Model { skeleton: Skeleton::new(joints, vec![]), skins: vec![skin], human_bones, ..Model::default() }
    }

    fn document(model: &Model, state: &OutlineState) -> Vec<(usize, String)> {
        Outline::new(model).rows(model, state).iter().map(|row| (row.depth, row.label.clone())).collect()
    }

    fn rows(labels: &[(usize, &str)]) -> Vec<(usize, String)> {
        labels.iter().map(|(depth, label)| (*depth, (*label).to_owned())).collect()
    }

    #[test]
    fn expanded_rows_are_visible_in_order() {
        let (model, mut state) = (model(), OutlineState::default());
        assert_eq!(document(&model, &state), rows(&[(0, "Nodes"), (1, "hips"), (1, "node 3"), (0, "Skins")]));
        state.toggle(Item::Part(Selection::Joint(JointIndex(0))));
        let open = [(0, "Nodes"), (1, "hips"), (2, "spine"), (2, "tail"), (1, "node 3"), (0, "Skins")];
        assert_eq!(document(&model, &state), rows(&open));
        state.toggle(Item::Heading(Heading::Nodes));
        state.toggle(Item::Heading(Heading::Skins));
        assert_eq!(document(&model, &state), rows(&[(0, "Nodes"), (0, "Skins"), (1, "skin 0")]));
    }

    #[test]
    fn selection_is_expanded() {
        let (model, mut state) = (model(), OutlineState::default());
        state.reveal(&model, Selection::Joint(JointIndex(3)));
        assert!(document(&model, &state).contains(&(3, "Head".to_owned())));
        state.reveal(&model, Selection::Skin(SkinIndex(0)));
        assert!(document(&model, &state).contains(&(1, "skin 0".to_owned())));
    }

    #[test]
    fn search_finds_collapsed_rows() {
        let (model, mut state) = (model(), OutlineState::default());
        state.search = " hea".to_owned();
        assert_eq!(document(&model, &state), rows(&[(0, "Nodes"), (1, "Head")]));
        state.search = "hd".to_owned();
        assert!(document(&model, &state).is_empty());
        state.search = "skin".to_owned();
        assert_eq!(document(&model, &state), rows(&[(0, "Skins"), (1, "skin 0")]));
        state.search = "upperarm".to_owned();
        assert_eq!(document(&model, &state), rows(&[(0, "Nodes"), (1, "node 3")]));
        state.search = "xyz".to_owned();
        assert!(document(&model, &state).is_empty());
    }

    #[test]
    fn small_tree_starts_expanded() {
        let (model, mut state) = (model(), OutlineState::default());
        Outline::new(&model).open_first_levels(&mut state);
        assert_eq!(document(&model, &state).len(), 7);
    }
}
