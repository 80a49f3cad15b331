//! The model on screen: where it is seen from, where its clip stands, what of it is selected.

use crate::app::AppError;
use crate::app::offscreen::view_of;
use crate::app::scene::GpuScene;
use crate::app::scene::LoadedScene;
use crate::app::scene::clip_blend::{Blend, Fade};
use crate::app::scene::debug_view::DebugViewBuilder;
use crate::app::scene::lighting::LightSetup;
use crate::app::scene::lookup::find_joint;
use crate::app::viewer::actions::Action;
use crate::app::viewer::analysis::influence_stats::{InfluenceStats, moved};
use crate::app::viewer::analysis::key_times::{animated_joint_count, key_times};
use crate::app::viewer::analysis::loop_seam::{LoopDiscontinuity, seam};
use crate::app::viewer::analysis::matching::{match_clip, match_overrides, same};
use crate::app::viewer::analysis::outline::Outline;
use crate::app::viewer::analysis::picking::pick_joint;
use crate::app::viewer::analysis::rotate_gizmo::RotateGizmo;
use crate::app::viewer::state::frame_stats::FrameTimings;
use crate::app::viewer::state::playback::PlaybackState;
use crate::app::viewer::state::{Backdrop, Selection, ViewDirection, next_loop_mode};
use crate::app::viewer::window::surface::WindowSurface;
use crate::import::Limits;
use crate::math::{SupportHull, Transform};
use crate::model::{CameraIndex, Clip, ClipIndex, JointIndex};
use crate::pose::PoseOverride;
use crate::render::{Renderer, Target};
use crate::request::{CrowdRequest, DebugViewRequest};
use crate::scene::{Camera, Orbit};
use std::f64::consts::{FRAC_PI_2, PI};
use std::time::Instant;

/// The model on screen.
pub(crate) struct Document {
    gpu_models: GpuScene,
    /// What the file may ask of the machine.
    limits: Limits,
    pub(crate) scene: LoadedScene,
    pub(crate) playback: PlaybackState,
    pub(crate) orbit: Orbit,
    /// The camera of the file that is looked through; `None` for the free view.
    pub(crate) model_camera: Option<CameraIndex>,
    /// The camera of another file, through which this one is seen beside it.
    lent_camera: Option<Camera>,
    /// The outline of the file beside it, which is framed with it.
    pub(crate) comparison: Option<SupportHull>,
    /// Where playback starts again.
    start_secs: f64,
    /// The variant of its materials that is shown.
    pub(crate) variant: Option<usize>,
    /// How the crowd stands.
    pub(crate) crowd: CrowdRequest,
    /// How it is looked at.
    pub(crate) look: DebugViewRequest,
    /// What is selected.
    pub(crate) selection: Option<Selection>,
    /// What the selected joint moves.
    pub(crate) moved: InfluenceStats,
    /// The file as a tree.
    pub(crate) outline: Outline,
    /// How well the clip's last instant meets its first.
    pub(crate) seam: Option<LoopDiscontinuity>,
    /// How many joints each clip moves.
    pub(crate) touched: Vec<usize>,
    /// Times of the keys of the selected joint, or of all.
    pub(crate) keys: Vec<f32>,
    /// The time that the palette was made for.
    posed_secs: Option<f64>,
    /// What the picture on the target was drawn from; `None` where it is of something else.
    drawn: Option<Drawn>,
}

/// All that a picture of one stage depends on.
#[derive(Clone, Debug, PartialEq)]
struct Drawn {
    camera: Camera,
    clock_secs: f64,
    clip: Option<ClipIndex>,
    backdrop: Backdrop,
    look: DebugViewRequest,
}

impl Document {
    /// Puts a model on `surface`, framed, playing from `start_secs`.
    pub(crate) fn new(
        scene: LoadedScene,
        (start_secs, frames_per_sec): (f64, f64),
        (limits, crowd): (Limits, CrowdRequest),
        surface: &WindowSurface,
    ) -> Result<Self, AppError> {
        let gpu_models = GpuScene::new(&surface.renderer, &scene)?;
        let orbit = Orbit::framing(&scene.hull, surface.aspect());
        let outline = Outline::new(scene.model());
        let touched = scene.model().clips.iter().map(animated_joint_count).collect();
        let mut document = Self {
            gpu_models,
            limits,
            scene,
            playback: PlaybackState::new(start_secs, frames_per_sec),
            orbit,
            model_camera: None,
            lent_camera: None,
            comparison: None,
            start_secs,
            variant: None,
            crowd,
            look: DebugViewRequest::default(),
            selection: None,
            moved: InfluenceStats::default(),
            outline,
            seam: None,
            touched,
            keys: Vec::new(),
            posed_secs: None,
            drawn: None,
        };
        document.find_keys();
        Ok(document)
    }

