//! Pose overrides from requests, and back.

use crate::app::FileError;
use crate::app::scene::lookup::{find_joint, unambiguous_name};
use crate::request::{JointPoseRequest, MorphWeightRequest, SceneRequest};
use rigview_core::model::{JointIndex, Mesh, Model};
use rigview_core::pose::PoseOverride;
use rigview_core::util::text::one_line;

/// A morph weight of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Morph {
    /// The node with the mesh.
    pub(crate) joint: JointIndex,
    /// Target index in the mesh.
    pub(crate) target_index: usize,
    /// The target's name, or `target N`.
    pub(crate) name: String,
    /// Index among the skeleton's weights.
    pub(crate) weight_index: usize,
}

/// Morph weights of all drawn nodes.
pub(crate) fn morphs(model: &Model) -> Vec<Morph> {
    let mut found: Vec<Morph> = Vec::new();
    for mesh_node in model.scenes.iter().flat_map(|scene| &scene.mesh_nodes) {
        let weights = model.skeleton.joint(mesh_node.joint).morph_weights.clone();
        // Copies of a mesh share the weights of their parent node.
        if weights.is_empty() || found.iter().any(|morph| weights.contains(&morph.weight_index)) {
            continue;
        }
        let mesh = &model.meshes[mesh_node.mesh.get()];
        found.extend(weights.enumerate().map(|(target_index, weight_index)| Morph {
            joint: mesh_node.joint,
            target_index,
            name: target_name(mesh, target_index),
            weight_index,
        }));
    }
    found
}

fn target_name(mesh: &Mesh, target_index: usize) -> String {
    let name = mesh.target_names.get(target_index).filter(|name| !name.trim().is_empty());
    name.map_or_else(|| format!("target {target_index}"), |name| one_line(name))
}

/// Returns the overrides of a request.
pub(crate) fn pose_override_from(model: &Model, request: &SceneRequest) -> Result<PoseOverride, FileError> {
    let mut overrides = PoseOverride::new();
    for pose in &request.joint_poses {
        let joint = find_joint(model, &pose.joint)?;
        if model.skeleton.joint(joint).has_shear() {
            return Err(FileError::ShearedJoint { requested: pose.joint.clone() });
        }
        overrides.set(joint, pose.transform(&model.skeleton.joint(joint).rest));
    }
    if !request.morph_weights.is_empty() {
        let all = morphs(model);
        for MorphWeightRequest { target, weight } in &request.morph_weights {
            let named = find_morphs(model, &all, target);
            if named.is_empty() {
                return Err(FileError::NoSuch {
                    kind: "morph target",
                    requested: target.clone(),
                    names: all.iter().map(|morph| morph.name.clone()).collect(),
                });
            }
            named.into_iter().for_each(|morph| overrides.set_morph_weight(morph.weight_index, *weight as f32));
        }
    }
    Ok(overrides)
}

/// Finds morph weights by target name, else by target index; `NODE:` restricts them to one node.
fn find_morphs<'a>(model: &Model, all: &'a [Morph], requested: &str) -> Vec<&'a Morph> {
    let of = |target: &str, joint: Option<JointIndex>| -> Vec<&'a Morph> {
        let candidates = || all.iter().filter(|morph| joint.is_none_or(|joint| joint == morph.joint));
        let by_name: Vec<&Morph> = candidates().filter(|morph| morph.name == target).collect();
        match target.parse::<usize>() {
            Ok(number) if by_name.is_empty() => candidates().filter(|morph| morph.target_index == number).collect(),
            _ => by_name,
        }
    };
    let found = of(requested, None);
    if !found.is_empty() {
        return found;
    }
    // Names may contain colons.
    let colons = requested.match_indices(':').map(|(colon, _)| colon);
    let split = |colon: usize| {
        let joint = find_joint(model, &requested[..colon]).ok()?;
        Some(of(&requested[colon + 1..], Some(joint))).filter(|found| !found.is_empty())
    };
    colons.into_iter().find_map(split).unwrap_or_default()
}

/// Returns the shortest decimal that rounds to `number` in single precision.
pub(crate) fn shortest_f64(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::from(number))
}

/// Returns the joint overrides as requests.
pub(crate) fn joint_pose_requests(model: &Model, overrides: &PoseOverride) -> Vec<JointPoseRequest> {
    let request = |(joint, transform): &(JointIndex, _)| {
        JointPoseRequest::new(unambiguous_name(model, *joint), transform, &model.skeleton.joint(*joint).rest)
    };
    overrides.joints().iter().map(request).collect()
}

