//! References to textures, with texture coordinates and their transform.

use super::TextureIndex;

/// A reference from a material to a texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureRef {
    /// The texture.
    pub texture: TextureIndex,
    /// Index of the texture coordinate set.
    pub tex_coord: u32,
    /// Transform of the texture coordinates.
    pub transform: TextureTransform,
}

/// Transform of texture coordinates (KHR_texture_transform): scale, then rotation, then offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureTransform {
    /// Translation.
    pub offset: [f32; 2],
    /// Counter-clockwise rotation in radians, around the origin of the coordinates.
    pub rotation: f32,
    /// Scale.
    pub scale: [f32; 2],
}

impl Default for TextureTransform {
    fn default() -> Self {
        Self { offset: [0.0; 2], rotation: 0.0, scale: [1.0; 2] }
    }
}

impl TextureTransform {
    /// The rows of the matrix that multiplies `[u, v, 1]`. The rotation is counter-clockwise with V pointing down.
    pub fn rows(&self) -> [[f32; 3]; 2] {
        let (sin, cos) = (libm::sinf(self.rotation), libm::cosf(self.rotation));
        let ([x, y], [u, v]) = (self.scale, self.offset);
        [[cos * x, sin * y, u], [-sin * x, cos * y, v]]
    }

    /// Transforms texture coordinates.
    pub fn apply(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        if *self == Self::default() {
            return [u, v];
        }
        self.rows().map(|[x, y, offset]| x * u + y * v + offset)
    }
}
