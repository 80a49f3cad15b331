//! Loading a scene.

use crate::app::console::progress::Progress;
use crate::app::files::model_file::open_model;
use crate::app::scene::LoadedScene;
use crate::app::scene::clip_blend::Blend;
use crate::app::scene::crowd_spec::{CrowdSpec, find_clip, find_layout_clips};
use crate::app::scene::loaded_model::LoadedModel;
use crate::app::scene::loaded_scene::LoadedGround;
use crate::app::scene::lookup::{find_by_name_or_index, find_joint};
use crate::app::scene::pose_overrides::{flex_pose, pose_override_from, retain_known};
use crate::app::{AppError, FileError};
use crate::request::{ALL_CLIPS, CrowdRequest, GroundRequest, JointPose, MotionRequest, SceneRequest};
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, CrowdAnimator};
use rigview_core::ik::PoseConstraints;
use rigview_core::import::{self, Diagnostic, ImageLoading, ImportOptions, Imported, Limit, Limits};
use rigview_core::math::SupportHull;
use rigview_core::model::{ClipIndex, SceneIndex, VariantIndex};
use rigview_core::palette::{MatrixFormat, PaletteLayout, Rig};
use rigview_core::pose::{RootMotion, opening_clips};
use rigview_render::scene::{ground_glb, ground_of_rig, light_scale, metered_exposure_ev};
use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Ratio of sizes above which two models of a scene get a diagnostic.
const SIZE_MISMATCH_RATIO: f64 = 30.0;

impl LoadedScene {
    /// Opens `file` and finds the items that `request` names.
    pub(crate) fn open(file: &Path, request: &SceneRequest, images: ImageLoading) -> Result<Self, AppError> {
        Self::open_as(file, request, ImportOptions::default().with_images(images))
    }

    /// Opens a scene with its images; prints the progress on the terminal.
    pub(crate) fn open_with_progress(file: &Path, request: &SceneRequest) -> Result<Self, AppError> {
        let images = Arc::default();
        let _progress = Progress::reading(file, &images);
        let options = ImportOptions::default().with_images(request.drawn_images()).with_progress(images);
        Self::open_as(file, request, options)
    }

    /// Like [`open`](Self::open), with import options; the policy is that of `request`.
    pub(crate) fn open_as(file: &Path, request: &SceneRequest, options: ImportOptions) -> Result<Self, AppError> {
        let options = options.with_policy(request.import.policy());
        Self::of_imported(file, open_model(file, &request.conversion, &options)?, request, &options)
    }

    /// Opens another version of `file`. Drops the items of `request` that it lacks; a clip is replaced by that of the index `clip`.
    pub(crate) fn open_again(
        file: &Path,
        request: &mut SceneRequest,
        clip: Option<ClipIndex>,
        options: ImportOptions,
    ) -> Result<Self, AppError> {
        let options = options.with_policy(request.import.policy());
        let loaded = open_model(file, &request.conversion, &options)?;
        let rest = SceneRequest { clip: Some("none".to_owned()), ..SceneRequest::default().with_files_of(request) };
        let mut rest = SceneRequest { flex: None, ..rest };
        retain_known(&mut rest, &loaded.model);
        let mut scene = Self::of_imported(file, loaded, &rest, &options)?;
        (request.scene, request.variant) = (rest.scene.clone(), rest.variant.clone());
        let model = scene.model();
        if request.clip.as_deref().is_some_and(|name| find_clip(model, name).is_err() && name != ALL_CLIPS) {
            let last = (model.clips.len() as u32).checked_sub(1);
            request.clip = clip.zip(last).map(|(clip, last)| clip.0.min(last).to_string());
        }
        retain_known(request, model);
        let [feet, heads] = scene.constraint_problems();
        request.motion.feet_on = request.motion.feet_on.take().filter(|_| feet.is_none());
        request.motion.look_at = request.motion.look_at.filter(|_| heads.is_none());
        scene.update(&rest, request, 0.0, &options)?;
        Ok(scene)
    }

