//! Attribute filters, which run after decompression (appendix B of the extensions).

/// The filter of a buffer view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    /// Unfiltered.
    None,
    /// Unit vectors in octahedral encoding.
    Octahedral,
    /// Unit quaternions without their largest component.
    Quaternion,
    /// Floats as integer mantissa and exponent.
    Exponential,
    /// Colors as YCoCg.
    Color,
}

impl Filter {
    /// Returns `true` if the filter supports elements of `stride` bytes.
    pub(super) fn fits(self, stride: usize) -> bool {
        match self {
            Self::None | Self::Exponential => true,
            Self::Octahedral | Self::Color => matches!(stride, 4 | 8),
            Self::Quaternion => stride == 8,
        }
    }

    /// Decodes elements of `stride` bytes, which the filter must [support](Self::fits).
    pub(super) fn decode(self, bytes: &mut [u8], stride: usize) {
        match (self, stride) {
            (Self::None, _) => {}
            (Self::Octahedral, 4) => {
                map_elements(bytes, |item: [u8; 4]| octahedral(item.map(|x| x as i8), 127.0).map(|x| x as i8 as u8))
            }
            (Self::Octahedral, _) => map_elements(bytes, |item: [u8; 8]| bytes_of(octahedral(shorts(item), 32_767.0))),
            (Self::Quaternion, _) => map_elements(bytes, |item: [u8; 8]| bytes_of(quaternion(shorts(item)))),
            (Self::Exponential, _) => map_elements(bytes, exponential),
            (Self::Color, 4) => map_elements(bytes, |[y, co, cg, a]: [u8; 4]| {
                let chroma = [co, cg].map(|x| i32::from(x as i8));
                color(i32::from(y), chroma, i32::from(a), 255.0).map(|x| x as u8)
            }),
            (Self::Color, _) => map_elements(bytes, |item: [u8; 8]| {
                let [y, co, cg, a] = shorts(item);
                let color = color(i32::from(y as u16), [co, cg].map(i32::from), i32::from(a as u16), 65_535.0);
                bytes_of(color.map(|x| f32::from(x as u16 as i16)))
            }),
        }
    }
}

/// Replaces each element of `N` bytes.
fn map_elements<const N: usize>(bytes: &mut [u8], map: impl Fn([u8; N]) -> [u8; N]) {
    for element in bytes.as_chunks_mut::<N>().0 {
        *element = map(*element);
    }
}

fn shorts([a, b, c, d, e, f, g, h]: [u8; 8]) -> [i16; 4] {
    [[a, b], [c, d], [e, f], [g, h]].map(i16::from_le_bytes)
}

fn bytes_of(numbers: [f32; 4]) -> [u8; 8] {
    let [[a, b], [c, d], [e, f], [g, h]] = numbers.map(|x| (x as i16).to_le_bytes());
    [a, b, c, d, e, f, g, h]
}

/// Rounds to the nearest integer, halves away from zero.
fn nearest(x: f32) -> f32 {
    (x + if x >= 0.0 { 0.5 } else { -0.5 }).trunc()
}

/// Decodes a unit vector, scaled by `one`, from two octahedral coordinates and their scale. Keeps the fourth component.
fn octahedral<T: Into<f32> + Copy>(item: [T; 4], one: f32) -> [f32; 4] {
    let [mut x, mut y, stored_one, w] = item.map(Into::into);
    let z = stored_one - x.abs() - y.abs();
    let fold = z.min(0.0);
    x += if x >= 0.0 { fold } else { -fold };
    y += if y >= 0.0 { fold } else { -fold };
    let scale = one / (x * x + y * y + z * z).sqrt();
    [nearest(x * scale), nearest(y * scale), nearest(z * scale), w]
}

/// Decodes a unit quaternion, scaled by 32,767, from its three smallest components.
///
/// The fourth value holds the scale of the components, and the index of the largest one in the lowest two bits.
fn quaternion([x, y, z, scale_and_index]: [i16; 4]) -> [f32; 4] {
    let one = f32::from(scale_and_index | 3);
    let stored = [x, y, z].map(f32::from);
    let [x, y, z] = stored;
    let missing = (one * one * 2.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let scale = 32_767.0 / std::f32::consts::SQRT_2 / one;
    let mut out = [0.0; 4];
    let largest = usize::from(scale_and_index as u16 & 3);
    for (i, number) in stored.into_iter().chain([missing]).enumerate() {
        out[(largest + 1 + i) % 4] = nearest(number * scale);
    }
    out
}

/// Decodes a float from a 24-bit mantissa and an exponent of two.
fn exponential([a, b, c, exponent]: [u8; 4]) -> [u8; 4] {
    let mantissa = i32::from_le_bytes([0, a, b, c]) >> 8;
    // The product is exact in double precision.
    let power = f64::from_bits((1023 + i64::from(exponent as i8)) as u64 * (1 << 52));
    let float = f64::from(mantissa) * power;
    (float as f32).to_le_bytes()
}

/// Decodes YCoCg to RGBA with maximum `one`. The highest set bit of `alpha` is the bit depth.
fn color(y: i32, [co, cg]: [i32; 2], alpha: i32, one: f32) -> [f32; 4] {
    let bits = i32::BITS - alpha.leading_zeros();
    let max = (1 << bits) - 1;
    let rgb = [y + co - cg, y + cg, y - co - cg];
    // Alpha has one bit less, so its lowest bit is duplicated.
    let alpha = ((alpha << 1) & max) | (alpha & 1);
    let scale = one / max as f32;
    let [r, g, b] = rgb;
    [r, g, b, alpha].map(|x| (x as f32 * scale + 0.5).trunc())
}
