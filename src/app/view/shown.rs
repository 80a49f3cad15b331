//! The model on screen: where it is seen from, where its clip stands, what of it is selected.

use super::blend::{Blend, Fade};
use super::cost::Cost;
use super::key_times::key_times;
use super::outline::Outline;
use super::pick::pick;
use super::screen::Screen;
use super::seam::{Seam, seam};
use super::transport::Transport;
use crate::app::AppError;
use crate::app::input::{Action, Backdrop, Selection, Side, next_loop_mode};
use crate::app::lighting::LightSetup;
use crate::app::look::{Looking, find_joint};
use crate::app::stage::Stage;
use crate::cli::{CrowdArgs, LookArgs};
use crate::import::Limits;
use crate::model::{CameraIndex, Clip, ClipIndex, JointIndex, Model};
use crate::pose::HandPose;
use crate::render::GpuModel;
use crate::scene::{Background, Camera, Frame, Orbit};
use std::f64::consts::{FRAC_PI_2, PI};
use std::time::Instant;

/// The model on screen.
pub(super) struct Shown {
    gpu_model: GpuModel,
    /// What the file may ask of the machine.
    limits: Limits,
    pub(super) stage: Stage,
    pub(super) transport: Transport,
    pub(super) orbit: Orbit,
    /// The camera of the file that is looked through; `None` for the free view.
    pub(super) through: Option<CameraIndex>,
    /// Where playback starts again.
    start_secs: f64,
    /// The variant of its materials that is shown.
    pub(super) variant: Option<usize>,
    /// How the crowd stands.
    pub(super) crowd: CrowdArgs,
    /// What plays beside the clip on the timeline.
    pub(super) blend: Blend,
    /// Joints put by hand.
    pub(super) hand: HandPose,
    /// How it is looked at.
    pub(super) look: LookArgs,
    /// What is selected.
    pub(super) selection: Option<Selection>,
    /// The file as a tree.
    pub(super) outline: Outline,
    /// How well the clip's last instant meets its first.
    pub(super) seam: Option<Seam>,
    /// Times of the keys of the selected joint, or of all.
    pub(super) keys: Vec<f32>,
    /// The time that the palette was made for.
    posed_secs: Option<f64>,
    /// What the picture on the target was drawn from; `None` where it is of something else.
    drawn: Option<Drawn>,
}

/// All that a picture of one stage depends on.
#[derive(Clone, Debug, PartialEq)]
struct Drawn {
    camera: Camera,
    time_secs: f64,
    clock_secs: f64,
    clip: Option<ClipIndex>,
    backdrop: Backdrop,
    look: LookArgs,
}

impl Shown {
    /// Puts a model on `screen`, framed, playing from `start_secs`.
    pub(super) fn new(
        stage: Stage,
        (start_secs, frames_per_sec): (f64, f64),
        (limits, crowd): (Limits, CrowdArgs),
        screen: &Screen,
    ) -> Result<Self, AppError> {
        let gpu_model = screen.renderer.upload(stage.model(), &stage.layout)?;
        let orbit = Orbit::framing(&stage.hull, screen.aspect());
        let outline = Outline::new(stage.model());
        let mut shown = Self {
            gpu_model,
            limits,
            stage,
            transport: Transport::new(start_secs, frames_per_sec),
            orbit,
            through: None,
            start_secs,
            variant: None,
            crowd,
            blend: Blend::default(),
            hand: HandPose::new(),
            look: LookArgs::default(),
            selection: None,
            outline,
            seam: None,
            keys: Vec::new(),
            posed_secs: None,
            drawn: None,
        };
        shown.find_keys();
        Ok(shown)
    }

