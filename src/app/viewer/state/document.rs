//! Document: the open file with its playback, camera and selection.

use super::camera::CameraState;
use super::playback::PlaybackState;
use crate::app::FileError;
use crate::app::scene::LoadedScene;
use crate::app::scene::clip_blend::{Blend, Fade};
use crate::app::scene::lookup::find_joint;
use crate::app::scene::selection::{HiddenParts, Selection};
use crate::app::viewer::analysis::curves::JointCurves;
use crate::app::viewer::analysis::matching::{match_clip, match_hidden_parts, match_overrides, match_selection};
use crate::app::viewer::analysis::outline::{Outline, named};
use crate::request::{CrowdRequest, DebugViewRequest, GroundRequest, LookAtRequest, SceneRequest, TimeRequest};
use rigview_check::flex::Flex;
use rigview_check::{LoopDiscontinuity, loop_discontinuity};
use rigview_core::ik::Limb;
use rigview_core::import::Limits;
use rigview_core::math::{SupportHull, Transform};
use rigview_core::model::{Clip, ClipIndex, JointIndex, MaterialIndex, TextureSlot};
use rigview_core::pose::{KeyTimes, PoseOverride, animated_joint_count};
use rigview_render::render::DrawStatistics;
use rigview_render::render::ModelStatistics;
use rigview_render::scene::{
    Camera, InfluenceStats, PickSurfaces, Ray, RotateGizmo, SurfacePoint, dominant_joints, influence_stats, pick_bone,
};
use std::sync::Arc;

/// Choices that a reload restores, if the new file has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ReloadState {
    /// Name and index of the clip; `None` for the rest pose.
    pub(crate) clip: Option<(Option<String>, u32)>,
    /// Name and index of the scene.
    pub(crate) scene: (Option<String>, u32),
    /// The material variant.
    pub(crate) variant: Option<usize>,
    /// The file changed on disk, and may still be incomplete.
    pub(crate) triggered_by_watcher: bool,
}

/// What heads look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LookAt {
    Request(LookAtRequest),
    Pointer,
}

/// The workout of a document.
#[derive(Default)]
pub(crate) enum FlexState {
    #[default]
    Unmeasured,
    /// Finished and total joints. The measurement stops when nothing but its events has the token.
    Measuring([usize; 2], Arc<()>),
    Measured(Flex),
}

