//! Pose overrides from requests, and back.

use crate::app::FileError;
use crate::app::scene::crowd_spec::find_clip;
use crate::app::scene::lookup::{find_by_name_or_index, find_joint, name_or_index};
use crate::request::{ALL_CLIPS, JointPoseRequest, MorphWeightRequest, SceneRequest, shortest_f64};
use rigview_check::flex::{FlexLimits, measure};
use rigview_core::model::{Expression, ExpressionIndex, JointIndex, Model};
use rigview_core::palette::Rig;
use rigview_core::pose::PoseOverride;

pub(crate) fn pose_override_from(model: &Model, request: &SceneRequest) -> Result<PoseOverride, FileError> {
    let mut overrides = PoseOverride::new();
    for pose in &request.joint_poses {
        let joint = find_joint(model, &pose.joint)?;
        let Some(transform) = pose.transform(&model.skeleton.joint(joint).rest) else { continue };
        if model.skeleton.joint(joint).has_shear() {
            return Err(FileError::ShearedJoint(pose.joint.clone()));
        }
        overrides.set(joint, transform);
    }
    for MorphWeightRequest { target, weight } in &request.expressions {
        let index = find_expression(model, target)?;
        overrides.set_expression(&model.expressions, ExpressionIndex(index as u32), *weight as f32);
    }
    let all = model.morphs();
    for MorphWeightRequest { target, weight } in &request.morph_weights {
        let named = model.find_morphs(&all, target);
        if named.is_empty() {
            return Err(FileError::NoSuch {
                kind: "morph target",
                requested: target.clone(),
                names: all.iter().map(|morph| morph.name.clone()).collect(),
            });
        }
        named.into_iter().for_each(|morph| overrides.set_morph_weight(morph.weight_index, *weight as f32));
    }
    Ok(overrides)
}

/// Returns the pose of a rank of the range of motion test.
pub(crate) fn flex_pose(rig: &Rig, rank: usize) -> Result<PoseOverride, FileError> {
    let flex = measure(rig, &FlexLimits::default(), &|_, _| true);
    let pose = flex.pose(&rig.model().skeleton, rank);
    pose.ok_or(FileError::NoFlexRank { rank, joints: flex.joints.len() })
}

/// Drops the items of `request` that `model` lacks.
pub(crate) fn retain_known(request: &mut SceneRequest, model: &Model) {
    let has_clip = |name: &str| find_clip(model, name).is_ok();
    request.clip = request.clip.take().filter(|name| name == ALL_CLIPS || has_clip(name));
    request.layers.retain(|layer| has_clip(&layer.clip));
    request.crowd.clips.retain(|clip| clip.clip_source().is_some() || has_clip(&clip.clip));
    let scenes = || model.scenes.iter().map(|scene| scene.name.as_deref());
    request.scene = request.scene.take().filter(|name| find_by_name_or_index("scene", name, scenes()).is_ok());
    let variants = || model.variants.iter().map(Option::as_deref);
    request.variant = request.variant.take().filter(|name| find_by_name_or_index("variant", name, variants()).is_ok());
    request
        .joint_poses
        .retain(|pose| find_joint(model, &pose.joint).is_ok_and(|joint| !model.skeleton.joint(joint).has_shear()));
    request.expressions.retain(|expression| find_expression(model, &expression.target).is_ok());
    let morphs = model.morphs();
    request.morph_weights.retain(|weight| !model.find_morphs(&morphs, &weight.target).is_empty());
}

/// Sets the pose overrides of `request`, which has those of `before`.
pub(crate) fn set_overrides(request: &mut SceneRequest, model: &Model, [before, overrides]: [&PoseOverride; 2]) {
    let former = std::mem::take(&mut request.joint_poses);
    // What the user typed stays as it is.
    let unchanged = |joint: JointIndex| {
        let same = before.get(joint).is_some_and(|transform| overrides.get(joint) == Some(transform));
        former
            .iter()
            .rfind(|pose| {
                same && !pose.is_in_place() && find_joint(model, &pose.joint).is_ok_and(|found| found == joint)
            })
            .cloned()
    };
    let requests = joint_pose_requests(model, overrides).into_iter().zip(overrides.joints());
    let requests = requests.map(|(request, (joint, _))| unchanged(*joint).unwrap_or(request));
    // In the order of a request that gets the models of another one.
    request.joint_poses = requests.chain(former.iter().filter(|pose| pose.is_in_place()).cloned()).collect();
    request.expressions = expression_requests(model, overrides);
    request.morph_weights = morph_weight_requests(model, overrides);
}

