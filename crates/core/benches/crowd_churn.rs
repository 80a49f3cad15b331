//! Benchmark of a crowd that changes: in each frame all instances move, 1 % change their clip, and 1 % vanish and others appear.
//!
//! Usage: `cargo bench -p rigview-core --bench crowd_churn -- [FILE]...`; without files, a generated rig. A crowd that stands still
//! takes turns with it. Times are processor times of one thread. For the generated rig, a second table compares clips of different joints
//! that play together with one clip that has all their tracks. A third table compares a walk with its feet on a slope with the plain walk.

use nalgebra::{UnitQuaternion, Vector3};
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::ik::{Ground, PoseConstraints};
use rigview_core::import::{ImageLoading, ImportOptions, open};
use rigview_core::math::{Affine, Transform};
use rigview_core::model::{
    Clip, ClipIndex, InstanceIndex, Interpolation, Joint, JointIndex, KeyValues, Mesh, MeshIndex, MeshNode, Model,
    Primitive, Scene, Skeleton, Timeline, Topology, Track, Vertices,
};
use rigview_core::palette::Rig;
use rigview_core::pose::{Layer, Playback};
use rigview_core::retarget::{RigMap, retarget_clips};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const INSTANCES: usize = 10_000;
const FRAMES: usize = 300;
/// Frames that begin before the measurement.
const WARM_UP: usize = 100;
/// Clips of different joints.
const TOGETHER: usize = 8;
/// Frames of a cross-fade.
const FADE_FRAMES: usize = 15;

