//! The posed mesh as a static GLB file.

use crate::model::instance_at;
use rigview_core::crowd::{Crowd, CrowdAnimator};
use rigview_core::export::{ExportError, StaticGlb, StaticMesh};
use rigview_core::import::GltfFile;
use rigview_core::model::{ClipIndex, InstanceIndex, Model};
use rigview_core::palette::{BlockIndex, Rig, skin_on_cpu};
use std::sync::Arc;

/// Returns the default scene at a time of a clip, posed as `rigview bake` does.
pub(crate) fn glb(
    model: Arc<Model>,
    gltf_file: &GltfFile,
    clip: Option<ClipIndex>,
    time_secs: f64,
) -> Result<Vec<u8>, ExportError> {
    let scene = model.default_scene;
    let rig = Rig::new(model, scene).expect("an imported model is valid");
    let mut animator = CrowdAnimator::new(&rig);
    animator.update_in_double_precision(&mut Crowd::new([instance_at(clip, time_secs)]), 0.0);
    let mut bin = Vec::new();
    let mut glb = StaticGlb::new(rig.model(), &mut bin);
    for draw in &rig.layout().draws {
        let vertices = skin_on_cpu(&rig, animator.palette(), BlockIndex(0), draw);
        glb.add(&StaticMesh { instance: InstanceIndex(0), draw: *draw, vertices })?;
    }
    let mut bytes = glb.finish(gltf_file)?;
    bytes.extend(bin);
    Ok(bytes)
}
