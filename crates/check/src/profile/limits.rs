//! The keys of the table `[limits]`: what is measured, its unit and its remedy.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// A key of the table `[limits]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LimitKey {
    FileBytes,
    Triangles,
    Vertices,
    Draws,
    Materials,
    Textures,
    TextureSize,
    TextureBytes,
    Joints,
    Influences,
    Morphs,
    Clips,
    ClipSeconds,
    Height,
    RootTravel,
}

impl LimitKey {
    /// All keys, in the order of the reference.
    pub(super) const ALL: [Self; 15] = [
        Self::FileBytes,
        Self::Triangles,
        Self::Vertices,
        Self::Draws,
        Self::Materials,
        Self::Textures,
        Self::TextureSize,
        Self::TextureBytes,
        Self::Joints,
        Self::Influences,
        Self::Morphs,
        Self::Clips,
        Self::ClipSeconds,
        Self::Height,
        Self::RootTravel,
    ];

    const fn texts(self) -> [&'static str; 4] {
        match self {
            Self::FileBytes => [
                "file-bytes",
                "bytes",
                "Size of the file with its external buffers and images",
                "compress its images and its geometry (Blender's export: Data > Compression, Material > Images > WebP)",
            ],
            Self::Triangles => [
                "triangles",
                "triangles",
                "Triangles that the default scene draws",
                "add a Decimate modifier in Blender, and export with Apply Modifiers",
            ],
            Self::Vertices => [
                "vertices",
                "vertices",
                "Vertices that the default scene draws, split at seams of normals and UV maps",
                "in Blender, remove sharp edges and UV seams that are not needed, or add a Decimate modifier",
            ],
            Self::Draws => [
                "draws",
                "draw calls",
                "Draw calls of one instance of the default scene",
                "in Blender, join objects (Ctrl J) that have the same material",
            ],
            Self::Materials => [
                "materials",
                "materials",
                "Materials that the default scene draws",
                "in Blender, put the images of several materials into one, and assign one material",
            ],
            Self::Textures => [
                "textures",
                "images",
                "Images that the materials of the default scene read",
                "in Blender, pack images into the channels of one, or share an image between materials",
            ],
            Self::TextureSize => [
                "texture-size",
                "texels",
                "Longest side of an image in use",
                "scale the image in Blender's Image Editor (Image > Resize)",
            ],
            Self::TextureBytes => [
                "texture-bytes",
                "bytes",
                "GPU memory of the images in use with mip levels, at 4 bytes a texel; of block-compressed images, their blocks",
                "scale the images to half in Blender's Image Editor (Image > Resize), or compress them to KTX2",
            ],
            Self::Joints => [
                "joints",
                "joints",
                "Joints of each skin",
                "export with Data > Armature > Export Deformation Bones Only in Blender, or delete bones without weights",
            ],
            Self::Influences => [
                "influences",
                "joints per vertex",
                "Joints with a weight above 0 at a vertex, of each mesh",
                "in Blender's Weight Paint mode, Weights > Limit Total",
            ],
            Self::Morphs => [
                "morphs",
                "shape keys",
                "Morph targets of each mesh",
                "delete shape keys in Blender (Properties > Data), or export a copy of the mesh without them",
            ],
            Self::Clips => [
                "clips",
                "clips",
                "Clips of the file",
                "in Blender, mute or delete the NLA tracks and actions that are not needed",
            ],
            Self::ClipSeconds => [
                "clip-seconds",
                "seconds",
                "Duration of each clip",
                "move the keys of the action in Blender's Dope Sheet, or set its frame range",
            ],
            Self::Height => [
                "height",
                "meters",
                "Height (Y) of the default scene in its rest pose",
                "scale the object in Blender, and apply the scale (Ctrl A) before the export",
            ],
            Self::RootTravel => [
                "root-travel",
                "meters",
                "Largest distance of the hips, else of the first joint of the first skin, from their place at the start of each clip, in world space",
                "in Blender, delete the location keys of the root or the hips, or export the clip in place",
            ],
        }
    }