pub(crate) struct Document {
    pub(crate) scene: LoadedScene,
    limits: Limits,
    pub(crate) playback: PlaybackState,
    /// Start and end of the visible part of the timeline in seconds; `None` shows all of the clip.
    pub(crate) timeline_secs: Option<[f64; 2]>,
    pub(crate) camera: CameraState,
    /// The material variant.
    pub(crate) variant: Option<usize>,
    pub(crate) crowd: CrowdRequest,
    pub(crate) feet_on: Option<GroundRequest>,
    /// `None` leaves heads as in the clip.
    pub(crate) look_at: Option<LookAt>,
    pub(crate) debug_view: DebugViewRequest,
    pub(crate) selection: Option<Selection>,
    pub(crate) hidden: HiddenParts,
    pub(crate) outline: Outline,
    /// The reasons why feet cannot follow a ground, and why heads cannot look at a target.
    pub(crate) constraint_problems: [Option<String>; 2],
    pub(crate) analysis: DocumentAnalysis,
    pub(crate) flex: FlexState,
    pub(crate) statistics: ModelStatistics,
    /// MIME type and encoded size of each image; `None` if it is not readable.
    pub(crate) image_formats: Vec<Option<(&'static str, u64)>>,
    /// The materials and slots that use each image.
    pub(crate) image_uses: Vec<Vec<(MaterialIndex, TextureSlot)>>,
    /// Of the last frame.
    pub(crate) drawn: DrawStatistics,
    /// Influences at the last click.
    pub(crate) picked_influences: Vec<(JointIndex, f64)>,
    /// Progress of the still image to high quality.
    pub(crate) refinement: Option<String>,
    /// Counts the changes of the pose that neither time nor clip show.
    pub(crate) revision: u64,
}

/// Cached analysis of the clips and the selection.
#[derive(Default)]
pub(crate) struct DocumentAnalysis {
    /// Vertices under the influence of each joint.
    pub(crate) influence_stats: Vec<InfluenceStats>,
    /// Joints that dominate vertices, those of most vertices first.
    pub(crate) dominant_joints: Vec<JointIndex>,
    pub(crate) loop_discontinuity: Option<LoopDiscontinuity>,
    /// Animated joints of each clip.
    pub(crate) animated_joint_counts: Vec<usize>,
    /// Key times of the playing clip.
    pub(crate) key_times: KeyTimes,
    /// Curves of the selected joint; `None` if the playing clip does not animate it.
    pub(crate) curves: Option<JointCurves>,
}

impl Document {
    /// A document that plays from the requested time, framed for a viewport of this aspect ratio.
    pub(crate) fn new(scene: LoadedScene, request: &SceneRequest, frames_per_sec: f64, aspect: f64) -> Self {
        let influence_stats = influence_stats(scene.model());
        let mut document = Self {
            limits: request.import.policy().limits,
            playback: PlaybackState::new(scene.time_secs(request), frames_per_sec),
            timeline_secs: None,
            camera: CameraState::new(scene.first_view(&scene.hull, aspect)),
            variant: None,
            feet_on: request.motion.feet_on.clone(),
            look_at: request.motion.look_at.map(LookAt::Request),
            crowd: CrowdRequest { instances: scene.crowd.len() as u32, ..request.crowd.clone() },
            debug_view: DebugViewRequest::default(),
            selection: None,
            hidden: HiddenParts::default(),
            outline: Outline::new(scene.model()),
            constraint_problems: match scene.rig_map() {
                Ok(map) => [map.feet(scene.model()).err(), map.gaze(scene.model()).err()]
                    .map(|error| error.map(|error| FileError::from(error).to_string())),
                Err(error) => [0; 2].map(|_| Some(error.to_string())),
            },
            statistics: ModelStatistics::new(scene.model(), scene.layout()),
            flex: FlexState::default(),
            drawn: DrawStatistics::default(),
            picked_influences: Vec::new(),
            refinement: None,
            image_formats: (0..scene.model().images.len())
                .map(|index| scene.gltf_file.image_bytes(index).ok().map(|(bytes, mime)| (mime, bytes.len() as u64)))
                .collect(),
            image_uses: scene.model().image_uses(),
            analysis: DocumentAnalysis {
                dominant_joints: dominant_joints(&influence_stats),
                influence_stats,
                animated_joint_counts: scene.model().clips.iter().map(animated_joint_count).collect(),
                ..DocumentAnalysis::default()
            },
            revision: 0,
            scene,
        };
        if request.time == TimeRequest::default() {
            document.playback.start_clip(document.scene.playing_clip());
        }
        document.update_clip_analysis();
        document
    }

    /// Keeps view, time, selection, overrides and crowd of the same file before it was read again.
    pub(crate) fn inherit_view_from(&mut self, before: &Self) {
        let (theirs, ours) = (before.scene.model(), self.scene.model());
        let duration_secs = self.scene.duration_secs();
        self.camera.orbit = before.camera.orbit;
        self.camera.bookmarks.clone_from(&before.camera.bookmarks);
        self.camera.model_camera = before.camera.model_camera.filter(|camera| camera.get() < ours.cameras.len());
        self.playback = before.playback;
        self.playback.clamp_to(duration_secs);
        self.timeline_secs = before.timeline_secs;
        self.selection = before.selection.and_then(|selection| match_selection(theirs, selection, ours));
        self.hidden = match_hidden_parts(theirs, &before.hidden, ours);
        let overrides = match_overrides(theirs, before.scene.overrides(), ours);
        let mut blend = before.scene.blend().map_clips(|clip| match_clip(theirs, clip, ours));
        blend.fade = None;
        self.scene.set_overrides(overrides);
        self.scene.set_blend(blend, self.playback.clock_secs);
        self.look_at = before.look_at;
        self.crowd = before.crowd.clone();
        self.apply_crowd();
        self.update_clip_analysis();
        self.update_curves();
    }

    /// Returns `true` with a skin: a motion of another rig may fit.
    pub(crate) fn is_character(&self) -> bool {
        !self.scene.model().skins.is_empty()
    }

    /// The state to restore after a reload.
    pub(crate) fn reload_state(&self) -> ReloadState {
        let model = self.scene.model();
        ReloadState {
            clip: self.scene.clip.map(|clip| (model.clips[clip.get()].name.clone(), clip.0)),
            scene: (model.scenes[self.scene.scene_index.get()].name.clone(), self.scene.scene_index.0),
            variant: self.variant,
            triggered_by_watcher: false,
        }
    }

    /// Vertices per frame.
    pub(crate) fn vertex_count(&self) -> u64 {
        self.scene.layout().vertex_count(self.scene.model()).saturating_mul(self.scene.crowd.len() as u64)
    }

