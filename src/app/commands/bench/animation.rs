//! `rigview bench`: animation time of a crowd, and the numerical error of the SIMD kernel.

use crate::app::AppError;
use crate::app::console::report::{self, Lines};
use crate::app::scene::{LoadedModel, LoadedScene};
use crate::cli::CrowdBenchArgs;
use crate::request::{CrowdRequest, SceneRequest};
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::import::ImageLoading;
use rigview_core::math::{Affine, SimdLevel};
use rigview_core::palette::MatrixFormat;
use rigview_core::util::text::counted;
use rigview_render::platform::clock::{Clock, median};
use serde::Serialize;

/// Measured rounds; the report has their median.
const ROUNDS: usize = 9;

/// Minimum duration of a round if the number of frames is not given.
const MIN_ROUND_SECS: f64 = 0.1;

/// Maximum number of instances, and number of times, at which SIMD and reference results are compared.
const ERROR_SAMPLES: (usize, usize) = (200, 5);

#[derive(Serialize)]
struct Report {
    file: String,
    clip: Option<String>,
    instances: u32,
    threads: u32,
    dispatch: &'static str,
    packing: &'static str,
    /// Matrices per instance: one per joint of a skin and one per rigid mesh.
    matrices: u32,
    /// Animated joints; `None` for the scalar path.
    moved_joints: Option<usize>,
    clip_bytes: Option<usize>,
    palette_bytes: usize,
    rounds: usize,
    frames: u32,
    /// `cpu` (CPU time of the only thread) or `wall`.
    clock: &'static str,
    /// Time of an update per matrix and frame: the median of the rounds.
    ns_per_joint: f64,
    ns_per_joint_min: f64,
    ns_per_joint_max: f64,
    frame_ms: f64,
    /// Lower bound of any update: the time to write as many bytes as the palette has.
    write_limit_ns_per_joint: f64,
    /// Maximum error of an element of a 3x3 part against double precision, relative to the largest element of that part.
    error_linear: Option<f64>,
    /// Maximum error of a translation, relative to the diagonal of the model.
    error_translation: Option<f64>,
}

pub(crate) fn run(args: &CrowdBenchArgs) -> Result<(), AppError> {
    let file = args.file.as_deref().expect("required without a command");
    let CrowdBenchArgs { clip, instances, phase_spread, policy: import, .. } = args.clone();
    let crowd = CrowdRequest { instances, phase_spread, ..CrowdRequest::default() };
    let pose = SceneRequest { clip, import, crowd, ..SceneRequest::default() };
    let mut scene = LoadedScene::open(file, &pose, ImageLoading::Skip)?;
    let LoadedModel { crowd, animator, .. } = &mut *scene;
    animator.prepare(crowd);
    let has_simd = animator.simd_instance_count(crowd) == crowd.len();
    let dispatch = has_simd.then(SimdLevel::best);
    let errors = dispatch.map(|dispatch| errors(&scene, dispatch));
    // With one thread, CPU time excludes the load of other processes.
    let clock = if args.threads == 1 && Clock::cpu_time().is_some() { Clock::ThreadCpu } else { Clock::Wall };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads as usize).build().map_err(AppError::Threads)?;
    let (frames, mut rounds) = pool.install(|| measure(&mut scene, dispatch, args.frames, clock));
    rounds.sort_by(f64::total_cmp);
    let matrices = scene.layout().matrix_count;
    let per_joint = |secs: f64| secs * 1e9 / (f64::from(args.instances) * f64::from(matrices.max(1)));
    let report = Report {
        file: file.display().to_string(),
        clip: scene.playing_clip().map(|clip| clip.name.clone().unwrap_or_default()),
        instances: args.instances,
        threads: args.threads,
        dispatch: dispatch.map_or("scalar", SimdLevel::name),
        packing: if scene.palette().format() == MatrixFormat::Mat3x4 { "rows" } else { "similarity" },
        matrices,
        moved_joints: dispatch.map(|_| scene.animator.animated_joint_count()),
        clip_bytes: dispatch.map(|_| scene.animator.packed_key_bytes()),
        palette_bytes: size_of_val(scene.palette().texels()),
        rounds: ROUNDS,
        frames,
        clock: if clock == Clock::ThreadCpu { "cpu" } else { "wall" },
        ns_per_joint: per_joint(rounds[ROUNDS / 2]),
        ns_per_joint_min: per_joint(rounds[0]),
        ns_per_joint_max: per_joint(rounds[ROUNDS - 1]),
        frame_ms: rounds[ROUNDS / 2] * 1e3,
        write_limit_ns_per_joint: per_joint(write_limit_secs(&scene, clock)),
        error_linear: errors.map(|errors| errors[0]),
        error_translation: errors.map(|errors| errors[1]),
    };
    if args.json { report::json(&report) } else { report::lines(&report.lines()) }
}

