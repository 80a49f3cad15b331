//! What of a scene is drawn, and where in an instance's block its matrices lie.

use crate::model::{JointIndex, MeshIndex, Model, SceneIndex, SkinIndex};
use std::collections::HashMap;

/// The draws of one scene and the sections of the palette that they read.
#[derive(Clone, Debug, Default)]
pub struct PaletteLayout {
    /// Runs of matrices, in palette order.
    pub sections: Vec<Section>,
    /// One for each primitive of each mesh in the scene, in the scene's order.
    pub draws: Vec<Draw>,
    /// Joints whose morph weights are in the palette, and the place of their first weight.
    pub weights: Vec<(JointIndex, u32)>,
    /// Matrices of one instance.
    pub matrix_count: u32,
    /// Morph weights of one instance; each joint's run begins on a texel.
    pub weight_count: u32,
}

/// A run of matrices in every instance's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// What fills it.
    pub source: Source,
    /// Number of its first matrix within the instance.
    pub first_matrix: u32,
    /// Number of its matrices.
    pub len: u32,
}

/// What fills a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// One matrix: the joint that carries a rigid mesh.
    Joint(JointIndex),
    /// One matrix for each slot of a skin.
    Skin(SkinIndex),
}

/// One primitive to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The joint that carries its mesh.
    pub joint: JointIndex,
    /// Its mesh.
    pub mesh: MeshIndex,
    /// Its number within the mesh.
    pub primitive: usize,
    /// Its section of the palette.
    pub section: usize,
    /// Whether its vertices choose matrices by their influences; else all take the section's first.
    pub skinned: bool,
    /// Place of its first morph weight among the instance's weights, a multiple of four; `None` without targets.
    pub first_weight: Option<u32>,
}

impl PaletteLayout {
    /// The layout of one scene of a model.
    ///
    /// # Panics
    /// If the scene does not exist.
    pub fn new(model: &Model, scene: SceneIndex) -> Self {
        let mut layout = Self::default();
        let mut section_of = HashMap::new();
        for drawable in &model.scenes[scene.get()].drawables {
            let mesh = &model.meshes[drawable.mesh.get()];
            let first_weight = (mesh.target_count > 0).then(|| {
                let first = layout.weight_count;
                layout.weights.push((drawable.joint, first));
                layout.weight_count += (mesh.target_count as u32).next_multiple_of(4);
                first
            });
            for (primitive, content) in mesh.primitives.iter().enumerate() {
                let skin = drawable.skin.filter(|_| content.vertices.influences.is_some());
                let source = skin.map_or(Source::Joint(drawable.joint), Source::Skin);
                let section = *section_of.entry(source).or_insert_with(|| layout.add_section(model, source));
                layout.draws.push(Draw {
                    joint: drawable.joint,
                    mesh: drawable.mesh,
                    primitive,
                    section,
                    skinned: skin.is_some(),
                    first_weight,
                });
            }
        }
        layout
    }

    fn add_section(&mut self, model: &Model, source: Source) -> usize {
        let len = match source {
            Source::Joint(_) => 1,
            Source::Skin(skin) => model.skins[skin.get()].joints.len() as u32,
        };
        self.sections.push(Section { source, first_matrix: self.matrix_count, len });
        self.matrix_count += len;
        self.sections.len() - 1
    }

    /// Texels that the weights of an instance take.
    pub fn weight_texels(&self) -> u32 {
        self.weight_count / 4
    }

    /// The joints that a matrix of `source` follows, each with its `joint_from_mesh` (`None` for the identity).
    pub fn joints_of<'a>(
        model: &'a Model,
        source: Source,
    ) -> impl Iterator<Item = (JointIndex, Option<&'a crate::math::Affine>)> + 'a {
        let (joint, skin) = match source {
            Source::Joint(joint) => (Some(joint), None),
            Source::Skin(skin) => (None, Some(&model.skins[skin.get()])),
        };
        let slots = skin.into_iter().flat_map(|s| s.joints.iter().copied().zip(s.joint_from_mesh.iter().map(Some)));
        joint.map(|j| (j, None)).into_iter().chain(slots)
    }
}
