//! Changing the instances of a loaded scene, their clips and their pose overrides.

use crate::app::scene::LoadedScene;
use crate::app::scene::clip_blend::{Blend, Fade};
use crate::app::scene::crowd_spec::find_clips;
use crate::app::scene::loaded_model::LoadedModel;
use crate::app::scene::pose_overrides::pose_override_from;
use crate::app::{AppError, FileError};
use crate::request::SceneRequest;
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, Instance};
use rigview_core::import::{ImportOptions, Limit, Limits};
use rigview_core::math::{Affine, SupportHull};
use rigview_core::model::{ClipIndex, InstanceIndex, JointIndex};
use rigview_core::pose::{Layer, Playback, PoseOverride};
use rigview_render::scene::layout::Layout;
use rigview_render::scene::{is_far_from_origin, posed_clip_hull};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Instances that play the same clips.
#[derive(Debug, PartialEq)]
pub(crate) struct InstanceGroup {
    pub(crate) instances: usize,
    /// Each with the ranges of its speeds and of its times when the clock is at 0. At least one.
    pub(crate) clips: Vec<(Option<ClipIndex>, [f32; 2], [f64; 2])>,
}

impl LoadedScene {
    /// Plays another clip, together with others, and lays the crowd out again, because the spacing depends on the clip.
    pub(crate) fn play(&mut self, clip: Option<ClipIndex>, together: Vec<ClipIndex>) {
        self.clip = clip;
        (self.blend.fade, self.fade_clock_secs) = (None, None);
        self.spec.play(clip, together);
        self.place_instances();
        self.prepare();
    }

    /// Shows the middle frame of the opening clip in place of the rest pose if there is no mesh. Motion capture often has a rest pose in
    /// which nothing stands. Returns the clip.
    pub(crate) fn show_middle_frame(&mut self) -> Option<ClipIndex> {
        let clip = self.opening_clips.first().copied().filter(|_| self.is_skeleton() && self.clip.is_none())?;
        let mut overrides = PoseOverride::new();
        for (joint, transform) in self.middle_pose(clip).parent_from_joint.into_iter().enumerate() {
            overrides.set(JointIndex(joint as u32), transform);
        }
        self.set_overrides(overrides);
        self.place_instances();
        self.prepare();
        Some(clip)
    }

    /// Shows `request` in place of `former`, which needs the same models. Opens another ground with `options`. An unknown item, or a
    /// rig without the feet for a ground, is an error.
    pub(crate) fn update(
        &mut self,
        former: &SceneRequest,
        request: &SceneRequest,
        clock_secs: f64,
        options: &ImportOptions,
    ) -> Result<(), AppError> {
        let in_file = |error| AppError::in_file(&self.file, error);
        let overrides = pose_override_from(self.model(), request).map_err(in_file)?;
        let clips = self.spec.other_clips(former, request, self.model()).map_err(in_file)?;
        let together = clips.as_ref().map_or(self.together(), |(_, together)| together);
        let own_count = self.spec.max_own_clips(together);
        let mut blend = Blend::from_request(&request.layers, own_count, self.model()).map_err(in_file)?;
        let looks = |request: &SceneRequest| request.motion.look_at.is_some();
        let counts = |request: &SceneRequest| request.motion.feet_on.as_ref().map(|_| request.crowd.instances);
        let ground_changes = former.motion.feet_on != request.motion.feet_on || counts(former) != counts(request);
        let keeps_clips = clips.is_none();
        self.spec.update(&request.crowd, clips);
        if ground_changes || looks(former) != looks(request) {
            self.set_constraints(request, options, !ground_changes)?;
            self.ground_revision += u64::from(ground_changes);
        }
        self.look_at = request.motion.look_at;
        if !keeps_clips {
            self.clip = self.spec.clip();
            (self.blend.fade, self.fade_clock_secs) = (None, None);
        }
        blend.fade = self.blend.fade;
        let is_placed = keeps_clips
            && !ground_changes
            && former.crowd == request.crowd
            && self.blend == blend
            && self.overrides == overrides;
        (self.blend, self.overrides) = (blend, overrides);
        if !is_placed {
            let loop_offset_secs = self.loop_offset_secs;
            self.clear_motion_paths();
            self.place_instances();
            self.prepare();
            if keeps_clips && !self.all_loop_together {
                self.loop_offset_secs = loop_offset_secs;
            }
            self.apply_blend(clock_secs);
        }
        Ok(())
    }

