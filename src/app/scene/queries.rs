//! World transforms of joints, lights and cameras.

use crate::app::scene::LoadedScene;
use crate::app::scene::loaded_model::LoadedModel;
use crate::app::scene::lookup::PathPoint;
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::import::Diagnostic;
use rigview_core::math::Affine;
use rigview_core::model::{CameraIndex, Clip, ClipIndex, InstanceIndex, JointIndex, KeyValues, LightIndex};
use rigview_core::palette::{BlockIndex, PrimitiveDraw, SkinningInputs, VertexExplanation, explain_vertex};
use rigview_core::pose::{Cursor, Layer, LayerScratch, ModelPose, Playback, Pose, sample};
use rigview_core::retarget::Role;
use rigview_render::scene::{Camera, Light, MAX_LIGHTS, PickedVertex};
use std::sync::{Arc, PoisonError};

impl LoadedScene {
    /// Lights of all models and instances, at most [`MAX_LIGHTS`].
    pub(crate) fn lights(&self, time_secs: f64) -> Vec<Light> {
        self.drawn().flat_map(|scene| scene.lights_of_model(time_secs)).take(MAX_LIGHTS).collect()
    }
}

impl LoadedModel {
    fn lights_of_model(&self, time_secs: f64) -> Vec<Light> {
        let model = self.model();
        let lights = &model.scenes[self.scene_index.get()].lights;
        if lights.is_empty() {
            return Vec::new();
        }
        let joints: Vec<JointIndex> =
            lights.iter().map(|light| model.lights[light.get()].joint).take(MAX_LIGHTS).collect();
        let instances = self.crowd.indices().take(MAX_LIGHTS);
        let lights_of_instance = |instance| {
            let transforms = self.world_from_joints_of(instance, &joints, time_secs);
            let values = self.crowd.animated_properties(instance, model, time_secs);
            let each =
                lights.iter().zip(transforms).filter(|(light, _)| !values.is_hidden(model.lights[light.get()].joint));
            let scaled = |(light, transform): (&LightIndex, _)| {
                let mut light = Light::from_gltf(values.light(model, *light), &transform);
                light.intensity_rgb = light.intensity_rgb.map(|x| x * self.light_scale);
                light
            };
            each.map(scaled).collect::<Vec<_>>()
        };
        instances.flat_map(lights_of_instance).take(MAX_LIGHTS).collect()
    }

    /// A camera of the file, as part of the first instance.
    pub(crate) fn camera(&self, camera: CameraIndex, time_secs: f64) -> Camera {
        let values = self.crowd.animated_properties(InstanceIndex(0), self.model(), time_secs);
        let animated = values.camera(self.model(), camera);
        Camera::from_gltf(&animated.projection, &self.world_from_joint(animated.joint, time_secs))
    }

    /// Reports lights beyond [`MAX_LIGHTS`].
    pub(crate) fn report_excess_lights(&mut self) {
        let count = self.model().scenes[self.scene_index.get()].lights.len() * self.crowd.len();
        if count > MAX_LIGHTS {
            let owner = if self.crowd.len() > 1 { "the instances have" } else { "the scene has" };
            let message = format!("{owner} {count} lights; only the first {MAX_LIGHTS} are used");
            let pointer = format!("/scenes/{}", self.scene_index.get());
            self.diagnostics.push(Diagnostic::new(pointer, message));
        }
    }

    /// `world_from_joint` of the first instance.
    pub(crate) fn world_from_joint(&self, joint: JointIndex, time_secs: f64) -> Affine {
        self.world_from_joints(&[joint], time_secs)[0]
    }

    /// `world_from_joint` of several joints of the first instance.
    pub(crate) fn world_from_joints(&self, joints: &[JointIndex], time_secs: f64) -> Vec<Affine> {
        self.world_from_joints_of(InstanceIndex(0), joints, time_secs)
    }

    /// `world_from_joint` of all joints of an instance.
    pub(crate) fn world_from_all_joints(&self, instance: InstanceIndex, time_secs: f64) -> Vec<Affine> {
        let all: Vec<JointIndex> = (0..self.model().skeleton.len() as u32).map(JointIndex).collect();
        self.world_from_joints_of(instance, &all, time_secs)
    }

