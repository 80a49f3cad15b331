//! Instances of a request: models, layout and playback.

use super::ownership::ownership;
use super::parse::{finite, from_0_to_1, with_names};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser as _};
use rigview_core::import::MODEL_FILE_EXTENSIONS;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Returns `true` if `file` has the extension of a model file, in any case.
pub fn is_model_file(file: &Path) -> bool {
    let extension = file.extension().unwrap_or_default();
    MODEL_FILE_EXTENSIONS.iter().any(|model| extension.eq_ignore_ascii_case(model))
}

/// Returns `true` if `file` has the extension of a file with motion and without a mesh, in any case.
pub fn is_motion_file(file: &Path) -> bool {
    let extension = file.extension().unwrap_or_default();
    ["vrma", "bvh"].iter().any(|motion| extension.eq_ignore_ascii_case(motion))
}

/// Maximum number of instances of one model.
pub const MAX_INSTANCES: u32 = 10_000_000;

/// Instances with their placement and playback.
#[derive(Clone, Debug, PartialEq, Args)]
#[command(next_help_heading = "Crowd")]
pub struct CrowdRequest {
    /// Number of instances of the first model, as FILE:N.
    ///
    /// Each has its own start time in its clip
    #[arg(help_heading = "Scene and animation", long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_INSTANCES)))]
    pub instances: u32,

    /// Other models in the scene.
    #[arg(skip)]
    pub other_models: Vec<ModelSpec>,

    /// Placement of the instances: a `grid`, a random `scatter`, or a .csv or .json file [default: grid].
    ///
    /// The columns of a .csv are x,y,z,yaw,scale,clip,phase,speed; a .json has objects with position, yaw and so on; in meters,
    /// degrees and seconds. Clips that play together are separated by `;`, in a .json they are an array, as are their phases and speeds
    #[arg(long, value_name = "grid|scatter|FILE", hide_possible_values = true,
        value_parser = with_names(OsStringValueParser::new().map(LayoutRequest::from), ["grid", "scatter"]))]
    pub layout: Option<LayoutRequest>,

    /// Clips that the instances choose from at random, with relative weights such as Walk:2,Run:1 [default: --clip].
    ///
    /// A .glb or .gltf file stands for all its clips, imported onto joints of the same names
    #[arg(long, value_name = "CLIP[:WEIGHT],...", value_delimiter = ',', conflicts_with = "clip")]
    pub clips: Vec<ClipWeight>,

    /// Random start times, as a fraction of the clip; 0: all instances start together [default: 1]
    #[arg(long, value_name = "0..1", value_parser = from_0_to_1)]
    pub phase_spread: Option<f64>,

    /// Random playback speeds: 0.2 for speeds from 0.8 to 1.2
    #[arg(long, value_name = "0..1", default_value_t = 0.0, value_parser = from_0_to_1)]
    pub speed_spread: f64,

    /// Random seed: the same seed gives the same crowd
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

ownership!(CrowdRequest {
    file: [other_models, layout, clips],
    view: [instances, phase_spread, speed_spread, seed],
    parts: []
});

impl Default for CrowdRequest {
    fn default() -> Self {
        Self {
            instances: 1,
            other_models: Vec::new(),
            layout: None,
            clips: Vec::new(),
            phase_spread: None,
            speed_spread: 0.0,
            seed: 0,
        }
    }
}

impl CrowdRequest {
    /// Sets the instance count from `file`, which may end in `:N`, and the other models. Returns the file without the count.
    pub fn set_models(&mut self, file: PathBuf, others: Vec<ModelSpec>) -> PathBuf {
        let first = ModelSpec::from(file.into_os_string());
        self.instances = first.count.unwrap_or(self.instances);
        self.other_models = others;
        first.file
    }
}

/// A model file and its instance count: `FILE` or `FILE:N`.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSpec {
    /// The .glb or .gltf file.
    pub file: PathBuf,
    /// Instance count, if given.
    pub count: Option<u32>,
}

impl ModelSpec {
    /// Returns the instance count, 1 if none is given.
    pub fn instances(&self) -> u32 {
        self.count.unwrap_or(1)
    }
}

impl From<OsString> for ModelSpec {
    /// Anything that does not end in a valid count is a file name.
    fn from(text: OsString) -> Self {
        let with_count = text.to_str().and_then(|text| {
            let (file, count) = text.rsplit_once(':')?;
            let digits = !file.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
            let count = count.parse().ok().filter(|count| digits && (1..=MAX_INSTANCES).contains(count))?;
            Some(Self { file: file.into(), count: Some(count) })
        });
        with_count.unwrap_or_else(|| Self { file: text.into(), count: None })
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            Some(count) => write!(f, "{}:{count}", self.file.display()),
            None => self.file.display().fmt(f),
        }
    }
}

