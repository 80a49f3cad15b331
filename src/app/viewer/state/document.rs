//! Document: the open file with its playback, camera and selection.

use super::camera::CameraState;
use super::playback::PlaybackState;
use super::view::ViewState;
use crate::app::AppError;
use crate::app::scene::{
    LoadedScene,
    clip_blend::Fade,
    crowd::InstanceGroup,
    find_clip,
    lookup::{PathPoint, find_by_name_or_index, find_path_point, name_or_index},
    pose_overrides::{pose_override_from, retain_known, set_overrides},
    selection::{HiddenParts, Selection},
};
use crate::app::viewer::analysis::matching::match_selection;
use crate::app::viewer::analysis::outline::{Outline, named};
use crate::app::viewer::analysis::selection_bounds::selection_hull;
use crate::request::{
    ALL_CLIPS, ClipWeight, CrowdRequest, DebugViewRequest, LayerRequest, LayoutRequest, LookAtRequest, SceneRequest,
    TimeRequest, shortest_f64,
};
use nalgebra::Vector3;
use rigview_check::curves::{CurveChannel, JointCurves};
use rigview_check::flex::Flex;
use rigview_check::moving_parts::{PartAnalysis, PartInfo, by_area};
use rigview_check::{LoopDiscontinuity, loop_discontinuity};
use rigview_core::ik::Limb;
use rigview_core::import::ImportOptions;
use rigview_core::math::Transform;
use rigview_core::model::{Clip, ClipIndex, InstanceIndex, JointIndex, MaterialIndex, Model, TextureSlot};
use rigview_core::pose::{KeyTimes, Layer, PoseOverride, animated_joint_count};
use rigview_core::retarget::Role;
use rigview_core::util::text::quoted;
use rigview_render::render::{DrawStatistics, ModelStatistics};
use rigview_render::scene::{
    Camera, InfluenceStats, PickSurfaces, PickedVertex, Ray, RotateGizmo, SurfacePoint, dominant_joints,
    influence_stats, pick_bone,
};
use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

/// Maximum number of parts whose angles and speeds are drawn beside those of the selected joint.
const MAX_TURNING_CURVES: usize = 5;

/// Why the open file is read again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reload {
    /// It may have changed. After an event of the file system, it may be incomplete.
    Changed { is_watched: bool },
    /// A request needs other files, or other items of this one. An edit has a label, undo and redo have none.
    Request { label: Option<String> },
}

/// What heads look at, as a choice of the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookAt {
    Camera,
    Pointer,
    /// The present point.
    Point,
}

/// The range of motion test of a document.
#[derive(Default)]
pub(crate) enum FlexState {
    #[default]
    Unmeasured,
    /// Finished and total joints. The measurement stops when nothing but its events has the token.
    Measuring([usize; 2], Arc<()>),
    Measured(Flex),
}

pub(crate) struct Document {
    /// What the window shows of the file. `scene` is made of it.
    request: SceneRequest,
    pub(crate) scene: LoadedScene,
    pub(crate) playback: PlaybackState,
    /// Start and end of the visible part of the timeline in seconds; `None` shows all of the clip.
    pub(crate) timeline_secs: Option<[f64; 2]>,
    pub(crate) camera: CameraState,
    /// Heads look at the pointer, at which `request` has the point.
    pub(crate) looks_at_pointer: bool,
    /// Of the last frame, with the highlighted part.
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
    /// The vertex nearest to the last click.
    pub(crate) explained_vertex: Option<PickedVertex>,
    /// The vertex of the motion path: the nearest one to the click that selected; `None` after another selection.
    pub(crate) path_vertex: Option<PathPoint>,
    /// Progress of the still image to high quality.
    pub(crate) refinement: Option<String>,
    /// Counts the changes of the pose that neither time nor clip show.
    pub(crate) revision: u64,
}

/// A part that a playing clip moves.
pub(crate) struct PlayingPart {
    pub(crate) clip: ClipIndex,
    pub(crate) info: PartInfo,
}

