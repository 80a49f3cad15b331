//! Selected parts of a model, and the draws that belong to them.

use super::LoadedScene;
use super::lookup::{find_by_name_or_index, find_joint, name_or_index};
use crate::app::FileError;
use crate::request::{DebugViewRequest, PartKind, PartRequest};
use rigview_core::model::{JointIndex, MaterialIndex, MeshIndex, Model, Skeleton, SkinIndex};
use rigview_core::palette::PrimitiveDraw;

/// A selected part of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Selection {
    Joint(JointIndex),
    Skin(SkinIndex),
    Mesh(MeshIndex),
    Material(MaterialIndex),
}

impl Selection {
    /// Finds a part by name, or by its index in the file.
    pub(crate) fn find(model: &Model, request: &PartRequest) -> Result<Self, FileError> {
        let name = &request.name;
        Ok(match request.kind {
            PartKind::Node => Self::Joint(find_joint(model, name)?),
            PartKind::Mesh => Self::Mesh(MeshIndex(find_by_name_or_index("mesh", name, mesh_names(model))? as u32)),
            PartKind::Material => {
                Self::Material(MaterialIndex(find_by_name_or_index("material", name, material_names(model))? as u32))
            }
            PartKind::Skin => Self::Skin(SkinIndex(find_by_name_or_index("skin", name, skin_names(model))? as u32)),
        })
    }

    pub(crate) fn request(self, model: &Model) -> PartRequest {
        let (kind, name) = match self {
            Self::Joint(joint) => (PartKind::Node, model.skeleton.unambiguous_name(joint)),
            Self::Mesh(mesh) => (PartKind::Mesh, name_or_index(mesh_names(model), mesh.get())),
            Self::Material(material) => (PartKind::Material, name_or_index(material_names(model), material.get())),
            Self::Skin(skin) => (PartKind::Skin, name_or_index(skin_names(model), skin.get())),
        };
        PartRequest { kind, name }
    }

    /// `true` for each draw of the scene that belongs to this part: a node with its descendants, or what a joint of skins
    /// influences.
    pub(crate) fn draws(self, scene: &LoadedScene) -> Vec<bool> {
        let own = self.own_draws(scene);
        let Self::Joint(joint) = self else { return own };
        if own.contains(&true) {
            return own;
        }
        let skins: Vec<bool> = scene.model().skins.iter().map(|skin| skin.joints.contains(&joint)).collect();
        let is_deformed = |draw| scene.layout().skin_of(draw).is_some_and(|skin| skins[skin.get()]);
        scene.layout().draws.iter().map(is_deformed).collect()
    }

    /// The same without the meshes that a joint deforms.
    fn own_draws(self, scene: &LoadedScene) -> Vec<bool> {
        let (model, draws) = (scene.model(), &scene.layout().draws);
        let mark = |has_draw: &dyn Fn(&PrimitiveDraw) -> bool| draws.iter().map(has_draw).collect::<Vec<bool>>();
        match self {
            Self::Mesh(mesh) => mark(&|draw| draw.mesh == mesh),
            Self::Material(material) => {
                mark(&|draw| model.meshes[draw.mesh.get()].primitives[draw.primitive].material == Some(material))
            }
            Self::Skin(skin) => mark(&|draw| scene.layout().skin_of(draw) == Some(skin)),
            Self::Joint(joint) => {
                let joints = subtree(&model.skeleton, joint);
                mark(&|draw| joints[draw.joint.get()])
            }
        }
    }

    /// Returns `true` for a joint that has no mesh below it.
    pub(crate) fn has_no_mesh(self, scene: &LoadedScene) -> bool {
        matches!(self, Self::Joint(_)) && !self.own_draws(scene).contains(&true)
    }

    /// Returns `true` for a joint that has no mesh below it and deforms all meshes, so that all is drawn if it is isolated.
    pub(crate) fn deforms_all(self, scene: &LoadedScene) -> bool {
        self.has_no_mesh(scene) && !self.draws(scene).contains(&false)
    }
}

/// Parts that are hidden, and the one part that is shown while the others are not.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HiddenParts {
    pub(crate) hidden: Vec<Selection>,
    pub(crate) isolated: Option<Selection>,
}

impl HiddenParts {
    /// Finds the parts that a request hides.
    pub(crate) fn find(model: &Model, request: &DebugViewRequest) -> Result<Self, FileError> {
        let find = |part: &PartRequest| Selection::find(model, part);
        Ok(Self {
            hidden: request.hide.iter().map(find).collect::<Result<_, _>>()?,
            isolated: request.isolate.as_ref().map(find).transpose()?,
        })
    }

    /// Finds the parts that a model has.
    pub(crate) fn find_known(model: &Model, (hide, isolate): &(Vec<PartRequest>, Option<PartRequest>)) -> Self {
        let find = |part: &PartRequest| Selection::find(model, part).ok();
        Self { hidden: hide.iter().filter_map(find).collect(), isolated: isolate.as_ref().and_then(find) }
    }

    /// The requests for `hide` and `isolate`.
    pub(crate) fn requests(&self, model: &Model) -> (Vec<PartRequest>, Option<PartRequest>) {
        (self.hidden.iter().map(|part| part.request(model)).collect(), self.isolated.map(|part| part.request(model)))
    }