    /// Takes over from the same file as it was before: view, time and selection stay.
    pub(crate) fn inherit_view_from(&mut self, before: &Self) {
        self.orbit = before.orbit;
        self.playback = before.playback;
        self.playback.time_secs = before.playback.time_secs.min(self.scene.duration_secs());
        self.start_secs = before.start_secs.min(self.scene.duration_secs());
        self.model_camera = before.model_camera.filter(|camera| camera.get() < self.scene.model().cameras.len());
        self.selection =
            before.selection.and_then(|selection| same(before.scene.model(), selection, self.scene.model()));
        // Joints put by hand are found by their names, too.
        let (theirs, ours) = (before.scene.model(), self.scene.model());
        let hand = match_overrides(theirs, before.scene.overrides(), ours);
        let mut blend = before.scene.blend().for_clips(|clip| match_clip(theirs, clip, ours));
        blend.fade = None;
        self.scene.set_overrides(hand);
        self.scene.set_blend(blend, self.playback.clock_secs);
        self.crowd = before.crowd.clone();
        self.stand();
        self.count_moved();
        self.find_keys();
    }

    /// Vertices in each picture.
    pub(crate) fn vertices(&self) -> u64 {
        self.scene.layout().vertex_count(self.scene.model()).saturating_mul(self.scene.crowd.len() as u64)
    }

    /// Vertices in the first picture, as long as there is none.
    pub(crate) fn vertices_to_come(&self) -> u64 {
        if self.drawn.is_none() && self.posed_secs.is_none() { self.vertices() } else { 0 }
    }

    /// Whether it changes by itself.
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

    /// Does what a person asked for, in a picture of this shape.
    pub(crate) fn act(&mut self, action: &Action, aspect: f64) {
        let duration_secs = self.scene.duration_secs();
        let before_secs = self.playback.time_secs;
        match *action {
            Action::TogglePlay => self.playback.toggle(duration_secs),
            Action::StepFrames(frames) => self.playback.step(frames, duration_secs),
            Action::StepKeys(places) => self.playback.step_key(places, &self.keys),
            Action::GoToStart | Action::GoToEnd => {
                self.playback.seam_secs = None;
                self.playback.hold(if *action == Action::GoToStart { 0.0 } else { duration_secs });
            }
            Action::ToggleLoopBlink => self.playback.toggle_seam(),
            Action::Scrub(time_secs) => {
                (self.playback.scrubbing, self.playback.seam_secs) = (true, None);
                self.playback.time_secs = time_secs.clamp(0.0, duration_secs);
            }
            Action::EndScrub => self.playback.scrubbing = false,
            Action::StepSpeed(steps) => self.playback.change_speed(steps),
            Action::SetSpeed(speed) => self.playback.set_speed(speed),
            Action::ToggleReverse => self.playback.reverse(),
            Action::SetLoopMode(mode) => self.playback.set_loop_mode(mode),
            Action::NextLoopMode => self.playback.set_loop_mode(next_loop_mode(self.playback.loop_mode)),
            Action::SetFrameRate(rate) => self.playback.frames_per_sec = rate,
            Action::StepClip(places) => self.change_clip(places),
            Action::PlayClip(clip) => self.play(clip),
            Action::SetLayerWeight(clip, weight) => self.change_blend(|blend| blend.set_weight(clip, weight)),
            Action::CrossFadeTo(to, secs) => {
                let from_clock_secs = self.playback.clock_secs;
                self.change_blend(|blend| blend.fade = Some(Fade { to, secs, from_clock_secs }));
                self.playback.playing = true;
            }
            Action::FrameModel => {
                self.model_camera = None;
                self.orbit.frame(&self.hull(), aspect);
            }
            Action::SetViewDirection(side) => self.cull_to(side),
            Action::UseModelCamera(camera) => self.model_camera = camera,
            Action::Reset => {
                self.model_camera = None;
                self.orbit = Orbit::framing(&self.hull(), aspect);
                self.playback.time_secs = self.start_secs;
                self.playback.playing = true;
            }
            Action::Orbit { right, up } => {
                self.model_camera = None;
                self.orbit.turn(right, up);
            }
            Action::Pan { right, up } => {
                self.model_camera = None;
                self.orbit.pan(right, up);
            }
            Action::Zoom(steps) => {
                self.model_camera = None;
                self.orbit.zoom(steps, self.scene.hull.bounds());
            }
            Action::Pick(place) => {
                let joint = pick_joint(&self.scene, &self.camera(), aspect, place);
                self.select(joint.map(Selection::Joint));
            }
            Action::Select(selection) => self.select(selection),
            Action::SetCrowd(ref crowd) => {
                let framed = self.orbit_is_framed(aspect);
                self.crowd = crowd.clone();
                self.stand();
                self.find_keys();
                if framed {
                    self.orbit.frame(&self.hull(), aspect);
                }
            }
            Action::SetJointPose(joint, transform) => self.change_hand(|hand| hand.set(joint, transform)),
            Action::ClearJointPose(joint) => self.change_hand(|hand| _ = hand.clear(joint)),
            Action::SetMorphWeight(place, weight) => self.change_hand(|hand| hand.set_weight(place, weight)),
            Action::ClearMorphWeight(place) => self.change_hand(|hand| _ = hand.clear_weight(place)),
            Action::ClearPoseOverrides => self.change_hand(|hand| *hand = PoseOverride::new()),
            Action::SelectParent => {
                let parent = self.joint().and_then(|joint| self.scene.model().skeleton.joint(joint).parent);
                if let Some(parent) = parent {
                    self.select(Some(Selection::Joint(parent)));
                }
            }
            _ => {}
        }
        if self.playback.time_secs != before_secs {
            self.playback.clock_secs = self.playback.time_secs;
        }
    }

