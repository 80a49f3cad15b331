//! The model on screen: where it is seen from, and where its clip stands.

use super::screen::Screen;
use crate::app::AppError;
use crate::app::input::Action;
use crate::app::stage::Stage;
use crate::model::ClipIndex;
use crate::pose::Playback;
use crate::render::GpuModel;
use crate::scene::{Background, Frame, Lighting, Orbit};

/// Frames in a second of the clip when stepping: Blender's default.
const STEP_FRAMES_PER_SEC: f64 = 24.0;

/// The model on screen.
pub(super) struct Shown {
    pub(super) gpu_model: Option<GpuModel>,
    pub(super) stage: Stage,
    pub(super) orbit: Orbit,
    pub(super) playback: Playback,
    /// The time that the palette was made for.
    pub(super) posed_secs: Option<f64>,
}

impl Shown {
    pub(super) fn act(&mut self, action: &Action, aspect: f64, start_secs: f64) {
        let hull = &self.stage.hull;
        match *action {
            Action::TogglePlay => self.playback.playing = !self.playback.playing,
            Action::Step(frames) => self.playback.step(frames, STEP_FRAMES_PER_SEC, self.stage.duration_secs()),
            Action::ChangeClip(places) => self.change_clip(places),
            Action::Frame => self.orbit.frame(hull, aspect),
            Action::Reset => {
                self.orbit = Orbit::framing(hull, aspect);
                self.playback = Playback { time_secs: start_secs, playing: true };
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
        self.stage.clip = Some(ClipIndex(next as u32));
        self.playback.time_secs = 0.0;
        self.posed_secs = None;
    }

    /// Draws the model at the playback's time onto the screen's target.
    pub(super) fn draw(&mut self, screen: &mut Screen) -> Result<(), AppError> {
        if self.gpu_model.is_none() {
            self.gpu_model = Some(screen.renderer.upload(self.stage.model(), &self.stage.layout)?);
        }
        if self.posed_secs != Some(self.playback.time_secs) {
            self.stage.pose(self.playback.time_secs);
            self.posed_secs = Some(self.playback.time_secs);
        }
        if let Some(gpu_model) = &self.gpu_model {
            let frame = Frame {
                layout: &self.stage.layout,
                palette: &self.stage.palette,
                camera: self.orbit.camera(self.stage.bounds()),
                lighting: &Lighting::Studio,
                background: Background::Studio,
            };
            screen.renderer.draw(gpu_model, &frame, &mut screen.target)?;
        }
        Ok(())
    }
}
