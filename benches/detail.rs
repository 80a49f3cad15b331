//! Compares levels of detail with full meshes, from three distances. Instances out of view are culled, as in the window.
//!
//!     cargo bench --bench detail -- --instances 10000 --frames 3
//!     cargo bench --bench detail -- fox.glb

use clap::Parser;
use rigview::compare::{ImageMetrics, RgbaImage};
use rigview::crowd::{Crowd, CrowdAnimator};
use rigview::image_file::{PngMetadata, encode_png};
use rigview::import::{ImportOptions, open};
use rigview::math::{Frustum, SupportHull};
use rigview::model::ClipIndex;
use rigview::palette::Rig;
use rigview::platform::headless::Headless;
use rigview::render::{GpuModel, ModelLevels, RenderOptions, Renderer, Target};
use rigview::scene::layout::{PlaybackRules, grid};
use rigview::scene::{Background, Camera, DebugView, DetailSelection, Frame, Lighting, Orbit, clip_hull};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

type Fallible<T> = Result<T, Box<dyn Error>>;

struct Candidate {
    camera: Camera,
    /// `None` for full meshes.
    detail: Option<DetailSelection>,
    model: GpuModel,
    target: Target,
    renderer: Renderer,
    times: Times,
}

fn main() -> Fallible<()> {
    let args = Args::parse();
    let mut crowd = BenchCrowd::open(&args)?;
    let headless = Headless::new()?;
    let rig = crowd.animator.rig().clone();
    let levels = ModelLevels::new(rig.model(), rig.layout());
    let (aspect, lighting) = (f64::from(args.width) / f64::from(args.height), Lighting::studio());
    let side = Orbit::framing(&crowd.hull, aspect);
    let mut above = Orbit { pitch: std::f64::consts::FRAC_PI_2, ..side };
    above.frame(&crowd.hull, aspect);
    let near = Orbit { target: crowd.hull.bounds().center(), distance: 0.1 * side.distance, ..side };
    let views = [("from above", above), ("from the side", side), ("near", near)];
    let mut candidates = Vec::new();
    let mut updates: Vec<Times> = views.iter().map(|_| Times::default()).collect();
    let mut palette_bytes = vec![0; views.len()];
    for (_, orbit) in &views {
        for detail in [None, Some(DetailSelection::default())] {
            let renderer = Renderer::new(headless.gpu(), RenderOptions::default())?;
            let mut model = renderer.upload(rig.model(), rig.layout())?;
            if detail.is_some() {
                renderer.upload_levels(&mut model, &levels)?;
            }
            let target = Target::new(headless.gpu(), args.width, args.height, args.samples)?;
            let camera = orbit.camera(crowd.hull.bounds());
            candidates.push(Candidate { camera, detail, model, target, renderer, times: Times::default() });
        }
    }
    for frame in 0..=args.frames {
        for (view, candidates) in candidates.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let camera = candidates[0].camera;
            updates[view].measure(|| {
                crowd.pose(frame, &Frustum::new(&camera.projection_from_world(aspect)));
                Ok(())
            })?;
            palette_bytes[view] = size_of_val(crowd.animator.palette().texels());
            for Candidate { camera, detail, model, target, renderer, times } in candidates {
                times.measure(|| {
                    if let Some(detail) = detail {
                        detail.update(&mut crowd.animator, &mut crowd.crowd, camera, [args.width, args.height]);
                    }
                    let frame = Frame {
                        layout: rig.layout(),
                        palette: crowd.animator.palette(),
                        detail: detail.as_ref(),
                        other_crowds: &[],
                        camera: *camera,
                        lighting: &lighting,
                        background: Background::Studio,
                        debug_view: DebugView::default(),
                    };
                    renderer.draw(&[model], &frame, target)?;
                    headless.gpu().finish();
                    Ok(())
                })?;
            }
        }
    }
    let mut rows = Vec::new();
    for (index, ((view, _), [full, detail])) in views.iter().zip(candidates.as_chunks_mut::<2>().0).enumerate() {
        let [full_ms, detail_ms] = [full.times.cpu_ms(), detail.times.cpu_ms()];
        let ratios: Vec<f64> = full_ms.iter().zip(detail_ms).map(|(full, detail)| full / detail).collect();
        let bytes = format!("{:.1}", palette_bytes[index] as f64 / 1e6);
        let mut row = vec![(*view).to_owned(), format!("{:.1}", median(updates[index].cpu_ms())), bytes];
        row.extend([full_ms, detail_ms, &ratios].map(|frames| format!("{:.2}", median(frames))));
        row.extend([&full, &detail].map(|candidate| candidate.renderer.statistics().vertices.to_string()));
        let image = |target: &mut Target| target.read_rgba().map(|rgba| RgbaImage::new(args.width, args.height, rgba));
        let images = [image(&mut full.target)?, image(&mut detail.target)?];
        let metrics = ImageMetrics::between(&images[0], &images[1]);
        row.push(metrics.map_or("-".to_owned(), |m| format!("{:.4} / {:.3}", m.flip_mean, m.flip_p99)));
        if let Some(folder) = &args.images {
            for (image, name) in images.iter().zip(["full", "detail"]) {
                let png = encode_png(image.width(), image.height(), image.rgba(), &PngMetadata::default());
                std::fs::write(folder.join(format!("{view}, {name}.png")), png)?;
            }
        }
        rows.push(row);
    }
    let update = ["view", "update CPU ms", "palette MB"];
    let draw = ["full CPU ms", "detail CPU ms", "ratio", "full vertices", "detail vertices", "mean / 99% FLIP"];
    let columns = [&update[..], &draw].concat();
    print_table(&args, headless.gpu().renderer(), &columns, &rows);
    Ok(())
}