    /// Selects the joint that the command line names, if the file has it.
    pub(crate) fn select_named(&mut self, args: &DebugViewRequest) {
        let of_look = args.view_mode.as_ref().and_then(|look| look.joint.as_ref());
        let asked = args.joint.as_ref().or(of_look).or(args.motion_paths.first());
        if let Some(joint) = asked.and_then(|asked| find_joint(self.scene.model(), asked).ok()) {
            self.select(Some(Selection::Joint(joint)));
        }
    }

    fn select(&mut self, selection: Option<Selection>) {
        self.selection = selection;
        self.count_moved();
        self.find_keys();
    }

    /// Whether the view is as framing leaves it, so that it goes along when the crowd grows.
    fn orbit_is_framed(&self, aspect: f64) -> bool {
        let mut framed = self.orbit;
        framed.frame(&self.hull(), aspect);
        (framed.target - self.orbit.target).norm() + (framed.distance - self.orbit.distance).abs()
            < 1e-6 * self.orbit.distance
    }

    /// Lets the crowd stand as planned.
    fn stand(&mut self) {
        self.crowd.instances = self.scene.set_crowd(&self.crowd, &self.limits);
        self.scene.apply_blend(self.playback.clock_secs);
        self.pose_anew();
    }

    fn change_hand(&mut self, change: impl FnOnce(&mut PoseOverride)) {
        let mut hand = self.scene.overrides().clone();
        change(&mut hand);
        self.scene.set_overrides(hand);
        self.pose_anew();
    }

    fn change_blend(&mut self, change: impl FnOnce(&mut Blend)) {
        let mut blend = self.scene.blend().clone();
        change(&mut blend);
        self.scene.set_blend(blend, self.playback.clock_secs);
        self.pose_anew();
    }

    /// Whatever was posed and drawn is out of date.
    fn pose_anew(&mut self) {
        (self.posed_secs, self.drawn) = (None, None);
    }

    fn count_moved(&mut self) {
        self.moved = self.joint().map_or_else(InfluenceStats::default, |joint| moved(self.scene.model(), joint));
    }

    fn find_keys(&mut self) {
        self.seam = self.scene.playing().and_then(|clip| seam(self.scene.model(), clip));
        let joint = self.joint();
        self.keys = self.scene.playing().map_or_else(Vec::new, |clip| key_times(clip, joint));
    }

