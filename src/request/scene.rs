//! The posed scene of a request.

use super::ownership::ownership;
use super::parse::{finite, numbers, positive, with_names};
use super::{
    ClipWeight, ConversionRequest, CrowdRequest, FILE_ACCESS_HEADING, ImportRequest, JointPoseRequest, LayerRequest,
    LayoutRequest, MorphWeightRequest, POSE_HEADING,
};
use clap::Args;
use clap::builder::{OsStringValueParser, StringValueParser, TypedValueParser as _};
use rigview_core::ik::Ground;
use rigview_core::import::ImageLoading;
use rigview_core::util::text::file_name;
use rigview_suite::suite::ModelOfShot;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Value of [`SceneRequest::clip`] that plays all clips together.
pub const ALL_CLIPS: &str = "all";

/// The contents to load from a file, and their pose. Items are given by name or by index.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Scene and animation")]
pub struct SceneRequest {
    /// Clip to play, by name or by index from 0; `all` plays all together, each in its own loop, and `none` shows the rest pose
    /// [default: all clips if they move different parts, else the first that moves at least a third as many joints as any]
    #[arg(long, value_name = "NAME|INDEX|all|none", hide_possible_values = true,
        value_parser = with_names(StringValueParser::new(), [ALL_CLIPS, "none"]))]
    pub clip: Option<String>,

    /// Time in the clip, in seconds or as a part of it, such as 50%.
    ///
    /// 0% is the first key and 100% the last; times are clamped to the clip
    #[arg(long, value_name = "SECONDS|PERCENT%", default_value_t, allow_negative_numbers = true)]
    pub time: TimeRequest,

    /// Scene to show, by name or by index from 0 [default: the file's default scene]
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,

    /// Material variant, by name or by index from 0 [default: the file's default materials]
    #[arg(long, value_name = "NAME|INDEX")]
    pub variant: Option<String>,

    /// Motion of other files, and what changes it.
    #[command(flatten)]
    pub motion: MotionRequest,

    /// Blend another clip with --clip, which has weight 1; @SECONDS shifts its start. Such as Run:0.5; repeatable
    ///
    /// At each joint, the clips that animate it count: clips of different joints play in full. A layer of the clip of --clip without
    /// @SECONDS sets its weight
    #[arg(help_heading = POSE_HEADING, long = "layer", value_name = "CLIP[:WEIGHT[@SECONDS]]")]
    pub layers: Vec<LayerRequest>,

    /// Override the pose of a joint: rotation in degrees about X, Y and Z of its parent, then translation, then scale
    /// [default: the rest pose]. Such as Head=0,30,0; repeatable.
    ///
    /// JOINT=in-place keeps the horizontal position that the joint has at the first key of each clip
    #[arg(help_heading = POSE_HEADING, long = "pose", value_name = "JOINT=RX,RY,RZ[,X,Y,Z[,SX,SY,SZ]]|in-place", allow_hyphen_values = true)]
    pub joint_poses: Vec<JointPoseRequest>,

    /// Pose the model as the joint of this rank in `rigview check --flex`, from 0 for the worst, in its worst pose
    #[arg(help_heading = POSE_HEADING, long, value_name = "RANK")]
    pub flex: Option<usize>,

    /// Show an expression of a VRM avatar, by name, preset (happy, in VRM 0.x also joy) or index from 0, at a value from 0 to 1. Such as happy=0.5; repeatable
    #[arg(help_heading = POSE_HEADING, long = "expression", value_name = "NAME|INDEX=VALUE")]
    pub expressions: Vec<MorphWeightRequest>,

    /// Override a morph target weight (shape key value), on all nodes or on one. Such as smile=0.5; repeatable
    #[arg(help_heading = POSE_HEADING, long = "morph-weight", value_name = "[NODE:]TARGET=WEIGHT", allow_hyphen_values = true)]
    pub morph_weights: Vec<MorphWeightRequest>,

    /// Open the file even if it requires an extension that is not supported
    #[arg(help_heading = FILE_ACCESS_HEADING, long)]
    pub ignore_required: bool,

    /// Instances.
    #[command(flatten)]
    pub crowd: CrowdRequest,

    /// Policy for every file of the request.
    #[command(flatten)]
    pub import: ImportRequest,

    /// Converter for every file of the request.
    #[command(flatten)]
    pub conversion: ConversionRequest,
}

ownership!(SceneRequest {
    file: [clip, time, scene, variant, layers, joint_poses, flex, expressions, morph_weights],
    view: [ignore_required, import, conversion],
    parts: [motion, crowd]
});