    /// Finds the items that `request` names in an imported `file`. Other files are opened with `options`.
    pub(crate) fn of_imported(
        file: &Path,
        loaded: Imported,
        request: &SceneRequest,
        options: &ImportOptions,
    ) -> Result<Self, AppError> {
        let in_file = |source| AppError::in_file(file, source);
        let mut scene = Self {
            first: LoadedModel::of_imported(file, loaded, request)?,
            others: Vec::new(),
            ground: None,
            kept_ground: None,
            ground_revision: 0,
            look_at: None,
            auto_exposure_ev: 0.0,
        };
        for spec in &request.crowd.other_models {
            let crowd = CrowdRequest {
                instances: spec.instances(),
                other_models: Vec::new(),
                layout: None,
                clips: Vec::new(),
                ..request.crowd.clone()
            };
            let other_request = SceneRequest {
                ignore_required: request.ignore_required,
                import: request.import.clone(),
                conversion: request.conversion.clone(),
                crowd,
                ..SceneRequest::default()
            };
            let loaded = open_model(&spec.file, &request.conversion, options)?;
            scene.others.push(LoadedModel::of_imported(&spec.file, loaded, &other_request)?);
        }
        scene.apply_layout_clips().map_err(in_file)?;
        let needed = scene.models().map(LoadedModel::matrix_bytes).sum();
        let instances = scene.models().map(|model| model.spec.instance_count()).sum();
        check_matrices(needed, instances, &request.import.policy().limits).map_err(in_file)?;
        scene.set_constraints(request, options, false)?;
        scene.place_instances();
        scene.prepare();
        scene.models_mut().for_each(LoadedModel::report_excess_lights);
        scene.report_size_mismatches();
        scene.aim_heads(&scene.first_view(&scene.hull, 1.0).camera(scene.bounds()));
        let lights = scene.lights(0.0);
        if !lights.is_empty() {
            scene.pose_at_clip_time(0.0);
            let exposure_ev = metered_exposure_ev(&lights, scene.drawn().map(|scene| (scene.rig(), scene.palette())));
            scene.auto_exposure_ev = exposure_ev;
        }
        Ok(scene)
    }

    /// Turns the heads of all models to the target of `request`, and puts their feet on its ground: the present one, or another one
    /// that is shown in its place. Places no instances.
    pub(super) fn set_constraints(
        &mut self,
        request: &SceneRequest,
        options: &ImportOptions,
        keeps_ground: bool,
    ) -> Result<(), AppError> {
        let MotionRequest { feet_on, look_at, .. } = &request.motion;
        let (mut all_constraints, mut all_feet) = (Vec::new(), Vec::new());
        for scene in self.models().filter(|_| feet_on.is_some() || look_at.is_some()) {
            let (model, mut constraints) = (scene.model(), PoseConstraints::new(&scene.model().skeleton));
            let found = scene.rig_map().map_err(FileError::from).and_then(|map| {
                let aims = look_at.map(|_| map.gaze(model)).transpose()?;
                aims.into_iter().flatten().for_each(|aim| _ = constraints.add_aim(&model.skeleton, aim));
                all_feet.extend(feet_on.as_ref().map(|_| map.feet(model)).transpose()?);
                Ok(())
            });
            found.map_err(|error| AppError::in_file(&scene.file, error))?;
            all_constraints.push(constraints);
        }
        let ground = match feet_on {
            _ if keeps_ground => self.ground.take(),
            Some(ground) => Some(match self.take_ground(ground.file()) {
                Some(ground) => ground,
                None => {
                    let count = self.spec.instance_count();
                    LoadedGround::open(ground, all_feet[0].leg_length, count, request, options)?
                }
            }),
            None => None,
        };
        let mut all_constraints = all_constraints.into_iter();
        for (i, LoadedModel { animator, .. }) in self.models_mut().enumerate() {
            let mut constraints = all_constraints.next();
            if let (Some(constraints), Some(feet)) = (&mut constraints, all_feet.get(i)) {
                constraints.add_feet(&animator.rig().model().skeleton, feet);
            }
            animator.set_constraints(constraints);
        }
        if let Some(former) = std::mem::replace(&mut self.ground, ground).filter(|former| former.file.is_some()) {
            self.kept_ground = Some(former);
        }
        self.look_at = *look_at;
        Ok(())
    }