    /// Takes over from the same file as it was before: view, time and selection stay.
    pub(super) fn succeed(&mut self, before: &Self) {
        self.orbit = before.orbit;
        self.transport = before.transport;
        self.transport.time_secs = before.transport.time_secs.min(self.stage.duration_secs());
        self.start_secs = before.start_secs.min(self.stage.duration_secs());
        self.through = before.through.filter(|camera| camera.get() < self.stage.model().cameras.len());
        self.selection =
            before.selection.and_then(|selection| same(before.stage.model(), selection, self.stage.model()));
        // Joints put by hand are found by their names, too.
        for (joint, transform) in before.hand.joints() {
            let joint = same(before.stage.model(), Selection::Joint(*joint), self.stage.model());
            if let Some(Selection::Joint(joint)) = joint {
                self.hand.set(joint, *transform);
            }
        }
        self.crowd = before.crowd.clone();
        if before.stage.model().clips.len() == self.stage.model().clips.len() {
            self.blend = before.blend.clone();
            self.blend.fade = None;
        }
        self.stand();
        self.find_keys();
    }

    /// Whether it changes by itself.
    pub(super) fn is_moving(&self) -> bool {
        self.transport.is_running() && self.stage.duration_secs() > 0.0
    }

    /// The selected joint.
    pub(super) fn joint(&self) -> Option<JointIndex> {
        match self.selection {
            Some(Selection::Joint(joint)) => Some(joint),
            _ => None,
        }
    }

    /// Does what a person asked for, in a picture of this shape.
    pub(super) fn act(&mut self, action: &Action, aspect: f64) {
        let duration_secs = self.stage.duration_secs();
        let before_secs = self.transport.time_secs;
        match *action {
            Action::TogglePlay => self.transport.toggle(duration_secs),
            Action::Step(frames) => self.transport.step(frames, duration_secs),
            Action::StepKey(places) => self.transport.step_key(places, &self.keys),
            Action::First | Action::Last => {
                self.transport.seam_secs = None;
                self.transport.hold(if *action == Action::First { 0.0 } else { duration_secs });
            }
            Action::ToggleSeam => self.transport.toggle_seam(),
            Action::Scrub(time_secs) => {
                (self.transport.scrubbing, self.transport.seam_secs) = (true, None);
                self.transport.time_secs = time_secs.clamp(0.0, duration_secs);
            }
            Action::EndScrub => self.transport.scrubbing = false,
            Action::ChangeSpeed(steps) => self.transport.change_speed(steps),
            Action::SetSpeed(speed) => self.transport.set_speed(speed),
            Action::Reverse => self.transport.reverse(),
            Action::SetLoopMode(mode) => self.transport.set_loop_mode(mode),
            Action::NextLoopMode => self.transport.set_loop_mode(next_loop_mode(self.transport.loop_mode)),
            Action::SetFrameRate(rate) => self.transport.frames_per_sec = rate,
            Action::ChangeClip(places) => self.change_clip(places),
            Action::PlayClip(clip) => self.play(clip),
            Action::SetLayer(clip, weight) => {
                self.blend.set_weight(clip, weight);
                self.stand();
            }
            Action::FadeTo(to, secs) => {
                let from_clock_secs = self.transport.clock_secs;
                self.blend.fade = Some(Fade { to, secs, from_clock_secs });
                self.transport.playing = true;
            }
            Action::Frame => {
                self.through = None;
                self.orbit.frame(&self.stage.hull, aspect);
            }
            Action::LookFrom(side) => self.look_from(side),
            Action::LookThrough(camera) => self.through = camera,
            Action::Reset => {
                self.through = None;
                self.orbit = Orbit::framing(&self.stage.hull, aspect);
                self.transport.time_secs = self.start_secs;
                self.transport.playing = true;
            }
            Action::Turn { right, up } => {
                self.through = None;
                self.orbit.turn(right, up);
            }
            Action::Pan { right, up } => {
                self.through = None;
                self.orbit.pan(right, up);
            }
            Action::Zoom(steps) => {
                self.through = None;
                self.orbit.zoom(steps, self.stage.hull.bounds());
            }
            Action::Pick(place) => {
                let joint = pick(&self.stage, &self.camera(), aspect, place);
                self.select(joint.map(Selection::Joint));
            }
            Action::Select(selection) => self.select(selection),
            Action::SetCrowd(ref crowd) => {
                let framed = self.orbit_is_framed(aspect);
                self.crowd = crowd.clone();
                self.stand();
                if framed {
                    self.orbit.frame(&self.stage.hull, aspect);
                }
            }
            Action::PutJoint(joint, transform) => {
                self.hand.set(joint, transform);
                self.stand();
            }
            Action::FreeJoint(joint) => {
                self.hand.clear(joint);
                self.stand();
            }
            Action::FreeAllJoints => {
                self.hand = HandPose::new();
                self.stand();
            }
            Action::SelectParent => {
                let parent = self.joint().and_then(|joint| self.stage.model().skeleton.joint(joint).parent);
                if let Some(parent) = parent {
                    self.select(Some(Selection::Joint(parent)));
                }
            }
            _ => {}
        }
        if self.transport.time_secs != before_secs {
            self.transport.clock_secs = self.transport.time_secs;
        }
    }

