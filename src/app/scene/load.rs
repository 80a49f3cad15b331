//! Loading a scene.

use crate::app::scene::LoadedScene;
use crate::app::scene::clip_blend::Blend;
use crate::app::scene::crowd_plan::CrowdPlan;
use crate::app::scene::lookup::find_by_name_or_index;
use crate::app::scene::pose_overrides::pose_override_from;
use crate::app::{AppError, FileError};
use crate::crowd::{Crowd, CrowdAnimator};
use crate::import::{self, Diagnostic, ImageLoading, ImportOptions, Limit, Limits, Loaded};
use crate::math::SupportHull;
use crate::model::{Model, SceneIndex};
use crate::palette::{MatrixFormat, PaletteLayout, Rig};
use crate::request::{CrowdRequest, SceneRequest};
use std::path::Path;
use std::sync::Mutex;

/// Ratio of sizes above which two models of a scene get a diagnostic.
const SIZE_MISMATCH_RATIO: f64 = 30.0;

impl LoadedScene {
    /// Opens `file` and finds the items that `args` names.
    pub(crate) fn open(file: &Path, args: &SceneRequest, images: ImageLoading) -> Result<Self, AppError> {
        Self::open_as(file, args, ImportOptions { images, ..ImportOptions::default() })
    }

    /// Like [`open`](Self::open), with import options; the policy is that of `args`.
    pub(crate) fn open_as(file: &Path, args: &SceneRequest, options: ImportOptions) -> Result<Self, AppError> {
        Self::open_changed(file, args, options, &|_| {})
    }

    /// Like [`open_as`](Self::open_as); applies `change` to the model after import.
    pub(crate) fn open_changed(
        file: &Path,
        args: &SceneRequest,
        options: ImportOptions,
        change: &dyn Fn(&mut Model),
    ) -> Result<Self, AppError> {
        let in_file = |source| AppError::File { file: file.to_owned(), source: Box::new(source) };
        let options = ImportOptions { policy: args.import.policy(), ..options };
        let mut loaded = import::open(file, &options).map_err(|e| in_file(e.into()))?;
        if !loaded.required_unsupported.is_empty() && !args.ignore_required {
            let extensions = loaded.required_unsupported.clone();
            return Err(in_file(FileError::RequiredExtensions { extensions }));
        }
        change(&mut loaded.model);
        let plan = CrowdPlan::open(file, args, &mut loaded)?;
        let mut stage = Self::build(file, loaded, plan, args).map_err(in_file)?;
        for party in &args.crowd.other_models {
            let crowd = CrowdRequest {
                instances: party.instances(),
                other_models: Vec::new(),
                layout: None,
                clips: Vec::new(),
                ..args.crowd.clone()
            };
            let own = SceneRequest {
                ignore_required: args.ignore_required,
                import: args.import.clone(),
                crowd,
                ..SceneRequest::default()
            };
            stage.others.push(Self::open_as(&party.file, &own, options.clone())?);
        }
        stage.apply_layout_clips().map_err(in_file)?;
        stage.check_matrices(&args.import.policy().limits).map_err(in_file)?;
        stage.initialize();
        Ok(stage)
    }

    /// Lays out the instances and reports what is not shown.
    pub(crate) fn initialize(&mut self) {
        self.place_instances();
        self.prepare();
        self.report_excess_lights();
        self.report_size_mismatches();
    }

    /// Reports models whose size differs by more than [`SIZE_MISMATCH_RATIO`].
    fn report_size_mismatches(&mut self) {
        let size = |stage: &Self| stage.plan.outline(stage.rig()).bounds().diagonal();
        if self.others.is_empty() {
            return;
        }
        let (first, file) = (size(self), self.file.display().to_string());
        for other in &mut self.others {
            let (times, than) = match first / size(other) {
                times if times > SIZE_MISMATCH_RATIO => (times, "smaller"),
                times if times < 1.0 / SIZE_MISMATCH_RATIO => (1.0 / times, "larger"),
                _ => continue,
            };
            if times.is_finite() {
                let message = format!(
                    "{times:.0} times {than} than {file}, and shown so: files are in meters; in Blender: scale the model, apply the \
                     scale (Ctrl+A) and export it again"
                );
                other.diagnostics.push(Diagnostic { pointer: String::new(), message });
            }
        }
    }

    /// Passes the clips of a layout file to the other models.
    fn apply_layout_clips(&mut self) -> Result<(), FileError> {
        let Some(layout) = self.plan.layout() else { return Ok(()) };
        let mut next = self.plan.count();
        for other in &mut self.others {
            let places = next..next + other.plan.count();
            next = places.end;
            other.plan.follow(layout, places, other.animator.rig().model())?;
        }
        Ok(())
    }

    /// Checks the palette size of all crowds together.
    fn check_matrices(&self, limits: &Limits) -> Result<(), FileError> {
        let scenes = || std::iter::once(self).chain(&self.others);
        let needed = scenes().map(Self::matrix_bytes).sum();
        let limit = limits.get(Limit::Matrices);
        if needed > limit {
            let instances = scenes().map(|stage| stage.plan.count()).sum::<usize>() as u32;
            return Err(FileError::TooManyInstances { instances, needed, limit });
        }
        Ok(())
    }

    pub(crate) fn build(
        file: &Path,
        mut loaded: Loaded,
        plan: CrowdPlan,
        args: &SceneRequest,
    ) -> Result<Self, FileError> {
        if let Some(requested) = &args.variant {
            let variants = &loaded.model.variants;
            let variant = find_by_name_or_index("variant", requested, variants.iter().map(Option::as_deref))?;
            loaded.model.choose_variant(variant);
        }
        let model = &loaded.model;
        let scene = match &args.scene {
            Some(requested) => SceneIndex(find_by_name_or_index(
                "scene",
                requested,
                model.scenes.iter().map(|scene| scene.name.as_deref()),
            )? as u32),
            None => model.default_scene,
        };
        let clip = plan.clip();
        let blend = Blend::from_request(&args.layers, model)?;
        let overrides = pose_override_from(model, args)?;
        let layout = PaletteLayout::new(model, scene);
        let vertices = layout.vertex_count(model);
        let limits = args.import.policy().limits;
        // A small file can draw many vertices: many nodes with one large mesh.
        let limit = limits.get(Limit::Vertices);
        if vertices > limit {
            return Err(FileError::TooManyVertices { vertices, limit });
        }
        // An override may have a non-uniform scale although no clip has.
        let keeps_scale = args.joint_poses.iter().all(|put| put.scale.is_none_or(|[x, y, z]| x == y && y == z));
        let packing = if keeps_scale { MatrixFormat::choose(model, &layout) } else { MatrixFormat::Mat3x4 };
        let animator = CrowdAnimator::new(&Rig::with_layout(loaded.model, layout, packing));
        let stage = Self {
            file: file.to_owned(),
            scene,
            clip,
            all_loop_together: true,
            loop_offset_secs: 0.0,
            plan,
            overrides,
            overrides_index: None,
            blend,
            paths: Mutex::default(),
            crowd: Crowd::single(clip),
            hull: SupportHull::default(),
            animator,
            others: Vec::new(),
            asset: loaded.asset,
            diagnostics: loaded.diagnostics,
        };
        stage.check_matrices(&limits)?;
        Ok(stage)
    }
}
