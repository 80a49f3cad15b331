//! A crowd: where they stand, and what each plays.

use super::values::{finite, from_0_to_1};
use clap::Args;
use std::path::{Path, PathBuf};

/// What tells a crowd from one alone.
#[derive(Clone, Debug, PartialEq, Args)]
#[command(next_help_heading = "Crowds")]
pub struct CrowdArgs {
    /// How many to show, each at its own phase of its clip; FILE:N means the same
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_INSTANCES)))]
    pub instances: u32,

    /// Another model in the same scene, and how many of it; may be given again. Their places are mixed, those of a layout's
    /// file go to one model after the other
    #[arg(long, value_name = "FILE[:N]")]
    pub with: Vec<Party>,

    /// Where they stand: on a `grid`, `scatter`ed and turned at random, or as a file says: lines of
    /// x,y,z,yaw,scale,clip,phase,speed (.csv, with a line of column names), or objects with position, yaw, ... (.json).
    /// Meters, degrees, seconds [default: grid]
    #[arg(long, value_name = "grid|scatter|FILE")]
    pub layout: Option<LayoutArg>,

    /// What they play: clips by name or number, each with its weight, such as Walk:2,Run:1; a .glb or .gltf file lends its
    /// clips to joints of the same names [default: --clip]
    #[arg(long, value_name = "CLIP[:WEIGHT],...", value_delimiter = ',', value_parser = clip_share, conflicts_with = "clip")]
    pub clips: Vec<ClipShare>,

    /// The share of its clip over which phases are spread: 0 for all at the same moment [default: 1]
    #[arg(long, value_name = "0..1", value_parser = from_0_to_1)]
    pub phase_spread: Option<f64>,

    /// How much faster or slower some are: 0.2 for speeds from 0.8 to 1.2
    #[arg(long, value_name = "0..1", default_value_t = 0.0, value_parser = from_0_to_1)]
    pub speed_spread: f64,

    /// What chance begins with: the same number, the same crowd
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

impl Default for CrowdArgs {
    /// One alone.
    fn default() -> Self {
        Self {
            instances: 1,
            with: Vec::new(),
            layout: None,
            clips: Vec::new(),
            phase_spread: None,
            speed_spread: 0.0,
            seed: 0,
        }
    }
}

/// A model, and how many of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Party {
    /// The .glb or .gltf file.
    pub file: PathBuf,
    /// How many, where that is said.
    pub count: Option<u32>,
}

/// The most instances of one model that can be asked for.
const MOST_INSTANCES: u32 = 10_000_000;

impl Party {
    /// How many there are: one, unless more are asked for.
    pub fn instances(&self) -> u32 {
        self.count.unwrap_or(1)
    }
}

impl From<std::ffi::OsString> for Party {
    /// `FILE` or `FILE:N`, N from 1 on; what ends otherwise is a file's name.
    fn from(text: std::ffi::OsString) -> Self {
        let parted = text.to_str().and_then(|text| {
            let (file, count) = text.rsplit_once(':')?;
            let digits = !file.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
            let count = count.parse().ok().filter(|count| digits && (1..=MOST_INSTANCES).contains(count))?;
            Some(Self { file: file.into(), count: Some(count) })
        });
        parted.unwrap_or_else(|| Self { file: text.into(), count: None })
    }
}

impl std::fmt::Display for Party {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.count {
            Some(count) => write!(f, "{}:{count}", self.file.display()),
            None => self.file.display().fmt(f),
        }
    }
}

impl CrowdArgs {
    /// Takes a file, perhaps with a number, and other models into one scene; the file without the number.
    pub(super) fn invite(&mut self, file: PathBuf, others: impl IntoIterator<Item = Party>) -> PathBuf {
        let first = Party::from(file.into_os_string());
        self.instances = first.count.unwrap_or(self.instances);
        self.with.splice(0..0, others);
        first.file
    }
}

