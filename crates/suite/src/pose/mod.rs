//! Numeric goldens: the rig of a model or one of its clips as text, and comparison of two such texts.
//!
//! The text of a rig has a line per fact. That of a clip has a line per track, so that a changed key is one changed line in a pull
//! request; [`differences`] names the key. Values are integers in a unit: the first one, then the differences from key to key.

mod compare;
mod describe;
#[cfg(test)]
mod tests;
mod track_text;

pub use compare::{DEFAULT_TOLERANCE, differences};
pub use describe::{MAX_KEYS, describe_clip, describe_rig};