    /// Selects the joint that the command line names, if the file has it.
    pub(super) fn select_named(&mut self, args: &LookArgs) {
        let of_look = args.look.as_ref().and_then(|look| look.joint.as_ref());
        let asked = args.joint.as_ref().or(of_look).or(args.trails.first());
        if let Some(joint) = asked.and_then(|asked| find_joint(self.stage.model(), asked).ok()) {
            self.select(Some(Selection::Joint(joint)));
        }
    }

    fn select(&mut self, selection: Option<Selection>) {
        self.selection = selection;
        self.find_keys();
    }

    /// Whether the view is as framing leaves it, so that it goes along when the crowd grows.
    fn orbit_is_framed(&self, aspect: f64) -> bool {
        let mut framed = self.orbit;
        framed.frame(&self.stage.hull, aspect);
        (framed.target - self.orbit.target).norm() + (framed.distance - self.orbit.distance).abs()
            < 1e-6 * self.orbit.distance
    }

    /// Lets the crowd stand as planned, with joints as they were put by hand.
    fn stand(&mut self) {
        self.crowd.instances = self.stage.recast(&self.crowd, &self.limits);
        if !self.hand.is_empty() {
            let crowd = &mut self.stage.crowd;
            let index = crowd.add_hand_pose(self.hand.clone());
            (0..crowd.len()).for_each(|instance| crowd.set_hand(instance, Some(index)));
        }
        self.set_layers();
        (self.posed_secs, self.drawn) = (None, None);
    }

    /// Lets every instance play all that is to play at once.
    fn set_layers(&mut self) {
        if self.blend.is_empty() {
            return;
        }
        let crowd = &mut self.stage.crowd;
        for instance in 0..crowd.len() {
            let Some(first) = crowd.layers(instance).next() else { continue };
            let layers = self.blend.layers(first.clip, first.timing, self.transport.clock_secs);
            crowd.set_layers(instance, &layers);
        }
    }

    fn find_keys(&mut self) {
        self.seam = self.stage.playing().and_then(|clip| seam(self.stage.model(), clip));
        let joint = self.joint();
        self.keys = self.stage.playing().map_or_else(Vec::new, |clip| key_times(clip, joint));
    }

    /// Turns the view to a side of the model, around what it looks at.
    fn look_from(&mut self, side: Side) {
        self.through = None;
        let (yaw, up) = match side {
            Side::Front => (0.0, 0.0),
            Side::Back => (PI, 0.0),
            Side::Left => (FRAC_PI_2, 0.0),
            Side::Right => (-FRAC_PI_2, 0.0),
            Side::Top => (0.0, PI),
            Side::Bottom => (0.0, -PI),
        };
        (self.orbit.yaw, self.orbit.pitch) = (0.0, 0.0);
        self.orbit.turn(yaw, up);
    }