/// Where a crowd stands, as asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum LayoutArg {
    /// In rows and columns.
    Grid,
    /// As if they had come by themselves.
    Scatter,
    /// As a file says.
    File(PathBuf),
}

impl From<std::ffi::OsString> for LayoutArg {
    fn from(text: std::ffi::OsString) -> Self {
        match text.to_str() {
            Some("grid") => Self::Grid,
            Some("scatter") => Self::Scatter,
            _ => Self::File(text.into()),
        }
    }
}

impl std::fmt::Display for LayoutArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Grid => f.write_str("grid"),
            Self::Scatter => f.write_str("scatter"),
            Self::File(file) => file.display().fmt(f),
        }
    }
}

/// A clip, or a file of clips, and how often it is chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipShare {
    /// A clip's name or number, `none`, or a file.
    pub clip: String,
    /// How often, relative to the others.
    pub weight: f64,
}

impl ClipShare {
    /// The file that lends its clips, if this is one.
    pub fn lender(&self) -> Option<&Path> {
        let file = Path::new(&self.clip);
        let extension = file.extension()?.to_str()?.to_lowercase();
        matches!(&extension[..], "glb" | "gltf").then_some(file)
    }
}

impl std::fmt::Display for ClipShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A name may end like a weight.
        let ends_like_one = self.clip.rsplit_once(':').is_some_and(|(_, end)| finite(end).is_ok());
        match self.weight == 1.0 && !ends_like_one {
            true => f.write_str(&self.clip),
            false => write!(f, "{}:{}", self.clip, self.weight),
        }
    }
}

fn clip_share(text: &str) -> Result<ClipShare, String> {
    let share = match text.rsplit_once(':').map(|(clip, weight)| (clip, finite(weight))) {
        Some((clip, Ok(weight))) => ClipShare { clip: clip.to_owned(), weight },
        _ => ClipShare { clip: text.to_owned(), weight: 1.0 },
    };
    if share.clip.is_empty() {
        return Err("expected clips such as Walk:2,Run:1".to_owned());
    }
    if share.weight > 0.0 { Ok(share) } else { Err("a weight must be above 0".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_party_is_a_file_and_perhaps_a_number() {
        let party = |text: &str| Party::from(std::ffi::OsString::from(text));
        let expect = |text: &str, file: &str, count| {
            assert_eq!(party(text), Party { file: file.into(), count });
            assert_eq!(party(text).to_string(), text);
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
    fn the_first_party_is_the_model_itself() {
        let mut crowd = CrowdArgs { instances: 7, ..CrowdArgs::default() };
        let other = Party::from(std::ffi::OsString::from("b.glb:2"));
        assert_eq!(crowd.invite("a.glb".into(), [other]), PathBuf::from("a.glb"));
        assert_eq!((crowd.instances, crowd.with[0].instances(), crowd.with.len()), (7, 2, 1));
        assert_eq!(crowd.invite("c.glb:3".into(), []), PathBuf::from("c.glb"));
        assert_eq!((crowd.instances, crowd.with.len()), (3, 1));
    }

    #[test]
    fn clips_have_weights_and_files_lend_theirs() {
        let share = |text: &str| clip_share(text).map(|share| (share.clip, share.weight));
        assert_eq!(share("Walk"), Ok(("Walk".to_owned(), 1.0)));
        assert_eq!(share("Armature|Walk:2.5"), Ok(("Armature|Walk".to_owned(), 2.5)));
        assert_eq!(share("a:b"), Ok(("a:b".to_owned(), 1.0)));
        assert!(share("Walk:0").is_err() && share(":2").is_err() && share("").is_err());
        assert_eq!(clip_share("walk.GLB:3").unwrap().lender(), Some(Path::new("walk.GLB")));
        assert_eq!(clip_share("walk").unwrap().lender(), None);
        for text in ["Walk", "Walk:2", "a:1:1", "walk.glb:0.5"] {
            assert_eq!(clip_share(text).unwrap().to_string(), text);
        }
    }
}
