//! An opened file with all that the command line says of what to show.

use super::blend::Blend;
use super::by_hand::hand_pose;
use super::cast::{Cast, clip_of};
use super::progress::Progress;
use super::{AppError, FileError, report};
use crate::cli::{CrowdArgs, PoseArgs};
use crate::import::{self, ImageLoading, ImportOptions, Limit, Limits, Loaded, Notice};
use crate::math::{Affine, Bounds, Frustum, Hull};
use crate::model::{CameraIndex, Clip, ClipIndex, JointIndex, Model, SceneIndex};
use crate::palette::{Animator, Crowd, Dispatch, HandIndex, Packing, Palette, PaletteLayout, Sight};
use crate::pose::{HandPose, LayerScratch, ModelPose, Pose, Timing};
use crate::scene::{Background, Camera, Frame, Light, Lighting, Look, MAX_LIGHTS, Posed};
use nalgebra::Vector3;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A model that is so many times smaller than another can hardly be seen beside it.
const ANTS: f64 = 30.0;

/// A model, a scene, a clip and a crowd, ready to be posed at any time.
pub(super) struct Stage {
    /// The file as it was named.
    pub(super) file: PathBuf,
    /// What it holds.
    pub(super) loaded: Loaded,
    /// The scene that is shown.
    pub(super) scene: SceneIndex,
    /// The clip that plays, of several the first; `None` for the rest pose.
    pub(super) clip: Option<ClipIndex>,
    /// What is drawn.
    pub(super) layout: PaletteLayout,
    /// Whether everything is as it was when the clip is over: all play one clip, at its own speed.
    in_step: bool,
    /// Seconds of the rounds that are over, where it is not.
    rounds_secs: f64,
    /// Who stands where and plays what.
    cast: Cast,
    /// Joints put by hand, of every instance.
    hand: HandPose,
    /// The crowd's number of them.
    hand_index: Option<HandIndex>,
    /// What plays beside the clip.
    blend: Blend,
    /// Ways of joints through the clip, as far as they were asked for.
    paths: Mutex<HashMap<JointIndex, Arc<[Vector3<f64>]>>>,
    /// The instances.
    pub(super) crowd: Crowd,
    /// The outline of all instances over the whole clip, in world space.
    pub(super) hull: Hull,
    /// The matrices of the last [`pose`](Self::pose).
    pub(super) palette: Palette,
    /// What animates a crowd; one alone is posed in double precision.
    pub(super) animator: Animator,
    /// What tells who of a crowd can be seen, once that was asked for.
    sight: Option<Sight>,
    /// Other models in the same scene, each with its crowd.
    pub(super) others: Vec<Stage>,
}

impl Stage {
    /// Opens `file` and finds in it what `args` name.
    pub(super) fn open(file: &Path, args: &PoseArgs, images: ImageLoading) -> Result<Self, AppError> {
        Self::open_as(file, args, ImportOptions { images, ..ImportOptions::default() })
    }

    /// The same with its images, and tells on a terminal how far it is.
    pub(super) fn open_telling(file: &Path, args: &PoseArgs) -> Result<Self, AppError> {
        let images = Arc::default();
        let _progress = Progress::reading(file, &images);
        Self::open_as(file, args, ImportOptions { progress: Some(images), ..ImportOptions::default() })
    }

    /// The same, read as `options` say, but for the trust, which is that of `args`.
    pub(super) fn open_as(file: &Path, args: &PoseArgs, options: ImportOptions) -> Result<Self, AppError> {
        Self::open_changed(file, args, options, &|_| {})
    }