    /// Returns the number of instances that [`Limit::Matrices`] permits.
    pub(crate) fn max_instances(&self, limits: &Limits) -> u32 {
        let other_bytes: u64 = self.others.iter().map(LoadedModel::matrix_bytes).sum();
        let bytes = (self.palette().stride_texels() as u64 * 16).max(1);
        let available = limits.get(Limit::Matrices).saturating_sub(other_bytes);
        (available / bytes).clamp(1, u64::from(u32::MAX)) as u32
    }

    /// Places the instances as a command does that has the weights of a running cross-fade at `clock_secs`. Takes too long for each frame.
    pub(crate) fn place_by_fade(&mut self, clock_secs: f64) {
        let own: SmallVec<[ClipIndex; 4]> = self.clip.into_iter().chain(self.together().iter().copied()).collect();
        let fade_clock_secs = self.blend.fade_at(&own, clock_secs).map(|_| clock_secs);
        if self.fade_clock_secs == fade_clock_secs {
            return;
        }
        let loop_offset_secs = self.loop_offset_secs;
        self.fade_clock_secs = fade_clock_secs;
        self.place_instances();
        self.prepare();
        self.loop_offset_secs = loop_offset_secs;
        self.apply_blend(clock_secs);
    }

    /// Lays out the instances of all models. Except with a layout of a file, a model far from its origin is placed by its center.
    pub(crate) fn place_instances(&mut self) {
        let may_center = self.spec.layout().is_none();
        for model in self.models_mut() {
            model.place_by(Vector3::zeros());
            if may_center && is_far_from_origin(model.hull.bounds()) {
                model.place_by(model.hull.bounds().center());
            }
        }
        self.lay_out();
    }

    /// Lays out the instances of all models, with the given point of this model at each place.
    pub(crate) fn set_origin(&mut self, origin: Vector3<f64>) {
        self.place_by(origin);
        self.others.iter_mut().for_each(|other| other.place_by(other.origin));
        self.lay_out();
        self.prepare();
    }

    /// Replaces the hull of one instance by that of all.
    fn lay_out(&mut self) {
        let ground = self.ground.as_ref().map(|ground| Arc::clone(&ground.heights));
        let height = |at: Vector3<f64>| ground.as_ref().map_or(at.y, |ground| ground.smooth_height(at.x, at.z));
        if self.others.is_empty() && self.spec.is_single() {
            let lift = |at: Vector3<f64>| Vector3::y() * height(at);
            let world_from_model = Affine::from_translation(lift(Vector3::zeros()) - self.origin);
            self.crowd = Crowd::new([Instance { world_from_model, ..Instance::single(self.spec.clip()) }]);
            let clips = std::iter::once(self.spec.clip()).chain(self.spec.together().iter().copied().map(Some));
            let own: Vec<Layer> = clips.map(|clip| Layer::new(clip, Playback::looping(0.0))).collect();
            self.own_layers.clear();
            if own.len() > 1 {
                self.crowd.set_layers(InstanceIndex(0), &own);
                self.own_layers.push(own.len() as u8);
            }
            // A clip may walk to where the ground is higher or lower.
            if ground.is_some() {
                let flat = std::mem::take(&mut self.hull);
                flat.points().for_each(|point| self.first.hull.add((point + lift(point)).cast()));
            }
            return;
        }
        let mut bounds = *self.hull.bounds();
        self.others.iter().for_each(|other| bounds.merge(other.hull.bounds()));
        let counts: Vec<usize> = self.others.iter().map(|other| other.spec.instance_count()).collect();
        let mut layouts = self.spec.layouts_for(&counts, &bounds);
        for placement in layouts.iter_mut().flat_map(|layout| &mut layout.placements) {
            placement.position.y = height(placement.position);
        }
        let mut layouts = layouts.into_iter();
        let own = layouts.next().expect("`layouts_for` returns a layout for this crowd and each other one");
        self.place_at(&own);
        for (other, layout) in self.others.iter_mut().zip(layouts) {
            other.place_at(&layout);
            self.first.hull.merge(&other.hull);
        }
    }

    /// Sets the ground of placed instances, and compiles the animation plans, so that the first frame does not.
    pub(crate) fn prepare(&mut self) {
        let ground = self.ground.as_ref().map(|ground| Arc::clone(&ground.heights));
        // Other models have clips of other lengths.
        let is_alone = self.others.is_empty();
        for model in self.models_mut() {
            model.crowd.set_ground(ground.clone());
            (model.all_loop_together, model.loop_offset_secs) = (model.crowd.is_synchronized() && is_alone, 0.0);
            model.overrides_index = None;
            model.apply_overrides();
            model.apply_blend(0.0);
            if model.crowd.len() > 1 {
                model.animator.prepare(&mut model.crowd);
            }
        }
    }

