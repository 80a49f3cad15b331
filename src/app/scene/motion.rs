//! Motions of other rigs that are retargeted to the model.

use crate::app::FileError;
use crate::app::error::RigMapError;
use crate::app::files::model_file::{import_model, motion_diagnostics};
use crate::app::files::rig_map_file::{cleared_diagnostics, confidence_diagnostics, open_rig_map};
use crate::request::SceneRequest;
use nalgebra::Vector3;
use rigview_core::ik::Feet;
use rigview_core::import::{self, Diagnostic, ImageLoading, ImportOptions, ImportPolicy, Imported, MeshLoading};
use rigview_core::math::{Affine, SupportHull};
use rigview_core::model::{ClipIndex, Model};
use rigview_core::retarget::{Reference, RigMap, retarget_clips};
use rigview_render::scene::{Overlay, skeleton_hull};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Distance of the skeleton of a motion from the model, in lengths of its legs.
const MOTION_DISTANCE: f64 = 1.2;

/// A file whose clips are retargeted.
pub(crate) struct ImportedMotion {
    pub(crate) file: PathBuf,
    /// Skeleton and clips of the file.
    pub(crate) model: Model,
    pub(crate) map: RigMap,
    /// The clips in the model that it moves.
    pub(crate) clips: Range<usize>,
    /// The hulls of its clips beside the model, once they are drawn.
    hulls: Vec<OnceLock<SupportHull>>,
    /// What is assumed about motion and model; `None` if its clips are copied.
    pub(crate) references: Option<[Reference; 2]>,
    /// From its model space to that of the model; `None` if joints are matched by name.
    target_from_source: Option<Affine>,
    /// The reason why joints are matched by name instead.
    pub(crate) problem: Option<String>,
}

impl ImportedMotion {
    /// Draws the skeleton at a time of `clip` of the model with the legs `target`, as it is compared with the model, and beside that.
    /// Returns its hull over the clip.
    pub(crate) fn add_skeleton(
        &self,
        overlay: &mut Overlay,
        target: &Feet,
        clip: ClipIndex,
        time_secs: f64,
    ) -> Option<SupportHull> {
        let clip = clip.get().checked_sub(self.clips.start).filter(|clip| *clip < self.clips.len())?;
        let clip = ClipIndex(clip as u32);
        let place =
            Affine::from_translation(Vector3::x() * MOTION_DISTANCE * target.leg_length) * self.target_from_source?;
        overlay.add_skeleton_at(&self.model, &place, clip, time_secs);
        let hull = self.hulls.get(clip.get())?;
        Some(hull.get_or_init(|| skeleton_hull(&self.model, &place, clip)).clone())
    }
}

/// The roles of the joints of a model, once they are read.
pub(super) type RigMapCell = OnceLock<Result<RigMap, RigMapError>>;

/// Returns the roles of the joints of a model: those of the map beside its file, and others.
pub(super) fn rig_map_of<'a>(
    cell: &'a RigMapCell,
    model: &Model,
    file: &Path,
    policy: &ImportPolicy,
) -> Result<&'a RigMap, RigMapError> {
    cell.get_or_init(|| open_rig_map(model, file, policy)).as_ref().map_err(Clone::clone)
}

/// Adds the clips of `clip_source` to a model; returns their indices. Reports joints without a counterpart.
///
/// Clips of another rig, and all if the request has them retargeted, are added to `motions`.
pub(super) fn import_clips(
    file: &Path,
    clip_source: &Path,
    request: &SceneRequest,
    loaded: &mut Imported,
    motions: &mut Vec<ImportedMotion>,
    rig_map: &RigMapCell,
) -> Result<Range<usize>, FileError> {
    let options = ImportOptions::default().with_images(ImageLoading::Skip).with_meshes(MeshLoading::Skip);
    let options = options.with_policy(request.import.policy());
    let Imported { model: source, diagnostics, .. } = import_model(clip_source, &request.conversion, &options)?;
    loaded.diagnostics.extend(motion_diagnostics(clip_source, &diagnostics));
    if source.clips.is_empty() {
        return Err(FileError::NoClips);
    }
    let first = loaded.model.clips.len();
    let mut unmatched = import::copy_clips_by_joint_name(&mut loaded.model, &source);
    // Clips of another rig would move few joints or none.
    if request.motion.retarget || unmatched.is_most_of(&source) {
        let policy = request.import.policy();
        let target_map = rig_map_of(rig_map, &loaded.model, file, &policy)?;
        let map = open_rig_map(&source, clip_source, &policy)?;
        let by_name = loaded.model.clips.split_off(first);
        let (mut references, mut target_from_source) = (None, None);
        let problem = match retarget_clips(&mut loaded.model, target_map, &source, &map) {
            Ok(retargeted) => {
                unmatched = retargeted.unmatched;
                (references, target_from_source) = (retargeted.references, Some(retargeted.target_from_source));
                let resampled = retargeted.resampled.iter();
                loaded.diagnostics.extend(resampled.map(|resampled| Diagnostic::new("", resampled.to_string())));
                loaded.diagnostics.extend(confidence_diagnostics(references, [clip_source, file]));
                loaded.diagnostics.extend(cleared_diagnostics([(target_map, file), (&map, clip_source)]));
                if !request.motion.retarget {
                    let message = "the joints have other names: its clips are fitted to this rig, as by --retarget";
                    loaded.diagnostics.push(Diagnostic::new("", format!("{}: {message}", clip_source.display())));
                }
                None
            }
            Err(error) if request.motion.retarget => return Err(error.into()),
            Err(error) => {
                loaded.model.clips.extend(by_name);
                Some(FileError::from(error).to_string())
            }
        };
        let clips = first..loaded.model.clips.len();
        let hulls = clips.clone().map(|_| OnceLock::new()).collect();
        motions.push(ImportedMotion {
            file: clip_source.to_owned(),
            model: source,
            map,
            clips,
            hulls,
            references,
            target_from_source,
            problem,
        });
    }
    import::name_clip_by_file(&mut loaded.model.clips[first..], clip_source);
    loaded.diagnostics.extend(unmatched.diagnostics(clip_source.display()));
    Ok(first..loaded.model.clips.len())
}
