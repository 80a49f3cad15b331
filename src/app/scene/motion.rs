//! Motions of other rigs that are retargeted to the model.

use crate::app::FileError;
use crate::request::SceneRequest;
use nalgebra::Vector3;
use rigview_core::crowd::Crowd;
use rigview_core::import::{self, Diagnostic, ImageLoading, ImportOptions, Imported, MeshLoading};
use rigview_core::math::Affine;
use rigview_core::model::{ClipIndex, JointIndex, Model};
use rigview_core::pose::{LayerScratch, ModelPose, Pose};
use rigview_core::retarget::{RigMap, retarget_clips};
use rigview_render::scene::{BoneStyle, Overlay};
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A file whose clips are retargeted.
pub(crate) struct Motion {
    pub(crate) file: PathBuf,
    /// Skeleton and clips of the file.
    pub(crate) model: Model,
    pub(crate) map: RigMap,
    pub(crate) target_map: RigMap,
    /// The clips in the model that it moves.
    pub(crate) clips: Range<usize>,
    /// The reason why joints are matched by name instead.
    pub(crate) problem: Option<String>,
}

/// Distance of the skeleton of a motion from the model, in lengths of its legs.
const DISTANCE: f64 = 1.2;

impl Motion {
    /// Draws the skeleton at a time of `clip` of the model, at the size of that and beside it.
    pub(crate) fn add_skeleton(&self, overlay: &mut Overlay, target: &Model, clip: ClipIndex, time_secs: f64) {
        let Some(clip) = clip.get().checked_sub(self.clips.start).filter(|clip| *clip < self.clips.len()) else {
            return;
        };
        let (mut scratch, mut pose, mut posed) = (LayerScratch::default(), Pose::default(), ModelPose::default());
        Crowd::single(Some(ClipIndex(clip as u32))).pose(0, &self.model, time_secs, &mut scratch, &mut pose);
        posed.update(&self.model.skeleton, &pose);
        let (Ok(feet), Ok(target)) = (self.map.feet(&self.model), self.target_map.feet(target)) else { return };
        let scale = target.leg_length / feet.leg_length;
        let ground = Vector3::y() * (target.model_ground - scale * feet.model_ground);
        let mut place = Affine::from_translation(Vector3::x() * DISTANCE * target.leg_length + ground);
        place.linear *= scale;
        let style = BoneStyle { x_ray: true, axes: false, selected: None };
        overlay.add_skeleton_model(&self.model, |joint| place * *posed.model_from_joint(joint), style);
    }
}

/// Adds the clips of `clip_source` to a model; returns their indices. Reports joints without a counterpart.
///
/// Clips of another rig, and all if the request has them retargeted, are added to `motions`.
pub(super) fn import_clips(
    file: &Path,
    clip_source: &Path,
    request: &SceneRequest,
    loaded: &mut Imported,
    motions: &mut Vec<Motion>,
) -> Result<Range<usize>, FileError> {
    let options = ImportOptions::default().with_images(ImageLoading::Skip).with_meshes(MeshLoading::Skip);
    let options = options.with_policy(request.import.policy());
    let source = import::open(clip_source, &options).map_err(|error| *error.source)?.model;
    if source.clips.is_empty() {
        return Err(FileError::NoClips);
    }
    let first = loaded.model.clips.len();
    let mut unmatched = import::copy_clips_by_joint_name(&mut loaded.model, &source);
    let animated: HashSet<JointIndex> =
        source.clips.iter().flat_map(|clip| &clip.tracks).map(|track| track.joint).collect();
    // Clips of another rig would move few joints or none.
    let has_other_names = 2 * (unmatched.joints.len() + unmatched.unnamed) > animated.len();
    if request.motion.retarget || has_other_names {
        let target_map = RigMap::of_file(&loaded.model, file, None)?;
        let map = RigMap::of_file(&source, clip_source, None)?;
        let by_name = loaded.model.clips.split_off(first);
        let problem = match retarget_clips(&mut loaded.model, &target_map, &source, &map) {
            Ok(retargeted) => {
                unmatched = retargeted.unmatched;
                if !request.motion.retarget {
                    let message = "the joints have other names: its clips are fitted to this rig, as by --retarget";
                    loaded.diagnostics.push(Diagnostic::new("", format!("{}: {message}", clip_source.display())));
                }
                None
            }
            Err(error) if request.motion.retarget => return Err(error.into()),
            Err(error) => {
                loaded.model.clips.extend(by_name);
                Some(error.to_string())
            }
        };
        let clips = first..loaded.model.clips.len();
        motions.push(Motion { file: clip_source.to_owned(), model: source, map, target_map, clips, problem });
    }
    loaded.diagnostics.extend(unmatched.diagnostics(clip_source.display()));
    Ok(first..loaded.model.clips.len())
}
