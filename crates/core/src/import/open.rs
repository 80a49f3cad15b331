//! Opens a file and imports its model.

use super::accessor::AccessorReader;
use super::archive::is_zip;
use super::clip_transfer::name_clip_by_file;
use super::diagnostic::Diagnostic;
use super::diagnostics::Diagnostics;
use super::error::{ImportError, OpenError};
use super::model_file::ModelFile;
use super::options::{ImportOptions, MeshLoading};
use super::pointers::PointerResolver;
use super::side_files::SideFiles;
use super::source::GltfFile;
use super::{
    bvh, clips, extensions, hierarchy, images, instancing, lights, materials, meshes, scenes, skins, visibility, vrm,
};
use crate::model::{Material, MeshIndex, Model};
use crate::util::parallel::join;
use std::borrow::Cow;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

/// An imported model with its file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Imported {
    /// The content of the file.
    pub gltf_file: GltfFile,
    /// The model.
    pub model: Model,
    /// Non-fatal findings, in the order of their import.
    pub diagnostics: Vec<Diagnostic>,
    /// Unsupported extensions that the file requires.
    pub unsupported_required_extensions: Vec<String>,
}

/// Imports the file at `path` with its external buffers and images. See [`ModelFile::read`] for archives.
///
/// ```
/// use rigview_core::import::{ImportOptions, open};
/// use std::path::Path;
///
/// # fn main() -> Result<(), rigview_core::import::OpenError> {
/// let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// let loaded = open(file, &ImportOptions::default())?;
/// for diagnostic in &loaded.diagnostics {
///     eprintln!("{diagnostic}");
/// }
/// assert_eq!(loaded.model.clips.len(), 2);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If the file cannot be read, exceeds a limit of the policy, or has damage that leaves nothing to draw. Other damaged
/// elements are diagnostics.
pub fn open(path: &Path, options: &ImportOptions) -> Result<Imported, OpenError> {
    let imported = ModelFile::read(path, &options.policy.limits).and_then(|file| file.import(options));
    imported.map_err(|source| OpenError { path: path.to_owned(), source: Box::new(source) })
}

impl ModelFile {
    /// Imports the model.
    ///
    /// # Errors
    /// See [`open()`].
    pub fn import(self, options: &ImportOptions) -> Result<Imported, ImportError> {
        // BVH has no names of clips.
        let is_bvh = bvh::is_bvh(&self.bytes);
        let mut imported = import(self.bytes.into(), self.side_files, options)?;
        if is_bvh {
            name_clip_by_file(&mut imported.model.clips, &self.path);
        }
        Ok(imported)
    }
}

/// Imports a GLB container, JSON, BVH motion capture, or a ZIP archive with one model, from memory.
///
/// Copies a borrowed GLB container, but not a `Vec`. External files are read by the resolver of the options, else from the
/// folder `base`.
///
/// # Errors
/// See [`open()`]. Without resolver and `base`, also if the file has external buffers.
pub fn from_bytes<'a>(
    bytes: impl Into<Cow<'a, [u8]>>,
    base: Option<&Path>,
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    let bytes = bytes.into();
    match is_zip(&bytes) {
        true => ModelFile::from_bytes(bytes.into_owned(), base, &options.policy.limits)?.import(options),
        false => import(bytes, SideFiles::Folder(base.map(Path::to_owned)), options),
    }
}