/// Returns the index of the expression with this name, preset or index.
fn find_expression(model: &Model, requested: &str) -> Result<usize, FileError> {
    let labels: Vec<String> = model.expressions.iter().map(Expression::label).collect();
    let by_index = || find_by_name_or_index("expression", requested, labels.iter().map(|label| Some(label.as_str())));
    model.find_expression(requested).map(ExpressionIndex::get).map_or_else(by_index, Ok)
}

fn joint_pose_requests(model: &Model, overrides: &PoseOverride) -> Vec<JointPoseRequest> {
    let request = |(joint, transform): &(JointIndex, _)| {
        JointPoseRequest::new(model.skeleton.unambiguous_name(*joint), transform, &model.skeleton.joint(*joint).rest)
    };
    overrides.joints().iter().map(request).collect()
}

fn expression_requests(model: &Model, overrides: &PoseOverride) -> Vec<MorphWeightRequest> {
    let names = model.expressions.iter().map(|expression| Some(expression.name.as_str()));
    let request = |(index, value): &(ExpressionIndex, f32)| MorphWeightRequest {
        target: name_or_index(names.clone(), index.get()),
        weight: shortest_f64(*value),
    };
    overrides.expressions().iter().map(request).collect()
}

/// Returns the morph weights that no expression sets as requests.
fn morph_weight_requests(model: &Model, overrides: &PoseOverride) -> Vec<MorphWeightRequest> {
    let all = model.morphs();
    let request = |(weight_index, weight): &(usize, f32)| {
        let morph = all.iter().find(|morph| morph.weight_index == *weight_index)?;
        let target = model.unambiguous_morph_name(&all, morph)?;
        Some(MorphWeightRequest { target, weight: shortest_f64(*weight) })
    };
    overrides.direct_morph_weights(&model.expressions).iter().filter_map(request).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::tests::joint;
    use rigview_core::math::Transform;
    use rigview_core::model::{Joint, Mesh, MeshIndex, MeshNode, Scene, Skeleton};

    /// Two nodes whose mesh has targets `smile` and `blink`, and one with `smile` and `a:b`.
    fn model() -> Model {
        let face_joint = |node: usize| Joint {
            morph_weights: node * 2..node * 2 + 2,
            ..joint(node, Some(["face", "teeth", "7"][node]), None)
        };
        let mesh = |names: [&str; 2]| Mesh {
            target_count: 2,
            target_names: names.map(str::to_owned).into(),
            ..Mesh::default()
        };
        let mesh_node = |joint, mesh| MeshNode { joint: JointIndex(joint), mesh: MeshIndex(mesh), skin: None };
        Model {
            skeleton: Skeleton::new((0..3).map(face_joint).collect(), vec![0.0; 6]),
            meshes: vec![mesh(["smile", "blink"]), mesh(["smile", "a:b"])],
            expressions: vec![Expression {
                name: "happy".to_owned(),
                morph_weights: vec![(0, 1.0), (2, 0.5)],
                ..Expression::default()
            }],
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
        overrides.set_expression(&model.expressions, 0.into(), 0.5);
        overrides.set_morph_weight(2, 0.75);
        let request = SceneRequest {
            expressions: expression_requests(&model, &overrides),
            morph_weights: morph_weight_requests(&model, &overrides),
            joint_poses: joint_pose_requests(&model, &overrides),
            ..SceneRequest::default()
        };
        // Expression `happy` sets the first weight.
        assert_eq!((request.morph_weights[4].target.as_str(), request.morph_weights[0].weight), ("a:b", 0.1));
        assert_eq!(request.expressions[0].to_string(), "happy=0.5");
        assert_eq!(pose_override_from(&model, &request).unwrap(), overrides);
    }
}