    /// Hides a part, or shows it again.
    pub(crate) fn toggle(&mut self, part: Selection) {
        match self.hidden.iter().position(|hidden| *hidden == part) {
            Some(index) => drop(self.hidden.remove(index)),
            None => self.hidden.push(part),
        }
    }

    /// `true` for each draw of the scene that is left out; empty if all are drawn.
    pub(crate) fn draws(&self, scene: &LoadedScene) -> Vec<bool> {
        if *self == Self::default() {
            return Vec::new();
        }
        let mut left_out = vec![false; scene.layout().draws.len()];
        for part in &self.hidden {
            part.own_draws(scene).iter().zip(&mut left_out).for_each(|(hidden, left_out)| *left_out |= hidden);
        }
        if let Some(part) = self.isolated {
            part.draws(scene).iter().zip(&mut left_out).for_each(|(shown, left_out)| *left_out |= !shown);
        }
        left_out
    }
}

fn mesh_names(model: &Model) -> impl Iterator<Item = Option<&str>> + Clone {
    model.meshes.iter().map(|mesh| mesh.name.as_deref())
}

fn material_names(model: &Model) -> impl Iterator<Item = Option<&str>> + Clone {
    model.materials.iter().map(|material| material.name.as_deref())
}

fn skin_names(model: &Model) -> impl Iterator<Item = Option<&str>> + Clone {
    model.skins.iter().map(|skin| skin.name.as_deref())
}

/// `true` for a joint and each of its descendants.
pub(crate) fn subtree(skeleton: &Skeleton, joint: JointIndex) -> Vec<bool> {
    let mut joints = vec![false; skeleton.len()];
    // Parents come before their children.
    for (i, each) in skeleton.joints().iter().enumerate() {
        joints[i] = i == joint.get() || each.parent.is_some_and(|parent| joints[parent.get()]);
    }
    joints
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::tests::shipped_scene;
    use crate::request::SceneRequest;

    fn scene(file: &str) -> LoadedScene {
        shipped_scene(file, &SceneRequest::default())
    }

    fn part(text: &str) -> PartRequest {
        text.parse().unwrap()
    }

    #[test]
    fn parts_are_found_by_the_request_that_names_them() {
        for file in ["hare.glb", "windmill.glb"] {
            let scene = scene(file);
            let model = scene.model();
            let joints = (0..model.skeleton.len() as u32).map(|i| Selection::Joint(JointIndex(i)));
            let meshes = (0..model.meshes.len() as u32).map(|i| Selection::Mesh(MeshIndex(i)));
            let materials = (0..model.materials.len() as u32).map(|i| Selection::Material(MaterialIndex(i)));
            let skins = (0..model.skins.len() as u32).map(|i| Selection::Skin(SkinIndex(i)));
            for selection in joints.chain(meshes).chain(materials).chain(skins) {
                let request = selection.request(model);
                assert_eq!(Selection::find(model, &part(&request.to_string())).unwrap(), selection, "{request}");
            }
        }
        let message = Selection::find(scene("hare.glb").model(), &part("mesh:none")).unwrap_err().to_string();
        assert!(message.starts_with("has no mesh `none`"), "{message}");
    }

    #[test]
    fn every_draw_belongs_to_its_node_mesh_material_and_skin() {
        let scene = scene("windmill.glb");
        for (i, draw) in scene.layout().draws.iter().enumerate() {
            let primitive = &scene.model().meshes[draw.mesh.get()].primitives[draw.primitive];
            let mut parts = vec![Selection::Joint(draw.joint), Selection::Mesh(draw.mesh)];
            parts.extend(primitive.material.map(Selection::Material));
            let mut ancestor = scene.model().skeleton.joint(draw.joint).parent;
            while let Some(joint) = ancestor {
                parts.push(Selection::Joint(joint));
                ancestor = scene.model().skeleton.joint(joint).parent;
            }
            for part in parts {
                assert!(part.draws(&scene)[i], "{part:?}");
                let hidden = HiddenParts { hidden: vec![part], isolated: None };
                assert!(hidden.draws(&scene)[i], "{part:?}");
                let isolated = HiddenParts { hidden: Vec::new(), isolated: Some(part) };
                assert!(!isolated.draws(&scene)[i], "{part:?}");
            }
        }
        assert!(HiddenParts::default().draws(&scene).is_empty());
    }

    #[test]
    fn joint_of_a_skin_shows_what_it_deforms_and_hides_nothing() {
        let scene = scene("hare.glb");
        let skin = &scene.model().skins[0];
        let leaf =
            skin.joints.iter().find(|joint| !scene.layout().draws.iter().any(|draw| draw.joint == **joint)).unwrap();
        assert!(Selection::Joint(*leaf).draws(&scene).contains(&true));
        assert_eq!(Selection::Skin(SkinIndex(0)).draws(&scene), Selection::Joint(*leaf).draws(&scene));
        let hidden = HiddenParts { hidden: vec![Selection::Joint(*leaf)], isolated: None };
        assert!(Selection::Joint(*leaf).has_no_mesh(&scene) && !hidden.draws(&scene).contains(&true));
        assert!(!Selection::Joint(scene.layout().draws[0].joint).has_no_mesh(&scene));
    }
}