    /// The same of a model that is changed once it is read.
    pub(super) fn open_changed(
        file: &Path,
        args: &PoseArgs,
        options: ImportOptions,
        change: &dyn Fn(&mut Model),
    ) -> Result<Self, AppError> {
        let in_file = |source| AppError::File { file: file.to_owned(), source: Box::new(source) };
        let options = ImportOptions { trust: args.trust.trust(), ..options };
        let mut loaded = import::open(file, &options).map_err(|e| in_file(e.into()))?;
        if !loaded.required_unsupported.is_empty() && !args.ignore_required {
            let extensions = loaded.required_unsupported.clone();
            return Err(in_file(FileError::RequiredExtensions { extensions }));
        }
        change(&mut loaded.model);
        let cast = Cast::open(file, args, &mut loaded)?;
        let mut stage = Self::set(file, loaded, cast, args).map_err(in_file)?;
        for party in &args.crowd.with {
            let crowd = CrowdArgs {
                instances: party.instances(),
                with: Vec::new(),
                layout: None,
                clips: Vec::new(),
                ..args.crowd.clone()
            };
            let own = PoseArgs {
                ignore_required: args.ignore_required,
                trust: args.trust.clone(),
                crowd,
                ..PoseArgs::default()
            };
            stage.others.push(Self::open_as(&party.file, &own, options.clone())?);
        }
        stage.share_the_layout().map_err(in_file)?;
        stage.check_matrices(&args.trust.trust().limits).map_err(in_file)?;
        stage.settle();
        Ok(stage)
    }

    /// Stands everybody up for the first time.
    fn settle(&mut self) {
        self.stand();
        self.prepare();
        self.tell_dark_lights();
        self.tell_sizes();
    }

    /// Tells of models that are as ants beside the first, or it beside them.
    fn tell_sizes(&mut self) {
        let size = |stage: &Self| stage.cast.outline(&stage.loaded.model, &stage.layout).bounds().diagonal();
        if self.others.is_empty() {
            return;
        }
        let (first, file) = (size(self), self.file.display().to_string());
        for other in &mut self.others {
            let (times, than) = match first / size(other) {
                times if times > ANTS => (times, "smaller"),
                times if times < 1.0 / ANTS => (1.0 / times, "larger"),
                _ => continue,
            };
            if times.is_finite() {
                let message = format!(
                    "{times:.0} times {than} than {file}, and shown so: files are in metres; in Blender: scale the model, apply the \
                     scale (Ctrl+A) and export it again"
                );
                other.loaded.notices.push(Notice { pointer: String::new(), message });
            }
        }
    }

    /// Tells the others of a layout's file what it asks of them.
    fn share_the_layout(&mut self) -> Result<(), FileError> {
        let Some(layout) = self.cast.layout() else { return Ok(()) };
        let mut next = self.cast.count();
        for other in &mut self.others {
            let places = next..next + other.cast.count();
            next = places.end;
            other.cast.follow(layout, places, &other.loaded.model)?;
        }
        Ok(())
    }

    /// Refuses more matrices than `limits` allow, of all crowds together.
    fn check_matrices(&self, limits: &Limits) -> Result<(), FileError> {
        let stages = || std::iter::once(self).chain(&self.others);
        let needed = stages().map(Self::matrix_bytes).sum();
        let limit = limits.get(Limit::Matrices);
        if needed > limit {
            let instances = stages().map(|stage| stage.cast.count()).sum::<usize>() as u32;
            return Err(FileError::TooManyInstances { instances, needed, limit });
        }
        Ok(())
    }

    /// What the matrices of the crowd take.
    fn matrix_bytes(&self) -> u64 {
        self.palette.stride_texels() as u64 * 16 * self.cast.count() as u64
    }

