//! The import policy: limits on the content of a file, and access to files outside the model's folder.

use std::fmt;
use std::str::FromStr;

/// Maximum nesting of arrays and objects in the JSON. It is the parser's fixed bound, ten times what glTF needs.
pub const MAX_JSON_DEPTH: usize = 128;

/// Limits and permissions of an import.
///
/// A refused file reports the [`PolicyChange`] that permits it:
///
/// ```
/// use rigview_core::import::{ImportOptions, Limit, PolicyChange, open};
///
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// let mut options = ImportOptions::default();
/// options.policy.limits.set(Limit::SkinJoints, 1);
/// let Err(error) = open(file, &options) else { panic!("the skin has more joints") };
/// let Some(PolicyChange::RaiseLimit { limit, needed }) = error.source.policy_change() else { panic!("{error}") };
/// options.policy.limits.set(limit, needed);
/// assert!(open(file, &options).is_ok());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportPolicy {
    /// Bounds on memory and time.
    pub limits: Limits,
    /// `true` if the model may refer to files outside its own folder. Network locations are never read.
    pub allow_external_paths: bool,
}

/// A change of the [`ImportPolicy`] that permits what an import refused or skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyChange {
    /// Raise a limit.
    RaiseLimit {
        /// The exceeded limit.
        limit: Limit,
        /// The value that the file needs, in bytes or as a count.
        needed: u64,
    },
    /// Set [`ImportPolicy::allow_external_paths`].
    AllowExternalPaths,
}

/// The unit of a [`Limit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Bytes,
    Count,
}

/// Declares the limits: name, unit, default value, description.
macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $unit:ident, $default:expr;)+) => {
        /// A bound on the content of a file.
        ///
        /// Each bounds memory or time that the size of the file does not bound. An import checks all of them, except
        /// [`Environment`](Self::Environment), which `read_panorama` of the feature `images` checks. It checks
        /// [`Matrices`](Self::Matrices) for one instance. A program that draws many checks it again, by
        /// [`Rig`](crate::palette::Rig) and its layout.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Limit {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Limit {
            /// All limits, in the order in which an import checks them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the name in texts, such as `image-file`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Returns a description of the limited quantity, for help texts.
            pub fn description(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii(),)+ }
            }

            /// Returns the default value, in bytes or as a count.
            pub const fn default_value(self) -> u64 {
                match self { $(Self::$variant => $default,)+ }
            }

            fn unit(self) -> Unit {
                match self { $(Self::$variant => Unit::$unit,)+ }
            }
        }
    };
}

limits! {
    /// bytes of the file and of its buffers together
    File = "file", Bytes, 2 << 30;
    /// bytes of its JSON
    Json = "json", Bytes, 256 << 20;
    /// memory of the parsed JSON
    JsonMemory = "json-memory", Bytes, 384 << 20;
    /// elements of one of glTF's arrays, such as nodes or accessors; entries of a ZIP archive
    Elements = "elements", Count, 1 << 20;
    /// memory of all compressed buffer views and meshes after decompression
    Decompressed = "decompressed", Bytes, 1 << 30;
    /// memory of all data that accessors read; 32 times the file's size, where that is more
    AccessorData = "accessor-data", Bytes, 128 << 20;
    /// memory of accessors without stored data, which are all zeros; four times the file's size, where that is more
    ZeroAccessors = "zero-accessors", Bytes, 64 << 20;
    /// numbers in the keys of all clips, counted with each track; as many as the file has bytes, where that is more
    KeyValues = "key-values", Count, 1 << 26;
    /// primitives of all meshes
    Primitives = "primitives", Count, 1 << 15;
    /// morph targets of all primitives
    MorphTargets = "morph-targets", Count, 1 << 20;
    /// morph weights of all nodes, and of a scene with its GPU instances
    MorphWeights = "morph-weights", Count, 1 << 24;
    /// mesh instances of all nodes (EXT_mesh_gpu_instancing)
    Instances = "instances", Count, 1 << 16;
    /// joints of all skins
    SkinJoints = "skin-joints", Count, 1 << 21;
    /// nodes of all scenes, counted in each scene
    SceneNodes = "scene-nodes", Count, 1 << 24;
    /// primitives that the nodes of a scene draw, counted with each node
    Draws = "draws", Count, 1 << 16;
    /// joint matrices of a scene: those of its skins and rigid meshes
    SceneMatrices = "scene-matrices", Count, 1 << 24;
    /// bytes of an external image file
    ImageFile = "image-file", Bytes, 256 << 20;
    /// bytes of all external image files
    ImageFiles = "image-files", Bytes, 1 << 30;
    /// width and height of an image in texels
    ImageDimension = "image-dimension", Count, 1 << 14;
    /// memory of a decoded image
    Image = "image", Bytes, 256 << 20;
    /// memory of all decoded images
    Images = "images", Bytes, 1 << 30;
    /// texels of an environment
    Environment = "environment", Count, 1 << 26;
    /// vertices of all primitives, and those that the nodes of a scene draw; six indices or eight morph deltas count as one
    Vertices = "vertices", Count, 1 << 25;
    /// memory of the matrices and weights of all instances
    Matrices = "matrices", Bytes, 4 << 30;
}

