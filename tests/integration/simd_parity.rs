//! SIMD crowd animation, compared with the double-precision reference.

use nalgebra::{Matrix3, UnitQuaternion, Vector3, Vector4};
use rigview::crowd::{Crowd, CrowdAnimator, Instance};
use rigview::math::SimdLevel;
use rigview::math::{Affine, Frustum, Transform};
use rigview::model::{
    Clip, ClipIndex, Influences, InstanceIndex, Interpolation, Joint, JointIndex, JointMask, JointMaskIndex, KeyValues,
    Mesh, MeshIndex, Model, MorphTarget, Primitive, SceneIndex, Skeleton, Skin, SkinIndex, SkinSlot, Timeline,
    Topology, Track, Vertices,
};
use rigview::palette::{
    BlockIndex, MatrixFormat, MatrixRange, Mirroring, Palette, PaletteLayout, PrimitiveDraw, RangeJoints, Rig,
    skin_on_cpu,
};
use rigview::pose::{Layer, LoopMode, Playback, PoseOverride};
use rigview::scene::{Camera, clip_hull};
use std::path::Path;

use crate::support::models::{open_model, shipped};

/// Maximum error of a palette component, relative to the largest component of its kind.
const TOLERANCE: f64 = 2e-6;

/// The same for scales with noise that are treated as constant.
const NOISY_SCALE_TOLERANCE: f64 = 2.5e-6;