    fn world_from_joints_of(&self, instance: InstanceIndex, joints: &[JointIndex], time_secs: f64) -> Vec<Affine> {
        if joints.is_empty() {
            return Vec::new();
        }
        let (_, model_pose) = self.pose_of(instance, time_secs);
        let placement = self.crowd.placement(instance);
        joints.iter().map(|joint| placement * *model_pose.model_from_joint(*joint)).collect()
    }

    /// The joint that moves the whole model in a clip: the hips or their highest such ancestor, else the first such joint.
    pub(crate) fn travelling_joint(&self) -> Option<JointIndex> {
        let model = self.model();
        let moves = |joint: &JointIndex| {
            let mut tracks = model.clips.iter().flat_map(|clip| &clip.tracks).filter(|track| track.joint == *joint);
            tracks.any(|track| match &track.keys {
                KeyValues::Translation(keys) => keys.iter().any(|key| *key != keys[0]),
                _ => false,
            })
        };
        let hips = self.rig_map().ok().and_then(|map| Some(map.get(Role::HIPS)?.joint));
        let ancestors = std::iter::successors(hips, |joint| model.skeleton.joint(*joint).parent);
        let all = || (0..model.skeleton.len() as u32).map(JointIndex).find(moves);
        ancestors.filter(moves).last().or_else(all)
    }

    /// Positions of a point of the first instance through its clip, at `steps + 1` evenly spaced times, in world space.
    pub(crate) fn motion_path(&self, point: PathPoint, steps: usize) -> Arc<[Vector3<f64>]> {
        let mut motion_paths = self.motion_paths.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(motion_paths.entry(point).or_insert_with(|| self.sample_motion_path(point, steps.max(1))))
    }