#[derive(Parser)]
struct Args {
    /// Model to draw [default: the windmill]
    file: Option<PathBuf>,
    /// Number of instances, each with its own start time in the first clip
    #[arg(long, default_value_t = 100)]
    instances: usize,
    /// Number of frames to draw; the median is printed
    #[arg(long, default_value_t = 15)]
    frames: u32,
    #[arg(long, default_value_t = 1280)]
    width: u32,
    #[arg(long, default_value_t = 720)]
    height: u32,
    /// Samples per pixel
    #[arg(long, default_value_t = 1)]
    samples: u32,
    /// Folder to write the last images to
    #[arg(long)]
    images: Option<PathBuf>,
    /// Added by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

/// A crowd that plays the first clip of a file.
struct BenchCrowd {
    animator: CrowdAnimator,
    crowd: Crowd,
    /// Support hull of all instances over the clip, in world space.
    hull: SupportHull,
    duration_secs: f64,
}

impl BenchCrowd {
    /// Opens the file of `args`.
    fn open(args: &Args) -> Fallible<Self> {
        let windmill = || Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
        let file = args.file.clone().unwrap_or_else(windmill);
        let model = open(&file, &ImportOptions::default())?.model;
        let clip = (!model.clips.is_empty()).then_some(ClipIndex(0));
        let duration_secs = model.clips.first().map_or(0.0, |clip| f64::from(clip.duration_secs)).max(1e-3);
        let default_scene = model.default_scene;
        let rig = Rig::new(model, default_scene).unwrap();
        let hull = clip_hull(&rig, clip);
        let crowd = PlaybackRules::for_clip(clip).crowd(&grid(args.instances, hull.bounds()), &[], rig.model());
        let hull = crowd.hull(&hull);
        Ok(Self { animator: CrowdAnimator::new(&rig), crowd, hull, duration_secs })
    }

    /// Poses the instances that intersect `frustum` for a frame of 1/60 s.
    fn pose(&mut self, frame: u32, frustum: &Frustum) {
        self.animator.cull(&mut self.crowd, Some(frustum));
        self.animator.update(&mut self.crowd, f64::from(frame) / 60.0 % self.duration_secs);
    }
}

/// Times of the frames of one candidate, in milliseconds. Candidates alternate frame by frame, so that other load affects all
/// of them equally.
#[derive(Default)]
struct Times {
    wall_ms: Vec<f64>,
    /// CPU time of all threads, including those of a software renderer.
    cpu_ms: Vec<f64>,
}

impl Times {
    /// Measures a frame.
    fn measure(&mut self, draw: impl FnOnce() -> Fallible<()>) -> Fallible<()> {
        let (start, cpu_start) = (Instant::now(), process_cpu_time());
        draw()?;
        let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
        self.wall_ms.push(millis(start.elapsed()));
        self.cpu_ms.extend(cpu_start.zip(process_cpu_time()).map(|(start, end)| millis(end.saturating_sub(start))));
        Ok(())
    }

    /// CPU times; wall times if the system does not report CPU times.
    fn cpu_ms(&self) -> &[f64] {
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
fn median(frames: &[f64]) -> f64 {
    let mut sorted = frames[1..].to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Prints the conditions, and a Markdown table.
fn print_table(args: &Args, renderer: &str, columns: &[&str], rows: &[Vec<String>]) {
    let Args { file, instances, frames, width, height, samples, .. } = args;
    let file = file.as_ref().map_or("windmill.glb".into(), |file| file.display().to_string());
    println!("{file}: {instances} instances, {width} x {height}, {samples} samples per pixel");
    println!("Median of {frames} alternating frames, {renderer}\n");
    println!("| {} |\n|{}", columns.join(" | "), " --- |".repeat(columns.len()));
    rows.iter().for_each(|row| println!("| {} |", row.join(" | ")));
}
