//! Selection of shots.

use super::glob;
use globset::GlobMatcher;
use rigview_core::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

/// A filter of shots by name: a substring, or a glob if it contains `*` or `?`, or a whole name.
#[derive(Clone, Debug)]
pub enum Filter {
    /// A substring of the name.
    Substring(String),
    /// The whole name.
    Name(String),
    /// A glob of the whole name.
    Glob(GlobMatcher),
}

impl FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains(['*', '?']) {
            return glob::compile(text, false).map(Self::Glob).map_err(|reason| format!("invalid glob: {reason}"));
        }
        Ok(Self::Substring(text.to_owned()))
    }
}

impl Filter {
    /// Returns the filter for shots of these names. A substring that is one of the names is a whole name.
    #[must_use]
    pub fn for_names(self, names: &HashSet<&str>) -> Self {
        match self {
            Self::Substring(name) if names.contains(name.as_str()) => Self::Name(name),
            other => other,
        }
    }

    /// Returns `true` if the filter selects this name.
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Self::Substring(part) => name.contains(part.as_str()),
            Self::Name(own) => name == own,
            Self::Glob(glob) => glob.is_match(name),
        }
    }
}

/// One of several disjoint parts of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the part, from 1.
    pub number: u32,
    /// Number of parts.
    pub count: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match parts {
            Some((number, count)) if number >= 1 && number <= count && count <= 10_000 => Ok(Self { number, count }),
            _ => Err("expected PART/COUNT, such as 2/8".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl Shard {
    /// Returns `true` if the shot of this name belongs to this part. New shots do not move others.
    pub fn contains(self, name: &str) -> bool {
        let hash = fnv1a(FNV_OFFSET_BASIS, name.bytes());
        // The low bits of FNV-1a alone are poorly mixed.
        (hash ^ (hash >> 32)) % u64::from(self.count) == u64::from(self.number - 1)
    }
}
