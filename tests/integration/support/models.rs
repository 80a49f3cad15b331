//! Shipped models, and sample models if available.

use rigview::import::{ImageLoading, ImportOptions, open};
use rigview::model::Model;
use std::path::{Path, PathBuf};

/// The environment variable that names a folder of model folders.
const SAMPLES: &str = "RIGVIEW_SAMPLE_MODELS";

/// Supported required extensions. A file that requires another one is refused.
///
/// Blender requires `KHR_lights_punctual` in every file with a light.
pub(crate) const REQUIRED_EXTENSIONS: [&str; 26] = [
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "EXT_texture_avif",
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_draco_mesh_compression",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_diffuse_transmission",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_node_visibility",
    "KHR_texture_basisu",
    "KHR_texture_transform",
];

/// The shipped models: `assets/*.glb`, at least one.
pub(crate) fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let models = below(&folder);
    assert!(!models.is_empty(), "no model in {}", folder.display());
    models
}

/// Every `.glb` and `.gltf` in the folder of sample models.
///
/// Without the folder, prints that the test is skipped, and returns no models.
pub(crate) fn samples(test: &str) -> Option<Vec<PathBuf>> {
    let Some(folder) = std::env::var_os(SAMPLES) else {
        println!("skipped: {test} needs {SAMPLES}");
        return None;
    };
    let models = below(Path::new(&folder));
    assert!(!models.is_empty(), "{SAMPLES}: no model in {}", folder.display());
    Some(models)
}

/// Every model in a folder and its subfolders, sorted by path.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut models = Vec::new();
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder's entry").path();
        if path.is_dir() {
            models.extend(below(&path));
        } else if path.extension().is_some_and(|end| end == "glb" || end == "gltf") {
            models.push(path);
        }
    }
    models.sort();
    models
}

/// Imports a model without its images.
pub(crate) fn open_model(file: &Path) -> Model {
    open(file, &ImportOptions::default().with_images(ImageLoading::Skip))
        .unwrap_or_else(|error| panic!("{error}"))
        .model
}

/// Path of a model relative to its collection, for messages.
pub(crate) fn name(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts[parts.len().saturating_sub(3)..].join("/")
}
