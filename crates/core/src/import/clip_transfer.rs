//! Transfer of clips between models.

use super::diagnostic::Diagnostic;
use crate::model::{Clip, JointIndex, KeyValues, Model, Track};
use crate::pose::FaceTracks;
use crate::util::text::{excerpt, one_line};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::Path;

/// Joints of tracks that [`copy_clips_by_joint_name`] skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unmatched {
    /// Names of animated joints that the target lacks or has more than once; sorted, without duplicates.
    pub joints: Vec<String>,
    /// Number of animated joints without a name.
    pub unnamed: usize,
    /// Names of joints of the target that a clip animates, but that have [shear](crate::model::Joint::has_shear) and cannot move; in
    /// hierarchy order, without duplicates.
    pub sheared: Vec<String>,
    /// Names of joints whose animated morph weights the target has in another number; sorted, without duplicates.
    pub morphs: Vec<String>,
    /// Names of animated expressions that the target lacks; sorted.
    pub expressions: Vec<String>,
    /// Names of animated expressions that change only what is not drawn, such as toon colors; sorted.
    pub expressions_without_effect: Vec<String>,
    /// `true` if a gaze is animated, and the target has neither eyes nor expressions for it.
    pub gaze: bool,
}

/// Maximum number of joint names in a diagnostic.
const MAX_LISTED_NAMES: usize = 8;

/// Name of each clip of Mixamo.
const MIXAMO_CLIP: &str = "mixamo.com";

impl Unmatched {
    /// Returns `true` if most joints that the clips of `source` animate were skipped: the clips of another rig.
    pub fn is_most_of(&self, source: &Model) -> bool {
        let tracks = source.clips.iter().flat_map(|clip| &clip.tracks);
        let animated: BTreeSet<JointIndex> = tracks.map(|track| track.joint).collect();
        let face = source.face_joints.iter().filter(|face| animated.contains(&face.joint)).count();
        2 * (self.joints.len() + self.unnamed) > animated.len() - face
    }

    /// Adds what the face of the target lacks.
    pub(crate) fn set_face(&mut self, face: &FaceTracks<'_>) {
        self.expressions.clone_from(&face.missing);
        self.expressions_without_effect.clone_from(&face.without_effect);
        self.gaze = face.lacks_gaze;
    }

    /// Returns diagnostics that name some of the joints; none without any.
    pub fn diagnostics(&self, clip_source: impl Display) -> Vec<Diagnostic> {
        let missing = "joints that this model lacks, or whose names are ambiguous: {}; their tracks are ignored";
        let sheared =
            "joints whose matrix has shear: {}; their tracks are ignored; in Blender, apply the scale of their parents";
        let mut diagnostics = Vec::new();
        let morphs = "joints whose meshes have another number of morph targets in this model: {}; their morph tracks are ignored";
        let lacking = "expressions that this model lacks: {}; their tracks are ignored";
        let undrawn = "expressions whose effects are not drawn: {}; their tracks are ignored";
        let lists = [
            (&self.joints, self.unnamed, missing),
            (&self.sheared, 0, sheared),
            (&self.morphs, 0, morphs),
            (&self.expressions, 0, lacking),
            (&self.expressions_without_effect, 0, undrawn),
        ];
        for (joints, unnamed, problem) in lists {
            let count = joints.len() + unnamed;
            let mut names: Vec<String> = joints.iter().take(MAX_LISTED_NAMES).map(|name| excerpt(name)).collect();
            if count > names.len() {
                names.push(format!("{} more", count - names.len()));
            }
            let problem = problem.replace("{}", &names.join(", "));
            let message = format!("clips of {clip_source} animate {problem}");
            diagnostics.extend((count > 0).then(|| Diagnostic::new("", message)));
        }
        if self.gaze {
            let problem = "and this model has neither eye bones nor expressions for it; its track is ignored";
            diagnostics.push(Diagnostic::new("", format!("clips of {clip_source} animate the gaze, {problem}")));
        }
        diagnostics
    }
}

