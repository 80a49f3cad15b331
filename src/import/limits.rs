//! How far a file is trusted: the most that rigview takes on from one, and whether it may name files elsewhere.

use std::fmt;
use std::str::FromStr;

/// How deep the lists and objects of a file's JSON may be nested. The parser's own bound, which no flag raises: glTF
/// itself needs a tenth of it.
pub const MAX_JSON_DEPTH: usize = 128;

/// How far a file is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportPolicy {
    /// The most that is taken on.
    pub limits: Limits,
    /// Whether the model may name files outside its own folder. What is on a network is never read.
    pub allow_external_paths: bool,
}

/// What a [`Limit`] counts, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Bytes,
    Things,
}

/// Declares the limits with their names on the command line, units, values and meanings: the one list of them all.
macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $unit:ident, $usual:expr;)+) => {
        /// Something that a file may have or need only so much of.
        ///
        /// Each bounds memory or time where the file's own size does not: a few bytes of a file can ask for much.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Limit {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Limit {
            /// All of them, in the order in which a file meets them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// What it counts, for help texts.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii(),)+ }
            }

            /// What it is unless it is raised.
            pub const fn usual(self) -> u64 {
                match self { $(Self::$variant => $usual,)+ }
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
    /// memory that the parsed JSON takes
    JsonMemory = "json-memory", Bytes, 384 << 20;
    /// elements of one of glTF's lists, such as nodes or accessors
    Elements = "elements", Things, 1 << 20;
    /// memory of all numbers that stand compressed in the file, once they are unpacked
    Unpacked = "unpacked", Bytes, 1 << 30;
    /// memory of all numbers that are read from buffers; 32 times the file's size, where that is more
    Numbers = "numbers", Bytes, 128 << 20;
    /// memory of accessors that have no bytes in the file and are all zeros; four times the file's size, where that is more
    Zeros = "zeros", Bytes, 64 << 20;
    /// primitives of all meshes
    Primitives = "primitives", Things, 1 << 15;
    /// morph targets of all primitives
    Targets = "targets", Things, 1 << 20;
    /// morph weights of all nodes
    Weights = "weights", Things, 1 << 24;
    /// copies of meshes that nodes ask for (EXT_mesh_gpu_instancing)
    Copies = "copies", Things, 1 << 16;
    /// joints of all skins
    Joints = "joints", Things, 1 << 21;
    /// nodes of all scenes, counted anew in each
    SceneNodes = "scene-nodes", Things, 1 << 24;
    /// primitives that the nodes of a scene draw, counted with each node
    Draws = "draws", Things, 1 << 16;
    /// bytes of an image that is a file of its own
    ImageFile = "image-file", Bytes, 256 << 20;
    /// bytes of all images that are files of their own
    ImageFiles = "image-files", Bytes, 1 << 30;
    /// texels along a side of an image
    ImageSide = "image-side", Things, 1 << 14;
    /// memory of an image once it is decoded
    Image = "image", Bytes, 256 << 20;
    /// memory of all images once they are decoded
    Images = "images", Bytes, 1 << 30;
    /// texels of an environment
    Environment = "environment", Things, 1 << 26;
    /// vertices that one instance draws
    Vertices = "vertices", Things, 1 << 25;
    /// memory of the matrices and weights of all instances
    Matrices = "matrices", Bytes, 4 << 30;
}

impl Limit {
    /// A value as the command line takes it, and a person reads it.
    pub fn shown(self, value: u64) -> String {
        let unit = |shift: u32| value.is_multiple_of(1 << shift).then_some(value >> shift);
        match self.unit() {
            Unit::Things => value.to_string(),
            Unit::Bytes if value == 0 => "0".to_owned(),
            Unit::Bytes => match (unit(30), unit(20), unit(10)) {
                (Some(gib), ..) => format!("{gib}G"),
                (_, Some(mib), _) => format!("{mib}M"),
                (.., Some(kib)) => format!("{kib}K"),
                _ => value.to_string(),
            },
        }
    }

    /// The option that lets in something that needs `count`: for the end of a message.
    pub fn cure(self, count: u64) -> String {
        // A round number: whoever types it again should not have to count digits.
        let rounded = match self.unit() {
            Unit::Things => Some(count),
            Unit::Bytes if count > 1 << 30 => count.checked_next_multiple_of(1 << 30),
            Unit::Bytes => count.checked_next_multiple_of(1 << 20),
        };
        format!("--max {}={}", self.name(), self.shown(rounded.unwrap_or(count)))
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|limit| limit.name() == text);
        found.copied().ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|limit| limit.name()).collect();
            format!("`{text}` is no limit; there are {}", names.join(", "))
        })
    }
}

/// The value of every [`Limit`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits([u64; Limit::ALL.len()]);

impl Default for Limits {
    fn default() -> Self {
        Self(std::array::from_fn(|i| Limit::ALL[i].usual()))
    }
}

impl Limits {
    /// How much of it there may be.
    pub fn get(&self, limit: Limit) -> u64 {
        self.0[limit as usize]
    }

    /// Sets a limit.
    pub fn set(&mut self, limit: Limit, value: u64) {
        self.0[limit as usize] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_its_own_place_and_name() {
        let mut limits = Limits::default();
        for (i, limit) in Limit::ALL.iter().enumerate() {
            assert_eq!((*limit as usize, limit.name().parse()), (i, Ok(*limit)));
            assert_eq!(limits.get(*limit), limit.usual());
            limits.set(*limit, i as u64);
        }
        assert!(Limit::ALL.iter().enumerate().all(|(i, limit)| limits.get(*limit) == i as u64));
        assert!("file-size".parse::<Limit>().unwrap_err().contains("image-side"));
    }

    #[test]
    fn the_documentation_has_them_all() {
        let page = include_str!("../../docs/trust.md");
        for limit in Limit::ALL {
            let row = format!("| `{limit}` | {} | {} |\n", limit.shown(limit.usual()), limit.meaning());
            assert!(page.contains(&row), "docs/trust.md lacks {row}");
        }
        assert!(page.contains(&format!("nested {MAX_JSON_DEPTH} deep")));
    }

    #[test]
    fn a_cure_is_round_and_large_enough() {
        assert_eq!(Limit::File.cure((2 << 30) + 1), "--max file=3G");
        assert_eq!(Limit::Image.cure((300 << 20) - 5), "--max image=300M");
        assert_eq!(Limit::Elements.cure(1_048_577), "--max elements=1048577");
        assert_eq!(Limit::File.cure(u64::MAX), format!("--max file={}", u64::MAX));
        assert_eq!(Limit::Matrices.shown(4 << 30), "4G");
    }
}