    /// Returns `true` while the pose changes with time.
    pub(crate) fn is_moving(&self) -> bool {
        self.playback.is_running() && self.scene.duration_secs() > 0.0
    }

    /// The selected joint.
    pub(crate) fn joint(&self) -> Option<JointIndex> {
        match self.selection {
            Some(Selection::Joint(joint)) => Some(joint),
            _ => None,
        }
    }

    /// The counterpart of the joint that is selected in `other`.
    pub(crate) fn matching_joint(&self, other: &Self) -> Option<JointIndex> {
        let selection = Selection::Joint(other.joint()?);
        match match_selection(other.scene.model(), selection, self.scene.model()) {
            Some(Selection::Joint(joint)) => Some(joint),
            _ => None,
        }
    }

    /// Key times of the selected joint, else of all joints.
    pub(crate) fn key_times(&self) -> &[f32] {
        self.analysis.key_times.of(self.joint())
    }

    /// The playing clip.
    pub(crate) fn clip(&self) -> Option<&Clip> {
        self.scene.playing_clip()
    }

    /// The camera in world space.
    pub(crate) fn camera(&self) -> Camera {
        self.camera.camera(&self.scene, self.clock_secs())
    }

    /// Time in seconds for everything that moves. Blended clips loop individually, whatever the length of the main clip.
    pub(crate) fn clock_secs(&self) -> f64 {
        match self.scene.blend().is_empty() {
            true => self.scene.clock_secs(self.playback.time_secs),
            false => self.playback.clock_secs,
        }
    }

    /// Selects the part and hides those that the command line names, if the file has them.
    pub(crate) fn select_named(&mut self, request: &DebugViewRequest) {
        self.hidden = HiddenParts::find(self.scene.model(), request).unwrap_or_default();
        let highlight = request.highlight.as_ref().and_then(|part| Selection::find(self.scene.model(), part).ok());
        if highlight.is_some() {
            return self.select(highlight);
        }
        let of_view_mode = request.view_mode.as_ref().and_then(|mode| mode.joint.as_ref());
        let name = request.joint.as_ref().or(of_view_mode).or(request.motion_paths.first());
        if let Some(joint) = name.and_then(|name| find_joint(self.scene.model(), name).ok()) {
            self.select(Some(Selection::Joint(joint)));
        }
    }

    /// Returns the surface point at a position of the viewport.
    pub(crate) fn pick_surface(&self, aspect: f64, position: [f64; 2]) -> Option<SurfacePoint> {
        let hidden_draws = &self.hidden.draws(&self.scene);
        let (rig, crowd, palette) = (self.scene.rig(), &self.scene.crowd, self.scene.palette());
        PickSurfaces { rig, crowd, palette, hidden_draws }.pick(&self.camera(), aspect, position)
    }

    /// Returns the joint of the bone at a position of the viewport.
    pub(crate) fn pick_bone(&self, aspect: f64, position: [f64; 2]) -> Option<JointIndex> {
        let world_from_joints = |joints: &[_]| self.scene.world_from_joints(joints, self.clock_secs());
        pick_bone(self.scene.rig(), world_from_joints, &self.camera(), aspect, position)
    }

    pub(crate) fn select(&mut self, selection: Option<Selection>) {
        self.selection = selection;
        self.update_curves();
    }

    /// The selected mesh, material, skin, or node with a mesh, unless nothing else is shown.
    pub(crate) fn highlighted_part(&self) -> Option<Selection> {
        self.selection.filter(|part| self.hidden.isolated != Some(*part)).filter(|part| match part {
            Selection::Joint(joint) => matches!(self.outline.kind(*joint), "mesh" | "skinned"),
            _ => true,
        })
    }

    /// The name of a part, or its kind and index.
    pub(crate) fn part_name(&self, part: Selection) -> String {
        let model = self.scene.model();
        match part {
            Selection::Joint(joint) => self.outline.joint(joint).to_owned(),
            Selection::Mesh(mesh) => named(model.meshes[mesh.get()].name.as_deref(), "mesh", mesh.get()),
            Selection::Material(material) => {
                named(model.materials[material.get()].name.as_deref(), "material", material.get())
            }
            Selection::Skin(skin) => named(model.skins[skin.get()].name.as_deref(), "skin", skin.get()),
        }
    }

    pub(crate) fn select_parent(&mut self) {
        let parent = self.joint().and_then(|joint| self.scene.model().skeleton.joint(joint).parent);
        if let Some(parent) = parent {
            self.select(Some(Selection::Joint(parent)));
        }
    }

