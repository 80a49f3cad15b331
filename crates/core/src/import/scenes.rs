//! Scenes and cameras.

use super::diagnostics::{Diagnostics, LEFT_OUT};
use super::error::ImportError;
use super::hierarchy::Hierarchy;
use super::json::GltfJson;
use super::limits::Limit;
use super::meshes::vertex_count;
use crate::model::{
    CameraNode, JointIndex, LightIndex, LightNode, Mesh, MeshIndex, MeshNode, Model, Primitive, Projection, Scene,
    SceneIndex, Skeleton, Skin, SkinIndex,
};
use crate::util::text::counted;
use gltf::json;
use json::validation::Checked;
use serde_json::Value;
use std::collections::HashSet;

/// Reads all scenes. Also returns the default scene.
pub(super) fn read(
    document: &GltfJson,
    hierarchy: &Hierarchy,
    skins: &[Skin],
    lights: &[LightNode],
    diagnostics: &mut Diagnostics,
) -> Result<(Vec<Scene>, SceneIndex), ImportError> {
    let Hierarchy { skeleton, joints: joint_of_node, .. } = hierarchy;
    let mesh_nodes = mesh_nodes(document, hierarchy, skins, diagnostics)?;
    let mut light_of_joint = vec![None; skeleton.len()];
    for (light, index) in lights.iter().zip(0..) {
        if let Some(light_of_joint) = light_of_joint.get_mut(light.joint.get()) {
            *light_of_joint = Some(LightIndex(index));
        }
    }
    if document.scenes.is_empty() {
        let mesh_nodes = mesh_nodes.into_iter().flatten().collect();
        if !document.nodes.is_empty() {
            diagnostics.push("", "the file has no scenes; all of its nodes are shown");
        }
        return Ok((
            vec![Scene { name: None, mesh_nodes, lights: light_of_joint.into_iter().flatten().collect() }],
            SceneIndex(0),
        ));
    }
    let children = children(skeleton);
    let (mut scenes, mut visits) = (Vec::with_capacity(document.scenes.len()), 0);
    // The last scene that contains each joint.
    let mut visited = vec![usize::MAX; skeleton.len()];
    for (i, scene) in document.scenes.iter().enumerate() {
        let at = || document.location("scenes", i);
        let mut joints: Vec<usize> = Vec::new();
        for node in &scene.nodes {
            let count_before = joints.len();
            let Some(root) = joint_of_node.get(node.value()) else {
                let count = joint_of_node.len();
                let error = ImportError::MissingReference { at: at(), kind: "node", index: node.value(), count };
                diagnostics.leave_out_geometry(error, LEFT_OUT)?;
                continue;
            };
            if skeleton.joint(*root).parent.is_some() {
                let node = document.location("nodes", node.value());
                diagnostics
                    .add(&at(), format!("{node} is in it, but is the child of another node, which it still follows"));
            }
            let mut stack = vec![root.get()];
            while let Some(joint) = stack.pop() {
                let Some(last_scene) = visited.get_mut(joint).filter(|last_scene| **last_scene != i) else { continue };
                *last_scene = i;
                joints.push(joint);
                // The stack pops from the end, so the first child is visited next.
                stack.extend(children.get(joint).into_iter().flatten().rev());
            }
            visits += (joints.len() - count_before) as u64;
            let what = || ("/scenes".into(), "nodes of all scenes together".into());
            document.check_limit(Limit::SceneNodes, visits, what)?;
        }
        let mesh_nodes = joints.iter().filter_map(|joint| mesh_nodes.get(*joint).copied().flatten()).collect();
        let lights = joints.iter().filter_map(|joint| light_of_joint.get(*joint).copied().flatten()).collect();
        scenes.push(Scene { name: scene.name.clone(), mesh_nodes, lights });
    }
    let default = match document.value.get("scene").and_then(Value::as_u64) {
        Some(scene) if scene < scenes.len() as u64 => scene as u32,
        Some(scene) => {
            let count = counted(scenes.len(), "scene", "scenes");
            diagnostics
                .push("/scene", format!("the default scene is {scene}, but the file has {count}; the first is shown"));
            0
        }
        None => 0,
    };
    Ok((scenes, SceneIndex(default)))
}