    fn set(file: &Path, mut loaded: Loaded, cast: Cast, args: &PoseArgs) -> Result<Self, FileError> {
        if let Some(asked) = &args.variant {
            let variants = &loaded.model.variants;
            let variant = find("variant", asked, variants.iter().map(Option::as_deref))?;
            loaded.model.choose_variant(variant);
        }
        let model = &loaded.model;
        let scene = match &args.scene {
            Some(asked) => {
                SceneIndex(find("scene", asked, model.scenes.iter().map(|scene| scene.name.as_deref()))? as u32)
            }
            None => model.default_scene,
        };
        let clip = cast.clip();
        let blend = Blend::of_args(&args.layers, model)?;
        let hand = hand_pose(model, args)?;
        let layout = PaletteLayout::new(model, scene);
        let vertices = layout.vertex_count(model);
        let limits = args.trust.trust().limits;
        // A small file can ask for very many: by many nodes that show one large mesh.
        let limit = limits.get(Limit::Vertices);
        if vertices > limit {
            return Err(FileError::TooManyVertices { vertices, limit });
        }
        // What is put by hand may be scaled as nothing in the file is.
        let keeps_scale = args.puts.iter().all(|put| put.scale.is_none_or(|[x, y, z]| x == y && y == z));
        let packing = if keeps_scale { Packing::choose(model, &layout) } else { Packing::Rows };
        let palette = Palette::new(&layout, packing);
        let animator = Animator::new(packing);
        let stage = Self {
            file: file.to_owned(),
            scene,
            clip,
            layout,
            in_step: true,
            rounds_secs: 0.0,
            cast,
            hand,
            hand_index: None,
            blend,
            paths: Mutex::default(),
            crowd: Crowd::of_one(clip),
            hull: Hull::default(),
            palette,
            animator,
            sight: None,
            others: Vec::new(),
            loaded,
        };
        stage.check_matrices(&limits)?;
        Ok(stage)
    }

    /// Plays another clip. The instances stand anew, as far apart as it needs, each at its own moment of it.
    pub(super) fn play(&mut self, clip: Option<ClipIndex>) {
        self.clip = clip;
        self.cast.play(clip);
        self.stand();
        self.prepare();
    }

    /// Lets another crowd play the clip, or as many of it as their matrices' limit allows; how many there are.
    pub(super) fn recast(&mut self, args: &CrowdArgs, limits: &Limits) -> u32 {
        let of_others: u64 = self.others.iter().map(Self::matrix_bytes).sum();
        let bytes = (self.palette.stride_texels() as u64 * 16).max(1);
        let left = limits.get(Limit::Matrices).saturating_sub(of_others);
        let most = (left / bytes).clamp(1, u64::from(u32::MAX)) as u32;
        let instances = args.instances.clamp(1, most);
        self.cast.change(&CrowdArgs { instances, ..args.clone() }, &self.loaded.model);
        self.clip = self.cast.clip();
        self.stand();
        self.prepare();
        instances
    }

    /// Joints put by hand, of every instance.
    pub(super) fn hand(&self) -> &HandPose {
        &self.hand
    }

    /// Puts joints by hand, of every instance.
    pub(super) fn put_by_hand(&mut self, hand: HandPose) {
        self.hand = hand;
        self.apply_hand();
    }

    fn apply_hand(&mut self) {
        self.forget_paths();
        if let Some(index) = self.hand_index {
            return self.crowd.set_hand_pose(index, self.hand.clone());
        }
        if !self.hand.is_empty() {
            let index = self.crowd.add_hand_pose(self.hand.clone());
            (0..self.crowd.len()).for_each(|instance| self.crowd.set_hand(instance, Some(index)));
            self.hand_index = Some(index);
        }
    }

    /// What plays beside the clip.
    pub(super) fn blend(&self) -> &Blend {
        &self.blend
    }

    /// Lets every instance play other clips beside its own when the clock shows `clock_secs`.
    pub(super) fn play_beside(&mut self, blend: Blend, clock_secs: f64) {
        let is_over = blend.is_empty() && !self.blend.is_empty();
        self.blend = blend;
        if is_over {
            // Each instance as it was cast.
            self.stand();
            self.prepare();
        } else {
            self.apply_blend(clock_secs);
        }
    }

    /// Lets weights be what they are when the clock shows `clock_secs`.
    pub(super) fn apply_blend(&mut self, clock_secs: f64) {
        if self.blend.is_empty() {
            return;
        }
        self.forget_paths();
        for instance in 0..self.crowd.len() {
            let Some(first) = self.crowd.layers(instance).next() else { continue };
            let layers = self.blend.layers(first.clip, first.timing, clock_secs);
            self.crowd.set_layers(instance, &layers);
        }
    }

