//! A model with the palette layout and matrix format that belong to it.

use super::layout::PaletteLayout;
use super::matrix_format::MatrixFormat;
use crate::model::{InvalidModel, JointIndex, Model, SceneIndex};
use crate::pose::HiddenJoints;
use std::sync::Arc;

/// One scene of a model, prepared for animation.
///
/// Immutable for all that animates it; a clone shares model and layout.
///
/// ```
/// use rigview_core::palette::Rig;
///
/// # use rigview_core::import::{ImportOptions, open};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default()).unwrap().model;
/// let scene = model.default_scene;
/// let rig = Rig::new(model, scene).unwrap();
/// // An instance takes two or three texels per matrix, and one per four morph weights.
/// let texels_per_matrix = rig.format().texels_per_matrix();
/// assert!(rig.layout().matrix_count as usize * texels_per_matrix > 0);
/// ```
#[derive(Clone, Debug)]
pub struct Rig {
    model: Arc<Model>,
    layout: Arc<PaletteLayout>,
    format: MatrixFormat,
    can_hide_joints: bool,
}

impl Rig {
    /// Lays out the palette of one scene and chooses the smallest matrix format that holds all its poses.
    ///
    /// Imported models are valid. The time is linear in the size of the model; [`with_layout`](Self::with_layout) skips the check.
    ///
    /// # Errors
    /// If the model is not [valid](Model::validate), or has no such scene.
    pub fn new(model: impl Into<Arc<Model>>, scene: SceneIndex) -> Result<Self, InvalidModel> {
        let model = model.into();
        model.validate()?;
        if scene.get() >= model.scenes.len() {
            return Err(InvalidModel { element: format!("scene {}", scene.get()), rule: "it does not exist" });
        }
        let layout = PaletteLayout::new(&model, scene);
        let format = MatrixFormat::choose(&model, &layout);
        Ok(Self::with_layout(model, layout, format))
    }

    /// Combines a [valid](Model::validate) model with a given layout, which must have been made for it.
    pub fn with_layout(model: impl Into<Arc<Model>>, layout: PaletteLayout, format: MatrixFormat) -> Self {
        let model = model.into();
        let can_hide_joints = HiddenJoints::exist_in(&model);
        Self { model, layout: Arc::new(layout), format, can_hide_joints }
    }

    /// Returns the same rig with another matrix format.
    ///
    /// [`MatrixFormat::Mat3x4`] holds any pose, also with pose overrides that scale non-uniformly.
    #[must_use]
    pub fn with_format(&self, format: MatrixFormat) -> Self {
        Self { format, ..self.clone() }
    }

    /// Returns the same rig with a matrix for each of `joints`, after those of the meshes. A joint that holds a sword needs one for
    /// [`CrowdAnimator::joint_matrices`](crate::crowd::CrowdAnimator::joint_matrices), unless it is a joint of a drawn skin.
    ///
    /// # Panics
    /// If the model does not have one of the joints.
    #[must_use]
    pub fn with_joints(&self, joints: &[JointIndex]) -> Self {
        let (model, mut layout) = (Arc::clone(&self.model), PaletteLayout::clone(&self.layout));
        for joint in joints {
            assert!(joint.get() < model.skeleton.len(), "a joint of another model");
            layout.add_joint(&model, *joint);
        }
        let format = match self.format {
            MatrixFormat::Mat3x4 => MatrixFormat::Mat3x4,
            MatrixFormat::QuatTranslationScale => MatrixFormat::choose(&model, &layout),
        };
        Self::with_layout(model, layout, format)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Draws of the scene and matrix ranges of the palette.
    pub fn layout(&self) -> &PaletteLayout {
        &self.layout
    }

    /// Layout of one matrix in texels.
    pub fn format(&self) -> MatrixFormat {
        self.format
    }

    /// The model, to share it with another thread.
    pub fn shared_model(&self) -> Arc<Model> {
        Arc::clone(&self.model)
    }

    /// Returns `true` if a joint may be hidden at some time.
    pub(crate) fn can_hide_joints(&self) -> bool {
        self.can_hide_joints
    }

    /// Number of vertices drawn per instance.
    pub fn vertex_count(&self) -> u64 {
        self.layout.vertex_count(&self.model)
    }

    /// Drops the texels of all images; see [`Model::drop_texels`]. Clones a shared model.
    pub(crate) fn drop_texels(&mut self) {
        Arc::make_mut(&mut self.model).drop_texels();
    }
}