/// Returns an error for a scene with too many draws or vertices, such as many nodes that share a large mesh.
pub(super) fn check_draw_limit(document: &GltfJson, scenes: &[Scene], meshes: &[Mesh]) -> Result<(), ImportError> {
    let costs: Vec<[u64; 2]> = meshes.iter().map(|mesh| [mesh.primitives.len() as u64, vertex_count(mesh)]).collect();
    for (i, scene) in scenes.iter().enumerate() {
        let costs = scene.mesh_nodes.iter().filter_map(|mesh_node| costs.get(mesh_node.mesh.get()));
        let [draws, vertices] = costs.fold([0; 2], |[draws, vertices], cost| [draws + cost[0], vertices + cost[1]]);
        let what = |noun: &str| (format!("/scenes/{i}"), format!("{noun} that the nodes of a scene draw"));
        document.check_limit(Limit::Draws, draws, || what("primitives"))?;
        document.check_limit(Limit::Vertices, vertices, || what("vertices"))?;
    }
    Ok(())
}

/// Bytes of a matrix in its largest format: three texels.
const MATRIX_BYTES: u64 = 48;

/// Rejects scenes whose palette is too large, such as GPU instances of a mesh with many morph targets.
///
/// Counts as the palette layout does: the joints of each skin once per visibility root, and weights in groups of four.
pub(super) fn check_palette_limits(document: &GltfJson, model: &Model) -> Result<(), ImportError> {
    let visibility_roots = model.visibility_roots();
    // Whether a mesh has primitives that follow a skin, and others.
    let kinds = |mesh: &Mesh| {
        let is_skinned = |primitive: &Primitive| primitive.vertices.influences.is_some();
        (mesh.primitives.iter().any(is_skinned), !mesh.primitives.iter().all(is_skinned))
    };
    let kinds: Vec<(bool, bool)> = model.meshes.iter().map(kinds).collect();
    for (i, scene) in model.scenes.iter().enumerate() {
        let (mut matrices, mut weights) = (0_u64, 0_u64);
        let mut skins = HashSet::new();
        for mesh_node in &scene.mesh_nodes {
            let Some(mesh) = model.meshes.get(mesh_node.mesh.get()) else { continue };
            weights += (mesh.target_count as u64).next_multiple_of(4);
            let (skinned, rigid) = kinds.get(mesh_node.mesh.get()).copied().unwrap_or_default();
            matrices += u64::from(rigid || mesh_node.skin.is_none());
            let root = visibility_roots.get(mesh_node.joint.get()).copied().flatten();
            if let Some(skin) = mesh_node.skin.filter(|skin| skinned && skins.insert((*skin, root))) {
                matrices += model.skins.get(skin.get()).map_or(0, |skin| skin.joints.len() as u64);
            }
        }
        let pointer = || format!("/scenes/{i}");
        document.check_limit(Limit::SceneMatrices, matrices, || (pointer(), "joint matrices of a scene".into()))?;
        document.check_limit(Limit::MorphWeights, weights, || (pointer(), "morph weights of a scene".into()))?;
        // Raised limits do not change the size of an index.
        if matrices.max(weights) > u64::from(u32::MAX) {
            let problem = format!(
                "it needs {matrices} matrices and {weights} morph weights; at most {} of each can be shown; use fewer instances",
                u32::MAX
            );
            return Err(ImportError::InvalidData { at: document.location("scenes", i), problem });
        }
        let bytes = MATRIX_BYTES * matrices + 4 * weights;
        document.check_limit(Limit::Matrices, bytes, || (pointer(), "matrices and weights of an instance".into()))?;
    }
    Ok(())
}

fn children(skeleton: &Skeleton) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); skeleton.len()];
    for (i, joint) in skeleton.joints().iter().enumerate() {
        if let Some(children) = joint.parent.and_then(|parent| children.get_mut(parent.get())) {
            children.push(i);
        }
    }
    children
}