    /// Stands everybody of all models up.
    fn stand(&mut self) {
        let outline = self.cast.outline(&self.loaded.model, &self.layout);
        if self.others.is_empty() && self.cast.is_alone() {
            (self.crowd, self.hull) = (Crowd::of_one(self.cast.clip()), outline);
            return;
        }
        let of_others = |other: &Self| other.cast.outline(&other.loaded.model, &other.layout);
        let outlines: Vec<Hull> = self.others.iter().map(of_others).collect();
        let mut bounds = *outline.bounds();
        outlines.iter().for_each(|outline| bounds.merge(outline.bounds()));
        let counts: Vec<usize> = self.others.iter().map(|other| other.cast.count()).collect();
        let mut parts = self.cast.ground(&counts, &bounds).into_iter();
        let own = parts.next().expect("a part for each crowd");
        (self.crowd, self.hull) = self.cast.stand(&own, &self.loaded.model, &outline);
        for ((other, outline), part) in self.others.iter_mut().zip(&outlines).zip(parts) {
            (other.crowd, other.hull) = other.cast.stand(&part, &other.loaded.model, outline);
            self.hull.merge(&other.hull);
        }
    }

    /// The picture of this stage, as it was posed last; `others` are its [`posed_others`](Self::posed_others).
    pub(super) fn frame<'a>(
        &'a self,
        others: &'a [Posed<'a>],
        camera: Camera,
        (lighting, background): (&'a Lighting, Background),
        look: Look<'a>,
    ) -> Frame<'a> {
        Frame { layout: &self.layout, palette: &self.palette, others, camera, lighting, background, look }
    }

    /// The crowds of other models, posed.
    pub(super) fn posed_others(&self) -> SmallVec<[Posed<'_>; 4]> {
        self.others.iter().map(|other| Posed { layout: &other.layout, palette: &other.palette }).collect()
    }

    /// Makes the clips ready for a crowd, so that the first frame need not.
    fn prepare(&mut self) {
        // Other models have clips of other lengths.
        (self.in_step, self.rounds_secs) = (self.crowd.in_step() && self.others.is_empty(), 0.0);
        self.hand_index = None;
        self.apply_hand();
        self.apply_blend(0.0);
        if self.crowd.len() > 1 {
            self.animator.prepare(&self.loaded.model, &self.layout, &mut self.crowd);
        }
        self.others.iter_mut().for_each(Self::prepare);
    }

    /// Plays the clip that `args` name, unless it plays already.
    pub(super) fn show(&mut self, args: &PoseArgs) -> Result<(), FileError> {
        if args.crowd.clips.is_empty() {
            let clip = clip_of(&self.loaded.model, args.clip.as_deref())?;
            if clip != self.clip {
                self.play(clip);
            }
        }
        Ok(())
    }

    /// Prints what is not shown of the files, and why.
    pub(super) fn tell_notices(&self) {
        report::notices(&self.file, &self.loaded.notices);
        self.others.iter().for_each(Self::tell_notices);
    }

    /// Whether there is nothing to see.
    pub(super) fn is_empty(&self) -> bool {
        self.layout.draws.is_empty() && self.others.iter().all(Self::is_empty)
    }

    /// The model.
    pub(super) fn model(&self) -> &Model {
        &self.loaded.model
    }

    /// The box around all instances over the whole clip, in world space.
    pub(super) fn bounds(&self) -> &Bounds {
        self.hull.bounds()
    }

    /// The clip that plays.
    pub(super) fn playing(&self) -> Option<&Clip> {
        self.clip.map(|clip| &self.loaded.model.clips[clip.get()])
    }

    /// Length of the clip in seconds; 0 without one.
    pub(super) fn duration_secs(&self) -> f64 {
        self.playing().map_or(0.0, |clip| f64::from(clip.duration_secs))
    }

    /// Notes that the clock went from one time of the clip to another: over its end, perhaps, where a crowd that is out of
    /// step goes on.
    pub(super) fn count_rounds(&mut self, before_secs: f64, after_secs: f64) {
        let (duration, way) = (self.duration_secs(), after_secs - before_secs);
        if !self.in_step && way.abs() > 0.5 * duration {
            self.rounds_secs -= duration.copysign(way);
        }
    }

    /// What the clock shows when the clip is at `time_secs`: more by the rounds that are over.
    pub(super) fn clock_secs(&self, time_secs: f64) -> f64 {
        time_secs + self.rounds_secs
    }

    /// Counts the rounds that another stage has counted.
    pub(super) fn keep_rounds_of(&mut self, other: &Self) {
        self.rounds_secs = other.rounds_secs;
    }

    /// Poses every instance and writes the palette: the same on every machine.
    pub(super) fn pose(&mut self, time_secs: f64) {
        self.pose_at(time_secs + self.rounds_secs);
    }

    /// The same by a clock that knows nothing of the clip's length.
    pub(super) fn pose_at(&mut self, time_secs: f64) {
        match self.crowd.len() {
            1 => self.pose_exactly(time_secs),
            _ => self.pose_by_lanes(time_secs, Dispatch::best()),
        }
        self.others.iter_mut().for_each(|other| other.pose_at(time_secs));
    }

    /// Poses from now on only those of the crowds that `view` may show; all without one. Whether they are others than before.
    pub(super) fn look_from(&mut self, view: Option<&Frustum>) -> bool {
        let Self { loaded, layout, crowd, sight, others, .. } = self;
        let model = &loaded.model;
        let changed = match view {
            // One alone is what a camera is there for.
            Some(_) if crowd.len() > 1 => {
                sight.get_or_insert_with(|| Sight::new(model, layout)).look(model, layout, crowd, view)
            }
            _ => sight.as_mut().is_some_and(|sight| sight.look(model, layout, crowd, None)),
        };
        others.iter_mut().fold(changed, |changed, other| other.look_from(view) || changed)
    }

    /// Poses every instance with these instructions and writes the palette.
    pub(super) fn pose_by_lanes(&mut self, time_secs: f64, dispatch: Dispatch) {
        let Self { loaded, layout, crowd, palette, animator, .. } = self;
        animator.update(&loaded.model, layout, crowd, time_secs, dispatch, palette);
    }

    /// Poses every instance in double precision and writes the palette.
    pub(super) fn pose_exactly(&mut self, time_secs: f64) {
        self.crowd.update(&self.loaded.model, &self.layout, time_secs, &mut self.palette);
    }

    /// The lights of all files at a time, as the instances carry them, one after the other; of very many the first few.
    pub(super) fn lights(&self, time_secs: f64) -> Vec<Light> {
        let mut lights = self.own_lights(time_secs);
        lights.extend(self.others.iter().flat_map(|other| other.own_lights(time_secs)));
        lights.truncate(MAX_LIGHTS);
        lights
    }

    fn own_lights(&self, time_secs: f64) -> Vec<Light> {
        let model = self.model();
        let lights = &model.scenes[self.scene.get()].lights;
        if lights.is_empty() {
            return Vec::new();
        }
        let joints: Vec<JointIndex> =
            lights.iter().map(|light| model.lights[light.get()].joint).take(MAX_LIGHTS).collect();
        let instances = 0..self.crowd.len().min(MAX_LIGHTS);
        let of_instance = |instance| {
            let places = self.world_from_joints_of(instance, &joints, time_secs);
            let values = self.crowd.values(instance, model, time_secs);
            let each =
                lights.iter().zip(places).filter(|(light, _)| !values.is_hidden(model.lights[light.get()].joint));
            each.map(|(light, place)| Light::of_file(values.light(model, *light), &place)).collect::<Vec<_>>()
        };
        instances.flat_map(of_instance).take(MAX_LIGHTS).collect()
    }

    /// A camera of the file at a time, as the first instance carries it.
    pub(super) fn camera(&self, camera: CameraIndex, time_secs: f64) -> Camera {
        let values = self.crowd.values(0, self.model(), time_secs);
        let placed = values.camera(self.model(), camera);
        Camera::of_file(&placed.projection, &self.world_from_joint(placed.joint, time_secs))
    }

    /// Tells of lights that are too many to be shown.
    fn tell_dark_lights(&mut self) {
        let count = self.model().scenes[self.scene.get()].lights.len() * self.crowd.len();
        if count > MAX_LIGHTS {
            let of = if self.crowd.len() > 1 { "instances" } else { "scene" };
            let message = format!("of the {count} lights of the {of}, the first {MAX_LIGHTS} are shown");
            let pointer = format!("/scenes/{}", self.scene.get());
            self.loaded.notices.push(Notice { pointer, message });
        }
    }

    /// Where a joint of the first instance stands at a time.
    pub(super) fn world_from_joint(&self, joint: JointIndex, time_secs: f64) -> Affine {
        self.world_from_joints(&[joint], time_secs)[0]
    }

    /// Where some joints of the first instance stand at a time.
    pub(super) fn world_from_joints(&self, joints: &[JointIndex], time_secs: f64) -> Vec<Affine> {
        self.world_from_joints_of(0, joints, time_secs)
    }

    fn world_from_joints_of(&self, instance: usize, joints: &[JointIndex], time_secs: f64) -> Vec<Affine> {
        if joints.is_empty() {
            return Vec::new();
        }
        let (_, model_pose) = self.pose_of(instance, time_secs);
        let placement = self.crowd.placement(instance);
        joints.iter().map(|joint| placement * *model_pose.model_from_joint(*joint)).collect()
    }

    /// The way of a joint of the first instance through its clip, in `steps` steps from its start to its end, in world space.
    pub(super) fn path_of(&self, joint: JointIndex, steps: usize) -> Arc<[Vector3<f64>]> {
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(paths.entry(joint).or_insert_with(|| self.walk(joint, steps.max(1))))
    }

    fn forget_paths(&mut self) {
        self.paths.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn walk(&self, joint: JointIndex, steps: usize) -> Arc<[Vector3<f64>]> {
        let (mut scratch, mut pose, mut model_pose) = Default::default();
        let timing = self.crowd.layers(0).next().map_or(Timing::ONCE, |layer| layer.timing);
        let (placement, speed) = (self.crowd.placement(0), f64::from(timing.speed));
        let step_secs = self.duration_secs() / steps as f64;
        let place = |step: usize| {
            // A loop is never sampled at its end, which is its start: a little before it is its end.
            let clip_secs = (step as f64 * step_secs).min(self.duration_secs() * (1.0 - 1e-9));
            let clock_secs = if speed == 0.0 { 0.0 } else { (clip_secs - timing.phase_secs) / speed };
            self.crowd.pose(0, self.model(), clock_secs, &mut scratch, &mut pose);
            ModelPose::update(&mut model_pose, &self.model().skeleton, &pose);
            placement.point(model_pose.model_from_joint(joint).translation)
        };
        (0..=steps).map(place).collect()
    }

    /// The pose of the first instance at a time.
    pub(super) fn first_pose(&self, time_secs: f64) -> (Pose, ModelPose) {
        self.pose_of(0, time_secs)
    }

    fn pose_of(&self, instance: usize, time_secs: f64) -> (Pose, ModelPose) {
        let (mut scratch, mut pose) = (LayerScratch::default(), Pose::default());
        self.crowd.pose(instance, self.model(), time_secs, &mut scratch, &mut pose);
        let mut model_pose = ModelPose::default();
        model_pose.update(&self.model().skeleton, &pose);
        (pose, model_pose)
    }
}