/// Poses the crowd in rounds of `frames`, with SIMD or with the double-precision path if `dispatch` is `None`. Returns the number of
/// frames per round, and the seconds per frame of each round.
fn measure(scene: &mut LoadedScene, dispatch: Option<SimdLevel>, frames: Option<u32>, clock: Clock) -> (u32, Vec<f64>) {
    let duration = scene.duration_secs().max(1e-3);
    let mut time_secs = 0.0;
    let update = |_| {
        match dispatch {
            Some(dispatch) => scene.pose_with_simd(time_secs, dispatch),
            None => scene.pose_in_double_precision(time_secs),
        }
        time_secs = (time_secs + 1.0 / 60.0) % duration;
    };
    rounds(frames, MIN_ROUND_SECS, clock, update)
}

/// Returns the median time in seconds to fill a buffer of the palette's size.
fn write_limit_secs(scene: &LoadedScene, clock: Clock) -> f64 {
    let mut texels = scene.palette().texels().to_vec();
    let fill = |number| std::hint::black_box(&mut texels).fill([number as f32; 4]);
    median(rounds(None, MIN_ROUND_SECS / 10.0, clock, fill).1).unwrap_or_default()
}

/// Calls `step` in rounds of `count` steps, or of as many as last for `min_secs`. Returns the count, and the seconds per step of each
/// round.
fn rounds(count: Option<u32>, min_secs: f64, clock: Clock, mut step: impl FnMut(u32)) -> (u32, Vec<f64>) {
    let mut round = |count: u32| {
        let start = Clock::start();
        (0..count).for_each(&mut step);
        start.elapsed(clock).as_secs_f64() / f64::from(count)
    };
    // Warm up memory and caches.
    round(2);
    let count = count.unwrap_or_else(|| (min_secs / round(2)).ceil().clamp(1.0, 1e6) as u32);
    (count, (0..ROUNDS).map(|_| round(count)).collect())
}

/// Returns the maximum errors of the SIMD kernel against double precision, of 3x3 parts and of translations.
///
/// The instances are at the origin, because world positions would add their own rounding error.
fn errors(scene: &LoadedScene, dispatch: SimdLevel) -> [f64; 2] {
    let duration_secs = scene.duration_secs();
    let (rig, placed) = (scene.rig(), &scene.crowd);
    let instance = |instance| {
        let layer = placed.layers(instance).next().expect("a layer");
        Instance { world_from_model: Affine::IDENTITY, clip: layer.clip, playback: layer.playback }
    };
    let mut crowd = Crowd::new(placed.indices().take(ERROR_SAMPLES.0).map(instance));
    let extent = rigview_render::scene::clip_hull(rig, scene.clip).bounds().diagonal();
    // `Mat3x4` can represent every matrix.
    let mut reference = CrowdAnimator::new(&rig.with_format(MatrixFormat::Mat3x4));
    let mut simd = CrowdAnimator::new(rig);
    simd.set_simd_level(dispatch);
    let mut errors = [0.0_f64; 2];
    for step in 0..ERROR_SAMPLES.1 {
        let time_secs = duration_secs * step as f64 / ERROR_SAMPLES.1 as f64;
        reference.update_in_double_precision(&mut crowd, time_secs);
        simd.update(&mut crowd, time_secs);
        for block in simd.palette().blocks() {
            for matrix in 0..rig.layout().matrix_count as usize {
                let [a, b] = [reference.palette(), simd.palette()].map(|palette| {
                    let packing = palette.format();
                    packing.read(&palette.block(block)[matrix * packing.texels_per_matrix()..])
                });
                let largest = a.iter().flat_map(|row| &row[..3]).fold(0.0_f32, |m, x| m.max(x.abs()));
                for (a, b) in a.iter().zip(&b) {
                    for (column, (a, b)) in a.iter().zip(b).enumerate() {
                        let (size, number) = if column == 3 { (extent, 1) } else { (f64::from(largest), 0) };
                        let error = (f64::from(*a) - f64::from(*b)).abs();
                        errors[number] = errors[number].max(if error > 0.0 { error / size } else { 0.0 });
                    }
                }
            }
        }
    }
    errors
}

impl Report {
    fn lines(&self) -> Lines {
        let mut lines = Lines::default();
        lines.push(format_args!(
            "{}, clip {}: {} of {} ({}), {}, {}",
            self.file,
            self.clip.as_deref().unwrap_or("none"),
            counted(self.instances as usize, "instance", "instances"),
            counted(self.matrices as usize, "matrix", "matrices"),
            self.packing,
            counted(self.threads as usize, "thread", "threads"),
            self.dispatch,
        ));
        lines.push(format_args!(
            "animation  {:.2} ns per joint and frame ({:.2} to {:.2} over {} rounds of {} frames), {:.3} ms per frame, {} time",
            self.ns_per_joint,
            self.ns_per_joint_min,
            self.ns_per_joint_max,
            self.rounds,
            self.frames,
            self.frame_ms,
            self.clock,
        ));
        lines.push(format_args!(
            "memory     {:.2} ns per joint and frame to write as many bytes",
            self.write_limit_ns_per_joint
        ));
        if let (Some(linear), Some(translation)) = (self.error_linear, self.error_translation) {
            lines.push(format_args!(
                "error      {linear:.1e} in 3x3 parts, {translation:.1e} of the model's size in translations"
            ));
        }
        lines
    }
}