/// Deterministic pseudo-random numbers (Marsaglia's xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) as usize) % end
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.below(1 << 24) as f64 / f64::from(1 << 24)
    }

    fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }

    fn rotation(&mut self, turn: f64) -> UnitQuaternion<f64> {
        UnitQuaternion::from_scaled_axis(self.vector(turn))
    }

    fn scale(&mut self, similar: bool) -> Vector3<f64> {
        if self.chance(2) {
            return Vector3::repeat(1.0);
        }
        let mut scale = Vector3::repeat(self.between(0.7, 1.4));
        if !similar {
            scale += self.vector(0.3);
        }
        // Equal numbers of any signs are a similarity too.
        scale.map(|x| if self.chance(8) { -x } else { x })
    }

    fn affine(&mut self, similar: bool) -> Affine {
        let scale = self.scale(similar);
        let mut affine = Transform { translation: self.vector(1.0), rotation: self.rotation(3.0), scale }.to_affine();
        if !similar && self.chance(2) {
            affine.linear += Matrix3::from_fn(|_, _| self.between(-0.2, 0.2));
        }
        affine
    }

    pub(crate) fn model(&mut self, similar: bool) -> Model {
        let count = 1 + self.below(14);
        let mut weights = Vec::new();
        let joints: Vec<Joint> = (0..count)
            .map(|i| {
                let first = weights.len();
                for _ in 0..if self.chance(3) { self.below(7) } else { 0 } {
                    weights.push(self.between(-1.0, 1.0) as f32);
                }
                Joint {
                    name: None,
                    node: i,
                    parent: (i > 0 && !self.chance(8)).then(|| JointIndex(self.below(i) as u32)),
                    rest: Transform {
                        translation: self.vector(1.0),
                        rotation: self.rotation(3.0),
                        scale: self.scale(similar),
                    },
                    exact_rest_matrix: (!similar && self.chance(8)).then(|| self.affine(false)),
                    morph_weights: first..weights.len(),
                }
            })
            .collect();
        let skins = (0..self.below(3))
            .map(|_| {
                let len = 1 + self.below(2 * count);
                Skin {
                    name: None,
                    joints: (0..len).map(|_| JointIndex(self.below(count) as u32)).collect(),
                    joint_from_mesh: (0..len).map(|_| self.affine(similar)).collect(),
                }
            })
            .collect();
        let clips = (0..1 + self.below(4)).map(|_| self.clip(&joints, similar)).collect();
        let skeleton = Skeleton::new(joints, weights);
        let mut mask = JointMask::subtree(&skeleton, JointIndex(count as u32 / 2));
        mask.set(JointIndex(0), 0.3);
        Model { skeleton, joint_masks: vec![mask], skins, clips, ..Model::default() }
    }

    fn clip(&mut self, joints: &[Joint], similar: bool) -> Clip {
        let timelines: Vec<Timeline> = (0..1 + self.below(4))
            .map(|_| {
                let mut time = if self.chance(2) { 0.0 } else { self.between(0.0, 0.5) };
                let times_secs = (0..1 + self.below(20)).map(|_| {
                    let now = time as f32;
                    time += if self.chance(8) { 0.0 } else { self.between(0.01, 0.4) };
                    now
                });
                Timeline::new(times_secs.collect::<Vec<_>>())
            })
            .collect();
        let mut tracks = Vec::new();
        for (i, joint) in joints.iter().enumerate() {
            for property in 0..4 {
                let timeline = self.below(timelines.len());
                let interpolation =
                    [Interpolation::Step, Interpolation::Linear, Interpolation::Linear, Interpolation::CubicSpline]
                        [self.below(4)];
                let keys = timelines[timeline].times_secs().len();
                let count = keys * interpolation.values_per_key();
                let spline = interpolation == Interpolation::CubicSpline;
                // Tangents are small beside the values, so that no rotation passes near zero.
                let size = |i: usize| if spline && i % 3 != 1 { 0.2 } else { 1.0 };
                let turn = if self.chance(2) { 0.3 } else { 3.0 };
                let still = self.chance(6);
                let keys = match property {
                    0 if !self.chance(2) => {
                        let first = self.vector(1.0);
                        let value = |i: usize, r: &mut Self| {
                            if still && size(i) == 1.0 { first } else { r.vector(1.0) * size(i) }
                        };
                        KeyValues::Translation((0..count).map(|i| value(i, self).cast()).collect())
                    }
                    1 if !self.chance(4) => {
                        let base = self.rotation(3.0);
                        let value = |i: usize, r: &mut Self| {
                            if spline {
                                return if i % 3 == 1 {
                                    (r.rotation(0.4) * base).coords
                                } else {
                                    Vector4::from_fn(|_, _| r.between(-0.2, 0.2))
                                };
                            }
                            let q = (r.rotation(turn) * base).coords;
                            if still {
                                base.coords
                            } else if r.chance(2) {
                                -q
                            } else {
                                q
                            }
                        };
                        KeyValues::Rotation((0..count).map(|i| value(i, self).cast()).collect())
                    }
                    2 if self.chance(4) => {
                        let value = |i: usize, r: &mut Self| {
                            if similar || still {
                                Vector3::repeat(r.between(0.8, 1.2) * size(i))
                            } else {
                                (Vector3::repeat(1.0) + r.vector(0.4)) * size(i)
                            }
                        };
                        KeyValues::Scale((0..count).map(|i| value(i, self).cast()).collect())
                    }
                    3 if !joint.morph_weights.is_empty() && !self.chance(3) => {
                        let numbers = count * joint.morph_weights.len();
                        KeyValues::Weights((0..numbers).map(|_| self.between(-1.0, 1.0) as f32).collect())
                    }
                    _ => continue,
                };
                tracks.push(Track {
                    joint: JointIndex(i as u32),
                    timeline: (timeline as u32).into(),
                    interpolation,
                    keys,
                });
            }
        }
        let ends = timelines.iter().filter_map(|timeline| timeline.times_secs().last().copied());
        Clip { duration_secs: ends.fold(0.0, f32::max), timelines, tracks, ..Clip::default() }
    }

    fn playback(&mut self) -> Playback {
        Playback {
            speed: if self.chance(2) { 1.0 } else { self.between(-2.0, 3.0) as f32 },
            start_offset_secs: if self.chance(4) { 0.0 } else { self.between(-3.0, 9.0) },
            loop_mode: [LoopMode::Once, LoopMode::Loop, LoopMode::PingPong][self.below(3)],
        }
    }

    fn clip_index(&mut self, model: &Model) -> Option<ClipIndex> {
        (!self.chance(8)).then(|| ClipIndex(self.below(model.clips.len()) as u32))
    }

    /// A crowd in which some instances have layers and some have pose overrides.
    fn crowd(&mut self, model: &Model, similar: bool) -> Crowd {
        let (turned, far, mixed) = (self.chance(2), self.chance(2), self.chance(2));
        let one = self.clip_index(model);
        let instance = |r: &mut Self| {
            let mut place = if turned { r.affine(similar) } else { Affine::IDENTITY };
            place.translation = r.vector(if far { 10.0 } else { 0.0 });
            let clip = if mixed { r.clip_index(model) } else { one };
            Instance { world_from_model: place, clip, playback: r.playback() }
        };
        let count = 1 + self.below(150);
        let mut crowd = Crowd::new((0..count).map(|_| instance(self)));
        if self.chance(2) {
            let sets: Vec<Vec<Option<ClipIndex>>> =
                (0..1 + self.below(3)).map(|_| (0..self.below(4)).map(|_| self.clip_index(model)).collect()).collect();
            for instance in (0..count).filter(|i| i % 3 != 0) {
                let layer = |clip: &Option<ClipIndex>, r: &mut Self| Layer {
                    weight: if r.chance(4) { 0.0 } else { r.between(0.1, 1.0) as f32 },
                    mask: (instance % 5 == 0).then_some(JointMaskIndex(0)),
                    ..Layer::new(*clip, r.playback())
                };
                let set = &sets[instance % sets.len()];
                crowd.set_layers(
                    InstanceIndex(instance as u32),
                    &set.iter().map(|clip| layer(clip, self)).collect::<Vec<_>>(),
                );
            }
        }
        if self.chance(2) {
            let mut hand = PoseOverride::new();
            for _ in 0..1 + self.below(3) {
                let joint = JointIndex(self.below(model.skeleton.len()) as u32);
                let scale = if similar { Vector3::repeat(self.between(0.5, 2.0)) } else { self.scale(false) };
                hand.set(joint, Transform { translation: self.vector(1.0), rotation: self.rotation(3.0), scale });
            }
            let hand = crowd.add_override(hand);
            let every = 1 + self.below(5);
            (0..count)
                .filter(|i| i % every == 0)
                .for_each(|instance| crowd.set_override(InstanceIndex(instance as u32), Some(hand)));
        }
        crowd
    }
}