fn import(bytes: Cow<'_, [u8]>, side_files: SideFiles, options: &ImportOptions) -> Result<Imported, ImportError> {
    let mut diagnostics = Diagnostics::default();
    let has_unknown_unit = bvh::is_bvh(&bytes);
    let bytes = match has_unknown_unit {
        true => bvh::to_glb(&bytes, &options.policy.limits, &mut diagnostics)?.into(),
        false => bytes,
    };
    let gltf_file = GltfFile::new(bytes, side_files, options, &mut diagnostics)?;
    #[cfg(feature = "draco")]
    let gltf_file = {
        let mut gltf_file = gltf_file;
        if options.meshes == MeshLoading::Decode {
            super::draco::decode_accessors(&mut gltf_file, &mut diagnostics)?;
        }
        gltf_file
    };
    let unsupported_required_extensions = extensions::check(&gltf_file.document, &mut diagnostics)?;
    let mut materials = materials::read(&gltf_file.document, &mut diagnostics)?;
    if options.plain_materials {
        materials = materials.into_iter().map(Material::without_details).collect();
    }
    let mut textures = materials::read_textures(&gltf_file.document, &mut diagnostics)?;

    // Decoding images takes longest, so it runs in parallel with the rest.
    let mut image_diagnostics = Diagnostics::default();
    let read_images = || images::read(&gltf_file, options, &materials, &mut textures, &mut image_diagnostics);
    let (model, images) = if gltf_file.document.images.is_empty() {
        (read_model(&gltf_file, options.meshes, &materials, &mut diagnostics), Vec::new())
    } else {
        join(|| read_model(&gltf_file, options.meshes, &materials, &mut diagnostics), read_images)
    };
    let variants = materials::variants(&gltf_file.document);
    let images = images.into_iter().map(Arc::new).collect();
    let model = Model { materials, variants, textures, images, has_unknown_unit, ..model? };
    let diagnostics = diagnostics.into_vec().into_iter().chain(image_diagnostics.into_vec()).collect();
    Ok(Imported { gltf_file, model, diagnostics, unsupported_required_extensions })
}

/// Reads the model without materials, textures and images.
fn read_model(
    gltf_file: &GltfFile,
    loading: MeshLoading,
    materials: &[Material],
    diagnostics: &mut Diagnostics,
) -> Result<Model, ImportError> {
    let document = &gltf_file.document;
    let reader = AccessorReader::new(gltf_file);
    meshes::check_accessors(document, &reader, diagnostics)?;
    let hierarchy = hierarchy::read(document, &meshes::morph_target_counts(document), diagnostics)?;
    let hierarchy = instancing::add_gpu_instances(document, &reader, hierarchy, diagnostics)?;
    let joints = &hierarchy.joints;
    let skins = skins::read(document, &reader, joints, diagnostics)?;
    let meshes = meshes::read(document, &reader, loading, materials, &skins, diagnostics)?;
    let lights = lights::read(document, joints, diagnostics);
    let (scenes, default_scene) = scenes::read(document, &hierarchy, &skins, &lights, diagnostics)?;
    scenes::check_draw_limit(document, &scenes, &meshes)?;
    scenes::report_skin_mismatches(document, &meshes, diagnostics);
    let cameras = scenes::read_cameras(document, joints, diagnostics);
    let hidden_joints = visibility::read(document, joints);
    let (skeleton, materials) = (hierarchy.skeleton, materials.to_vec());
    let model =
        Model { skeleton, hidden_joints, skins, meshes, materials, cameras, lights, scenes, ..Model::default() };
    let lights = lights::count(document);
    let cameras = document.cameras.len();
    let pointers = PointerResolver {
        model: &model,
        joint_of_node: joints,
        light_count: lights,
        camera_count: cameras,
        has_property: RefCell::default(),
    };
    let clips = clips::read(gltf_file, &reader, &pointers, diagnostics)?;
    let mut model = Model { clips, default_scene, ..model };
    let draws_nothing = loading == MeshLoading::Decode && !draws_anything(&model);
    if let Some(error) = diagnostics.geometry_error.take().filter(|_| draws_nothing) {
        return Err(error);
    }
    vrm::read(document, &mut model, joints, diagnostics);
    visibility::report_alpha_0(&model, diagnostics);
    visibility::prune_never_visible(&mut model);
    scenes::check_palette_limits(document, &model)?;
    Ok(model)
}

/// Returns `true` if a scene draws a primitive, or if the file has no meshes.
fn draws_anything(model: &Model) -> bool {
    let has_primitives = |mesh: MeshIndex| model.meshes.get(mesh.get()).is_some_and(|mesh| !mesh.primitives.is_empty());
    let mut drawn = model.scenes.iter().flat_map(|scene| &scene.mesh_nodes);
    model.meshes.is_empty() || drawn.any(|mesh_node| has_primitives(mesh_node.mesh))
}
