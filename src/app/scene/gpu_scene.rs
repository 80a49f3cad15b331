//! The models of a stage on the GPU.

use crate::app::AppError;
use crate::app::scene::LoadedScene;
use crate::render::{GpuModel, Renderer};
use smallvec::SmallVec;

/// The vertices and textures of each model of a [`LoadedScene`], in the order of its crowds.
pub(crate) struct GpuScene(SmallVec<[GpuModel; 1]>);

impl GpuScene {
    /// Uploads all that is drawn of `stage`.
    pub(crate) fn new(renderer: &Renderer, stage: &LoadedScene) -> Result<Self, AppError> {
        let stages = std::iter::once(stage).chain(&stage.others);
        let models: Result<_, _> = stages.map(|stage| renderer.upload(stage.model(), &stage.layout)).collect();
        Ok(Self(models?))
    }

    /// The same where it is uploaded once: the file's bytes and the texels of its pictures are gone afterwards.
    pub(crate) fn taking(renderer: &Renderer, stage: &mut LoadedScene) -> Result<Self, AppError> {
        let mut models = SmallVec::new();
        stage.loaded.asset.drop_payloads();
        stage.others.iter_mut().for_each(|other| other.loaded.asset.drop_payloads());
        models.push(renderer.upload_and_free_images(&mut stage.loaded.model, &stage.layout)?);
        for other in &mut stage.others {
            models.push(renderer.upload_and_free_images(&mut other.loaded.model, &other.layout)?);
        }
        Ok(Self(models))
    }

    /// All of them, as [`Renderer::draw`] takes them.
    pub(crate) fn all(&self) -> SmallVec<[&GpuModel; 4]> {
        self.0.iter().collect()
    }
}
