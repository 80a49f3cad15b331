//! The models of a loaded scene on the GPU.

use crate::app::AppError;
use crate::app::scene::LoadedScene;
use rigview_check::flex::mirror_differences;
use rigview_core::palette::Rig;
use rigview_render::render::{GpuModel, ModelLevels, ModelUpload, PreparedModel, Renderer, UploadOptions};
use rigview_render::scene::{EmittingCrowd, ViewMode, VirtualPointLight, virtual_point_lights};
use smallvec::SmallVec;
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// One [`GpuModel`] per model of a [`LoadedScene`], in the order of its crowds.
pub(crate) struct GpuScene {
    models: SmallVec<[GpuModel; 1]>,
    /// The view mode of the values per vertex that are uploaded.
    mode_of_values: Cell<Option<ViewMode>>,
    /// The file of the ground among the models.
    pub(crate) ground_file: Option<PathBuf>,
    /// The ground of a file that is not shown.
    kept_ground: Option<(PathBuf, GpuModel)>,
}

/// The upload of a [`LoadedScene`] that the thread of its loader has prepared.
pub(crate) struct SceneUpload(Vec<ModelUpload>);

impl SceneUpload {
    /// Prepares models, on any thread.
    pub(crate) fn prepare<'a>(rigs: impl IntoIterator<Item = &'a Rig>, options: UploadOptions) -> Vec<PreparedModel> {
        rigs.into_iter().map(|rig| PreparedModel::new(rig.model(), rig.layout(), options)).collect()
    }

    pub(crate) fn new(renderer: &Renderer, prepared: Vec<PreparedModel>) -> Result<Self, AppError> {
        let uploads: Result<_, _> = prepared.into_iter().map(|model| renderer.start_upload(model)).collect();
        Ok(Self(uploads?))
    }

    /// Uploads a few megabytes. Returns `false` if there is nothing left.
    pub(crate) fn upload_slice(&mut self) -> Result<bool, AppError> {
        for upload in &mut self.0 {
            if upload.upload_slice()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Uploads what is left.
    pub(crate) fn finish(self) -> Result<GpuScene, AppError> {
        let models: Result<_, _> = self.0.into_iter().map(ModelUpload::finish).collect();
        Ok(GpuScene::of_models(models?))
    }

    /// The part that is uploaded, from 0 to 1.
    pub(crate) fn progress(&self) -> f64 {
        let [uploaded, total] = self.0.iter().map(ModelUpload::progress).fold([0; 2], |[a, b], [x, y]| [a + x, b + y]);
        uploaded as f64 / total.max(1) as f64
    }
}

impl GpuScene {
    pub(crate) fn new(renderer: &Renderer, scene: &LoadedScene) -> Result<Self, AppError> {
        SceneUpload::new(renderer, SceneUpload::prepare(&scene.rigs(), renderer.upload_options()))?.finish()
    }

    fn of_models(models: SmallVec<[GpuModel; 1]>) -> Self {
        Self { models, mode_of_values: Cell::default(), ground_file: None, kept_ground: None }
    }

    /// Keeps the ground of a file, for a scene with it.
    pub(crate) fn keep_ground(&mut self, file: PathBuf, mut ground: Self) {
        self.kept_ground = ground.models.pop().map(|ground| (file, ground));
    }

    /// Replaces the surface of the ground by that of `scene`. That of a file is uploaded once.
    pub(crate) fn set_ground(&mut self, renderer: &Renderer, scene: &LoadedScene) -> Result<(), AppError> {
        let model_count = scene.models().count();
        let mut grounds: Vec<_> = self.kept_ground.take().into_iter().collect();
        grounds.extend(self.ground_file.take().zip(self.models.drain(model_count..).next()));
        self.models.truncate(model_count);
        for surface in scene.drawn().skip(model_count) {
            let kept = grounds.iter().position(|(file, _)| scene.ground_file() == Some(file));
            self.models.push(match kept {
                Some(index) => grounds.remove(index).1,
                None => renderer.upload(surface.model(), surface.layout())?,
            });
        }
        (self.ground_file, self.kept_ground) = (scene.ground_file().map(Path::to_owned), grounds.pop());
        self.mode_of_values.set(None);
        Ok(())
    }

    /// Uploads, then frees the files' bytes and the texels.
    pub(crate) fn new_freeing_images(renderer: &Renderer, scene: &mut LoadedScene) -> Result<Self, AppError> {
        let mut models = SmallVec::new();
        for model in scene.drawn_mut() {
            model.gltf_file.drop_payloads();
            let prepared = renderer.prepare_for_few_frames(model.model(), model.layout());
            model.animator.drop_texels();
            models.push(renderer.start_upload(prepared)?.finish()?);
        }
        Ok(Self::of_models(models))
    }

    /// Simplifies the meshes of the models of `scene` and uploads the levels of detail.
    pub(crate) fn add_levels(&mut self, renderer: &Renderer, scene: &LoadedScene) -> Result<(), AppError> {
        let levels: Vec<ModelLevels> =
            scene.models().map(|scene| ModelLevels::new(scene.model(), scene.layout())).collect();
        self.set_levels(renderer, &levels)
    }

    /// Uploads levels of detail, one per model.
    pub(crate) fn set_levels(&mut self, renderer: &Renderer, levels: &[ModelLevels]) -> Result<(), AppError> {
        for (model, levels) in self.models.iter_mut().zip(levels) {
            renderer.upload_levels(model, levels)?;
        }
        Ok(())
    }

    /// Uploads what only this view mode reads, once.
    pub(crate) fn prepare_view(
        &self,
        renderer: &Renderer,
        scene: &LoadedScene,
        mode: ViewMode,
    ) -> Result<(), AppError> {
        let values = match mode {
            ViewMode::WeightSymmetry => mirror_differences,
            _ => return Ok(()),
        };
        if self.mode_of_values.replace(Some(mode)) != Some(mode) {
            for (model, rig) in self.models.iter().zip(scene.rigs()) {
                renderer.upload_vertex_values(model, &values(&rig))?;
            }
        }
        Ok(())
    }

    /// Points that stand for the light that the posed surfaces of `scene` emit.
    pub(crate) fn virtual_point_lights(
        &self,
        scene: &LoadedScene,
        count: u32,
    ) -> Result<Vec<VirtualPointLight>, AppError> {
        let textures = self.models.iter().map(GpuModel::emission_textures).collect::<Result<Vec<_>, _>>()?;
        let crowds: Vec<_> = scene
            .drawn()
            .zip(&textures)
            .map(|(scene, textures)| EmittingCrowd { rig: scene.rig(), palette: scene.palette(), textures })
            .collect();
        Ok(virtual_point_lights(&crowds, count))
    }

    /// The models, as [`Renderer::draw`] expects them.
    pub(crate) fn models(&self) -> SmallVec<[&GpuModel; 4]> {
        self.models.iter().collect()
    }
}