/// One matrix range per joint and per skin, and all morph weights.
fn layout_of(model: &Model) -> PaletteLayout {
    let mut layout = PaletteLayout::default();
    let joints = (0..model.skeleton.len()).map(|i| (RangeJoints::Joint(JointIndex(i as u32)), 1));
    let skins =
        model.skins.iter().enumerate().map(|(i, s)| (RangeJoints::Skin(SkinIndex(i as u32)), s.joints.len() as u32));
    for (joints, len) in joints.chain(skins) {
        let first_matrix = layout.matrix_count;
        layout.matrix_ranges.push(MatrixRange {
            joints,
            first_matrix,
            len,
            position_offset: [0.25, 0.0, -0.5],
            max_distance_over_diagonal: 1.0,
        });
        layout.matrix_count += len;
    }
    for (i, joint) in model.skeleton.joints().iter().enumerate().filter(|(_, joint)| !joint.morph_weights.is_empty()) {
        layout.morph_weights.push((JointIndex(i as u32), layout.morph_weight_count));
        layout.morph_weight_count += (joint.morph_weights.len() as u32).next_multiple_of(4);
    }
    layout
}

/// Maximum differences of linear parts, translations and weights, relative to the largest of each instance;
/// for translations, relative to at least `extent`.
fn differences(exact: &Palette, lanes: &Palette, matrices: usize, extent: f64) -> [f64; 3] {
    let packings = [exact.format(), lanes.format()];
    let first_weights = packings.map(|packing| matrices * packing.texels_per_matrix());
    let mut worst = [0.0_f64; 3];
    for instance in 0..exact.instance_count() {
        let (mut errors, mut sizes) = ([0.0_f64; 3], [1e-9, extent, 1.0_f64]);
        let mut compare = |kind: usize, a: f32, b: f32| {
            assert!(b.is_finite());
            errors[kind] = errors[kind].max(f64::from((a - b).abs()));
            sizes[kind] = sizes[kind].max(f64::from(a.abs()));
        };
        let (a, b) = (exact.block(BlockIndex(instance as u32)), lanes.block(BlockIndex(instance as u32)));
        for matrix in 0..matrices {
            let read = |block: &[[f32; 4]], packing: MatrixFormat| {
                packing.read(&block[matrix * packing.texels_per_matrix()..])
            };
            let (a, b) = (read(a, packings[0]), read(b, packings[1]));
            for (a, b) in a.iter().zip(&b) {
                (0..4).for_each(|column| compare(usize::from(column == 3), a[column], b[column]));
            }
        }
        for (a, b) in a[first_weights[0]..].iter().zip(&b[first_weights[1]..]) {
            (0..4).for_each(|i| compare(2, a[i], b[i]));
        }
        for kind in 0..3 {
            worst[kind] = worst[kind].max(errors[kind] / sizes[kind]);
        }
    }
    worst
}