fn cpu_time(start: Instant) -> Duration {
    #[cfg(unix)]
    {
        let _ = start;
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
    #[cfg(not(unix))]
    start.elapsed()
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    println!("| model | matrices | nodes | still, ns per matrix | changing | ratio | slowest frame | fading | ratio |");
    println!("|{}", " --- |".repeat(9));
    if files.is_empty() {
        measure("generated rig", generated());
        measure_together(generated());
        measure_feet();
    }
    for file in &files {
        let options = ImportOptions::default().with_images(ImageLoading::Skip);
        measure(file, open(Path::new(file), &options).expect("a model").model);
    }
}

/// 18 joints, each with a mesh, and three clips of 300 keys of all properties.
fn generated() -> Model {
    let joint = |i: u32| Joint {
        name: None,
        node: i as usize,
        parent: i.checked_sub(1).map(|before| JointIndex(if i.is_multiple_of(4) { before / 2 } else { before })),
        rest: Transform { translation: Vector3::new(0.0, 0.1, 0.02), ..Transform::identity() },
        exact_rest_matrix: None,
        morph_weights: 0..0,
    };
    let clip = |clip: u32| {
        let at = move |joint: u32, key: u32| (0.21 * f64::from(key % 30 * (clip + 1)) + f64::from(joint)).sin();
        let tracks = (0..18).flat_map(|joint| {
            let rotation =
                move |key| UnitQuaternion::from_euler_angles(0.4 * at(joint, key), 0.3, 0.2 * at(key, joint));
            let rotations = (0..300).map(|key| rotation(key).coords.cast()).collect();
            let translations = (0..300).map(|key| Vector3::new(0.0, 0.1, 0.02 * at(joint, key) as f32)).collect();
            let scales = (0..300).map(|key| Vector3::repeat(1.0 + 0.1 * at(joint, key) as f32)).collect();
            let keys = [KeyValues::Rotation(rotations), KeyValues::Translation(translations), KeyValues::Scale(scales)];
            let interpolation = Interpolation::Linear;
            keys.map(|keys| Track { joint: JointIndex(joint), timeline: 0.into(), interpolation, keys })
        });
        let times_secs: Vec<f32> = (0..300).map(|key| key as f32 / 30.0).collect();
        let (timelines, tracks) = (vec![Timeline::new(times_secs)], tracks.collect());
        Clip { duration_secs: 299.0 / 30.0, timelines, tracks, ..Clip::default() }
    };
    let primitive = Primitive {
        topology: Topology::Points,
        vertices: Vertices { positions: vec![[0.0; 3]], ..Vertices::default() }.into(),
        ..Primitive::default()
    };
    let mesh_node = |joint| MeshNode { joint: JointIndex(joint), mesh: MeshIndex(0), skin: None };
    Model {
        skeleton: Skeleton::new((0..18).map(joint).collect(), Vec::new()),
        meshes: vec![Mesh { primitives: vec![primitive], ..Mesh::default() }],
        clips: (0..3).map(clip).collect(),
        scenes: vec![Scene { mesh_nodes: (0..18).map(mesh_node).collect(), ..Scene::default() }],
        ..Model::default()
    }
}

/// A crowd, the transforms of the next frame, and the instances that fade.
struct Living {
    crowd: Crowd,
    animator: CrowdAnimator,
    transforms: Vec<Transform>,
    clips: u32,
    next: usize,
    fade_frames: usize,
}

impl Living {
    fn new(rig: &Rig, fade_frames: usize) -> Self {
        let clips = rig.model().clips.len() as u32;
        let instance = |i| Instance::new(Affine::IDENTITY, clip(i, clips), 0.37 * i as f64);
        let (mut crowd, animator) = (Crowd::new((0..INSTANCES).map(instance)), CrowdAnimator::new(rig));
        let transforms: Vec<Transform> = (0..INSTANCES).map(|i| transform(i, 0)).collect();
        transforms
            .iter()
            .enumerate()
            .for_each(|(i, transform)| crowd.set_transform(InstanceIndex(i as u32), transform));
        Self { crowd, animator, transforms, clips, next: 0, fade_frames }
    }

    /// Moves all instances, changes 1 % of the clips, and replaces 1 % of the instances.
    fn live(&mut self, frame: usize) {
        for (i, transform) in self.transforms.iter().enumerate() {
            self.crowd.set_transform(InstanceIndex(i as u32), transform);
        }
        let changed = INSTANCES / 100;
        let layer =
            |i: usize, change: usize| Layer::new(clip(i + change, self.clips), Playback::looping(0.1 * i as f64));
        // Each fade began some frames ago.
        for age in 0..=self.fade_frames {
            let Some(change) = frame.checked_sub(age) else { break };
            for i in (0..changed).map(|k| (change * changed + k * 101) % INSTANCES) {
                let t = if self.fade_frames == 0 { 1.0 } else { age as f32 / self.fade_frames as f32 };
                match t < 1.0 {
                    true => self.crowd.set_layers(
                        InstanceIndex(i as u32),
                        &Layer::cross_fade(layer(i, change), layer(i, change + 1), t),
                    ),
                    false => self.crowd.set_layers(InstanceIndex(i as u32), &[layer(i, change + 1)]),
                }
            }
        }
        for _ in 0..changed {
            self.next = (self.next + 7919) % INSTANCES;
            self.crowd.swap_remove(InstanceIndex(self.next as u32));
            let placement = Affine::from_translation(self.transforms[self.next].translation);
            self.crowd.push(Instance::new(placement, clip(self.next, self.clips), 0.01 * frame as f64));
        }
    }
}

fn clip(i: usize, clips: u32) -> Option<ClipIndex> {
    (clips > 0).then(|| ClipIndex(i as u32 % clips.max(1)))
}

fn transform(i: usize, frame: usize) -> Transform {
    let angle = 0.1 * i as f64 + 0.02 * frame as f64;
    let way = Vector3::new(angle.sin(), 0.0, angle.cos()) * 40.0;
    let rotation = UnitQuaternion::from_euler_angles(0.0, angle, 0.0);
    Transform {
        translation: Vector3::new((i % 100) as f64, 0.0, (i / 100) as f64) * 90.0 + way,
        rotation,
        ..Transform::identity()
    }
}

/// Measures instances that play [`TOGETHER`] clips of different joints, and instances that play one clip with the same tracks.
fn measure_together(mut model: Model) {
    let whole = model.clips.swap_remove(0);
    let part = |part: usize| {
        let tracks = whole.tracks.iter().filter(|track| track.joint.get() % TOGETHER == part).cloned().collect();
        Clip { tracks, ..whole.clone() }
    };
    model.clips = (0..TOGETHER).map(part).chain([whole.clone()]).collect();
    let scene = model.default_scene;
    let rig = Rig::new(model, scene).unwrap();
    let crowd = |clips: std::ops::Range<usize>| {
        let instance = |_| Instance::new(Affine::IDENTITY, Some(ClipIndex(clips.start as u32)), 0.0);
        let mut crowd = Crowd::new((0..INSTANCES).map(instance));
        for i in 0..INSTANCES {
            let layer = |clip| Layer::new(Some(ClipIndex(clip as u32)), Playback::looping(0.37 * i as f64));
            crowd.set_layers(InstanceIndex(i as u32), &clips.clone().map(layer).collect::<Vec<_>>());
        }
        (crowd, CrowdAnimator::new(&rig))
    };
    let mut crowds = [crowd(0..TOGETHER), crowd(TOGETHER..TOGETHER + 1)];
    let [together, merged] =
        median_secs(&mut crowds).map(|secs| secs * 1e9 / (INSTANCES as f64 * f64::from(rig.layout().matrix_count)));
    println!("\n| clips together | ns per matrix | one clip | ratio |\n|{}", " --- |".repeat(4));
    println!("| {TOGETHER} | {together:.2} | {merged:.2} | {:.2} |", together / merged);
}

/// Updates the crowds in turn, and returns the median processor time of an update of each.
fn median_secs<const N: usize>(crowds: &mut [(Crowd, CrowdAnimator); N]) -> [f64; N] {
    let mut times = [const { Vec::new() }; N];
    let clock = Instant::now();
    for frame in 0..FRAMES + WARM_UP {
        for ((crowd, animator), times) in crowds.iter_mut().zip(&mut times) {
            let start = cpu_time(clock);
            animator.update(crowd, frame as f64 / 60.0);
            times.push((cpu_time(clock) - start).as_secs_f64());
        }
    }
    times.map(|mut times| {
        times.drain(..WARM_UP);
        times.sort_by(f64::total_cmp);
        times[FRAMES / 2]
    })
}

/// Measures instances that walk, plainly and with their feet on a slope and on a grid of heights.
fn measure_feet() {
    let shipped = |name: &str| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
        open(&file, &ImportOptions::default()).expect("a shipped model").model
    };
    let (mut model, walk) = (shipped("body.glb"), shipped("walk.bvh"));
    let map = RigMap::detect(&model);
    retarget_clips(&mut model, &map, &walk, &RigMap::detect(&walk)).expect("the walk of the guide");
    let feet = map.feet(&model).expect("two legs");
    let (skeleton, scene) = (model.skeleton.clone(), model.default_scene);
    let rig = Rig::new(model, scene).unwrap();
    let grid = Ground::from_heights(Vector3::zeros().xz(), Vector3::repeat(20.0).xz(), 512, &[0.0; 512 * 512], 0.5);
    let grounds = [None, Some(Ground::slope(10.0)), grid];
    let mut crowds = grounds.map(|ground| {
        let instance = |i| {
            let placement = Affine::from_translation(Vector3::new((i % 100) as f64, 0.0, (i / 100) as f64));
            Instance::new(placement, Some(ClipIndex(0)), 0.37 * i as f64)
        };
        let (mut crowd, mut animator) = (Crowd::new((0..INSTANCES).map(instance)), CrowdAnimator::new(&rig));
        if ground.is_some() {
            let mut constraints = PoseConstraints::new(&skeleton);
            constraints.add_feet(&skeleton, &feet);
            animator.set_constraints(Some(constraints));
            crowd.set_ground(ground.map(Arc::new));
        }
        (crowd, animator)
    });
    let [plain, slope, grid] = median_secs(&mut crowds).map(|secs| secs * 1e9 / INSTANCES as f64);
    println!("\n| feet, ns per instance | plain | slope | ratio | grid | ratio |\n|{}", " --- |".repeat(6));
    println!("| body | {plain:.0} | {slope:.0} | {:.2} | {grid:.0} | {:.2} |", slope / plain, grid / plain);
}