/// Cached analysis of the clips and the selection.
#[derive(Default)]
pub(crate) struct DocumentAnalysis {
    /// Vertices under the influence of each joint.
    pub(crate) influence_stats: Vec<InfluenceStats>,
    /// Joints that dominate vertices, those of most vertices first.
    pub(crate) dominant_joints: Vec<JointIndex>,
    /// Of each playing clip with tracks of joints.
    pub(crate) loop_discontinuities: Vec<(ClipIndex, LoopDiscontinuity)>,
    /// Animated joints of each clip.
    pub(crate) animated_joint_counts: Vec<usize>,
    /// Key times of the playing clip.
    pub(crate) key_times: KeyTimes,
    /// Curves of the selected joint; `None` if the playing clip does not animate it.
    pub(crate) curves: Option<JointCurves>,
    parts: OnceCell<PartAnalysis>,
    /// Of the parts that the playing clip turns.
    turning_curves: OnceCell<Vec<JointCurves>>,
    /// Of the playing clips.
    moving_parts: OnceCell<Vec<PlayingPart>>,
    /// Of the present instances.
    instance_groups: OnceCell<Vec<InstanceGroup>>,
    /// Of the selected joint.
    carried_joints: OnceCell<Vec<JointIndex>>,
}

impl Document {
    /// A document that plays from the requested time, framed for a viewport of this aspect ratio.
    pub(crate) fn new(mut scene: LoadedScene, request: &SceneRequest, frames_per_sec: f64, aspect: f64) -> Self {
        let influence_stats = influence_stats(scene.model());
        let mut document = Self {
            request: shown_request(&mut scene, request),
            playback: PlaybackState::new(scene.time_secs(request), frames_per_sec),
            timeline_secs: None,
            camera: CameraState::new(scene.first_view(&scene.hull, aspect)),
            looks_at_pointer: false,
            debug_view: DebugViewRequest::default(),
            selection: None,
            hidden: HiddenParts::default(),
            outline: Outline::new(scene.model()),
            constraint_problems: scene.constraint_problems(),
            statistics: ModelStatistics::new(scene.model(), scene.layout()),
            flex: FlexState::default(),
            drawn: DrawStatistics::default(),
            explained_vertex: None,
            path_vertex: None,
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

    /// What the window shows of the file.
    pub(crate) fn request(&self) -> &SceneRequest {
        &self.request
    }

    /// Changes the request, and shows it. If that fails, nothing changes.
    ///
    /// # Errors
    /// For items that the file lacks, and for changes that need other files.
    pub(crate) fn edit(&mut self, edit: impl FnOnce(&mut SceneRequest, &Model)) -> Result<(), AppError> {
        let mut request = self.request.clone();
        edit(&mut request, self.scene.model());
        self.set_request(request)
    }

    /// Like [`edit`](Self::edit), with a whole request.
    pub(crate) fn set_request(&mut self, mut request: SceneRequest) -> Result<(), AppError> {
        let limits = request.import.policy().limits;
        request.crowd.instances = request.crowd.instances.clamp(1, self.scene.max_instances(&limits));
        if !request.has_files_of(&self.request) || self.scene.missing_ground(&request.motion).is_some() {
            let change = AppError::Usage("the change needs another file".to_owned());
            return Err(change);
        }
        let (clip, playing) = (self.scene.clip, self.scene.playing_clips());
        let options = ImportOptions::default().with_policy(request.import.policy());
        self.scene.update(&self.request, &request, self.playback.clock_secs, &options)?;
        let is_chosen = self.request.clip != request.clip;
        self.request = request;
        self.revision += 1;
        self.analysis.instance_groups = OnceCell::new();
        if self.scene.clip != clip {
            match is_chosen {
                true => self.start_clip(),
                false => self.update_clip_analysis(),
            }
        } else if self.scene.playing_clips() != playing {
            self.update_clip_analysis();
        }
        Ok(())
    }

    /// Keeps view, time and selection of the same file before it was read again.
    pub(crate) fn inherit_view_from(&mut self, before: &Self) {
        let (theirs, ours) = (before.scene.model(), self.scene.model());
        let duration_secs = self.scene.duration_secs();
        self.camera.inherit_view_from(&before.camera);
        self.camera.model_camera = before.camera.model_camera.filter(|camera| camera.get() < ours.cameras.len());
        self.playback = before.playback;
        if self.request.motion.clip_sources == before.request.motion.clip_sources {
            self.playback.clamp_to(duration_secs);
            self.timeline_secs = before.timeline_secs;
        } else {
            self.playback.start_clip(self.scene.playing_clip());
        }
        self.looks_at_pointer = before.looks_at_pointer;
        self.selection = before.selection.and_then(|selection| match_selection(theirs, selection, ours));
        self.hidden = HiddenParts::find_known(ours, &before.hidden.requests(theirs));
        self.update_clip_analysis();
        self.update_curves();
    }

    /// Returns `true` with a skin: a motion of another rig may fit.
    pub(crate) fn is_character(&self) -> bool {
        !self.scene.model().skins.is_empty()
    }

    /// The material variant.
    pub(crate) fn variant(&self) -> Option<usize> {
        let names = self.scene.model().variants.iter().map(Option::as_deref);
        find_by_name_or_index("variant", self.request.variant.as_ref()?, names).ok()
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

    /// The request for view mode, overlays and hidden parts, with a selected joint.
    pub(crate) fn view_request(&self, view: &ViewState, joint: Option<JointIndex>) -> DebugViewRequest {
        let (hide, isolate) = self.hidden.requests(self.scene.model());
        let mut request = DebugViewRequest { hide, isolate, ..view.debug_view(self.scene.model(), joint) };
        let vertex = self.path_vertex.filter(|_| view.shows_motion_path && joint.is_some());
        request.motion_paths.extend(vertex.map(|point| point.to_word(self.scene.model())));
        request
    }

    /// Key times of the selected joint, else of all joints.
    pub(crate) fn key_times(&self) -> &[f32] {
        self.analysis.key_times.of(self.joint())
    }

    fn parts(&self) -> &PartAnalysis {
        self.analysis.parts.get_or_init(|| PartAnalysis::new(self.scene.model(), self.scene.scene_index))
    }

    /// The first joints with vertices below the selected one, those that carry the largest surface first.
    pub(crate) fn carried_joints(&self) -> &[JointIndex] {
        let has_vertices = |joint: JointIndex| {
            let stats = self.analysis.influence_stats[joint.get()];
            stats.weighted + stats.rigid > 0
        };
        let carried = |joint| self.parts().carried_by(self.scene.model(), joint, has_vertices);
        self.analysis.carried_joints.get_or_init(|| self.joint().map_or_else(Vec::new, carried))
    }

    /// The joints that the playing clips move, sorted by area. Measured at the first call for the clips.
    pub(crate) fn moving_parts(&self) -> &[PlayingPart] {
        self.analysis.moving_parts.get_or_init(|| {
            let model = self.scene.model();
            let of_clip = |clip: ClipIndex| {
                let parts = self.parts().of_clip(model, &model.clips[clip.get()]).into_iter();
                parts.map(move |info| PlayingPart { clip, info })
            };
            let mut parts: Vec<PlayingPart> = self.scene.playing_clips().into_iter().flat_map(of_clip).collect();
            parts.sort_by(|a, b| by_area(&a.info, &b.info));
            parts
        })
    }

    /// The instances of the model, grouped by their clips.
    pub(crate) fn instance_groups(&self) -> &[InstanceGroup] {
        self.analysis.instance_groups.get_or_init(|| self.scene.instance_groups())
    }

    /// Curves of the selected joint, and of the first parts that turn.
    pub(crate) fn curves_about_axes(&self) -> Vec<&JointCurves> {
        let turning = self.analysis.turning_curves.get_or_init(|| {
            // The ruler is that of the main clip.
            let parts = self.moving_parts().iter().filter(|part| Some(part.clip) == self.scene.clip);
            let turning = parts.filter(|part| part.info.turns().is_some()).take(MAX_TURNING_CURVES);
            let clip = self.clip();
            turning.filter_map(|part| JointCurves::new(self.scene.model(), clip?, part.info.joint)).collect()
        });
        let others = turning.iter().filter(|curves| Some(curves.joint) != self.joint());
        let selected = self.analysis.curves.iter().filter(|curves| curves.channels.contains(&CurveChannel::Angle));
        selected.chain(others).collect()
    }

    /// The name of a clip, for display.
    pub(crate) fn clip_title(&self, clip: Option<ClipIndex>) -> String {
        let name = |clip: ClipIndex| {
            let name = self.scene.model().clips[clip.get()].name.as_deref();
            quoted(&named(name, "clip", clip.get()))
        };
        clip.map_or_else(|| "rest pose".to_owned(), name)
    }

    /// The name of a clip, if several play.
    pub(crate) fn name_among_playing(&self, clip: ClipIndex) -> Option<String> {
        (self.scene.playing_clips().len() > 1).then(|| self.clip_title(Some(clip)))
    }

    /// The clips of the first instance with their times and speeds, if it plays several or a layout specifies them.
    pub(crate) fn clip_times(&self) -> Vec<(String, f64, f32)> {
        let has_own =
            self.scene.plays_several_clips() || matches!(self.request.crowd.layout, Some(LayoutRequest::File(_)));
        let layers = self.scene.crowd.layers(InstanceIndex(0)).filter(|layer| has_own && layer.weight > 0.0);
        let time = |layer: Layer| {
            let clip = &self.scene.model().clips[layer.clip?.get()];
            let secs = layer.playback.clip_time(self.clock_secs(), f64::from(clip.duration_secs));
            Some((self.clip_title(layer.clip), secs, layer.playback.speed))
        };
        layers.filter_map(time).collect()
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
    ///
    /// In whole microseconds, so that commands are short. The time of a key is exact.
    pub(crate) fn clock_secs(&self) -> f64 {
        let secs = match self.scene.plays_several_clips() {
            true => self.playback.clock_secs,
            false => self.scene.clock_secs(self.playback.time_secs),
        };
        if f64::from(secs as f32) == secs { secs } else { (secs * 1e6).round() / 1e6 }
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
        if let Some(point) = name.and_then(|name| find_path_point(self.scene.model(), name).ok()) {
            self.select(Some(Selection::Joint(point.joint)));
            self.path_vertex = Some(point).filter(|point| point.vertex.is_some());
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
        (self.selection, self.path_vertex) = (selection, None);
        self.analysis.carried_joints = OnceCell::new();
        self.update_curves();
    }

    /// The selected mesh, material, skin, or node with a mesh, unless nothing else is shown.
    pub(crate) fn highlighted_part(&self) -> Option<Selection> {
        let is_bone = |joint| !matches!(self.outline.kind(joint), "mesh" | "skinned");
        let part = self.selection.filter(|part| !matches!(part, Selection::Joint(joint) if is_bone(*joint)))?;
        let (draws, hidden) = (part.draws(&self.scene), self.hidden.draws(&self.scene));
        let is_other = |draw: usize| !draws[draw] && !hidden.get(draw).is_some_and(|hidden| *hidden);
        (0..draws.len()).any(is_other).then_some(part)
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

    /// Applies a change, and frames all again unless the user panned or zoomed.
    pub(crate) fn keep_framed<T>(&mut self, aspect: f64, change: impl FnOnce(&mut Self) -> T) -> T {
        let is_framed = self.camera.is_free() && self.camera.is_framed();
        let result = change(self);
        if is_framed {
            self.camera.frame(&self.scene, aspect);
        }
        result
    }

    /// Changes the crowd. Without clips of its own, all instances play the main clip.
    pub(crate) fn set_crowd(&mut self, crowd: CrowdRequest, aspect: f64) -> Result<(), AppError> {
        let had_clips = !self.request.crowd.clips.is_empty();
        let playing = self.scene.clip;
        self.keep_framed(aspect, |document| {
            document.edit(|request, model| {
                request.crowd = crowd;
                match request.crowd.clips.is_empty() {
                    true if had_clips => request.clip = Some(clip_name(model, playing)),
                    true => {}
                    false => request.clip = None,
                }
            })
        })
    }

    pub(crate) fn edit_overrides(&mut self, edit: impl FnOnce(&mut PoseOverride)) -> Result<(), AppError> {
        let before = self.scene.overrides().clone();
        let mut overrides = before.clone();
        edit(&mut overrides);
        self.edit(|request, model| set_overrides(request, model, [&before, &overrides]))
    }

    /// Poses the model as at a position of the range of motion test, in place of clips and other overrides.
    pub(crate) fn show_flex(&mut self, position: f64) -> Result<(), AppError> {
        let FlexState::Measured(flex) = &self.flex else { return Ok(()) };
        let pose = flex.overrides_at(&self.scene.model().skeleton, position);
        let before = self.scene.overrides().clone();
        self.edit(|request, model| {
            request.layers.clear();
            play_clip(request, model, None);
            set_overrides(request, model, [&before, &pose]);
        })
    }

    pub(crate) fn clear_overrides(&mut self) -> Result<(), AppError> {
        self.edit_overrides(|overrides| *overrides = PoseOverride::new())
    }

    /// Blends another clip with this weight; 0 removes it.
    pub(crate) fn set_layer_weight(&mut self, clip: ClipIndex, weight: f32) -> Result<(), AppError> {
        let (playing, together, blend) = (self.scene.clip, self.scene.together().to_vec(), self.scene.blend().clone());
        self.edit(|request, model| {
            let mut weights = vec![(clip, weight)];
            if weight <= 0.0 && together.contains(&clip) {
                // All but this one.
                request.clip = Some(clip_name(model, playing));
                let others = together.into_iter().filter(|other| *other != clip);
                weights.extend(others.map(|other| (other, blend.weight_of_own(other))));
            }
            for (clip, weight) in weights {
                let is_clip =
                    |layer: &LayerRequest| find_clip(model, &layer.clip).is_ok_and(|found| found == Some(clip));
                request.layers.retain(|layer| weight > 0.0 || !is_clip(layer));
                match request.layers.iter_mut().find(|layer| is_clip(layer)) {
                    Some(layer) => layer.weight = shortest_f64(weight),
                    None if weight > 0.0 => request.layers.push(LayerRequest {
                        clip: clip_name(model, Some(clip)),
                        weight: shortest_f64(weight),
                        start_offset_secs: 0.0,
                    }),
                    None => {}
                }
            }
        })
    }

    /// Starts a cross-fade to another clip. From the rest pose, which has no time, the clip plays at once.
    pub(crate) fn cross_fade_to(&mut self, to: ClipIndex, secs: f64) -> Result<(), AppError> {
        if self.scene.clip.is_none() {
            return self.play(Some(to));
        }
        // The other clip has no play range, and a short one would hold the fade.
        self.playback.play_range = None;
        let start_clock_secs = self.playback.clock_secs;
        play_clip(&mut self.request, self.scene.model(), Some(to));
        self.scene.fade_to(Fade { to, duration_secs: secs, start_clock_secs });
        self.playback.playing = true;
        self.revision += 1;
        Ok(())
    }

    /// Lets bounds and places follow a running cross-fade, as those of the command do.
    pub(crate) fn place_by_fade(&mut self) {
        if self.scene.blend().fade.is_some() {
            self.scene.place_by_fade(self.clock_secs());
            self.revision += 1;
        }
    }

    /// Plays the clip `steps` later in the file, cyclically.
    pub(crate) fn step_clip(&mut self, steps: i32) -> Result<(), AppError> {
        let count = self.scene.model().clips.len() as i64;
        if count == 0 {
            return Ok(());
        }
        let next = match self.scene.clip {
            Some(clip) => (i64::from(clip.0) + i64::from(steps)).rem_euclid(count),
            None => 0,
        };
        self.play(Some(ClipIndex(next as u32)))
    }

    /// Plays a clip from its start; `None` for the rest pose.
    pub(crate) fn play(&mut self, clip: Option<ClipIndex>) -> Result<(), AppError> {
        // The target of a fade plays at once.
        let is_faded = self.scene.blend().fade.is_some();
        if is_faded {
            self.end_fade();
        }
        self.edit(|request, model| play_clip(request, model, clip))?;
        self.start_clip();
        Ok(())
    }

    /// Plays all clips together from their start, in full.
    pub(crate) fn play_all(&mut self) -> Result<(), AppError> {
        self.edit(|request, _| {
            (request.clip, request.layers) = (Some(ALL_CLIPS.to_owned()), Vec::new());
            request.crowd.clips.clear();
        })?;
        self.start_clip();
        Ok(())
    }

    /// Plays the clip of the request from its start.
    fn start_clip(&mut self) {
        self.playback.start_clip(self.scene.playing_clip());
        self.timeline_secs = None;
        self.revision += 1;
        self.update_clip_analysis();
    }

    /// Plays the target of a cross-fade, which is the clip of the request.
    fn end_fade(&mut self) {
        if let Some(fade) = self.scene.blend().fade {
            self.scene.play(Some(fade.to), Vec::new());
            self.scene.apply_blend(self.playback.clock_secs);
            self.start_clip();
        }
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
            self.end_fade();
            let duration_secs = self.scene.duration_secs();
            let time_secs = (clock_secs - fade.start_clock_secs).abs();
            self.playback.time_secs = if duration_secs > 0.0 { time_secs.rem_euclid(duration_secs) } else { 0.0 };
            self.playback.clock_secs = self.playback.time_secs;
        } else {
            // That of the frame and of its command, which is rounded.
            let clock_secs = self.clock_secs();
            self.scene.apply_blend(clock_secs);
        }
    }

    fn update_clip_analysis(&mut self) {
        let clip = self.scene.playing_clip();
        self.playback.follow_key_rate(clip);
        (self.analysis.moving_parts, self.analysis.turning_curves) = (OnceCell::new(), OnceCell::new());
        let model = self.scene.model();
        let rest_pose = model.skeleton.rest_model_pose();
        let seam = |clip: ClipIndex| Some((clip, loop_discontinuity(model, &rest_pose, &model.clips[clip.get()])?));
        let discontinuities = self.scene.playing_clips().into_iter().filter_map(seam).collect();
        let key_times = clip.map_or_else(KeyTimes::default, KeyTimes::new);
        (self.analysis.loop_discontinuities, self.analysis.key_times) = (discontinuities, key_times);
        self.update_curves();
    }

    fn update_curves(&mut self) {
        let clip = self.scene.playing_clip().zip(self.joint());
        self.analysis.curves = clip.and_then(|(clip, joint)| JointCurves::new(self.scene.model(), clip, joint));
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
        self.hidden = HiddenParts::find_known(self.scene.model(), &first.hidden.requests(first.scene.model()));
        if self.scene.blend().fade.is_some() {
            self.scene.apply_blend(self.playback.clock_secs);
        }
    }

    /// Returns a request without what the file lacks.
    pub(crate) fn fitted(&self, mut request: SceneRequest) -> SceneRequest {
        let (model, had_clip) = (self.scene.model(), request.clip.is_some());
        retain_known(&mut request, model);
        if had_clip && request.clip.is_none() && model.clips.len() > 1 {
            // Another clip would be no counterpart. The only clips of two files are.
            request.clip = Some(clip_name(model, None));
        }
        let [feet, heads] = &self.constraint_problems;
        request.motion.feet_on = request.motion.feet_on.filter(|_| feet.is_none());
        request.motion.look_at = request.motion.look_at.filter(|_| heads.is_none());
        request
    }

    /// Shows the request of `first`, as far as this file can, and its cross-fade.
    pub(crate) fn copy_request_of(&mut self, first: &Self) {
        let mut request = first.request.clone().with_files_of(&self.request);
        if self.scene.missing_ground(&request.motion).is_some() {
            request.motion.feet_on.clone_from(&self.request.motion.feet_on);
        }
        let (theirs, fade) = (first.scene.model(), first.scene.blend().fade);
        if fade.is_some() {
            request.clip = Some(playing_name(&first.scene));
        }
        // A fitted request has no errors.
        let _ = self.set_request(self.fitted(request));
        let clip = |fade: &Fade| find_clip(self.scene.model(), &clip_name(theirs, Some(fade.to))).ok().flatten();
        if let Some((fade, to)) = fade.and_then(|fade| Some((fade, clip(&fade)?))) {
            self.scene.fade_to(Fade { to, ..fade });
        }
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
        if let Some(pointer) = pointer.filter(|_| self.looks_at_pointer) {
            // Half-way between the camera and the center of the view.
            let ray = Ray::through(&camera, aspect, pointer);
            let point = ray.origin + ray.direction * 0.5 * (self.camera.orbit.target - ray.origin).norm();
            let point: [f64; 3] = (point + self.scene.origin).into();
            let look_at = Some(LookAtRequest::Point(point.map(|x| shortest_f64(x as f32))));
            if self.request.motion.look_at != look_at
                && self.edit(|request, _| request.motion.look_at = look_at).is_err()
            {
                self.looks_at_pointer = false;
            }
        }
        self.revision += u64::from(self.scene.aim_heads(&camera));
    }

    /// The place of the hips of the first instance.
    fn hips(&self) -> Option<(JointIndex, Vector3<f64>)> {
        let hips = self.scene.rig_map().ok()?.get(Role::HIPS)?.joint;
        Some((hips, self.scene.world_from_joint(hips, self.clock_secs()).translation))
    }

    /// Lets the view follow the hips, from a view of the present pose, or ends that. Returns `false` without hips.
    pub(crate) fn toggle_follow(&mut self, aspect: f64) -> bool {
        let Some((hips, place)) = self.hips() else { return false };
        if self.camera.followed.take().is_none() {
            let hull = selection_hull(&self.scene, Selection::Joint(hips));
            hull.iter().for_each(|hull| self.camera.frame_hull(hull, aspect));
            self.camera.followed = Some(place);
        }
        true
    }

    /// Moves the view with the hips that it follows. Jumps and steps up stay visible.
    pub(crate) fn follow(&mut self) {
        let Some(last) = self.camera.followed.filter(|_| self.camera.is_free()) else { return };
        if let Some((_, place)) = self.hips() {
            let moved = place - last;
            self.camera.orbit.target += Vector3::new(moved.x, 0.0, moved.z);
            self.camera.followed = Some(place);
        }
    }

    /// Sets what the heads look at; `None` leaves them as in the clip.
    pub(crate) fn set_look_at(&mut self, look_at: Option<LookAt>) -> Result<(), AppError> {
        let request = match look_at {
            None => None,
            Some(LookAt::Camera) => Some(LookAtRequest::Camera),
            // Until the pointer moves.
            Some(LookAt::Pointer | LookAt::Point) => self.request.motion.look_at.or(Some(LookAtRequest::Camera)),
        };
        self.edit(|edited, _| edited.motion.look_at = request)?;
        self.looks_at_pointer = look_at == Some(LookAt::Pointer);
        Ok(())
    }

    /// The limb that ends at the selected joint.
    pub(crate) fn limb(&self) -> Option<Limb> {
        self.scene.rig_map().ok()?.limb(&self.scene.model().skeleton, self.joint()?)
    }

    /// The grips of that limb: at its end, and at its elbow or knee (`true`).
    pub(crate) fn limb_grips(&self, aspect: f64) -> Vec<(Limb, RotateGizmo, bool)> {
        let Some(limb) = self.limb() else { return Vec::new() };
        let grips = [(limb.end, false), (limb.lower, true)];
        grips
            .into_iter()
            .filter_map(|(joint, is_middle)| Some((limb, self.gizmo_of(joint, aspect)?, is_middle)))
            .collect()
    }

    /// The rotate gizmo of the selected joint.
    pub(crate) fn rotate_gizmo(&self, aspect: f64) -> Option<RotateGizmo> {
        self.gizmo_of(self.joint()?, aspect)
    }

    fn gizmo_of(&self, joint: JointIndex, aspect: f64) -> Option<RotateGizmo> {
        let world_from_parent = match self.scene.model().skeleton.joint(joint).parent {
            Some(parent) => self.scene.world_from_joint(parent, self.clock_secs()),
            None => self.scene.crowd.placement(InstanceIndex(0)),
        };
        RotateGizmo::new(&world_from_parent, &self.parent_from_joint(joint)?, &self.camera(), aspect)
    }
}

/// Returns the request that shows `scene`, which `request` has opened: clip and pose of the range of motion test by name.
fn shown_request(scene: &mut LoadedScene, request: &SceneRequest) -> SceneRequest {
    let mut shown = request.clone();
    let model = scene.model();
    shown.crowd.instances = scene.crowd.len() as u32;
    shown.time = TimeRequest::default();
    if shown.crowd.clips.iter().any(|clip| clip.clip_source().is_some()) {
        // Other clips can replace them, and the files stay.
        let sources = shown.crowd.clips.iter().filter_map(ClipWeight::clip_source);
        shown.motion.clip_sources.extend(sources.map(Path::to_owned));
        shown.crowd.clips = scene.crowd_clips();
    }
    if shown.crowd.clips.is_empty() && !model.clips.is_empty() {
        shown.clip = Some(playing_name(scene));
    }
    if shown.flex.take().is_some() {
        let overrides = scene.overrides().clone();
        set_overrides(&mut shown, model, [&PoseOverride::new(), &overrides]);
        if let Ok(overrides) = pose_override_from(model, &shown) {
            scene.set_overrides(overrides);
        }
    }
    shown
}

/// The name of a clip in requests.
fn clip_name(model: &Model, clip: Option<ClipIndex>) -> String {
    let names = model.clips.iter().map(|clip| clip.name.as_deref());
    clip.map_or_else(|| "none".to_owned(), |clip| name_or_index(names, clip.get()))
}

/// What plays, in requests.
pub(crate) fn playing_name(scene: &LoadedScene) -> String {
    if scene.together().is_empty() { clip_name(scene.model(), scene.clip) } else { ALL_CLIPS.to_owned() }
}

/// Plays one clip on all instances.
fn play_clip(request: &mut SceneRequest, model: &Model, clip: Option<ClipIndex>) {
    request.crowd.clips.clear();
    request.clip = Some(clip_name(model, clip)).filter(|_| !model.clips.is_empty());
}