fn available() -> impl Iterator<Item = SimdLevel> {
    SimdLevel::ALL.into_iter().filter(|dispatch| dispatch.is_available())
}

/// Poses a crowd at a time by every SIMD level and returns the maximum differences from double precision.
fn check(animator: &mut CrowdAnimator, crowd: &mut Crowd, time_secs: f64, extent: f64, what: &str) -> [f64; 3] {
    let rig = animator.rig().clone();
    // Rows hold any matrix. A format that was not chosen for a rig need not hold its matrices.
    let is_chosen = MatrixFormat::choose(rig.model(), rig.layout()) == rig.format();
    let reference = if is_chosen { MatrixFormat::Mat3x4 } else { rig.format() };
    let mut exact = CrowdAnimator::new(&rig.with_format(reference));
    exact.update_in_double_precision(crowd, time_secs);
    let exact = exact.into_palette();
    let before = animator.clone();
    let mut first: Option<Palette> = None;
    for dispatch in available() {
        // Starts with a palette of another time, so that missing writes show.
        *animator = before.clone();
        animator.set_simd_level(dispatch);
        animator.update(crowd, time_secs);
        let lanes = animator.palette().clone();
        for (matrix_range, (a, b)) in exact.mirroring().iter().zip(lanes.mirroring()).enumerate() {
            assert!(a == b || *b == Mirroring::Mixed, "{what}, matrix_range {matrix_range}: {a:?}, but {b:?} by lanes");
        }
        if let Some(first) = &first {
            let bits = |palette: &Palette| palette.texels().iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert!(bits(first) == bits(&lanes), "{what}: {dispatch:?} gives other bits");
        }
        first.get_or_insert(lanes);
    }
    differences(&exact, &first.expect("a baseline"), rig.layout().matrix_count as usize, extent)
}