    /// Plays the clip of `request`, unless it plays already.
    pub(crate) fn play_requested_clip(&mut self, request: &SceneRequest) -> Result<(), FileError> {
        if request.crowd.clips.is_empty() {
            let (clip, together) = find_clips(self.model(), request)?;
            // The scene may have been opened with fewer clips.
            Blend::from_request(&request.layers, self.spec.max_own_clips(&together), self.model())?;
            if clip != self.clip || together != self.together() {
                self.play(clip, together);
            }
        }
        Ok(())
    }
}

impl LoadedModel {
    /// Groups the instances of this model by their clips, without those of a blend. The largest group comes first.
    pub(crate) fn instance_groups(&self) -> Vec<InstanceGroup> {
        let mut groups: BTreeMap<Vec<Option<ClipIndex>>, InstanceGroup> = BTreeMap::new();
        for instance in self.crowd.indices() {
            let own: Vec<Layer> = self.crowd.layers(instance).take(self.own_layer_count(instance)).collect();
            let group = groups.entry(own.iter().map(|layer| layer.clip).collect()).or_insert_with(|| InstanceGroup {
                instances: 0,
                clips: own.iter().map(|layer| (layer.clip, [f32::MAX, f32::MIN], [f64::MAX, f64::MIN])).collect(),
            });
            group.instances += 1;
            for (layer, (_, speeds, starts)) in own.iter().zip(&mut group.clips) {
                let Playback { speed, start_offset_secs, .. } = layer.playback;
                *speeds = [speeds[0].min(speed), speeds[1].max(speed)];
                *starts = [starts[0].min(start_offset_secs), starts[1].max(start_offset_secs)];
            }
        }
        let mut groups: Vec<InstanceGroup> = groups.into_values().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.instances));
        groups
    }

    fn own_layer_count(&self, instance: InstanceIndex) -> usize {
        self.own_layers.get(instance.get()).map_or(1, |count| usize::from(*count))
    }

    /// Pose overrides of every instance.
    pub(crate) fn overrides(&self) -> &PoseOverride {
        &self.overrides
    }

    /// Sets the pose overrides of every instance. Places no instances.
    pub(crate) fn set_overrides(&mut self, overrides: PoseOverride) {
        self.overrides = overrides;
        self.clear_motion_paths();
        self.apply_overrides();
    }

    fn apply_overrides(&mut self) {
        if let Some(index) = self.overrides_index {
            return self.crowd.update_override(index, self.overrides.clone());
        }
        if !self.overrides.is_empty() {
            let index = self.crowd.add_override(self.overrides.clone());
            self.crowd.indices().for_each(|instance| self.crowd.set_override(instance, Some(index)));
            self.overrides_index = Some(index);
        }
    }

    /// Clips that are blended with the main one.
    pub(crate) fn blend(&self) -> &Blend {
        &self.blend
    }

    pub(crate) fn fade_to(&mut self, fade: Fade) {
        (self.blend.fade, self.fade_clock_secs) = (Some(fade), None);
        self.apply_blend(fade.start_clock_secs);
    }

    /// Returns `true` if an instance plays several clips, each of which loops by itself.
    pub(crate) fn plays_several_clips(&self) -> bool {
        !self.blend.is_empty() || !self.own_layers.is_empty()
    }

    /// Clips that play together with the main one, unless a layout specifies those of the instances.
    pub(crate) fn together(&self) -> &[ClipIndex] {
        self.spec.together()
    }

    /// Applies the weights of the blend at `clock_secs`.
    pub(crate) fn apply_blend(&mut self, clock_secs: f64) {
        if self.blend.is_empty() {
            return;
        }
        self.clear_motion_paths();
        for instance in self.crowd.indices() {
            let own: SmallVec<[Layer; 4]> = self.crowd.layers(instance).take(self.own_layer_count(instance)).collect();
            self.crowd.set_layers(instance, &self.blend.layers(&own, clock_secs));
        }
    }

    /// Places instances by this point of model space. It is subtracted in double precision, before matrices and the hull become
    /// single precision.
    fn place_by(&mut self, origin: Vector3<f64>) {
        (self.origin, self.hull) = (origin, self.instance_hull(origin));
    }

    /// Support hull of one instance with its layers and pose overrides, over all its clips, relative to `origin`.
    pub(super) fn instance_hull(&self, origin: Vector3<f64>) -> SupportHull {
        let mut hull = SupportHull::default();
        let duration = |clip: Option<ClipIndex>| clip.map_or(0.0, |clip| self.model().clips[clip.get()].duration_secs);
        for clips in self.spec.all_clips() {
            let own: Vec<Layer> = clips.iter().map(|clip| Layer::new(*clip, Playback::looping(0.0))).collect();
            let layers = match (self.fade_clock_secs, Blend { fade: None, ..self.blend.clone() }) {
                (Some(clock_secs), _) => self.blend.layers(&own, clock_secs),
                (None, blend) if own.len() > 1 || !blend.is_empty() => blend.layers(&own, 0.0),
                _ => Vec::new(),
            };
            let longest = clips.into_iter().max_by(|a, b| duration(*a).total_cmp(&duration(*b))).flatten();
            hull.merge(&posed_clip_hull(self.rig(), longest, &layers, &self.overrides, origin));
        }
        hull
    }

    fn place_at(&mut self, layout: &Layout) {
        self.crowd = self.spec.rules.crowd(layout, &self.spec.layout_clips.in_model, self.model());
        self.hull = self.crowd.hull(&self.hull);
        self.own_layers = self.crowd.indices().map(|instance| self.crowd.layers(instance).len() as u8).collect();
        if self.own_layers.iter().all(|count| *count == 1) {
            self.own_layers = Vec::new();
        }
        if self.origin != Vector3::zeros() {
            for instance in self.crowd.indices() {
                // The crowd rounds the linear part of a placement, and the translation must fit the rounded one.
                let Affine { linear, translation } = layout.placements[instance.get()].placement();
                let rounded = self.crowd.placement(instance).linear;
                let placement = Affine { linear, translation: translation - rounded * self.origin };
                self.crowd.set_world_from_model(instance, &placement);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::CrowdRequest;
    use rigview_core::import::{self, ImageLoading};
    use rigview_core::model::Clip;
    use std::path::Path;

    #[test]
    fn clips_of_different_joints_play_together() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
        let open = |is_split: bool, request: &SceneRequest| {
            let options = ImportOptions::default().with_images(ImageLoading::Skip);
            let mut loaded = import::open(&file, &options).unwrap();
            let clips = &mut loaded.model.clips;
            if is_split {
                let whole = clips[0].clone();
                clips.clear();
                for tracks in whole.tracks.chunk_by(|a, b| a.joint == b.joint) {
                    clips.push(Clip { tracks: tracks.to_vec(), ..whole.clone() });
                }
            }
            LoadedScene::of_imported(&file, loaded, request, &options)
        };
        let clip = |name: &str| SceneRequest { clip: Some(name.to_owned()), ..SceneRequest::default() };
        let pose = |scene: &LoadedScene| scene.first_pose(0.7).0.parent_from_joint;
        let expected = pose(&open(false, &clip("turn")).unwrap());
        let differs = |scene: &LoadedScene| {
            let angles = pose(scene).into_iter().zip(&expected).map(|(a, b)| a.rotation.angle_to(&b.rotation));
            angles.fold(0.0, f64::max) > 1e-6
        };
        for request in [SceneRequest::default(), clip("all")] {
            let scene = open(true, &request).unwrap();
            assert!(!differs(&scene) && scene.plays_several_clips() && scene.together().len() == 6);
        }
        let mut scene = open(true, &clip("0")).unwrap();
        assert!(differs(&scene) && !scene.plays_several_clips());
        // A layer sets the weight of a clip, and another request adds and removes them.
        let mut weighted = clip("all");
        weighted.layers.push("1:0.5".parse().unwrap());
        let mut former = clip("0");
        for (request, is_other) in [(clip("all"), false), (weighted, true), (clip("all"), false), (clip("0"), true)] {
            scene.update(&former, &request, 0.7, &ImportOptions::default()).unwrap();
            assert_eq!(differs(&scene), is_other, "{request:?}");
            former = request;
        }
        // Too many for one pose.
        let mut many = clip("all");
        many.layers = (0..60).map(|i| format!("{}:1@{}", i % 7, i + 1).parse().unwrap()).collect();
        let error = crate::app::console::report::line_of(&open(true, &many).err().unwrap());
        assert!(error.contains("at most 61 clips can play together"), "{error}");
    }

    #[test]
    fn instances_are_limited_by_the_palette_size() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let model_spec = |file: &str, count| crate::request::ModelSpec { file: folder.join(file), count: Some(count) };
        let crowd =
            CrowdRequest { instances: 4, other_models: vec![model_spec("hare.glb", 100)], ..CrowdRequest::default() };
        let request = SceneRequest { crowd, ..SceneRequest::default() };
        let scene = LoadedScene::open(&folder.join("windmill.glb"), &request, ImageLoading::Skip).unwrap();
        let (own, others) = (scene.matrix_bytes() / 4, scene.others[0].matrix_bytes());
        let mut limits = Limits::default();
        limits.set(Limit::Matrices, others + 50 * own + own / 2);
        assert_eq!(scene.max_instances(&limits), 50);
    }
}