    pub(crate) fn clear_motion_paths(&mut self) {
        self.motion_paths.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn sample_motion_path(&self, point: PathPoint, steps: usize) -> Arc<[Vector3<f64>]> {
        let playback = self.crowd.layers(InstanceIndex(0)).next().map_or(Playback::ONCE, |layer| layer.playback);
        let speed = f64::from(playback.speed);
        let step_secs = self.duration_secs() / steps as f64;
        let clock_secs = |step: usize| {
            // A looping clip wraps at its end, so that the last sample is just before.
            let clip_secs = (step as f64 * step_secs).min(self.duration_secs() * (1.0 - 1e-9));
            if speed == 0.0 { 0.0 } else { (clip_secs - playback.start_offset_secs) / speed }
        };
        self.path_at(point, (0..=steps).map(clock_secs))
    }

    /// Positions of a point of the first instance at times of the clock, in world space.
    pub(crate) fn path_at(&self, point: PathPoint, times_secs: impl Iterator<Item = f64>) -> Arc<[Vector3<f64>]> {
        let Some((draw, vertex)) = self.draw_of_vertex(point) else {
            return times_secs.map(|time_secs| self.world_from_joint(point.joint, time_secs).translation).collect();
        };
        let inputs = SkinningInputs::new(self.rig(), draw);
        let (mut animator, mut crowd) = self.copies([self.crowd.placement(InstanceIndex(0))]);
        let position = |time_secs| {
            animator.update_in_double_precision(&mut crowd, time_secs);
            Vector3::from(inputs.posed(animator.palette(), BlockIndex(0)).posed_position(vertex)).cast()
        };
        times_secs.map(position).collect()
    }

    /// The point of a motion path at a vertex.
    pub(crate) fn path_point(&self, picked: PickedVertex) -> PathPoint {
        let draw = &self.layout().draws[picked.draw];
        let primitives = &self.model().meshes[draw.mesh.get()].primitives[..draw.primitive];
        let first: usize = primitives.iter().map(|primitive| primitive.vertices.positions.len()).sum();
        PathPoint { joint: draw.joint, vertex: Some(first + picked.vertex) }
    }

    /// The draw of the vertex of a point and its index there; `None` for the origin of a joint, and for a vertex that is not drawn.
    fn draw_of_vertex(&self, point: PathPoint) -> Option<(&PrimitiveDraw, usize)> {
        let mut vertex = point.vertex?;
        for draw in self.layout().draws.iter().filter(|draw| draw.joint == point.joint) {
            let count = self.model().meshes[draw.mesh.get()].primitives[draw.primitive].vertices.positions.len();
            match vertex.checked_sub(count) {
                None => return Some((draw, vertex)),
                Some(in_next) => vertex = in_next,
            }
        }
        None
    }

    /// Copies of the first instances at other places, with their layers, pose overrides and constraints.
    pub(crate) fn copies(&self, placements: impl IntoIterator<Item = Affine>) -> (CrowdAnimator, Crowd) {
        let mut crowd =
            Crowd::new(placements.into_iter().map(|world_from_model| Instance::new(world_from_model, None, 0.0)));
        for instance in crowd.indices() {
            let layers: Vec<Layer> = self.crowd.layers(instance).collect();
            crowd.set_layers(instance, &layers);
        }
        if !self.overrides().is_empty() {
            let overrides = crowd.add_override(self.overrides().clone());
            crowd.indices().for_each(|instance| crowd.set_override(instance, Some(overrides)));
        }
        crowd.set_targets(self.crowd.targets().clone());
        let mut animator = CrowdAnimator::new(self.rig());
        animator.set_constraints(self.animator.constraints().cloned());
        (animator, crowd)
    }

    /// Explains a vertex in the last pose, which has this clock time. Returns `None` if its instance is not posed.
    pub(crate) fn explain_vertex(&self, picked: PickedVertex, clock_secs: f64) -> Option<VertexExplanation> {
        let PickedVertex { draw, instance, vertex } = picked;
        // A change of the request replaces the crowd: the palette is that of the former one until the next pose.
        let block =
            self.crowd.block_of_instance(instance).filter(|block| block.get() < self.palette().instance_count())?;
        let draw = self.layout().draws.get(draw)?;
        let (model_pose, placement) = (self.pose_of(instance, clock_secs).1, self.crowd.placement(instance));
        let world_from_joint = |joint| placement * *model_pose.model_from_joint(joint);
        let explanation = explain_vertex(self.rig(), self.palette(), block, draw, vertex, world_from_joint);
        Some(explanation.moved_by(self.origin))
    }

    pub(crate) fn first_pose(&self, time_secs: f64) -> (Pose, ModelPose) {
        self.pose_of(InstanceIndex(0), time_secs)
    }

    pub(super) fn middle_pose(&self, clip: ClipIndex) -> Pose {
        let (model, mut pose) = (self.model(), Pose::default());
        let Clip { first_key_secs, duration_secs, .. } = &model.clips[clip.get()];
        let time_secs = f64::from(first_key_secs + duration_secs) / 2.0;
        sample(&model.skeleton, &model.clips[clip.get()], time_secs, &mut Cursor::default(), &mut pose);
        pose
    }

    fn pose_of(&self, instance: InstanceIndex, time_secs: f64) -> (Pose, ModelPose) {
        let (mut scratch, mut pose) = (LayerScratch::default(), Pose::default());
        self.crowd.pose(instance, self.model(), time_secs, &mut scratch, &mut pose);
        let mut model_pose = ModelPose::default();
        model_pose.update(&self.model().skeleton, &pose);
        if let Some(constraints) = self.animator.constraints() {
            constraints.apply(self.crowd.targets(), instance, &self.crowd.placement(instance), &mut model_pose);
        }
        (pose, model_pose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::tests::shipped_scene;
    use crate::request::{CrowdRequest, SceneRequest};
    use rigview_core::import::{self, ImportOptions, Imported};
    use std::path::Path;

    /// A file with `lights` nodes with a light, which rise from 0 to 1 within a second.
    fn lit(lights: usize) -> Imported {
        use base64::Engine;
        let numbers: [f32; 8] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
        let light = serde_json::json!({ "KHR_lights_punctual": { "light": 0 } });
        let file = serde_json::json!({
            "asset": { "version": "2.0" },
            "extensionsUsed": ["KHR_lights_punctual"],
            "extensions": { "KHR_lights_punctual": { "lights": [{ "type": "point" }] } },
            "nodes": vec![serde_json::json!({ "extensions": light }); lights],
            "scenes": [{ "nodes": (0..lights).collect::<Vec<_>>() }],
            "buffers": [{ "byteLength": 32, "uri": format!("data:application/octet-stream;base64,{data}") }],
            "bufferViews": [{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 2, "min": [0], "max": [1] },
                { "bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 2 },
            ],
            "animations": [{ "samplers": [{ "input": 0, "output": 1 }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] }],
        });
        import::from_bytes(file.to_string().into_bytes(), None, &ImportOptions::default()).unwrap()
    }

    fn loaded_scene(lights: usize, instances: u32) -> LoadedScene {
        let crowd = CrowdRequest { instances, ..CrowdRequest::default() };
        let request = SceneRequest { crowd, ..SceneRequest::default() };
        LoadedScene::of_imported(Path::new("lit.gltf"), lit(lights), &request, &ImportOptions::default()).unwrap()
    }

    #[test]
    fn animated_light_follows_its_clip() {
        let scene = loaded_scene(1, 1);
        for time in [0.0, 0.25, 1.0] {
            let [light] = scene.lights(time)[..] else { panic!("not one light") };
            let rigview_render::scene::LightKind::Punctual { position_in_world, .. } = light.kind else {
                panic!("not placed")
            };
            assert!((position_in_world.y - time).abs() < 1e-6, "{time}: {position_in_world}");
        }
    }

    #[test]
    fn lights_beyond_the_maximum_are_reported() {
        let scene = loaded_scene(3, 4);
        assert_eq!((scene.lights(0.0).len(), scene.diagnostics.len()), (12, 0));
        for (lights, instances, reported) in [
            (17, 1, "the scene has 17 lights; only the first 16 are used"),
            (3, 6, "the instances have 18 lights; only the first 16 are used"),
        ] {
            let scene = loaded_scene(lights, instances);
            assert_eq!((scene.lights(0.0).len(), scene.diagnostics[0].message.as_str()), (16, reported));
        }
    }

    /// The window draws panels between a change of the request and the next pose.
    #[test]
    fn vertex_of_a_changed_crowd_has_no_explanation_before_it_is_posed() {
        let (request, options) = (SceneRequest::default(), ImportOptions::default());
        let mut scene = shipped_scene("hare.glb", &request);
        let explains = |scene: &LoadedScene, instance| {
            scene.explain_vertex(PickedVertex { draw: 0, instance, vertex: 7 }, 0.5).is_some()
        };
        for (instance, instances) in [(0, 1), (3, 4)] {
            let crowd = CrowdRequest { instances, ..CrowdRequest::default() };
            let changed = SceneRequest { crowd, ..request.clone() };
            scene.pose_at_clock(0.5);
            scene.update(&request, &changed, 0.5, &options).unwrap();
            scene.set_origin(Vector3::zeros());
            assert!(!explains(&scene, InstanceIndex(instance as u32)), "{instance}");
            scene.pose_at_clock(0.5);
            assert!(explains(&scene, InstanceIndex(instance as u32)), "{instance}");
        }
    }

    #[test]
    fn explanations_do_not_depend_on_the_origin() {
        for (file, vertex) in [("hare.glb", 7), ("windmill.glb", 0)] {
            let mut scene = shipped_scene(file, &SceneRequest::default());
            let mut explain = |origin| {
                scene.set_origin(origin);
                scene.pose_in_double_precision(0.5);
                scene.explain_vertex(PickedVertex { draw: 0, instance: InstanceIndex(0), vertex }, 0.5).unwrap()
            };
            let [at_zero, far] = [Vector3::zeros(), Vector3::new(1000.0, -20.0, 3.0)].map(&mut explain);
            let is_near = |a: Vector3<f64>, b: Vector3<f64>| (a - b).norm() < 2e-4;
            assert!(is_near(at_zero.sum(), far.sum()), "{:?} {:?}", at_zero.sum(), far.sum());
            assert!(is_near(Vector3::from(far.position).cast(), far.sum()), "{:?}", far.position);
            for [a, b] in at_zero.chain.iter().zip(&far.chain).map(|(a, b)| [a, b].map(|link| link.parent_from_joint)) {
                assert!(is_near(a.unwrap().translation, b.unwrap().translation), "{a:?} {b:?}");
            }
        }
    }
}