#[test]
fn random_rigs_match_double_precision() {
    let (mut worst, mut faults) = ([0.0_f64; 3], Vec::new());
    let (mut covered, mut all) = (0, 0);
    for seed in 1..=400 {
        let mut random = Random::new(seed);
        let similar = seed % 2 == 0;
        let model = random.model(similar);
        let mut crowd = random.crowd(&model, similar);
        let layout = layout_of(&model);
        let rig = Rig::with_layout(model, layout, MatrixFormat::Mat3x4);
        for packing in
            [MatrixFormat::Mat3x4, MatrixFormat::QuatTranslationScale].into_iter().take(if similar { 2 } else { 1 })
        {
            let mut animator = CrowdAnimator::new(&rig.with_format(packing));
            animator.prepare(&mut crowd);
            covered += animator.simd_instance_count(&crowd);
            all += crowd.len();
            for _ in 0..3 {
                let time_secs = random.between(-3.0, 9.0);
                let what = format!("seed {seed}, {packing:?}, {time_secs} s");
                let found = check(&mut animator, &mut crowd, time_secs, 1.0, &what);
                for (worst, found) in worst.iter_mut().zip(found) {
                    *worst = worst.max(found);
                }
                if found.iter().any(|&error| error > TOLERANCE) {
                    faults.push(format!("{what}: {found:?}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} poses are wrong:\n{}", faults.len(), faults.join("\n"));
    assert!(covered * 10 > all * 9, "only {covered} of {all} instances are posed by lanes");
    println!("largest errors of linear parts, translations and weights: {worst:?}");
}

#[test]
fn models_match_double_precision() {
    let mut models = shipped();
    if let Some(samples) = std::env::var_os("RIGVIEW_SAMPLE_MODELS") {
        models.extend(
            ["Fox", "CesiumMan", "InterpolationTest", "AnimatedMorphCube"]
                .map(|name| Path::new(&samples).join(name).join("glTF-Binary").join(name).with_extension("glb")),
        );
    }
    for path in models.iter().filter(|path| path.exists()) {
        let model = open_model(path);
        let rig = Rig::new(model, SceneIndex(0)).unwrap();
        let (mut animator, model) = (CrowdAnimator::new(&rig), rig.model());
        let clips = (0..model.clips.len()).map(|clip| Some(ClipIndex(clip as u32)));
        for clip in clips.chain([None]) {
            let duration = clip.map_or(0.0, |clip| f64::from(model.clips[clip.get()].duration_secs));
            let instance = |i: usize| Instance::new(Affine::IDENTITY, clip, duration * i as f64 / 97.0);
            let mut crowd = Crowd::new((0..97).map(instance));
            let extent = clip_hull(&rig, clip).bounds().diagonal();
            let what = path.display().to_string();
            let found = check(&mut animator, &mut crowd, 0.3 * duration, extent, &what);
            assert_eq!(animator.simd_instance_count(&crowd), 97, "{what}");
            println!("{what}, {:?}: {found:?}", clip.and_then(|clip| model.clips[clip.get()].name.as_ref()));
            let tolerance = if path.ends_with("CesiumMan.glb") { NOISY_SCALE_TOLERANCE } else { TOLERANCE };
            assert!(found.iter().all(|&error| error <= tolerance), "{what}: {found:?}");
        }
    }
}

/// A chain of eight swinging joints, with scales of 1 plus noise of this size.
fn noisy_chain(noise: f64) -> Rig {
    let mut random = Random(5);
    let joint = |i: usize| Joint {
        name: None,
        node: i,
        parent: i.checked_sub(1).map(|parent| JointIndex(parent as u32)),
        rest: Transform { translation: Vector3::y() * 0.2, ..Transform::identity() },
        exact_rest_matrix: None,
        morph_weights: 0..0,
    };
    let joints: Vec<Joint> = (0..8).map(joint).collect();
    let mut tracks = Vec::new();
    for i in 0..8 {
        let rotations = (0..12).map(|_| random.rotation(0.5).coords.cast()).collect();
        let scales = (0..12).map(|_| (Vector3::repeat(1.0) + random.vector(noise)).cast()).collect();
        tracks.extend([KeyValues::Rotation(rotations), KeyValues::Scale(scales)].map(|keys| Track {
            joint: JointIndex(i),
            timeline: 0.into(),
            interpolation: Interpolation::Linear,
            keys,
        }));
    }
    let times_secs: Vec<f32> = (0..12).map(|i| i as f32 / 8.0).collect();
    let clip = Clip {
        name: None,
        duration_secs: times_secs[11],
        first_key_secs: 0.0,
        timelines: vec![Timeline::new(times_secs)],
        tracks,
        property_tracks: Vec::new(),
    };
    let model = Model { skeleton: Skeleton::new(joints, Vec::new()), clips: vec![clip], ..Model::default() };
    let layout = layout_of(&model);
    let format = MatrixFormat::choose(&model, &layout);
    Rig::with_layout(model, layout, format)
}

#[test]
fn noisy_scales_are_treated_as_constant() {
    for (noise, expected, tolerance) in [
        (3e-7, MatrixFormat::QuatTranslationScale, NOISY_SCALE_TOLERANCE),
        (2e-6, MatrixFormat::Mat3x4, TOLERANCE),
        (1e-4, MatrixFormat::Mat3x4, TOLERANCE),
    ] {
        let rig = noisy_chain(noise);
        assert_eq!(rig.format(), expected, "{noise:e}");
        let mut animator = CrowdAnimator::new(&rig);
        let mut crowd =
            Crowd::new((0..64).map(|i| Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), 0.02 * f64::from(i))));
        let found = check(&mut animator, &mut crowd, 0.1, 1.4, "a chain with scale noise");
        assert_eq!(animator.simd_instance_count(&crowd), 64, "{noise:e}");
        assert!(found.iter().all(|&error| error <= tolerance), "{noise:e}: {found:?}");
    }
}

#[test]
fn sample_clips_cross_fade() {
    let path = shipped().into_iter().find(|path| path.ends_with("hare.glb")).expect("the hare");
    let model = open_model(&path);
    let rig = Rig::new(model, SceneIndex(0)).unwrap();
    let mut crowd = Crowd::new((0..64).map(|_| Instance::new(Affine::IDENTITY, None, 0.0)));
    let mut animator = CrowdAnimator::new(&rig);
    let mut before: Option<Palette> = None;
    for step in 0..=20 {
        for instance in 0..64 {
            let layer = |clip| Layer::new(Some(ClipIndex(clip)), Playback::looping(0.1 * instance as f64));
            crowd
                .set_layers(InstanceIndex(instance as u32), &Layer::cross_fade(layer(0), layer(1), step as f32 / 20.0));
        }
        let extent = clip_hull(&rig, Some(ClipIndex(0))).bounds().diagonal();
        let found = check(&mut animator, &mut crowd, 0.7, extent, "a fade");
        assert!(found.iter().all(|&error| error <= TOLERANCE), "{step}: {found:?}");
        assert_eq!(animator.simd_instance_count(&crowd), 64);
        let mut now = CrowdAnimator::new(&rig);
        now.update_in_double_precision(&mut crowd, 0.7);
        let now = now.into_palette();
        if let Some(before) = &before {
            let change = differences(before, &now, rig.layout().matrix_count as usize, extent);
            assert!(change[0] > 1e-4 && change[0] < 0.2, "a step of the fade: {change:?}");
        }
        before = Some(now);
    }
}

#[test]
fn result_is_independent_of_thread_count() {
    let mut random = Random(7);
    let model = random.model(false);
    let layout = layout_of(&model);
    let instance = |i: u32, r: &mut Random| {
        let clip = (!i.is_multiple_of(5)).then_some(ClipIndex(i % model.clips.len() as u32));
        Instance { world_from_model: r.affine(false), clip, playback: r.playback() }
    };
    let mut crowd = Crowd::new((0..1000).map(|i| instance(i, &mut random)));
    let layer = |clip| Layer::new(Some(ClipIndex(clip)), Playback::looping(0.3));
    (0..1000)
        .step_by(7)
        .for_each(|i| crowd.set_layers(InstanceIndex(i as u32), &Layer::cross_fade(layer(0), layer(0), 0.3)));
    // Beyond single precision.
    let mut hand = PoseOverride::new();
    hand.set(JointIndex(0), Transform { translation: Vector3::x() * 1e30, ..Transform::identity() });
    let hand = crowd.add_override(hand);
    crowd.set_override(InstanceIndex(3), Some(hand));
    let mut animator = CrowdAnimator::new(&Rig::with_layout(model, layout, MatrixFormat::Mat3x4));
    let palettes = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| animator.update(&mut crowd, 0.4));
        let lanes = animator.palette().texels().to_vec();
        pool.install(|| animator.update_in_double_precision(&mut crowd, 0.4));
        [lanes, animator.palette().texels().to_vec()]
    });
    assert!((1..1000).contains(&animator.simd_instance_count(&crowd)), "both ways to pose");
    assert!(palettes[0] == palettes[1] && palettes[0] == palettes[2]);
}

