//! Common parts of the benchmarks of drawing: arguments, a crowd, times and a table.

use clap::Parser;
use rigview::crowd::{Crowd, CrowdAnimator};
use rigview::import::{ImportOptions, open};
use rigview::math::SupportHull;
use rigview::model::ClipIndex;
use rigview::palette::{MatrixFormat, Rig};
use rigview::scene::clip_hull;
use rigview::scene::layout::{PlaybackRules, grid};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) type Fallible<T> = Result<T, Box<dyn Error>>;

#[derive(Parser)]
pub(crate) struct Args {
    /// Model to draw [default: the windmill]
    file: Option<PathBuf>,
    /// Number of instances, each with its own start time in the first clip
    #[arg(long, default_value_t = 100)]
    instances: usize,
    /// Number of frames to draw; the median is printed
    #[arg(long, default_value_t = 15)]
    pub(crate) frames: u32,
    #[arg(long, default_value_t = 1280)]
    pub(crate) width: u32,
    #[arg(long, default_value_t = 720)]
    pub(crate) height: u32,
    /// Added by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

/// A crowd that plays the first clip of a file.
pub(crate) struct BenchCrowd {
    pub(crate) animator: CrowdAnimator,
    pub(crate) crowd: Crowd,
    /// Support hull of all instances over the clip, in world space.
    pub(crate) hull: SupportHull,
    duration_secs: f64,
}

impl BenchCrowd {
    /// Opens the file of `args`; `None` chooses the matrix format.
    pub(crate) fn open(args: &Args, format: Option<MatrixFormat>) -> Fallible<Self> {
        let windmill = || Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
        let file = args.file.clone().unwrap_or_else(windmill);
        let model = open(&file, &ImportOptions::default())?.model;
        let clip = (!model.clips.is_empty()).then_some(ClipIndex(0));
        let duration_secs = model.clips.first().map_or(0.0, |clip| f64::from(clip.duration_secs)).max(1e-3);
        let default_scene = model.default_scene;
        let rig = Rig::new(model, default_scene);
        let rig = rig.with_format(format.unwrap_or(rig.format()));
        let hull = clip_hull(&rig, clip);
        let crowd = PlaybackRules::for_clip(clip).crowd(&grid(args.instances, hull.bounds()), &[], rig.model());
        let hull = crowd.hull(&hull);
        Ok(Self { animator: CrowdAnimator::new(&rig), crowd, hull, duration_secs })
    }

    /// Poses all instances for a frame of 1/60 s.
    pub(crate) fn pose(&mut self, frame: u32) {
        self.animator.update(&mut self.crowd, f64::from(frame) / 60.0 % self.duration_secs);
    }
}

/// Times of the frames of one candidate, in milliseconds. Candidates alternate frame by frame, so that other load affects all
/// of them equally.
#[derive(Default)]
pub(crate) struct Times {
    pub(crate) wall_ms: Vec<f64>,
    /// CPU time of all threads, including those of a software renderer.
    cpu_ms: Vec<f64>,
}

impl Times {
    /// Measures a frame.
    pub(crate) fn measure(&mut self, draw: impl FnOnce() -> Fallible<()>) -> Fallible<()> {
        let (start, cpu_start) = (Instant::now(), process_cpu_time());
        draw()?;
        let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
        self.wall_ms.push(millis(start.elapsed()));
        self.cpu_ms.extend(cpu_start.zip(process_cpu_time()).map(|(start, end)| millis(end.saturating_sub(start))));
        Ok(())
    }

    /// CPU times; wall times if the system does not report CPU times.
    pub(crate) fn cpu_ms(&self) -> &[f64] {
        if self.cpu_ms.is_empty() { &self.wall_ms } else { &self.cpu_ms }
    }
}

fn process_cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
    }
    #[cfg(not(unix))]
    None
}

/// Median without the first frame, which compiles shaders and allocates buffers.
pub(crate) fn median(frames: &[f64]) -> f64 {
    let mut sorted = frames[1..].to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Prints the conditions, and a Markdown table.
pub(crate) fn print_table(args: &Args, renderer: &str, columns: &[&str], rows: &[Vec<String>]) {
    let Args { file, instances, frames, width, height, .. } = args;
    let file = file.as_ref().map_or("windmill.glb".into(), |file| file.display().to_string());
    println!("{file}: {instances} instances, {width} x {height}, median of {frames} alternating frames, {renderer}\n");
    println!("| {} |\n|{}", columns.join(" | "), " --- |".repeat(columns.len()));
    rows.iter().for_each(|row| println!("| {} |", row.join(" | ")));
}