    /// Returns the name of the key.
    pub(super) const fn name(self) -> &'static str {
        self.texts()[0]
    }

    /// Returns the unit, plural.
    pub(super) const fn unit(self) -> &'static str {
        self.texts()[1]
    }

    /// Returns what is measured.
    pub(super) const fn meaning(self) -> &'static str {
        self.texts()[2]
    }

    /// Returns how to change the value, in Blender.
    pub(super) const fn remedy(self) -> &'static str {
        self.texts()[3]
    }

    /// Returns `true` for whole numbers.
    pub(super) const fn is_count(self) -> bool {
        !matches!(self, Self::ClipSeconds | Self::Height | Self::RootTravel)
    }

    /// Formats a value with its unit.
    pub(super) fn format(self, value: f64) -> String {
        match self.unit() {
            unit if !self.is_count() => format!("{value:.4} {unit}"),
            "bytes" if value >= 1024.0 * 1024.0 => format!("{value} bytes ({:.2} MiB)", value / 1024.0 / 1024.0),
            "vertices" if value == 1.0 => "1 vertex".to_owned(),
            "joints per vertex" if value == 1.0 => "1 joint per vertex".to_owned(),
            unit if value == 1.0 => format!("1 {}", unit.trim_end_matches('s')),
            unit => format!("{value} {unit}"),
        }
    }
}

/// The permitted values of a key: a maximum, or `{ min = .., max = .. }`. Sizes in bytes may end in K, M or G, for 2^10, 2^20 and 2^30.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PermittedRange {
    /// Smallest value; negative infinity for none.
    pub(super) min: f64,
    /// Largest value; infinity for none.
    pub(super) max: f64,
}

impl PermittedRange {
    /// Returns `true` if the value is permitted. NaN is not.
    pub(super) fn contains(self, value: f64) -> bool {
        value >= self.min && value <= self.max
    }

    /// Describes the bound that a value is beyond.
    pub(super) fn violated(self, key: LimitKey, value: f64) -> String {
        match value < self.min {
            true => format!("at least {}", key.format(self.min)),
            false => format!("at most {}", key.format(self.max)),
        }
    }
}

impl<'de> Deserialize<'de> for PermittedRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = toml::Value::deserialize(deserializer)?;
        let expected = |value: &toml::Value| {
            D::Error::custom(format!("{value} is not a number, a size such as \"5M\", or {{ min = .., max = .. }}"))
        };
        let number = |value: &toml::Value| number(value).ok_or_else(|| expected(value));
        let mut range = Self { min: f64::NEG_INFINITY, max: f64::INFINITY };
        match &value {
            toml::Value::Table(table) => {
                for (key, bound) in table {
                    match key.as_str() {
                        "min" => range.min = number(bound)?,
                        "max" => range.max = number(bound)?,
                        _ => return Err(expected(&value)),
                    }
                }
                let is_empty = table.is_empty() || range.min > range.max;
                if is_empty { Err(expected(&value)) } else { Ok(range) }
            }
            value => {
                range.max = number(value)?;
                Ok(range)
            }
        }
    }
}

/// Reads a finite number or a size.
fn number(value: &toml::Value) -> Option<f64> {
    let number = match value {
        toml::Value::Integer(number) => *number as f64,
        toml::Value::Float(number) => *number,
        toml::Value::String(text) => {
            let (digits, shift) = match text.as_bytes().last()? {
                b'K' => (&text[..text.len() - 1], 10),
                b'M' => (&text[..text.len() - 1], 20),
                b'G' => (&text[..text.len() - 1], 30),
                _ => (text.as_str(), 0),
            };
            digits.parse::<f64>().ok()? * f64::from(1_u32 << shift)
        }
        _ => return None,
    };
    number.is_finite().then_some(number)
}