#[test]
fn huge_values_use_reference_path() {
    let mut random = Random(3);
    let mut model = random.model(true);
    model.skins.clear();
    let layout = layout_of(&model);
    let covered = |model: &Model, place: Affine| {
        let mut crowd = Crowd::new(vec![Instance::new(place, None, 0.0)]);
        let rig = Rig::with_layout(model.clone(), layout.clone(), MatrixFormat::Mat3x4);
        let mut animator = CrowdAnimator::new(&rig);
        animator.prepare(&mut crowd);
        animator.simd_instance_count(&crowd)
    };
    assert_eq!(covered(&model, Affine::IDENTITY), 1);
    let far = Affine::from_translation(Vector3::x() * 1e300);
    assert_eq!(covered(&model, far), 0);
    let mut joints = model.skeleton.joints().to_vec();
    joints[0].rest.translation.x = 1e30;
    model.skeleton = Skeleton::new(joints, model.skeleton.rest_morph_weights().to_vec());
    assert_eq!(covered(&model, Affine::IDENTITY), 0);
}

/// Vertices on every joint and skin, with a morph target per weight of their joint.
fn clothe(model: &mut Model, layout: &mut PaletteLayout, random: &mut Random) {
    for (matrix_range, content) in layout.matrix_ranges.iter().enumerate() {
        let (joint, skin) = match content.joints {
            RangeJoints::Joint(joint) => (joint, None),
            RangeJoints::Skin(skin) => (JointIndex(random.below(model.skeleton.len()) as u32), Some(skin)),
        };
        let target_count = model.skeleton.joint(joint).morph_weights.len();
        let count = 1 + random.below(12);
        let mut points =
            |size: f64| -> Vec<[f32; 3]> { (0..count).map(|_| random.vector(size).cast::<f32>().into()).collect() };
        let positions = points(1.0);
        let target = |_| MorphTarget { positions: Some(points(0.5)), ..MorphTarget::default() };
        let targets: Vec<_> = (0..target_count).map(target).collect();
        let influences = skin.map(|_| {
            let slots = (0..4 * count).map(|_| SkinSlot(random.below(content.len as usize) as u16)).collect();
            let mut weights: Vec<f32> = (0..4 * count).map(|_| random.between(0.0, 1.0) as f32).collect();
            for four in weights.chunks_mut(4) {
                let sum: f32 = four.iter().sum();
                four.iter_mut().for_each(|weight| *weight /= sum.max(1e-3));
            }
            Influences { per_vertex: 4, slots, weights }
        });
        let primitive = Primitive {
            topology: Topology::Points,
            vertices: Vertices { positions, influences, ..Vertices::default() }.into(),
            targets: targets.into(),
            ..Primitive::default()
        };
        let mesh = MeshIndex(model.meshes.len() as u32);
        model.meshes.push(Mesh { primitives: vec![primitive], target_count, ..Mesh::default() });
        let first_morph_weight = layout.morph_weights.iter().find(|(of, _)| *of == joint).map(|(_, first)| *first);
        let first_morph_weight = first_morph_weight.filter(|_| target_count > 0);
        layout.draws.push(PrimitiveDraw {
            joint,
            mesh,
            primitive: 0,
            matrix_range: (matrix_range as u32).into(),
            skinned: skin.is_some(),
            first_morph_weight,
        });
    }
}

