//! Some of a suite's shots.

use super::Shot;
use crate::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use globset::{Glob, GlobMatcher};
use std::fmt;
use std::str::FromStr;

/// Shots by their names: those that contain a text, or that match a pattern where it has `*` or `?` in it.
#[derive(Clone, Debug)]
pub enum Filter {
    /// A part of the name.
    Part(String),
    /// A pattern of the whole name.
    Pattern(GlobMatcher),
}

impl FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains(['*', '?']) {
            let glob = Glob::new(text).map_err(|error| format!("no pattern: {}", error.kind()))?;
            return Ok(Self::Pattern(glob.compile_matcher()));
        }
        Ok(Self::Part(text.to_owned()))
    }
}

impl Filter {
    /// Whether it takes the shot of this name.
    pub fn takes(&self, name: &str) -> bool {
        match self {
            Self::Part(part) => name.contains(part.as_str()),
            Self::Pattern(glob) => glob.is_match(name),
        }
    }
}

/// One of several parts of a suite, which together are all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1.
    pub number: u32,
    /// Of how many.
    pub count: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match parts {
            Some((number, count)) if number >= 1 && number <= count && count <= 10_000 => Ok(Self { number, count }),
            _ => Err("expected a part and how many there are, such as 2/8".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl Shard {
    /// Whether a shot belongs to this part. That depends on its name alone, so that a new shot moves no other.
    pub fn takes(self, shot: &Shot) -> bool {
        let hash = fnv1a(FNV_OFFSET_BASIS, shot.name.bytes());
        // The low bits of FNV-1a alone are poorly mixed.
        (hash ^ (hash >> 32)) % u64::from(self.count) == u64::from(self.number - 1)
    }
}