impl Limit {
    /// Returns `true` if the limit is a number of bytes, `false` if it is a count.
    pub fn is_bytes(self) -> bool {
        matches!(self.unit(), Unit::Bytes)
    }

    /// Formats a value, bytes with the largest suffix of `K`, `M` and `G` that divides them.
    pub fn format(self, value: u64) -> String {
        let unit = |shift: u32| value.is_multiple_of(1 << shift).then_some(value >> shift);
        match self.unit() {
            Unit::Count => value.to_string(),
            Unit::Bytes if value == 0 => "0".to_owned(),
            Unit::Bytes => match (unit(30), unit(20), unit(10)) {
                (Some(gib), ..) => format!("{gib}G"),
                (_, Some(mib), _) => format!("{mib}M"),
                (.., Some(kib)) => format!("{kib}K"),
                _ => value.to_string(),
            },
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Limit {
    type Err = UnknownLimit;

    fn from_str(text: &str) -> Result<Self, UnknownLimit> {
        let found = Self::ALL.iter().find(|limit| limit.name() == text);
        found.copied().ok_or_else(|| UnknownLimit { name: text.to_owned() })
    }
}

/// The error of a name that no [`Limit`] has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown limit `{name}`; the limits are {}", Limit::ALL.iter().map(|limit| limit.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownLimit {
    name: String,
}

/// The value of every [`Limit`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits([u64; Limit::ALL.len()]);

impl Default for Limits {
    fn default() -> Self {
        Self(std::array::from_fn(|i| Limit::ALL[i].default_value()))
    }
}

impl Limits {
    /// Returns the value of a limit, in bytes or as a count.
    pub fn get(&self, limit: Limit) -> u64 {
        self.0[limit as usize]
    }

    /// Sets the value of a limit, in bytes or as a count.
    pub fn set(&mut self, limit: Limit, value: u64) {
        self.0[limit as usize] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_distinct_indices_and_names() {
        let mut limits = Limits::default();
        for (i, limit) in Limit::ALL.iter().enumerate() {
            assert_eq!((*limit as usize, limit.name().parse()), (i, Ok(*limit)));
            assert_eq!(limits.get(*limit), limit.default_value());
            limits.set(*limit, i as u64);
        }
        assert!(Limit::ALL.iter().enumerate().all(|(i, limit)| limits.get(*limit) == i as u64));
        assert!("file-size".parse::<Limit>().unwrap_err().to_string().contains("image-dimension"));
    }

    #[test]
    fn bytes_have_the_largest_whole_suffix() {
        let formatted = [4 << 30, 300 << 20, (1 << 20) + 1024, 1023, 0].map(|value| Limit::Matrices.format(value));
        assert_eq!(formatted, ["4G", "300M", "1025K", "1023", "0"]);
        assert_eq!(Limit::Elements.format(1 << 20), "1048576");
    }
}
