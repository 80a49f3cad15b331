//! A crowd: where they stand, and what each plays.

use super::values::{finite, from_0_to_1};
use clap::Args;
use std::path::{Path, PathBuf};

/// What tells a crowd from one alone.
#[derive(Clone, Debug, PartialEq, Args)]
#[command(next_help_heading = "Crowds")]
pub struct CrowdArgs {
    /// How many to show, each at its own phase of its clip
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub instances: u32,

    /// Where they stand: on a `grid`, `scatter`ed and turned at random, or as a file says: lines of
    /// x,y,z,yaw,scale,clip,phase,speed (.csv, with a line of column names), or objects with position, yaw, ... (.json).
    /// Metres, degrees, seconds [default: grid]
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
        Self { instances: 1, layout: None, clips: Vec::new(), phase_spread: None, speed_spread: 0.0, seed: 0 }
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