/// Layout of a crowd: `grid`, `scatter` or a file.
#[derive(Clone, Debug, PartialEq)]
pub enum LayoutRequest {
    /// Rows and columns.
    Grid,
    /// Random positions and headings.
    Scatter,
    /// A .csv or .json file.
    File(PathBuf),
}

impl From<OsString> for LayoutRequest {
    fn from(text: OsString) -> Self {
        match text.to_str() {
            Some("grid") => Self::Grid,
            Some("scatter") => Self::Scatter,
            _ => Self::File(text.into()),
        }
    }
}

impl fmt::Display for LayoutRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grid => f.write_str("grid"),
            Self::Scatter => f.write_str("scatter"),
            Self::File(file) => file.display().fmt(f),
        }
    }
}

/// A clip or a file of clips, and its probability: `CLIP` or `CLIP:WEIGHT`.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipWeight {
    /// Name or index of a clip, `none`, or a model file.
    pub clip: String,
    /// Above 0, relative to the other clips of the crowd.
    pub weight: f64,
}

impl ClipWeight {
    /// Returns the model file whose clips are imported, or `None` for a clip.
    pub fn clip_source(&self) -> Option<&Path> {
        let file = Path::new(&self.clip);
        is_model_file(file).then_some(file)
    }
}

impl fmt::Display for ClipWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A name may end in what looks like a weight.
        let is_ambiguous = self.clip.rsplit_once(':').is_some_and(|(_, end)| finite(end).is_ok());
        match self.weight == 1.0 && !is_ambiguous {
            true => f.write_str(&self.clip),
            false => write!(f, "{}:{}", self.clip, self.weight),
        }
    }
}

impl FromStr for ClipWeight {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (clip, weight) = match text.rsplit_once(':').map(|(clip, weight)| (clip, finite(weight))) {
            Some((clip, Ok(weight))) => (clip.to_owned(), weight),
            _ => (text.to_owned(), 1.0),
        };
        if clip.is_empty() {
            return Err("expected clips such as Walk:2,Run:1".to_owned());
        }
        if weight > 0.0 { Ok(Self { clip, weight }) } else { Err("a weight must be above 0".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_spec_parses_and_prints_its_count() {
        let spec = |text: &str| ModelSpec::from(OsString::from(text));
        let expect = |text: &str, file: &str, count| {
            assert_eq!(spec(text), ModelSpec { file: file.into(), count });
            assert_eq!(spec(text).to_string(), text);
        };
        expect("windmill.glb:500", "windmill.glb", Some(500));
        expect("fox.glb", "fox.glb", None);
        expect("C:\\fox.glb", "C:\\fox.glb", None);
        expect("a:b.glb:1", "a:b.glb", Some(1));
        for name in ["fox.glb:0", "fox.glb:-1", "fox.glb:+1", "fox.glb:", ":3", "fox.glb:99999999999"] {
            expect(name, name, None);
        }
    }

    #[test]
    fn set_models_takes_the_count_of_the_first_file() {
        let mut crowd = CrowdRequest { instances: 7, ..CrowdRequest::default() };
        let other = ModelSpec::from(OsString::from("b.glb:2"));
        assert_eq!(crowd.set_models("a.glb".into(), vec![other]), PathBuf::from("a.glb"));
        assert_eq!((crowd.instances, crowd.other_models[0].instances(), crowd.other_models.len()), (7, 2, 1));
        assert_eq!(crowd.set_models("c.glb:3".into(), Vec::new()), PathBuf::from("c.glb"));
        assert_eq!((crowd.instances, crowd.other_models.len()), (3, 0));
    }

    #[test]
    fn clip_weight_parses_names_weights_and_files() {
        let parsed = |text: &str| text.parse().map(|clip: ClipWeight| (clip.clip, clip.weight));
        assert_eq!(parsed("Walk"), Ok(("Walk".to_owned(), 1.0)));
        assert_eq!(parsed("Armature|Walk:2.5"), Ok(("Armature|Walk".to_owned(), 2.5)));
        assert_eq!(parsed("a:b"), Ok(("a:b".to_owned(), 1.0)));
        assert!(parsed("Walk:0").is_err() && parsed(":2").is_err() && parsed("").is_err());
        let clip = |text: &str| text.parse::<ClipWeight>().unwrap();
        assert_eq!(clip("walk.GLB:3").clip_source(), Some(Path::new("walk.GLB")));
        assert_eq!(clip("walk").clip_source(), None);
        for text in ["Walk", "Walk:2", "a:1:1", "walk.glb:0.5"] {
            assert_eq!(clip(text).to_string(), text);
        }
    }
}