    /// Turns the view to a side of the model, around what it looks at.
    fn cull_to(&mut self, direction: ViewDirection) {
        self.model_camera = None;
        let (yaw, up) = match direction {
            ViewDirection::Front => (0.0, 0.0),
            ViewDirection::Back => (PI, 0.0),
            ViewDirection::Left => (FRAC_PI_2, 0.0),
            ViewDirection::Right => (-FRAC_PI_2, 0.0),
            ViewDirection::Top => (0.0, PI),
            ViewDirection::Bottom => (0.0, -PI),
        };
        (self.orbit.yaw, self.orbit.pitch) = (0.0, 0.0);
        self.orbit.turn(yaw, up);
    }

    /// Plays another clip from its start; the view stays.
    fn change_clip(&mut self, places: i32) {
        let count = self.scene.model().clips.len() as i64;
        if count == 0 {
            return;
        }
        let next = match self.scene.clip {
            Some(clip) => (i64::from(clip.0) + i64::from(places)).rem_euclid(count),
            None => 0,
        };
        self.play(Some(ClipIndex(next as u32)));
    }

    fn play(&mut self, clip: Option<ClipIndex>) {
        if self.scene.blend().fade.is_some() {
            self.change_blend(|blend| blend.fade = None);
        }
        self.crowd.clips.clear();
        self.scene.play(clip);
        (self.playback.time_secs, self.playback.clock_secs, self.start_secs) = (0.0, 0.0, 0.0);
        self.posed_secs = None;
        self.find_keys();
    }

    /// Follows a new shape of the picture.
    pub(crate) fn reshape(&mut self, aspect_before: f64, aspect: f64) {
        self.orbit.reshape(&self.hull(), aspect_before, aspect);
    }

    /// Where it is seen from.
    pub(crate) fn camera(&self) -> Camera {
        match (self.lent_camera, self.model_camera) {
            (Some(camera), _) => camera,
            (None, Some(camera)) => self.scene.camera(camera, self.clock_secs()),
            (None, None) => self.orbit.camera(self.scene.bounds()),
        }
    }

    /// The outline of all that is to be in the picture.
    fn hull(&self) -> SupportHull {
        let mut hull = self.scene.hull.clone();
        if let Some(comparison) = &self.comparison {
            hull.merge(comparison);
        }
        hull
    }

    /// Has another file beside it, or no longer; what was framed is framed anew with it.
    pub(crate) fn frame_with(&mut self, comparison: Option<SupportHull>, aspect: f64) {
        let framed = self.orbit_is_framed(aspect);
        self.comparison = comparison;
        if framed {
            self.orbit.frame(&self.hull(), aspect);
        }
    }

    /// Is seen from where another file is seen, at the same moment.
    pub(crate) fn sync_from(&mut self, first: &Self) {
        (self.orbit, self.playback) = (first.orbit, first.playback);
        self.lent_camera = first.model_camera.map(|_| first.camera());
        self.look = first.look.clone();
        self.scene.copy_loop_offset(&first.scene);
        if self.scene.blend().fade.is_some() {
            self.scene.apply_blend(self.playback.clock_secs);
            self.posed_secs = None;
        }
    }

    /// Plays this from now on, as another file does.
    pub(crate) fn apply_sync(
        &mut self,
        clip: Option<ClipIndex>,
        crowd: CrowdRequest,
        hand: PoseOverride,
        blend: Blend,
    ) {
        self.scene.set_overrides(hand);
        self.scene.set_blend(blend, self.playback.clock_secs);
        self.scene.play(clip);
        self.crowd = crowd;
        self.stand();
    }

    /// `parent_from_joint` as it is now; `None` for a joint that nothing moves.
    pub(crate) fn parent_from_joint(&self, joint: JointIndex) -> Option<Transform> {
        if self.scene.model().skeleton.joint(joint).sheared_rest.is_some() {
            return None;
        }
        let (pose, _) = self.scene.first_pose(self.clock_secs());
        Some(pose.parent_from_joint[joint.get()])
    }