    /// Plays another clip from its start; the view stays.
    fn change_clip(&mut self, places: i32) {
        let count = self.stage.model().clips.len() as i64;
        if count == 0 {
            return;
        }
        let next = match self.stage.clip {
            Some(clip) => (i64::from(clip.0) + i64::from(places)).rem_euclid(count),
            None => 0,
        };
        self.play(Some(ClipIndex(next as u32)));
    }

    fn play(&mut self, clip: Option<ClipIndex>) {
        self.blend.fade = None;
        self.crowd.clips.clear();
        self.stage.play(clip);
        if !self.blend.is_empty() || !self.hand.is_empty() {
            self.stand();
        }
        (self.transport.time_secs, self.transport.clock_secs, self.start_secs) = (0.0, 0.0, 0.0);
        self.posed_secs = None;
        self.find_keys();
    }

    /// Follows a new shape of the picture.
    pub(super) fn reshape(&mut self, aspect_before: f64, aspect: f64) {
        self.orbit.reshape(&self.stage.hull, aspect_before, aspect);
    }

    /// Where it is seen from.
    pub(super) fn camera(&self) -> Camera {
        match self.through {
            Some(camera) => {
                let placed = &self.stage.model().cameras[camera.get()];
                let place = self.stage.world_from_joint(placed.joint, self.transport.time_secs);
                Camera::of_file(&placed.projection, &place)
            }
            None => self.orbit.camera(self.stage.bounds()),
        }
    }

    /// The clip that plays.
    pub(super) fn clip(&self) -> Option<&Clip> {
        self.stage.playing()
    }

    /// The picture on the target is no longer of this.
    pub(super) fn forget_picture(&mut self) {
        self.drawn = None;
    }

    /// Lets time pass.
    pub(super) fn advance(&mut self, elapsed_secs: f64) {
        let before = self.transport.time_secs;
        self.transport.advance(elapsed_secs, self.stage.duration_secs());
        self.stage.count_rounds(before, self.transport.time_secs);
        let Some(fade) = self.blend.fade else { return };
        let clock_secs = self.transport.clock_secs;
        if fade.share(clock_secs) >= 1.0 {
            self.play(Some(fade.to));
            let duration_secs = self.stage.duration_secs();
            let time_secs = (clock_secs - fade.from_clock_secs).abs();
            self.transport.time_secs = if duration_secs > 0.0 { time_secs.rem_euclid(duration_secs) } else { 0.0 };
            self.transport.clock_secs = self.transport.time_secs;
        } else {
            self.set_layers();
            self.posed_secs = None;
        }
    }

    /// Draws the model onto the screen's target, unless it shows there as it is; what that has cost.
    pub(super) fn draw(
        &mut self,
        backdrop: Backdrop,
        light: &LightSetup,
        screen: &mut Screen,
    ) -> Result<Cost, AppError> {
        let time_secs = self.transport.time_secs;
        // Beside others a clip goes round by itself, whatever the length of the one on the timeline.
        let blends = !self.blend.is_empty();
        let clock_secs = if blends { self.transport.clock_secs } else { time_secs };
        let (clip, look) = (self.stage.clip, self.look.clone());
        let drawn = Drawn { camera: self.camera(), time_secs, clock_secs, clip, backdrop, look };
        if self.drawn.as_ref() == Some(&drawn) {
            return Ok(Cost::default());
        }
        let begun = Instant::now();
        if self.posed_secs != Some(clock_secs) {
            match blends {
                true => self.stage.pose_at(clock_secs),
                false => self.stage.pose(clock_secs),
            }
            self.posed_secs = Some(clock_secs);
        }
        let posed = Instant::now();
        let lighting = light.at(&self.stage, time_secs);
        // A joint that is named is one of this file, so that nothing is amiss here.
        let plain = self.look == LookArgs::default();
        let looking = if plain { None } else { Looking::new(&self.look, &self.stage, time_secs).ok() };
        let companions = looking.as_ref().map(Looking::companions).unwrap_or_default();
        let look = looking.as_ref().map(|looking| looking.look(&companions)).unwrap_or_default();
        let mut camera = drawn.camera;
        if let (None, Some(looking)) = (self.through, &looking) {
            camera.fit_depth(&looking.depth_bounds(&looking.hull(&self.stage)));
        }
        let frame = Frame {
            layout: &self.stage.layout,
            palette: &self.stage.palette,
            camera,
            lighting: &lighting,
            background: background(backdrop),
            look,
        };
        screen.renderer.draw(&self.gpu_model, &frame, &mut screen.target)?;
        self.drawn = Some(drawn);
        Ok(Cost { pose: posed - begun, draw: posed.elapsed(), ..Cost::default() })
    }
}

