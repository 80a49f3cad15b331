//! Samples a clip and prints the position of every joint in model space.
//!
//! Usage: `cargo run -p rigview-core --example sample_clip -- [FILE] [CLIP] [SECS]`; the defaults are the hare, its first clip and 0.5.

use rigview_core::import::{ImageLoading, ImportOptions, MeshLoading, open};
use rigview_core::model::JointIndex;
use rigview_core::pose::{Cursor, ModelPose, Pose, clamp_to_clip, sample};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb").to_owned());
    let clip = args.next().map_or(Ok(0), |text| text.parse::<usize>())?;
    let time_secs = args.next().map_or(Ok(0.5), |text| text.parse::<f64>())?;

    let options = ImportOptions::default().with_images(ImageLoading::Skip).with_meshes(MeshLoading::Skip);
    let model = open(Path::new(&file), &options)?.model;
    let clip = model.clips.get(clip).ok_or("the file has no such clip")?;

    // Local transforms first, then one pass over the hierarchy.
    let (mut cursor, mut pose, mut model_pose) = (Cursor::default(), Pose::default(), ModelPose::default());
    sample(&model.skeleton, clip, clamp_to_clip(time_secs, clip), &mut cursor, &mut pose);
    model_pose.update(&model.skeleton, &pose);

    for (i, joint) in model.skeleton.joints().iter().enumerate() {
        let position = model_pose.model_from_joint(JointIndex(i as u32)).translation;
        let name = joint.name.as_deref().unwrap_or("(unnamed)");
        println!("{name}: {:.4} {:.4} {:.4}", position.x, position.y, position.z);
    }
    Ok(())
}