    /// Rings to turn the selected joint by, in a picture of this shape.
    pub(crate) fn rings(&self, aspect: f64) -> Option<RotateGizmo> {
        let joint = self.joint()?;
        let clock_secs = self.clock_secs();
        let world_from_parent = match self.scene.model().skeleton.joint(joint).parent {
            Some(parent) => self.scene.world_from_joint(parent, clock_secs),
            None => self.scene.crowd.placement(0),
        };
        RotateGizmo::new(&world_from_parent, &self.parent_from_joint(joint)?, &self.camera(), aspect)
    }

    /// The clip that plays.
    pub(crate) fn clip(&self) -> Option<&Clip> {
        self.scene.playing()
    }

    /// The picture on the target is no longer of this.
    pub(crate) fn forget_picture(&mut self) {
        self.drawn = None;
    }

    /// Lets time pass.
    pub(crate) fn advance(&mut self, elapsed_secs: f64) {
        let before = self.playback.time_secs;
        self.playback.advance(elapsed_secs, self.scene.duration_secs());
        self.scene.advance_loops(before, self.playback.time_secs);
        let Some(fade) = self.scene.blend().fade else { return };
        let clock_secs = self.playback.clock_secs;
        if fade.share(clock_secs) >= 1.0 {
            self.play(Some(fade.to));
            let duration_secs = self.scene.duration_secs();
            let time_secs = (clock_secs - fade.from_clock_secs).abs();
            self.playback.time_secs = if duration_secs > 0.0 { time_secs.rem_euclid(duration_secs) } else { 0.0 };
            self.playback.clock_secs = self.playback.time_secs;
        } else {
            self.scene.apply_blend(clock_secs);
            self.posed_secs = None;
        }
    }

    /// What the clock of all that moves shows: beside others a clip goes round by itself, whatever the length of the one on
    /// the timeline.
    pub(crate) fn clock_secs(&self) -> f64 {
        match self.scene.blend().is_empty() {
            true => self.scene.clock_secs(self.playback.time_secs),
            false => self.playback.clock_secs,
        }
    }

    /// Draws the model onto the screen's target, unless it shows there as it is; what that has cost.
    pub(crate) fn draw(
        &mut self,
        backdrop: Backdrop,
        light: &LightSetup,
        renderer: &mut Renderer,
        target: &mut Target,
    ) -> Result<FrameTimings, AppError> {
        let clock_secs = self.clock_secs();
        let (clip, look) = (self.scene.clip, self.look.clone());
        let drawn = Drawn { camera: self.camera(), clock_secs, clip, backdrop, look };
        if self.drawn.as_ref() == Some(&drawn) {
            return Ok(FrameTimings::default());
        }
        let begun = Instant::now();
        let lighting = light.at(&self.scene, clock_secs);
        // A joint that is named is one of this file, so that nothing is amiss here.
        let plain = self.look == DebugViewRequest::default();
        let looking = if plain { None } else { DebugViewBuilder::new(&self.look, &self.scene, clock_secs).ok() };
        let ghosts = looking.as_ref().map(DebugViewBuilder::ghosts).unwrap_or_default();
        let look = looking.as_ref().map(|looking| looking.look(&ghosts)).unwrap_or_default();
        let mut camera = drawn.camera;
        if let (None, None, Some(looking)) = (self.model_camera, self.lent_camera, &looking) {
            camera.fit_depth(&looking.depth_bounds(&looking.hull(&self.scene)));
        }
        let looked = Instant::now();
        let aspect = f64::from(target.width()) / f64::from(target.height());
        let others_seen = self.scene.cull_to(view_of(&camera, aspect, &look, &lighting).as_ref());
        if others_seen || self.posed_secs != Some(clock_secs) {
            self.scene.pose_at(clock_secs);
            self.posed_secs = Some(clock_secs);
        }
        let posed = Instant::now();
        let others = self.scene.posed_others();
        let frame = self.scene.frame(&others, camera, (&lighting, backdrop.background()), look);
        renderer.upload_palettes(&frame)?;
        let uploaded = Instant::now();
        renderer.draw(&self.gpu_models.all(), &frame, target)?;
        self.drawn = Some(drawn);
        Ok(FrameTimings {
            pose: posed - looked,
            upload: uploaded - posed,
            draw: uploaded.elapsed() + (looked - begun),
            gpu: renderer.gpu_time().unwrap_or_default(),
            ..FrameTimings::default()
        })
    }
}