/// Returns the overridden morph weights as requests.
pub(crate) fn morph_weight_requests(model: &Model, overrides: &PoseOverride) -> Vec<MorphWeightRequest> {
    let all = morphs(model);
    let name = |weight_index: usize| {
        let morph = all.iter().find(|morph| morph.weight_index == weight_index)?;
        let candidates = [
            morph.name.clone(),
            format!("{}:{}", unambiguous_name(model, morph.joint), morph.name),
            format!("{}:{}", unambiguous_name(model, morph.joint), morph.target_index),
        ];
        // The shortest unambiguous one.
        candidates
            .into_iter()
            .find(|name| matches!(find_morphs(model, &all, name)[..], [one] if one.weight_index == weight_index))
    };
    let request = |(weight_index, weight): &(usize, f32)| {
        Some(MorphWeightRequest { target: name(*weight_index)?, weight: shortest_f64(*weight) })
    };
    overrides.morph_weights().iter().filter_map(request).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::math::Transform;
    use rigview_core::model::{Joint, MeshIndex, MeshNode, Scene, Skeleton};

    /// Two nodes whose mesh has targets `smile` and `blink`, and one with `smile` and `a:b`.
    fn model() -> Model {
        let joint = |node: usize| Joint {
            name: Some(["face", "teeth", "7"][node].to_owned()),
            node,
            parent: None,
            rest: Transform::identity(),
            exact_rest_matrix: None,
            morph_weights: node * 2..node * 2 + 2,
        };
        let mesh = |names: [&str; 2]| Mesh {
            target_count: 2,
            target_names: names.map(str::to_owned).into(),
            ..Mesh::default()
        };
        let mesh_node = |joint, mesh| MeshNode { joint: JointIndex(joint), mesh: MeshIndex(mesh), skin: None };
        Model {
            skeleton: Skeleton::new((0..3).map(joint).collect(), vec![0.0; 6]),
            meshes: vec![mesh(["smile", "blink"]), mesh(["smile", "a:b"])],
            scenes: vec![Scene {
                mesh_nodes: vec![mesh_node(0, 0), mesh_node(1, 0), mesh_node(2, 1)],
                ..Scene::default()
            }],
            ..Model::default()
        }
    }

    fn weights(requests: &[&str]) -> Result<Vec<(usize, f32)>, FileError> {
        let morph = |text: &&str| {
            let (target, weight) = text.rsplit_once('=').unwrap();
            MorphWeightRequest { target: target.to_owned(), weight: weight.parse().unwrap() }
        };
        let request = SceneRequest { morph_weights: requests.iter().map(morph).collect(), ..SceneRequest::default() };
        pose_override_from(&model(), &request).map(|overrides| overrides.morph_weights().to_vec())
    }

    #[test]
    fn morph_targets_are_found_by_name_index_and_node() {
        assert_eq!(weights(&["smile=1"]).unwrap(), [(0, 1.0), (2, 1.0), (4, 1.0)]);
        assert_eq!(weights(&["teeth:smile=1", "7:a:b=0.5"]).unwrap(), [(2, 1.0), (5, 0.5)]);
        assert_eq!(weights(&["face:1=2", "a:b=-1"]).unwrap(), [(1, 2.0), (5, -1.0)]);
        let message = weights(&["frown=1"]).unwrap_err().to_string();
        assert!(message.starts_with("has no morph target `frown`; it has 0 `smile`, 1 `blink`"), "{message}");
    }

    #[test]
    fn overrides_round_trip_as_requests() {
        let model = model();
        let mut overrides = PoseOverride::new();
        for weight_index in 0..6 {
            overrides.set_morph_weight(weight_index, 0.1 * weight_index as f32);
        }
        overrides
            .set(JointIndex(1), Transform { scale: nalgebra::Vector3::new(1.0, 2.0, 3.0), ..Transform::identity() });
        let request = SceneRequest {
            morph_weights: morph_weight_requests(&model, &overrides),
            joint_poses: joint_pose_requests(&model, &overrides),
            ..SceneRequest::default()
        };
        assert_eq!((request.morph_weights[5].target.as_str(), request.morph_weights[1].weight), ("a:b", 0.1));
        assert_eq!(pose_override_from(&model, &request).unwrap(), overrides);
    }
}
