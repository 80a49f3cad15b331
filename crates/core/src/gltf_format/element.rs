//! Element types and formats of accessors (glTF 2.0, section 3.6.2).

use super::ComponentType;

/// The `type` of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    /// SCALAR
    Scalar,
    /// VEC2
    Vec2,
    /// VEC3
    Vec3,
    /// VEC4
    Vec4,
    /// MAT2, column by column
    Mat2,
    /// MAT3, column by column
    Mat3,
    /// MAT4, column by column
    Mat4,
}

impl ElementType {
    const ALL: [Self; 7] = [Self::Scalar, Self::Vec2, Self::Vec3, Self::Vec4, Self::Mat2, Self::Mat3, Self::Mat4];

    /// Parses the `type` of an accessor.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name() == name)
    }

    /// The name in JSON, such as `VEC3`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "SCALAR",
            Self::Vec2 => "VEC2",
            Self::Vec3 => "VEC3",
            Self::Vec4 => "VEC4",
            Self::Mat2 => "MAT2",
            Self::Mat3 => "MAT3",
            Self::Mat4 => "MAT4",
        }
    }

    /// Number of components of an element, without the padding of columns.
    pub fn component_count(self) -> usize {
        self.rows() * self.columns()
    }

    /// Rows of a matrix; the components of a vector.
    pub(crate) fn rows(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Vec2 | Self::Mat2 => 2,
            Self::Vec3 | Self::Mat3 => 3,
            Self::Vec4 | Self::Mat4 => 4,
        }
    }

    /// Columns of a matrix; 1 for scalars and vectors.
    pub fn columns(self) -> usize {
        match self {
            Self::Scalar | Self::Vec2 | Self::Vec3 | Self::Vec4 => 1,
            Self::Mat2 => 2,
            Self::Mat3 => 3,
            Self::Mat4 => 4,
        }
    }
}

/// The storage format of one element of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementFormat {
    /// Arrangement of the components.
    pub element: ElementType,
    /// Type of each component.
    pub component: ComponentType,
    /// Integers are mapped to 0 to 1, or to -1 to 1 if they are signed.
    pub normalized: bool,
}

impl ElementFormat {
    /// Number of components of an element, without the padding of columns.
    pub fn component_count(self) -> usize {
        self.element.component_count()
    }

    /// Bytes from one column to the next: columns of matrices start at multiples of 4 bytes.
    pub(crate) fn column_stride(self) -> usize {
        let column = self.element.rows() * self.component.size();
        if self.element.columns() == 1 { column } else { column.next_multiple_of(4) }
    }

    /// Bytes of an element, with the padding of every column: the stride of tightly packed elements.
    pub fn padded_size(self) -> usize {
        self.element.columns() * self.column_stride()
    }

    /// Bytes from the first to the last component of an element, without the padding of the last column.
    pub fn size(self) -> usize {
        (self.element.columns() - 1) * self.column_stride() + self.element.rows() * self.component.size()
    }

    /// Byte offset of a component, counted in column-major order.
    pub fn component_offset(self, component: usize) -> usize {
        let rows = self.element.rows();
        component / rows * self.column_stride() + component % rows * self.component.size()
    }

    pub(crate) fn is_integer(self) -> bool {
        self.component != ComponentType::F32
    }

    /// Returns `true` for floats and normalized unsigned integers, the formats of colors, weights and texture coordinates.
    pub(crate) fn is_float_or_unsigned_normalized(self) -> bool {
        match self.component {
            ComponentType::F32 => true,
            ComponentType::U8 | ComponentType::U16 => self.normalized,
            _ => false,
        }
    }

    /// Returns the name for messages, such as `VEC3 of FLOAT`.
    pub fn name(self) -> String {
        let normalized = if self.normalized { "normalized " } else { "" };
        format!("{} of {normalized}{}", self.element.name(), self.component.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_matrix_columns_are_aligned_to_4_bytes() {
        let sizes = |element, component| {
            let format = ElementFormat { element, component, normalized: false };
            (format.size(), format.padded_size(), format.component_offset(3))
        };
        assert_eq!(sizes(ElementType::Mat2, ComponentType::U8), (6, 8, 5));
        assert_eq!(sizes(ElementType::Mat3, ComponentType::I8), (11, 12, 4));
        assert_eq!(sizes(ElementType::Mat3, ComponentType::U16), (22, 24, 8));
        assert_eq!(sizes(ElementType::Mat4, ComponentType::F32), (64, 64, 12));
        assert_eq!(sizes(ElementType::Vec4, ComponentType::U8), (4, 4, 3));
    }

    #[test]
    fn names_round_trip() {
        for element in ElementType::ALL {
            assert_eq!(ElementType::from_name(element.name()), Some(element));
        }
        assert_eq!(ElementType::from_name("vec3"), None);
    }
}