    /// Length of the legs of the first model, for its ground.
    pub(crate) fn leg_length(&self) -> Option<f64> {
        Some(self.rig_map().ok()?.feet(self.model()).ok()?.leg_length)
    }

    /// Reports models whose size differs by more than [`SIZE_MISMATCH_RATIO`].
    fn report_size_mismatches(&mut self) {
        let size = |model: &LoadedModel| model.instance_hull(Vector3::zeros()).bounds().diagonal();
        if self.others.is_empty() {
            return;
        }
        let (first, file) = (size(&self.first), self.file.display().to_string());
        for other in &mut self.others {
            let (ratio, relation) = match first / size(other) {
                ratio if ratio > SIZE_MISMATCH_RATIO => (ratio, "smaller"),
                ratio if ratio < 1.0 / SIZE_MISMATCH_RATIO => (1.0 / ratio, "larger"),
                _ => continue,
            };
            if ratio.is_finite() {
                let message = format!(
                    "{ratio:.0} times {relation} than {file}, and drawn at that size: glTF units are meters; in Blender: scale the model, \
                     apply the scale (Ctrl+A) and export it again"
                );
                other.diagnostics.push(Diagnostic::new("", message));
            }
        }
    }

    /// Sets the clips of a layout file on the other models.
    fn apply_layout_clips(&mut self) -> Result<(), FileError> {
        let Some(layout) = self.first.spec.layout() else { return Ok(()) };
        let mut next = self.first.spec.instance_count();
        for other in &mut self.others {
            let range = next..next + other.spec.instance_count();
            next = range.end;
            other.spec.layout_clips =
                find_layout_clips(&layout.placements[range], layout, other.animator.rig().model())?;
        }
        Ok(())
    }
}

impl LoadedGround {
    /// Opens the ground of a model with legs of this length in meters, or makes its surface for a number of instances.
    pub(crate) fn open(
        ground: &GroundRequest,
        leg_length: f64,
        instances: usize,
        request: &SceneRequest,
        options: &ImportOptions,
    ) -> Result<Self, AppError> {
        let (file, formula) = (ground.file().unwrap_or(Path::new("ground")), ground.formula());
        let in_file = |error| AppError::in_file(file, error);
        // Its size depends on the number of instances only if it is a formula.
        let radius = leg_length * (6.0 + 2.0 * (instances as f64).sqrt());
        let loaded = match formula.as_ref().and_then(|ground| ground_glb(ground, radius, leg_length)) {
            Some(glb) => import::from_bytes(glb, None, options).map_err(|error| in_file(error.into()))?,
            None => open_model(file, &request.conversion, options)?,
        };
        let (import, ignore_required) = (request.import.clone(), request.ignore_required);
        let clip = Some("none".to_owned());
        let request = SceneRequest { clip, import, ignore_required, ..SceneRequest::default() };
        let surface = LoadedModel::of_imported(file, loaded, &request)?;
        let heights = formula.or_else(|| ground_of_rig(surface.rig(), leg_length));
        let heights = Arc::new(heights.ok_or_else(|| in_file(FileError::NoGround))?);
        Ok(Self { file: ground.file().map(Path::to_owned), heights, surface })
    }
}

/// Checks the palette size of `instances` instances.
fn check_matrices(needed: u64, instances: usize, limits: &Limits) -> Result<(), FileError> {
    let (limit, instances) = (limits.get(Limit::Matrices), instances as u32);
    match needed > limit {
        true => Err(FileError::TooManyInstances { instances, needed, limit }),
        false => Ok(()),
    }
}