/// Returns the mesh node of each joint. Reports skins and cameras that do not exist.
fn mesh_nodes(
    document: &GltfJson,
    hierarchy: &Hierarchy,
    skins: &[Skin],
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Option<MeshNode>>, ImportError> {
    let mut mesh_nodes = Vec::with_capacity(hierarchy.skeleton.len());
    for (i, joint) in hierarchy.skeleton.joints().iter().enumerate() {
        let node = document.nodes.get(joint.node);
        let [mesh, skin, camera] = match node {
            Some(node) => [node.mesh.map(|i| i.value()), node.skin.map(|i| i.value()), node.camera.map(|i| i.value())],
            None => [None; 3],
        };
        for (kind, index, count) in [("skin", skin, skins.len()), ("camera", camera, document.cameras.len())] {
            if let Some(index) = index.filter(|index| *index >= count) {
                let at = document.location("nodes", joint.node);
                diagnostics.leave_out(ImportError::MissingReference { at, kind, index, count }, "it is ignored")?;
            }
        }
        let joint = JointIndex(i as u32);
        // Without the mesh, the node is reported with its morph weights.
        let mesh = mesh.filter(|mesh| *mesh < document.meshes.len() && !hierarchy.has_gpu_instances(joint));
        let skin = skin.filter(|skin| skins.get(*skin).is_some_and(|skin| !skin.joints.is_empty()));
        mesh_nodes.push(mesh.map(|mesh| MeshNode {
            joint,
            mesh: MeshIndex(mesh as u32),
            skin: skin.map(|skin| SkinIndex(skin as u32)),
        }));
    }
    Ok(mesh_nodes)
}

/// Reports nodes with a skin but no skinned mesh, and skinned meshes without a skin.
pub(super) fn report_skin_mismatches(document: &GltfJson, meshes: &[Mesh], diagnostics: &mut Diagnostics) {
    // Once per mesh: many nodes may show a mesh of many primitives.
    let skinned = |mesh: &Mesh| mesh.primitives.iter().filter(|p| p.vertices.influences.is_some()).count();
    let skinned: Vec<usize> = meshes.iter().map(skinned).collect();
    for (i, node) in document.nodes.iter().enumerate() {
        let mesh = node.mesh.and_then(|mesh| Some((meshes.get(mesh.value())?, skinned[mesh.value()])));
        let at = || document.location("nodes", i);
        match (mesh, node.skin) {
            (None, Some(_)) => diagnostics.add(&at(), "it has a skin, but no mesh; the skin moves nothing"),
            (Some((mesh, skinned)), Some(_)) if skinned < mesh.primitives.len() => {
                let rest = counted(mesh.primitives.len() - skinned, "primitive", "primitives");
                let text = format!("{rest} of its mesh cannot follow its skin, having no JOINTS_0 and WEIGHTS_0");
                diagnostics.add(&at(), format!("{text}; in Blender, assign the vertices to vertex groups"));
            }
            (Some((_, 1..)), None) => {
                diagnostics.add(&at(), "its mesh has joints and weights, but it has no skin; it is shown unskinned");
            }
            _ => {}
        }
    }
}

/// Reads the cameras in node order.
pub(super) fn read_cameras(
    document: &GltfJson,
    joint_of_node: &[JointIndex],
    diagnostics: &mut Diagnostics,
) -> Vec<CameraNode> {
    let mut cameras = Vec::new();
    for (node, &joint) in document.nodes.iter().zip(joint_of_node) {
        let Some(index) = node.camera.map(|camera| camera.value()) else { continue };
        let Some(json) = document.cameras.get(index) else { continue };
        match projection(document.element("cameras", index), json.type_) {
            Some(projection) => {
                let name = json.name.clone().or_else(|| node.name.clone());
                cameras.push(CameraNode { gltf_index: index as u32, name, joint, projection });
            }
            None => diagnostics.add(&document.location("cameras", index), "its projection is invalid; it is ignored"),
        }
    }
    cameras
}

fn projection(json: &Value, kind: Checked<json::camera::Type>) -> Option<Projection> {
    let number = |parent: &str, key: &str| json.get(parent)?.get(key)?.as_f64();
    let projection = match kind {
        Checked::Valid(json::camera::Type::Perspective) => {
            let fov_y = number("perspective", "yfov").filter(|x| *x > 0.0 && *x < std::f64::consts::PI)?;
            let near = number("perspective", "znear").filter(|x| *x > 0.0)?;
            let aspect = number("perspective", "aspectRatio").filter(|x| *x > 0.0);
            let far = number("perspective", "zfar");
            if far.is_some_and(|far| far <= near) {
                return None;
            }
            Projection::Perspective { fov_y, aspect, near, far }
        }
        Checked::Valid(json::camera::Type::Orthographic) => {
            let half_width = number("orthographic", "xmag").filter(|x| *x != 0.0)?;
            let half_height = number("orthographic", "ymag").filter(|x| *x != 0.0)?;
            let (near, far) = (number("orthographic", "znear")?, number("orthographic", "zfar")?);
            if far <= near {
                return None;
            }
            Projection::Orthographic { half_width, half_height, near, far }
        }
        Checked::Invalid => return None,
    };
    Some(projection)
}
