//! What is done to attributes after they are decompressed (the extensions' appendix B).

/// How items were changed so that they compress better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    /// Not at all.
    None,
    /// Unit vectors folded onto an octahedron.
    Octahedral,
    /// Unit quaternions without their largest number.
    Quaternion,
    /// Floats as a whole number and an exponent.
    Exponential,
    /// Colors as luma and two differences of hue.
    Color,
}

impl Filter {
    /// Whether items of `stride` bytes may be filtered so.
    pub(super) fn fits(self, stride: usize) -> bool {
        match self {
            Self::None | Self::Exponential => true,
            Self::Octahedral | Self::Color => matches!(stride, 4 | 8),
            Self::Quaternion => stride == 8,
        }
    }

    /// Turns items of `stride` bytes, which [`fits`](Self::fits), back into what they were.
    pub(super) fn undo(self, bytes: &mut [u8], stride: usize) {
        match (self, stride) {
            (Self::None, _) => {}
            (Self::Octahedral, 4) => {
                each(bytes, |item: [u8; 4]| octahedral(item.map(|x| x as i8), 127.0).map(|x| x as i8 as u8))
            }
            (Self::Octahedral, _) => each(bytes, |item: [u8; 8]| bytes_of(octahedral(shorts(item), 32_767.0))),
            (Self::Quaternion, _) => each(bytes, |item: [u8; 8]| bytes_of(quaternion(shorts(item)))),
            (Self::Exponential, _) => each(bytes, exponential),
            (Self::Color, 4) => each(bytes, |[y, co, cg, a]: [u8; 4]| {
                let hue = [co, cg].map(|x| i32::from(x as i8));
                color(i32::from(y), hue, i32::from(a), 255.0).map(|x| x as u8)
            }),
            (Self::Color, _) => each(bytes, |item: [u8; 8]| {
                let [y, co, cg, a] = shorts(item);
                let color = color(i32::from(y as u16), [co, cg].map(i32::from), i32::from(a as u16), 65_535.0);
                bytes_of(color.map(|x| f32::from(x as u16 as i16)))
            }),
        }
    }
}

/// Replaces items of `N` bytes.
fn each<const N: usize>(bytes: &mut [u8], change: impl Fn([u8; N]) -> [u8; N]) {
    for item in bytes.as_chunks_mut::<N>().0 {
        *item = change(*item);
    }
}

fn shorts([a, b, c, d, e, f, g, h]: [u8; 8]) -> [i16; 4] {
    [[a, b], [c, d], [e, f], [g, h]].map(i16::from_le_bytes)
}

fn bytes_of(numbers: [f32; 4]) -> [u8; 8] {
    let [[a, b], [c, d], [e, f], [g, h]] = numbers.map(|x| (x as i16).to_le_bytes());
    [a, b, c, d, e, f, g, h]
}

/// To the nearest whole number, halves away from zero.
fn nearest(x: f32) -> f32 {
    (x + if x >= 0.0 { 0.5 } else { -0.5 }).trunc()
}

/// A unit vector times `one`, from two coordinates on an octahedron and what 1 is there; the fourth number stays.
fn octahedral<T: Into<f32> + Copy>(item: [T; 4], one: f32) -> [f32; 4] {
    let [mut x, mut y, of, w] = item.map(Into::into);
    let z = of - x.abs() - y.abs();
    let fold = z.min(0.0);
    x += if x >= 0.0 { fold } else { -fold };
    y += if y >= 0.0 { fold } else { -fold };
    let scale = one / (x * x + y * y + z * z).sqrt();
    [nearest(x * scale), nearest(y * scale), nearest(z * scale), w]
}

/// A unit quaternion times 32,767, from three of its numbers, what the root of 1/2 is there, and which one is missing.
fn quaternion([x, y, z, of]: [i16; 4]) -> [f32; 4] {
    let one = f32::from(of | 3);
    let given = [x, y, z].map(f32::from);
    let [x, y, z] = given;
    let missing = (one * one * 2.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let scale = 32_767.0 / std::f32::consts::SQRT_2 / one;
    let mut out = [0.0; 4];
    let largest = usize::from(of as u16 & 3);
    for (i, number) in given.into_iter().chain([missing]).enumerate() {
        out[(largest + 1 + i) % 4] = nearest(number * scale);
    }
    out
}

/// A float, from a whole number of 24 bits and the power of two that it is multiplied with.
fn exponential([a, b, c, exponent]: [u8; 4]) -> [u8; 4] {
    let mantissa = i32::from_le_bytes([0, a, b, c]) >> 8;
    // In double precision nothing is lost on the way.
    let power = f64::from_bits((1023 + i64::from(exponent as i8)) as u64 * (1 << 52));
    let float = f64::from(mantissa) * power;
    (float as f32).to_le_bytes()
}

/// A color whose largest number is `one`. The highest bit of `alpha` tells what is 1 in all of them.
fn color(y: i32, [co, cg]: [i32; 2], alpha: i32, one: f32) -> [f32; 4] {
    let bits = i32::BITS - alpha.leading_zeros();
    let of = (1 << bits) - 1;
    let rgb = [y + co - cg, y + cg, y - co - cg];
    // Opacity has lost a bit to that mark; its lowest one is doubled.
    let alpha = ((alpha << 1) & of) | (alpha & 1);
    let scale = one / of as f32;
    let [r, g, b] = rgb;
    [r, g, b, alpha].map(|x| (x as f32 * scale + 0.5).trunc())
}
