//! `rigview video`: a clip, a turntable or both as a moving picture. Frames are drawn and written one by one.

use super::encoder::{self, Kind, Reel};
use super::schedule::Plan;
use crate::app::AppError;
use crate::app::console::progress::{CancelToken, ProgressSink, StepCounter};
use crate::app::console::report;
use crate::app::offscreen::OffscreenRenderer;
use crate::app::scene::GpuScene;
use crate::app::scene::LoadedScene;
use crate::app::tasks::open_scene::{open_with_progress, report_diagnostics};
use crate::platform::shutdown;
use crate::request::{BackgroundRequest, RenderRequest, VideoRequest};
use std::path::Path;

/// Pictures that a GIF's colors are chosen by.
const COLOR_SAMPLES: usize = 8;

/// Makes the film, and tells on the terminal how far it is.
pub(crate) fn run(args: &VideoRequest, output: &Path) -> Result<(), AppError> {
    let (cancel, counter) = (CancelToken::default(), StepCounter::start("filming"));
    let on_signal = cancel.clone();
    shutdown::on_signal(move || on_signal.cancel());
    make(args, output, &ProgressSink { on_step: &|done, total| counter.at(done, total), cancel })
}

/// Makes the film.
pub(crate) fn make(args: &VideoRequest, output: &Path, steps: &ProgressSink<'_>) -> Result<(), AppError> {
    let kind = Kind::of(output)?;
    let stage = open_with_progress(&args.frame.file, &args.frame.scene)?;
    let mut shot = args.frame.clone();
    if kind.needs_even_size() && shot.size.iter().any(|side| side % 2 == 1) {
        shot.size = shot.size.map(|side| side.next_multiple_of(2));
        report::notice(format_args!("this kind of film has even sides: {} x {} pixels", shot.size[0], shot.size[1]));
    }
    if shot.background == Some(BackgroundRequest::Transparent) && !kind.can_be_transparent() {
        return Err(AppError::NotMade {
            reason: "an .mp4 cannot be transparent; write a .webm, .png or .gif".to_owned(),
        });
    }
    let plan = Plan::new(args, stage.duration_secs());
    let mut camera = Camera { studio: OffscreenRenderer::new()?, shot, stage, plan, model: None, samples: None };

    steps.step(0, plan.frames)?;
    let spot = encoder::Spot {
        size: camera.shot.size,
        plan,
        transparent: args.frame.background == Some(BackgroundRequest::Transparent),
    };
    let mut reel = match kind {
        Kind::Gif => {
            let mut chosen = Vec::new();
            for frame in plan.spread(COLOR_SAMPLES) {
                chosen.push(camera.take(frame)?);
            }
            Reel::gif(output, spot, &chosen)?
        }
        kind => Reel::new(kind, output, spot)?,
    };
    for frame in 0..plan.frames {
        steps.step(frame, plan.frames)?;
        let rgba = camera.take(frame)?;
        reel.add(&rgba)?;
    }
    steps.step(plan.frames, plan.frames)?;
    reel.finish()?;
    report_diagnostics(&camera.stage);
    if let Some(samples) = camera.samples.filter(|samples| *samples != args.frame.samples) {
        report::notice(format_args!("--samples {} is not to be had here; the film has {samples}", args.frame.samples));
    }
    Ok(())
}

/// What takes the frames.
struct Camera {
    // In drop order: what is on the GPU before its context.
    model: Option<GpuScene>,
    studio: OffscreenRenderer,
    shot: RenderRequest,
    stage: LoadedScene,
    plan: Plan,
    samples: Option<u32>,
}

impl Camera {
    /// The picture of one frame: four bytes a pixel, rows from the top, straight alpha.
    fn take(&mut self, frame: usize) -> Result<Vec<u8>, AppError> {
        let (time_secs, turn) = (self.plan.clip_secs(frame), self.plan.turn(frame));
        self.shot.scene.time_secs = time_secs;
        let model = match &self.model {
            Some(model) => model,
            None => self.model.insert(self.studio.upload_and_free_images(&mut self.stage)?),
        };
        let taken = self.studio.render_rotated(&mut self.stage, model, &self.shot, turn)?;
        self.samples = Some(taken.samples);
        Ok(taken.rgba)
    }
}