impl LoadedModel {
    /// Finds the items that `request` names in an imported `file`. Places no instances.
    fn of_imported(file: &Path, mut loaded: Imported, request: &SceneRequest) -> Result<Self, AppError> {
        let in_file = |source| AppError::in_file(file, source);
        if !loaded.unsupported_required_extensions.is_empty() && !request.ignore_required {
            let extensions = loaded.unsupported_required_extensions.clone();
            return Err(in_file(FileError::RequiredExtensions(extensions)));
        }
        let spec = CrowdSpec::open(file, request, &mut loaded)?;
        for pose in request.joint_poses.iter().filter(|pose| pose.is_in_place()) {
            let joint = find_joint(&loaded.model, &pose.joint).map_err(in_file)?;
            RootMotion::extract(&mut loaded.model, joint);
        }
        Self::build(file, loaded, spec, request).map_err(in_file)
    }

    fn build(file: &Path, mut loaded: Imported, spec: CrowdSpec, request: &SceneRequest) -> Result<Self, FileError> {
        if let Some(requested) = &request.variant {
            let variants = &loaded.model.variants;
            let variant = find_by_name_or_index("variant", requested, variants.iter().map(Option::as_deref))?;
            loaded
                .model
                .set_variant(Some(VariantIndex(variant as u32)))
                .expect("the model has the variant found above");
        }
        let model = &loaded.model;
        let scene = match &request.scene {
            Some(requested) => SceneIndex(find_by_name_or_index(
                "scene",
                requested,
                model.scenes.iter().map(|scene| scene.name.as_deref()),
            )? as u32),
            None => model.default_scene,
        };
        let clip = spec.clip();
        let blend = Blend::from_request(&request.layers, spec.max_own_clips(spec.together()), model)?;
        let opening_clips = opening_clips(model);
        let mut overrides = pose_override_from(model, request)?;
        let layout = PaletteLayout::new(model, scene);
        let generator = loaded.gltf_file.json().pointer("/asset/generator").and_then(Value::as_str);
        let light_scale = light_scale(generator, &model.lights);
        if light_scale != 1.0 {
            let message =
                "the lights are in watts of Blender's lighting mode Standard, and are shown at 1/683 as in Blender";
            loaded.diagnostics.push(Diagnostic::new("", message));
        }
        let limits = request.import.policy().limits;
        // An override may have a non-uniform scale although no clip has.
        let is_non_uniform =
            |pose: &JointPose| matches!(pose, JointPose::Transform { scale: Some([x, y, z]), .. } if x != y || y != z);
        let keeps_scale = !request.joint_poses.iter().any(|request| is_non_uniform(&request.pose));
        let format = if keeps_scale { MatrixFormat::choose(model, &layout) } else { MatrixFormat::Mat3x4 };
        let animator = CrowdAnimator::new(&Rig::with_layout(loaded.model, layout, format));
        let files = loaded.gltf_file.external_files();
        let files = files.iter().map(AsRef::as_ref).chain([import::file_on_disk(file)]);
        let file_bytes = files.filter_map(|file| Some(std::fs::metadata(file).ok()?.len())).sum();
        if let Some(rank) = request.flex {
            overrides = flex_pose(animator.rig(), rank)?;
        }
        let model = Self {
            file: file.to_owned(),
            scene_index: scene,
            clip,
            opening_clips,
            all_loop_together: true,
            loop_offset_secs: 0.0,
            spec,
            overrides,
            overrides_index: None,
            blend,
            fade_clock_secs: None,
            own_layers: Vec::new(),
            motion_paths: Mutex::default(),
            crowd: Crowd::single(clip),
            hull: SupportHull::default(),
            animator,
            detail: None,
            file_bytes,
            light_scale,
            origin: Vector3::zeros(),
            gltf_file: loaded.gltf_file,
            diagnostics: loaded.diagnostics,
        };
        check_matrices(model.matrix_bytes(), model.spec.instance_count(), &limits)?;
        Ok(model)
    }
}