/// The number of the thing that `asked` names: the first of that name, else the one of that number.
pub(super) fn find<'a>(
    kind: &'static str,
    asked: &str,
    names: impl Iterator<Item = Option<&'a str>> + Clone,
) -> Result<usize, FileError> {
    let by_name = names.clone().position(|name| name == Some(asked));
    let by_number = || asked.parse().ok().filter(|&number| number < names.clone().count());
    by_name.or_else(by_number).ok_or_else(|| FileError::NoSuch {
        kind,
        asked: asked.to_owned(),
        names: names.clone().map(|name| name.unwrap_or("(unnamed)").to_owned()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_goes_before_a_number() {
        let names = [Some("1"), Some("walk"), None, Some("walk")];
        let find = |asked| find("clip", asked, names.into_iter());
        assert_eq!((find("walk").ok(), find("1").ok(), find("2").ok()), (Some(1), Some(0), Some(2)));
        let message = find("4").unwrap_err().to_string();
        assert_eq!(message, "has no clip `4`; it has 0 `1`, 1 `walk`, 2 `(unnamed)`, 3 `walk`");
    }

    /// A file of a light that rises from 0 to 1 within a second, carried by as many nodes as asked for.
    fn lit(lights: usize) -> Loaded {
        use base64::Engine;
        let numbers: [f32; 8] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
        let light = serde_json::json!({ "KHR_lights_punctual": { "light": 0 } });
        let file = serde_json::json!({
            "asset": { "version": "2.0" },
            "extensionsUsed": ["KHR_lights_punctual"],
            "extensions": { "KHR_lights_punctual": { "lights": [{ "type": "point" }] } },
            "nodes": vec![serde_json::json!({ "extensions": light }); lights],
            "scenes": [{ "nodes": (0..lights).collect::<Vec<_>>() }],
            "buffers": [{ "byteLength": 32, "uri": format!("data:application/octet-stream;base64,{data}") }],
            "bufferViews": [{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 2, "min": [0], "max": [1] },
                { "bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 2 },
            ],
            "animations": [{ "samplers": [{ "input": 0, "output": 1 }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] }],
        });
        import::from_bytes(file.to_string().into_bytes(), None, &ImportOptions::default()).unwrap()
    }

    fn staged(lights: usize, instances: u32) -> Stage {
        let crowd = CrowdArgs { instances, ..CrowdArgs::default() };
        let args = PoseArgs { crowd, ..PoseArgs::default() };
        let (file, mut loaded) = (Path::new("lit.gltf"), lit(lights));
        let cast = Cast::open(file, &args, &mut loaded).unwrap();
        let mut stage = Stage::set(file, loaded, cast, &args).unwrap();
        stage.settle();
        stage
    }

    #[test]
    fn a_light_goes_where_its_clip_carries_it() {
        let stage = staged(1, 1);
        for time in [0.0, 0.25, 1.0] {
            let [light] = stage.lights(time)[..] else { panic!("not one light") };
            let crate::scene::LightSource::Placed { light_in_world, .. } = light.source else { panic!("not placed") };
            assert!((light_in_world.y - time).abs() < 1e-6, "{time}: {light_in_world}");
        }
    }

    #[test]
    fn every_instance_brings_its_lights_and_those_that_are_too_many_are_told_of() {
        let stage = staged(3, 4);
        assert_eq!((stage.lights(0.0).len(), stage.loaded.notices.len()), (12, 0));
        for (lights, instances, told) in [
            (17, 1, "of the 17 lights of the scene, the first 16 are shown"),
            (3, 6, "of the 18 lights of the instances, the first 16 are shown"),
        ] {
            let stage = staged(lights, instances);
            assert_eq!((stage.lights(0.0).len(), stage.loaded.notices[0].message.as_str()), (16, told));
        }
    }

    #[test]
    fn a_crowd_grows_as_far_as_the_matrices_of_all_crowds_allow() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let party = |file: &str, count| crate::cli::Party { file: folder.join(file), count: Some(count) };
        let crowd = CrowdArgs { instances: 4, with: vec![party("hare.glb", 100)], ..CrowdArgs::default() };
        let args = PoseArgs { crowd: crowd.clone(), ..PoseArgs::default() };
        let mut stage = Stage::open(&folder.join("windmill.glb"), &args, ImageLoading::Skip).unwrap();
        let (own, others) = (stage.matrix_bytes() / 4, stage.others[0].matrix_bytes());
        let mut limits = Limits::default();
        limits.set(Limit::Matrices, others + 50 * own + own / 2);
        assert_eq!(stage.recast(&CrowdArgs { instances: 1000, ..crowd.clone() }, &limits), 50);
        assert_eq!(stage.recast(&CrowdArgs { instances: 7, ..crowd }, &limits), 7);
    }
}