/// What the renderer calls a backdrop.
pub(super) fn background(backdrop: Backdrop) -> Background {
    match backdrop {
        Backdrop::Studio => Background::Studio,
        Backdrop::White => Background::Colour([1.0; 3]),
        Backdrop::Grey => Background::Colour([0.5; 3]),
        Backdrop::Black => Background::Colour([0.0; 3]),
    }
}

/// What of a model is the same as a part of the one before: of the same name, or without names of the same number.
fn same(before: &Model, selection: Selection, model: &Model) -> Option<Selection> {
    fn find<'a, T>(
        (before, list): (&'a [T], &'a [T]),
        place: usize,
        name: impl Fn(&'a T) -> Option<&'a str>,
    ) -> Option<u32> {
        let found = match name(before.get(place)?) {
            // Of several of one name, the one that comes as late among them.
            Some(sought) => {
                let earlier = before[..place].iter().filter(|item| name(item) == Some(sought)).count();
                list.iter().enumerate().filter(|(_, item)| name(item) == Some(sought)).nth(earlier).map(|(i, _)| i)
            }
            None => Some(place).filter(|&place| list.get(place).is_some_and(|item| name(item).is_none())),
        };
        found.map(|place| place as u32)
    }
    use crate::model::{MaterialIndex, MeshIndex, SkinIndex};
    Some(match selection {
        Selection::Joint(joint) => {
            let joints = (before.skeleton.joints(), model.skeleton.joints());
            Selection::Joint(JointIndex(find(joints, joint.get(), |joint| joint.name.as_deref())?))
        }
        Selection::Skin(skin) => {
            let skins = (&before.skins[..], &model.skins[..]);
            Selection::Skin(SkinIndex(find(skins, skin.get(), |skin| skin.name.as_deref())?))
        }
        Selection::Mesh(mesh) => {
            let meshes = (&before.meshes[..], &model.meshes[..]);
            Selection::Mesh(MeshIndex(find(meshes, mesh.get(), |mesh| mesh.name.as_deref())?))
        }
        Selection::Material(material) => {
            let materials = (&before.materials[..], &model.materials[..]);
            Selection::Material(MaterialIndex(find(materials, material.get(), |material| material.name.as_deref())?))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Material, MaterialIndex};

    #[test]
    fn a_selection_follows_its_name() {
        let model = |names: &[Option<&str>]| Model {
            materials: names
                .iter()
                .map(|name| Material { name: name.map(str::to_owned), ..Material::default() })
                .collect(),
            ..Model::default()
        };
        let before = model(&[Some("skin"), Some("fur"), Some("fur"), None]);
        let after = model(&[Some("fur"), Some("eye"), Some("fur"), None]);
        let follow = |place| match same(&before, Selection::Material(MaterialIndex(place)), &after) {
            Some(Selection::Material(material)) => Some(material.0),
            _ => None,
        };
        assert_eq!([0, 1, 2, 3].map(follow), [None, Some(0), Some(2), Some(3)]);
    }
}