#[test]
fn culled_instances_have_no_visible_vertex() {
    let (mut left_out, mut all) = (0, 0);
    for seed in 1..=150 {
        let mut random = Random(0xD1B5_4A32_D192_ED03_u64.wrapping_mul(seed));
        let similar = seed % 2 == 0;
        let mut model = random.model(similar);
        let mut layout = layout_of(&model);
        clothe(&mut model, &mut layout, &mut random);
        let mut crowd = random.crowd(&model, similar);
        let rig = Rig::with_layout(model, layout, MatrixFormat::Mat3x4);
        let mut animator = CrowdAnimator::new(&rig);
        let eye = random.vector(12.0);
        let mut camera = Camera::look_at(eye, eye + random.vector(1.0), 0.5);
        (camera.near, camera.far) = (0.1, 20.0);
        let projection = camera.projection_from_world(1.5);
        animator.cull(&mut crowd, Some(&Frustum::new(&projection)));
        animator.update_in_double_precision(&mut crowd, 0.0);
        let seen: Vec<InstanceIndex> =
            animator.palette().blocks().map(|block| crowd.instance_of_block(block)).collect();
        (left_out, all) = (left_out + crowd.len() - seen.len(), all + crowd.len());
        animator.cull(&mut crowd, None);
        for time in [-1.0, 0.1, 0.77, 1.9, 30.3] {
            animator.update_in_double_precision(&mut crowd, time);
            let is_unseen = |block: &BlockIndex| !seen.contains(&crowd.instance_of_block(*block));
            for block in animator.palette().blocks().filter(is_unseen).take(20) {
                for draw in &rig.layout().draws {
                    for p in skin_on_cpu(&rig, animator.palette(), block, draw).positions {
                        let clip = projection * Vector3::from(p).cast::<f64>().push(1.0);
                        let inside = clip.xyz().amax() < clip.w;
                        assert!(!inside, "seed {seed}, at {time}: instance {}", crowd.instance_of_block(block));
                    }
                }
            }
        }
    }
    assert!(left_out > all / 3, "only {left_out} of {all} were left out");
}
