//! Component types of accessors (glTF 2.0, section 3.6.2.2).

/// The type of one component of an accessor element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComponentType {
    /// BYTE
    I8,
    /// UNSIGNED_BYTE
    U8,
    /// SHORT
    I16,
    /// UNSIGNED_SHORT
    U16,
    /// UNSIGNED_INT
    U32,
    /// FLOAT
    F32,
}

impl ComponentType {
    /// The type of a `componentType` value, which is a GL enum; `None` for an unknown one.
    pub fn from_gl_enum(code: i128) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    /// The name in the specification, such as `UNSIGNED_BYTE`.
    pub fn name(self) -> &'static str {
        match self {
            Self::I8 => "BYTE",
            Self::U8 => "UNSIGNED_BYTE",
            Self::I16 => "SHORT",
            Self::U16 => "UNSIGNED_SHORT",
            Self::U32 => "UNSIGNED_INT",
            Self::F32 => "FLOAT",
        }
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// Minimum and maximum of an integer type; `None` for floats.
    pub fn integer_range(self) -> Option<(i128, i128)> {
        Some(match self {
            Self::I8 => (i8::MIN.into(), i8::MAX.into()),
            Self::U8 => (u8::MIN.into(), u8::MAX.into()),
            Self::I16 => (i16::MIN.into(), i16::MAX.into()),
            Self::U16 => (u16::MIN.into(), u16::MAX.into()),
            Self::U32 => (u32::MIN.into(), u32::MAX.into()),
            Self::F32 => return None,
        })
    }

    /// The largest value; of an unsigned type, also the primitive restart index. Infinity for floats.
    pub fn max_value(self) -> f64 {
        self.integer_range().map_or(f64::INFINITY, |(_, max)| max as f64)
    }

    /// Returns `true` if the type is allowed for indices of primitives and of sparse accessors.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }

    /// Decodes the component at the start of `bytes`; 0 if there are too few bytes.
    pub fn decode(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::I8, [a, ..]) => (*a as i8).into(),
            (Self::U8, [a, ..]) => (*a).into(),
            (Self::I16, [a, b, ..]) => i16::from_le_bytes([*a, *b]).into(),
            (Self::U16, [a, b, ..]) => u16::from_le_bytes([*a, *b]).into(),
            (Self::U32, [a, b, c, d, ..]) => u32::from_le_bytes([*a, *b, *c, *d]).into(),
            (Self::F32, [a, b, c, d, ..]) => f32::from_le_bytes([*a, *b, *c, *d]).into(),
            _ => 0.0,
        }
    }

    /// Converts a normalized integer to its fraction; floats and 32-bit integers stay as they are.
    pub fn normalize(self, stored: f64) -> f64 {
        match self {
            Self::F32 | Self::U32 => stored,
            Self::I8 | Self::I16 => (stored / self.max_value()).max(-1.0),
            Self::U8 | Self::U16 => stored / self.max_value(),
        }
    }
}
