//! Writes a model with its skin as a .glb, with the clips of other files or with the pose of a frame.

use crate::app::AppError;
use crate::app::files::atomic_write::write_atomic;
use crate::app::files::output_path::check_output;
use crate::app::notices::scene_notices;
use crate::app::tasks::bake::open_posed;
use crate::cli::BakeArgs;
use rigview_core::export::glb_with_clips;
use rigview_core::pose::pose_clip;

/// Writes the file with the clips of other files, or with a clip `Pose` of one key. Returns notices.
///
/// Instances, other models, and materials of expressions are not written.
pub(crate) fn make(args: &BakeArgs, is_pose: bool) -> Result<Vec<String>, AppError> {
    let request = &args.pose;
    let inputs = [args.file.as_path()].into_iter().chain(request.model_files());
    check_output(&args.output, inputs, &request.import.policy(), Some("glb"))?;
    let loaded = open_posed(&args.file, request)?;
    let (mut model, mut clips) = (loaded.model().clone(), loaded.imported_clips());
    if is_pose {
        let (pose, constrained) = loaded.first_pose(loaded.time_secs(request));
        let clip = pose_clip("Pose", &model.skeleton, &pose, &constrained);
        model.clips.truncate(clips.start);
        model.clips.extend(Some(clip).filter(|clip| !clip.tracks.is_empty()));
        clips.end = model.clips.len();
    }
    let glb = glb_with_clips(&loaded.gltf_file, &model, clips.clone());
    write_atomic(&args.output, &glb.map_err(|error| AppError::in_file(&args.file, error))?)?;
    let notice = || format!("{}: the pose is the rest pose; the result has no clip of it", loaded.file.display());
    Ok(scene_notices(&loaded).into_iter().chain(clips.is_empty().then(notice)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::LoadedScene;
    use crate::request::{GroundRequest, MotionRequest, SceneRequest, TimeRequest};
    use rigview_core::import::ImageLoading;
    use rigview_core::palette::BlockIndex;
    use rigview_core::palette::skin_on_cpu;
    use std::path::Path;

    /// Positions of the vertices at a time of the clock.
    fn positions(scene: &mut LoadedScene, time_secs: f64) -> Vec<[f32; 3]> {
        scene.pose_in_double_precision(time_secs);
        let draws = scene.layout().draws.iter();
        draws.flat_map(|draw| skin_on_cpu(scene.rig(), scene.palette(), BlockIndex(0), draw).positions).collect()
    }

    #[test]
    fn written_clips_and_pose_move_the_vertices_as_the_source() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/motion");
        let (file, written) = (folder.join("body.glb"), tempfile::tempdir().unwrap());
        let motion = MotionRequest { clip_sources: vec![folder.join("walk.bvh")], ..MotionRequest::default() };
        let turned = ["chest=0,30,10".parse().unwrap()];
        let on_slope = MotionRequest { feet_on: Some(GroundRequest::Slope(10.0)), ..motion.clone() };
        let (of_clip, time) = (SceneRequest { motion, ..SceneRequest::default() }, TimeRequest::Secs(0.4));
        let bent = SceneRequest { joint_poses: turned.into(), time, ..of_clip.clone() };
        let standing = SceneRequest { motion: on_slope, ..bent.clone() };
        for (name, pose, is_pose) in [("clips", of_clip, false), ("bent", bent, true), ("standing", standing, true)] {
            let output = written.path().join(format!("{name}.glb"));
            let args = BakeArgs { file: file.clone(), output: output.clone(), gpu: false, pose: pose.clone() };
            make(&args, is_pose).unwrap();
            let mut source = open_posed(&file, &pose).unwrap();
            let mut copy = LoadedScene::open(&output, &SceneRequest::default(), ImageLoading::Skip).unwrap();
            assert_eq!(copy.model().clips[0].name.as_deref(), Some(if is_pose { "Pose" } else { "walk" }));
            for secs in if is_pose { vec![0.4] } else { vec![0.0, 0.31, 0.77] } {
                let (expected, found) = (positions(&mut source, secs), positions(&mut copy, secs));
                let far = expected.iter().zip(&found).flat_map(|(a, b)| (0..3).map(|i| (a[i] - b[i]).abs()));
                let far = far.fold(0.0, f32::max);
                assert!(expected.len() == found.len() && far < 1e-5, "{name} at {secs} s: {far} m");
            }
        }
    }
}