/// Clips of other files, and changes of every pose.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct MotionRequest {
    /// Import the clips of another file; repeatable.
    ///
    /// They go onto joints of the same names, or are fitted as --retarget does if most names differ
    #[arg(long = "clips-from", value_name = "FILE")]
    pub clip_sources: Vec<PathBuf>,

    /// Fit imported clips to the joints and proportions of this model.
    ///
    /// `rigview rig-map` prints which joint is which
    #[arg(long)]
    pub retarget: bool,

    /// Put the feet on a ground: a model, a slope that rises towards +Z, or steps of a height in meters. Such as slope:20
    #[arg(help_heading = POSE_HEADING, long, value_name = "FILE|slope:DEGREES|steps:HEIGHT", value_parser = OsStringValueParser::new().try_map(GroundRequest::try_from))]
    pub feet_on: Option<GroundRequest>,

    /// Turn heads and eyes to the camera or to a point, as far as a neck permits; `rigview rig-map` prints which joints they are
    #[arg(help_heading = POSE_HEADING, long, value_name = "camera|X,Y,Z", hide_possible_values = true, allow_hyphen_values = true,
        value_parser = with_names(StringValueParser::new().try_map(|text| text.parse::<LookAtRequest>()), ["camera"]))]
    pub look_at: Option<LookAtRequest>,
}

ownership!(MotionRequest { file: [clip_sources, retarget, feet_on, look_at], view: [], parts: [] });

impl MotionRequest {
    /// The model files that the options name.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.clip_sources.iter().map(PathBuf::as_path).chain(self.feet_on.iter().filter_map(GroundRequest::file))
    }
}

/// What heads look at: `camera` or `X,Y,Z`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LookAtRequest {
    /// The eye of the camera.
    Camera,
    /// A point of the scene, in meters.
    Point([f64; 3]),
}

impl FromStr for LookAtRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "camera" => Ok(Self::Camera),
            point => numbers(point)
                .map(Self::Point)
                .map_err(|error| format!("{error}; expected `camera`, or a point such as 0,1.6,3")),
        }
    }
}

impl fmt::Display for LookAtRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Camera => f.write_str("camera"),
            // Adding 0 turns -0 into 0.
            Self::Point([x, y, z]) => write!(f, "{},{},{}", x + 0.0, y + 0.0, z + 0.0),
        }
    }
}

/// A time in a clip: `SECONDS` or `PERCENT%`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeRequest {
    /// In seconds.
    Secs(f64),
    /// From the first key, 0, to the last, 100.
    Percent(f64),
}

impl TimeRequest {
    /// Returns the time in seconds in a clip with these times of its first and last key.
    pub fn secs(self, [first_key_secs, end_secs]: [f64; 2]) -> f64 {
        match self {
            Self::Secs(secs) => secs,
            Self::Percent(percent) => first_key_secs + percent / 100.0 * (end_secs - first_key_secs),
        }
    }
}

impl Default for TimeRequest {
    fn default() -> Self {
        Self::Secs(0.0)
    }
}

impl fmt::Display for TimeRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Adding 0 turns -0 into 0.
            Self::Secs(secs) => write!(f, "{}", secs + 0.0),
            Self::Percent(percent) => write!(f, "{}%", percent + 0.0),
        }
    }
}

impl FromStr for TimeRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_suffix('%').map(finite) {
            Some(Ok(percent)) if (0.0..=100.0).contains(&percent) => Ok(Self::Percent(percent)),
            Some(_) => Err("expected a percentage from 0% to 100%".to_owned()),
            None => finite(text).map(Self::Secs),
        }
    }
}

/// A ground under feet: `slope:DEGREES`, `steps:HEIGHT` or a model file.
#[derive(Clone, Debug, PartialEq)]
pub enum GroundRequest {
    /// Degrees, from -60 to 60.
    Slope(f64),
    /// Height of a step, above 0.
    Steps(f64),
    /// A model.
    File(PathBuf),
}

impl TryFrom<OsString> for GroundRequest {
    type Error = String;

    fn try_from(text: OsString) -> Result<Self, String> {
        match text.to_str().and_then(|text| text.split_once(':')) {
            Some(("slope", degrees)) => match finite(degrees)? {
                degrees if degrees.abs() <= 60.0 => Ok(Self::Slope(degrees)),
                _ => Err("expected an angle from -60 to 60 degrees, such as slope:20".to_owned()),
            },
            Some(("steps", height)) => Ok(Self::Steps(positive(height)?)),
            _ => Ok(Self::File(text.into())),
        }
    }
}