    /// Applies a change, and frames all again unless the user moved the camera.
    pub(crate) fn keep_framed(&mut self, aspect: f64, change: impl FnOnce(&mut Self)) {
        let is_framed = self.camera.is_free() && self.camera.is_framed(&self.scene, aspect);
        change(self);
        if is_framed {
            self.camera.frame(&self.scene, aspect);
        }
    }

    pub(crate) fn set_crowd(&mut self, crowd: &CrowdRequest, aspect: f64) {
        self.keep_framed(aspect, |document| {
            document.crowd = crowd.clone();
            document.apply_crowd();
            document.update_clip_analysis();
        });
    }

    fn apply_crowd(&mut self) {
        self.crowd.instances = self.scene.set_crowd(&self.crowd, &self.limits);
        self.scene.apply_blend(self.playback.clock_secs);
        self.revision += 1;
    }

    pub(crate) fn edit_overrides(&mut self, edit: impl FnOnce(&mut PoseOverride)) {
        let mut overrides = self.scene.overrides().clone();
        edit(&mut overrides);
        self.scene.set_overrides(overrides);
        self.revision += 1;
    }

    /// Poses the model as at a position of the workout, in place of clips and other overrides.
    pub(crate) fn show_flex(&mut self, position: f64) {
        let FlexState::Measured(flex) = &self.flex else { return };
        let pose = flex.overrides_at(&self.scene.model().skeleton, position);
        if self.scene.clip.is_some() || !self.scene.blend().is_empty() {
            self.edit_blend(|blend| *blend = Blend::default());
            self.play(None);
        }
        self.edit_overrides(|overrides| *overrides = pose);
    }

    pub(crate) fn clear_overrides(&mut self) {
        if !self.scene.overrides().is_empty() {
            self.edit_overrides(|overrides| *overrides = PoseOverride::new());
        }
    }

    pub(crate) fn edit_blend(&mut self, edit: impl FnOnce(&mut Blend)) {
        let mut blend = self.scene.blend().clone();
        edit(&mut blend);
        self.scene.set_blend(blend, self.playback.clock_secs);
        self.revision += 1;
    }

    /// Starts a cross-fade to another clip. From the rest pose, which has no time, the clip plays at once.
    pub(crate) fn cross_fade_to(&mut self, to: ClipIndex, secs: f64) {
        if self.scene.clip.is_none() {
            return self.play(Some(to));
        }
        // The other clip has no play range, and a short one would hold the fade.
        self.playback.play_range = None;
        let start_clock_secs = self.playback.clock_secs;
        self.edit_blend(|blend| blend.fade = Some(Fade { to, duration_secs: secs, start_clock_secs }));
        self.playback.playing = true;
    }

    /// Plays the clip `steps` later in the file, cyclically.
    pub(crate) fn step_clip(&mut self, steps: i32) {
        let count = self.scene.model().clips.len() as i64;
        if count == 0 {
            return;
        }
        let next = match self.scene.clip {
            Some(clip) => (i64::from(clip.0) + i64::from(steps)).rem_euclid(count),
            None => 0,
        };
        self.play(Some(ClipIndex(next as u32)));
    }

    /// Plays a clip from its start; `None` for the rest pose.
    pub(crate) fn play(&mut self, clip: Option<ClipIndex>) {
        if self.scene.blend().fade.is_some() {
            self.edit_blend(|blend| blend.fade = None);
        }
        self.crowd.clips.clear();
        self.scene.play(clip);
        self.playback.start_clip(self.scene.playing_clip());
        self.timeline_secs = None;
        self.revision += 1;
        self.update_clip_analysis();
    }

    /// Advances playback and a running cross-fade.
    pub(crate) fn advance(&mut self, elapsed_secs: f64) {
        let before = self.playback.time_secs;
        self.playback.advance(elapsed_secs, self.scene.duration_secs());
        if self.playback.play_range.is_none() {
            self.scene.advance_loops(before, self.playback.time_secs);
        }
        let Some(fade) = self.scene.blend().fade else { return };
        let clock_secs = self.playback.clock_secs;
        if fade.weight_at(clock_secs) >= 1.0 {
            self.play(Some(fade.to));
            let duration_secs = self.scene.duration_secs();
            let time_secs = (clock_secs - fade.start_clock_secs).abs();
            self.playback.time_secs = if duration_secs > 0.0 { time_secs.rem_euclid(duration_secs) } else { 0.0 };
            self.playback.clock_secs = self.playback.time_secs;
        } else {
            self.scene.apply_blend(clock_secs);
        }
    }

