//! The model on screen: where it is seen from, and where its clip stands.

use super::screen::Screen;
use crate::app::AppError;
use crate::app::input::Action;
use crate::app::lighting::LightSetup;
use crate::app::stage::Stage;
use crate::model::ClipIndex;
use crate::pose::Playback;
use crate::render::GpuModel;
use crate::scene::{Background, Frame, Look, Orbit};

/// Frames in a second of the clip when stepping: Blender's default.
const STEP_FRAMES_PER_SEC: f64 = 24.0;

/// The model on screen.
pub(super) struct Shown {
    gpu_model: GpuModel,
    pub(super) stage: Stage,
    pub(super) playback: Playback,
    orbit: Orbit,
    /// Where playback starts again.
    start_secs: f64,
    /// The time that the palette was made for.
    posed_secs: Option<f64>,
}

impl Shown {
    /// Puts a model on `screen`, framed, playing from `start_secs`.
    pub(super) fn new(stage: Stage, start_secs: f64, screen: &Screen) -> Result<Self, AppError> {
        let gpu_model = screen.renderer.upload(stage.model(), &stage.layout)?;
        let orbit = Orbit::framing(&stage.hull, screen.aspect());
        let playback = Playback { time_secs: start_secs, playing: true };
        Ok(Self { gpu_model, stage, playback, orbit, start_secs, posed_secs: None })
    }

    /// Whether it changes by itself.
    pub(super) fn is_moving(&self) -> bool {
        self.playback.playing && self.stage.duration_secs() > 0.0
    }

    /// Does what a person asked for, in a picture of this shape.
    pub(super) fn act(&mut self, action: &Action, aspect: f64) {
        let hull = &self.stage.hull;
        match *action {
            Action::TogglePlay => self.playback.playing = !self.playback.playing,
            Action::Step(frames) => self.playback.step(frames, STEP_FRAMES_PER_SEC, self.stage.duration_secs()),
            Action::ChangeClip(places) => self.change_clip(places),
            Action::Frame => self.orbit.frame(hull, aspect),
            Action::Reset => {
                self.orbit = Orbit::framing(hull, aspect);
                self.playback = Playback { time_secs: self.start_secs, playing: true };
            }
            Action::Turn { right, up } => self.orbit.turn(right, up),
            Action::Pan { right, up } => self.orbit.pan(right, up),
            Action::Zoom(steps) => self.orbit.zoom(steps, hull.bounds()),
            Action::Open(_) | Action::Quit => {}
        }
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
        self.stage.play(Some(ClipIndex(next as u32)));
        (self.playback.time_secs, self.start_secs) = (0.0, 0.0);
        self.posed_secs = None;
    }

    /// Follows a new shape of the picture.
    pub(super) fn reshape(&mut self, aspect_before: f64, aspect: f64) {
        self.orbit.reshape(&self.stage.hull, aspect_before, aspect);
    }

    /// Draws the model onto the screen's target, `elapsed_secs` later.
    pub(super) fn draw(&mut self, elapsed_secs: f64, light: &LightSetup, screen: &mut Screen) -> Result<(), AppError> {
        self.playback.advance(elapsed_secs, self.stage.duration_secs());
        if self.posed_secs != Some(self.playback.time_secs) {
            self.stage.pose(self.playback.time_secs);
            self.posed_secs = Some(self.playback.time_secs);
        }
        let lighting = light.at(&self.stage, self.playback.time_secs);
        let frame = Frame {
            layout: &self.stage.layout,
            palette: &self.stage.palette,
            camera: self.orbit.camera(self.stage.bounds()),
            lighting: &lighting,
            background: Background::Studio,
            look: Look::default(),
        };
        Ok(screen.renderer.draw(&self.gpu_model, &frame, &mut screen.target)?)
    }
}