impl GroundRequest {
    /// Returns the ground of a formula, `None` for a model.
    pub(crate) fn formula(&self) -> Option<Ground> {
        match self {
            Self::Slope(degrees) => Some(Ground::slope(*degrees)),
            Self::Steps(height) => Some(Ground::steps(*height)),
            Self::File(_) => None,
        }
    }

    /// The formulas in the window.
    pub(crate) const CHOICES: [Self; 5] =
        [Self::Slope(10.0), Self::Slope(20.0), Self::Slope(-20.0), Self::Steps(0.1), Self::Steps(0.2)];

    /// Returns the name in the window.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Slope(degrees) => format!("Slope of {degrees}\u{b0}"),
            Self::Steps(height) => format!("Steps of {height} m"),
            Self::File(file) => file_name(file),
        }
    }

    /// Returns the model file.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(file),
            Self::Slope(_) | Self::Steps(_) => None,
        }
    }
}

impl fmt::Display for GroundRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slope(degrees) => write!(f, "slope:{degrees}"),
            Self::Steps(height) => write!(f, "steps:{height}"),
            Self::File(file) => file.display().fmt(f),
        }
    }
}

/// Returns the file with corrections of the roles of joints beside a model.
pub fn rig_map_file(model: &Path) -> PathBuf {
    model.with_extension("rigmap.toml")
}

impl SceneRequest {
    /// The model files that the options name: clip sources, other models and the ground.
    pub fn model_files(&self) -> impl Iterator<Item = &Path> {
        let other_models = self.crowd.other_models.iter().map(|model| model.file.as_path());
        let crowd_sources = self.crowd.clips.iter().filter_map(ClipWeight::clip_source);
        self.motion.files().chain(other_models).chain(crowd_sources)
    }

    /// Returns the request without clip and time, which change from image to image of one scene.
    #[must_use]
    pub(crate) fn without_playback(&self) -> Self {
        Self { clip: None, time: TimeRequest::default(), ..self.clone() }
    }

    /// Takes what only changes when the models are read again from `other`. The ground is no model.
    #[must_use]
    pub(crate) fn with_files_of(mut self, other: &Self) -> Self {
        let MotionRequest { clip_sources, retarget, .. } = other.motion.clone();
        let CrowdRequest { other_models, layout, .. } = other.crowd.clone();
        // A grid and a scatter need no file.
        let layouts = [&self.crowd.layout, &layout];
        let layout = match layouts.iter().any(|layout| matches!(layout, Some(LayoutRequest::File(_)))) {
            true => layout,
            false => self.crowd.layout.take(),
        };
        let in_place = |request: &Self| -> Vec<JointPoseRequest> {
            request.joint_poses.iter().filter(|pose| pose.is_in_place()).cloned().collect()
        };
        let others = in_place(other);
        if in_place(&self) != others {
            self.joint_poses.retain(|pose| !pose.is_in_place());
            self.joint_poses.extend(others);
        }
        Self {
            scene: other.scene.clone(),
            variant: other.variant.clone(),
            flex: other.flex,
            motion: MotionRequest { clip_sources, retarget, ..self.motion },
            crowd: CrowdRequest { other_models, layout, ..self.crowd },
            ignore_required: other.ignore_required,
            import: other.import.clone(),
            conversion: other.conversion.clone(),
            ..self
        }
    }

    /// Returns `true` if `other` can replace this request without reading models again.
    pub(crate) fn has_files_of(&self, other: &Self) -> bool {
        self.clone().with_files_of(other) == *self
    }

    /// The models that the request shows, with the clips that they play.
    pub(crate) fn models_of_shot(&self, file: &Path) -> Vec<ModelOfShot> {
        let crowd = &self.crowd;
        let main = self.clip.clone().into_iter().chain(crowd.clips.iter().map(|clip| clip.clip.clone()));
        let mut clips: Vec<String> = main.collect();
        clips.extend(self.layers.iter().map(|layer| layer.clip.clone()));
        let clips = Some(clips).filter(|clips| clips.iter().all(|clip| clip != ALL_CLIPS));
        let sources = self.motion.files().chain(crowd.clips.iter().filter_map(ClipWeight::clip_source));
        let others = crowd.other_models.iter().map(|model| (model.file.as_path(), Some(Vec::new())));
        let all = [(file, clips)].into_iter().chain(sources.map(|file| (file, None))).chain(others);
        all.map(|(file, clips)| ModelOfShot { file: file.to_owned(), clips }).collect()
    }

    /// Returns which images to load, if the variant does not change later.
    pub(crate) fn drawn_images(&self) -> ImageLoading {
        match self.variant {
            None => ImageLoading::DecodeWithoutVariants,
            Some(_) => ImageLoading::Decode,
        }
    }
}