fn measure(name: &str, model: Model) {
    let scene = model.default_scene;
    let rig = Rig::new(model, scene).unwrap();
    let matrices = rig.layout().matrix_count;
    let (mut still, mut changing, mut fading) =
        (Living::new(&rig, 0), Living::new(&rig, 0), Living::new(&rig, FADE_FRAMES));
    let mut times = [const { Vec::new() }; 3];
    let clock = Instant::now();
    for frame in 0..FRAMES + WARM_UP {
        let time_secs = frame as f64 / 60.0;
        for (kind, crowd) in [&mut still, &mut changing, &mut fading].into_iter().enumerate() {
            for (i, next) in crowd.transforms.iter_mut().enumerate() {
                *next = transform(i, frame);
            }
            let start = cpu_time(clock);
            if kind > 0 {
                crowd.live(frame);
            }
            crowd.animator.update(&mut crowd.crowd, time_secs);
            times[kind].push((cpu_time(clock) - start).as_secs_f64());
        }
    }
    let medians = times.each_mut().map(|times| {
        times.drain(..WARM_UP);
        times.sort_by(f64::total_cmp);
        times[FRAMES / 2]
    });
    let [still_ns, changing_ns, fading_ns] = medians.map(|secs| secs * 1e9 / (INSTANCES as f64 * f64::from(matrices)));
    println!(
        "| {name} | {matrices} | {} | {still_ns:.2} | {changing_ns:.2} | {:.2} | {:.2} | {fading_ns:.2} | {:.2} |",
        still.animator.animated_joint_count(),
        changing_ns / still_ns,
        times[1][FRAMES - 1] / medians[1],
        fading_ns / still_ns,
    );
}