    fn update_clip_analysis(&mut self) {
        let clip = self.scene.playing_clip();
        self.playback.follow_key_rate(clip);
        let discontinuity = clip.and_then(|clip| loop_discontinuity(self.scene.model(), clip));
        let key_times = clip.map_or_else(KeyTimes::default, KeyTimes::new);
        (self.analysis.loop_discontinuity, self.analysis.key_times) = (discontinuity, key_times);
        self.update_curves();
    }

    fn update_curves(&mut self) {
        let clip = self.scene.playing_clip().zip(self.joint());
        self.analysis.curves = clip.and_then(|(clip, joint)| JointCurves::new(self.scene.model(), clip, joint));
    }

    /// Frames this document together with the one that it is compared with, unless the user moved the camera.
    pub(crate) fn frame_both_documents(&mut self, compared_hull: Option<SupportHull>, aspect: f64) {
        self.keep_framed(aspect, |document| document.camera.compared_hull = compared_hull);
    }

    /// Leaves the file's camera; the free view starts where it is.
    pub(crate) fn leave_model_camera(&mut self, aspect: f64) {
        let clock_secs = self.clock_secs();
        self.camera.leave_model_camera(&self.scene, clock_secs, aspect);
    }

    /// Copies camera and playback of `first`.
    pub(crate) fn sync_from(&mut self, first: &Self) {
        (self.camera.orbit, self.playback) = (first.camera.orbit, first.playback);
        self.camera.synced_camera = first.camera.model_camera.map(|_| first.camera());
        self.scene.copy_loop_offset(&first.scene);
        self.hidden = match_hidden_parts(first.scene.model(), &first.hidden, self.scene.model());
        if self.scene.blend().fade.is_some() {
            self.scene.apply_blend(self.playback.clock_secs);
        }
    }

    /// Copies clip, crowd, overrides and blend of `first`, matched by name.
    pub(crate) fn copy_animation_from(&mut self, first: &Self) {
        let (theirs, ours) = (first.scene.model(), self.scene.model());
        let clip = first.scene.clip.and_then(|clip| match_clip(theirs, clip, ours));
        let blend = first.scene.blend().map_clips(|clip| match_clip(theirs, clip, ours));
        let overrides = match_overrides(theirs, first.scene.overrides(), ours);
        self.scene.set_overrides(overrides);
        self.scene.set_blend(blend, self.playback.clock_secs);
        self.scene.play(clip);
        self.crowd = first.crowd.clone();
        self.apply_crowd();
        // Equal points of both files have equal places.
        if self.scene.origin != first.scene.origin {
            self.scene.set_origin(first.scene.origin);
        }
    }

    /// `parent_from_joint` in the current pose; `None` for a joint with a sheared rest pose, which is not editable.
    pub(crate) fn parent_from_joint(&self, joint: JointIndex) -> Option<Transform> {
        if self.scene.model().skeleton.joint(joint).has_shear() {
            return None;
        }
        let (pose, _) = self.scene.first_pose(self.clock_secs());
        Some(pose.parent_from_joint[joint.get()])
    }

    /// Turns the heads to the camera, or to the pointer at a position in fractions of the viewport from the top left corner.
    pub(crate) fn aim_heads(&mut self, pointer: Option<[f64; 2]>, aspect: f64) {
        let camera = self.camera();
        let look_at = match self.look_at {
            None => None,
            Some(LookAt::Request(request)) => Some(request),
            // Half-way between the camera and the center of the view.
            Some(LookAt::Pointer) => pointer.map(|pointer| {
                let ray = Ray::through(&camera, aspect, pointer);
                let point = ray.origin + ray.direction * 0.5 * (self.camera.orbit.target - ray.origin).norm();
                LookAtRequest::Point((point + self.scene.origin).into())
            }),
        };
        let changed = self.scene.set_look_at(look_at);
        self.revision += u64::from(self.scene.aim_heads(&camera) || changed);
    }

    /// The limb that ends at the selected joint.
    pub(crate) fn limb(&self) -> Option<Limb> {
        self.scene.rig_map().ok()?.limb(&self.scene.model().skeleton, self.joint()?)
    }

    /// The rotate gizmo of the selected joint.
    pub(crate) fn rotate_gizmo(&self, aspect: f64) -> Option<RotateGizmo> {
        let joint = self.joint()?;
        let world_from_parent = match self.scene.model().skeleton.joint(joint).parent {
            Some(parent) => self.scene.world_from_joint(parent, self.clock_secs()),
            None => self.scene.crowd.placement(0),
        };
        RotateGizmo::new(&world_from_parent, &self.parent_from_joint(joint)?, &self.camera(), aspect)
    }
}