/// Names a single clip by the file of its motion, without folder and extension, if it has no name or `mixamo.com`, which Mixamo gives to
/// each of its clips. Several clips keep their names.
pub fn name_clip_by_file(clips: &mut [Clip], file: &Path) {
    let ([clip], Some(stem)) = (clips, file.file_stem()) else { return };
    if clip.name.as_deref().is_none_or(|name| name == MIXAMO_CLIP) {
        clip.name = Some(one_line(&stem.to_string_lossy()));
    }
}

/// Copies the clips of `source` to `target`, each track to the joint of the same name.
///
/// A name that occurs more than once in either model is matched by the names of all ancestors, and siblings of one name by their order:
/// see [`Skeleton::match_joints`](crate::model::Skeleton::match_joints). Tracks without a
/// matching joint are skipped and reported, and so are tracks of joints with shear, and morph weights with another target count. Values are not retargeted: both
/// skeletons need the same proportions. Expressions and gaze of a VRM animation become tracks of the target's expressions and eyes.
pub fn copy_clips_by_joint_name(target: &mut Model, source: &Model) -> Unmatched {
    let (mut unmatched, mut unnamed, mut sheared) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut morphs = BTreeSet::new();
    let matches = source.skeleton.match_joints(&target.skeleton);
    let face = FaceTracks::new(source, target);
    let is_face = |joint: JointIndex| source.face_driver(joint).is_some();
    let convert_clip = |clip: &Clip| {
        let mut tracks = Vec::new();
        for track in clip.tracks.iter().filter(|track| !is_face(track.joint)) {
            let source_joint = source.skeleton.joint(track.joint);
            let Some(joint) = matches[track.joint.get()].filter(|_| source_joint.name.is_some()) else {
                match &source_joint.name {
                    Some(name) => unmatched.insert(name.as_str()),
                    None => unnamed.insert(track.joint),
                };
                continue;
            };
            let target_joint = target.skeleton.joint(joint);
            let fits = !matches!(track.keys, KeyValues::Weights(_))
                || target_joint.morph_weights.len() == source_joint.morph_weights.len();
            if target_joint.has_shear() {
                sheared.insert(joint);
            } else if fits {
                tracks.push(Track { joint, ..track.clone() });
            } else {
                morphs.extend(source_joint.name.clone());
            }
        }
        // Property tracks refer to materials, lights and cameras of the source.
        let mut result = Clip { tracks, property_tracks: Vec::new(), ..clip.clone() };
        face.add(clip, &mut result);
        result
    };
    let clips: Vec<Clip> = source.clips.iter().map(convert_clip).collect();
    // Joints are matched by their names.
    let name = |joint: JointIndex| target.skeleton.joint(joint).name.clone();
    let sheared = sheared.into_iter().filter_map(name).collect();
    let mut unmatched = Unmatched {
        joints: unmatched.into_iter().map(str::to_owned).collect(),
        unnamed: unnamed.len(),
        sheared,
        morphs: morphs.into_iter().collect(),
        ..Unmatched::default()
    };
    unmatched.set_face(&face);
    target.clips.extend(clips);
    unmatched
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Affine, Transform};
    use crate::model::{Interpolation, Joint, Skeleton, Timeline};
    use nalgebra::{Matrix3, Vector3};

    fn model(joints: &[(&str, Option<u32>)]) -> Model {
        let joint = |&(name, parent): &(&str, Option<u32>)| Joint {
            name: (!name.is_empty()).then(|| name.to_owned()),
            node: 0,
            parent: parent.map(JointIndex),
            rest: Transform::identity(),
            exact_rest_matrix: None,
            morph_weights: 0..0,
        };
        let track = |joint: usize| Track {
            joint: JointIndex(joint as u32),
            timeline: 0.into(),
            interpolation: Interpolation::Linear,
            keys: KeyValues::Translation([Vector3::x() * joint as f32].into()),
        };
        let clip = Clip {
            timelines: vec![Timeline::new([0.0])],
            tracks: (0..joints.len()).map(track).collect(),
            ..Clip::default()
        };
        Model {
            skeleton: Skeleton::new(joints.iter().map(joint).collect(), Vec::new()),
            clips: vec![clip],
            ..Model::default()
        }
    }

    #[test]
    fn single_clip_without_a_name_of_its_own_has_that_of_its_file() {
        let named = |name: Option<&str>| Clip { name: name.map(str::to_owned), ..Clip::default() };
        let names = |mut clips: Vec<Clip>| {
            name_clip_by_file(&mut clips, Path::new("moves/wild dance.v2.glb"));
            clips.into_iter().map(|clip| clip.name).collect::<Vec<_>>()
        };
        for name in [None, Some("mixamo.com")] {
            assert_eq!(names(vec![named(name)]), [Some("wild dance.v2".to_owned())]);
            assert_eq!(names(vec![named(name); 2]), [name.map(str::to_owned), name.map(str::to_owned)]);
        }
        assert_eq!(names(vec![named(Some("walk"))]), [Some("walk".to_owned())]);
    }

    #[test]
    fn tracks_are_copied_to_joints_of_the_same_name() {
        let mut target =
            model(&[("root", None), ("left", Some(0)), ("hand", Some(1)), ("right", Some(0)), ("hand", Some(3))]);
        let source = model(&[
            ("root", None),
            ("right", Some(0)),
            ("hand", Some(1)),
            ("left", Some(0)),
            ("hand", Some(3)),
            ("tail", Some(0)),
            ("", Some(0)),
        ]);
        let unmatched = copy_clips_by_joint_name(&mut target, &source);
        assert_eq!(unmatched, Unmatched { joints: vec!["tail".to_owned()], unnamed: 1, ..Unmatched::default() });
        let joints: Vec<u32> = target.clips[1].tracks.iter().map(|track| track.joint.0).collect();
        assert_eq!((joints, target.clips.len()), (vec![0, 3, 4, 1, 2], 2));
    }

    #[test]
    fn siblings_of_one_name_are_matched_in_order() {
        let joints = [("root", None), ("a", Some(0)), ("a", Some(0))];
        let mut target = model(&joints);
        assert_eq!(copy_clips_by_joint_name(&mut target, &model(&joints)), Unmatched::default());
        let joints: Vec<u32> = target.clips[1].tracks.iter().map(|track| track.joint.0).collect();
        assert_eq!(joints, [0, 1, 2]);
    }

    #[test]
    fn morph_tracks_of_another_count_are_reported() {
        let with_morphs = |count: usize| {
            let mut model = model(&[("face", None)]);
            let mut joints = model.skeleton.joints().to_vec();
            joints[0].morph_weights = 0..count;
            model.skeleton = Skeleton::new(joints, vec![0.0; count]);
            model.clips[0].tracks[0].keys = KeyValues::Weights(vec![0.0; count].into());
            model
        };
        let (mut target, source) = (with_morphs(2), with_morphs(1));
        let unmatched = copy_clips_by_joint_name(&mut target, &source);
        assert_eq!((unmatched.morphs.as_slice(), target.clips[1].tracks.len()), (&["face".to_owned()][..], 0));
        let texts = unmatched.diagnostics("a.glb");
        assert!(
            matches!(&texts[..], [text] if text.message.contains("morph targets in this model: face")),
            "{texts:?}"
        );
    }

    #[test]
    fn joints_with_shear_are_reported() {
        let mut target = model(&[("root", None), ("hand", Some(0))]);
        let mut joints = target.skeleton.joints().to_vec();
        joints[1].exact_rest_matrix =
            Some(Affine { linear: Matrix3::new(1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), ..Affine::IDENTITY });
        target.skeleton = Skeleton::new(joints, Vec::new());
        let source = model(&[("root", None), ("hand", Some(0))]);
        let unmatched = copy_clips_by_joint_name(&mut target, &source);
        assert_eq!((unmatched.joints.len(), unmatched.sheared), (0, vec!["hand".to_owned()]));
        assert_eq!(target.clips[1].tracks.len(), 1);
    }

    #[test]
    fn repeated_name_with_different_paths_is_unmatched() {
        let mut target = model(&[("a", None), ("hand", Some(0)), ("hand", Some(0))]);
        let unmatched = copy_clips_by_joint_name(&mut target, &model(&[("b", None), ("hand", Some(0))]));
        assert_eq!(unmatched.joints, ["b", "hand"]);
    }
}
