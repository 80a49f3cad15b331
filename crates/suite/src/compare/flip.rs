//! LDR-FLIP, a perceptual metric for alternating images.
//!
//! Andersson, Nilsson, Akenine-Möller, Oskarsson, Åström and Fairchild, "FLIP: A Difference Evaluator for
//! Alternating Images" (2020). Colors are filtered with the contrast sensitivity of the eye, compared in a perceptually
//! uniform space, and amplified where edges and points differ.

use rayon::prelude::*;

/// Pixels per degree of visual angle: a screen 0.7 m and 3840 pixels wide, seen from 0.7 m.
const PIXELS_PER_DEGREE: f32 = 67.0;
/// Exponents of color and feature differences.
const COLOR_EXPONENT: f32 = 0.7;
const FEATURE_EXPONENT: f32 = 0.5;
/// Fraction of the maximum color difference up to which the scale is steep.
const KNEE: f32 = 0.4;
/// Value of the scale at [`KNEE`].
const KNEE_VALUE: f32 = 0.95;
/// Width of the feature filter, in degrees.
const FEATURE_DEGREES: f32 = 0.082;

/// Pixels that are filtered at once. The filters need a hundred bytes for each.
const STRIP_PIXELS: usize = 1 << 20;
/// Rows above and below a strip that its filters read: at least the radius of each kernel.
const MARGIN: usize = 16;

type Size = (usize, usize);
type Color = [f32; 3];

/// Mean and 99th percentile of FLIP.
pub(super) fn mean_and_p99(expected: &[[u8; 3]], actual: &[[u8; 3]], size: Size) -> (f64, f64) {
    let mut map = map(expected, actual, size);
    let mean = map.iter().map(|error| f64::from(*error)).sum::<f64>() / map.len() as f64;
    let rank = (map.len() * 99 / 100).min(map.len() - 1);
    let (_, p99, _) = map.select_nth_unstable_by(rank, f32::total_cmp);
    (mean, f64::from(*p99))
}

/// FLIP per pixel, 0 to 1.
pub(super) fn map(expected: &[[u8; 3]], actual: &[[u8; 3]], size: Size) -> Vec<f32> {
    map_in_strips(expected, actual, size, (STRIP_PIXELS / size.0.max(1)).max(4 * MARGIN))
}

/// [`map`] in strips of `rows`, on which the result does not depend.
fn map_in_strips(expected: &[[u8; 3]], actual: &[[u8; 3]], (width, height): Size, rows: usize) -> Vec<f32> {
    let mut map = Vec::with_capacity(expected.len());
    for top in (0..height).step_by(rows) {
        let bottom = (top + rows).min(height);
        let (first, last) = (top.saturating_sub(MARGIN), (bottom + MARGIN).min(height));
        let pixels = first * width..last * width;
        let strip = strip_map(&expected[pixels.clone()], &actual[pixels], (width, last - first));
        map.extend_from_slice(&strip[(top - first) * width..(bottom - first) * width]);
    }
    map
}

fn strip_map(expected: &[[u8; 3]], actual: &[[u8; 3]], size: Size) -> Vec<f32> {
    let (expected, actual) = rayon::join(|| PerceivedImage::new(expected, size), || PerceivedImage::new(actual, size));
    let max_difference = libm::powf(hyab(lab_of([0.0, 1.0, 0.0]), lab_of([0.0, 0.0, 1.0])), COLOR_EXPONENT);
    let pixel = |i: usize| {
        let color = libm::powf(hyab(expected.lab[i], actual.lab[i]), COLOR_EXPONENT);
        let knee = KNEE * max_difference;
        let color = if color < knee {
            KNEE_VALUE / knee * color
        } else {
            KNEE_VALUE + (color - knee) / (max_difference - knee) * (1.0 - KNEE_VALUE)
        };
        let edges = (expected.edges[i] - actual.edges[i]).abs();
        let points = (expected.points[i] - actual.points[i]).abs();
        let feature = libm::powf(edges.max(points) * std::f32::consts::FRAC_1_SQRT_2, FEATURE_EXPONENT).clamp(0.0, 1.0);
        libm::powf(color, 1.0 - feature).clamp(0.0, 1.0)
    };
    (0..size.0 * size.1).into_par_iter().map(pixel).collect()
}

/// An image after the filters of the eye.
struct PerceivedImage {
    /// Filtered, in Hunt-adjusted L*a*b*.
    lab: Vec<Color>,
    /// Edge strength.
    edges: Vec<f32>,
    /// Point strength.
    points: Vec<f32>,
}

impl PerceivedImage {
    fn new(image: &[[u8; 3]], size: Size) -> Self {
        let decode: Vec<f32> = (0..256).map(|byte| decode_srgb(byte as f32 / 255.0)).collect();
        let opponent: Vec<Color> = image
            .par_iter()
            .map(|pixel| xyz_to_ycxcz(rgb_to_xyz(pixel.map(|byte| decode[usize::from(byte)]))))
            .collect();
        let plane = |channel: usize| -> Vec<f32> { opponent.par_iter().map(|color| color[channel]).collect() };
        let planes = [plane(0), plane(1), plane(2)];
        let lightness: Vec<f32> = planes[0].iter().map(|y| (y + 16.0) / 116.0).collect();
        let blurred: [Vec<f32>; 3] = std::array::from_fn(|channel| blur(&planes[channel], size, CONTRAST[channel]));
        let lab = (0..image.len()).into_par_iter().map(|i| {
            let rgb = xyz_to_rgb(ycxcz_to_xyz([blurred[0][i], blurred[1][i], blurred[2][i]]));
            lab_of(rgb.map(|c| c.clamp(0.0, 1.0)))
        });
        let [smooth, slope, bend] = feature_kernels();
        Self {
            lab: lab.collect(),
            edges: strength(&lightness, size, &slope, &smooth),
            points: strength(&lightness, size, &bend, &smooth),
        }
    }
}

/// Contrast sensitivity function of a channel: the sum of two Gaussians, as height and width.
type Sensitivity = [(f32, f32); 2];

/// Of the achromatic, red-green and blue-yellow channels.
const CONTRAST: [Sensitivity; 3] =
    [[(1.0, 0.0047), (0.0, 1e-5)], [(1.0, 0.0053), (0.0, 1e-5)], [(34.1, 0.04), (13.5, 0.025)]];

/// Filters a channel with its contrast sensitivity.
fn blur(plane: &[f32], size: Size, sensitivity: Sensitivity) -> Vec<f32> {
    use std::f32::consts::PI;
    let widest = CONTRAST.iter().flatten().fold(0.0_f32, |widest, (_, width)| widest.max(*width));
    let radius = (3.0 * (widest / (2.0 * PI * PI)).sqrt() * PIXELS_PER_DEGREE).ceil() as i32;
    let terms: Vec<(f32, Vec<f32>)> = sensitivity
        .iter()
        .filter(|(height, _)| *height > 0.0)
        .map(|&(height, width)| {
            let at = |x: i32| libm::expf(-PI * PI * libm::powf(x as f32 / PIXELS_PER_DEGREE, 2.0) / width);
            let kernel: Vec<f32> = (-radius..=radius).map(at).collect();
            let sum: f32 = kernel.iter().sum();
            // The weight of the two-dimensional Gaussian; the kernel itself sums to 1.
            (height * (PI / width).sqrt() * sum * sum, kernel.iter().map(|k| k / sum).collect())
        })
        .collect();
    let all: f32 = terms.iter().map(|(weight, _)| weight).sum();
    let mut blurred = vec![0.0; plane.len()];
    for (weight, kernel) in &terms {
        let part = convolve(plane, size, kernel, kernel);
        blurred.iter_mut().zip(part).for_each(|(sum, part)| *sum += part * (weight / all));
    }
    blurred
}

/// A Gaussian and its first and second derivatives; positive and negative values of the derivatives each sum to 1.
fn feature_kernels() -> [Vec<f32>; 3] {
    let deviation = 0.5 * FEATURE_DEGREES * PIXELS_PER_DEGREE;
    let radius = (3.0 * deviation).ceil() as i32;
    let gaussian = |x: f32| libm::expf(-x * x / (2.0 * deviation * deviation));
    let kernel = |shape: &dyn Fn(f32) -> f32| -> Vec<f32> { (-radius..=radius).map(|x| shape(x as f32)).collect() };
    let balanced = |kernel: Vec<f32>| -> Vec<f32> {
        let sum = |sign: f32| kernel.iter().filter(|k| **k * sign > 0.0).sum::<f32>().abs();
        let (positive, negative) = (sum(1.0), sum(-1.0));
        kernel.iter().map(|k| if *k < 0.0 { k / negative } else { k / positive }).collect()
    };
    let smooth = kernel(&gaussian);
    let sum: f32 = smooth.iter().sum();
    [
        smooth.iter().map(|k| k / sum).collect(),
        balanced(kernel(&|x| -x * gaussian(x))),
        balanced(kernel(&|x| (x * x / (deviation * deviation) - 1.0) * gaussian(x))),
    ]
}

/// Strength of a feature in any direction.
fn strength(plane: &[f32], size: Size, across: &[f32], along: &[f32]) -> Vec<f32> {
    let (x, y) = (convolve(plane, size, across, along), convolve(plane, size, along, across));
    x.iter().zip(y).map(|(x, y)| (x * x + y * y).sqrt()).collect()
}

/// Convolves a plane with separable kernels; border pixels are repeated outside.
fn convolve(plane: &[f32], (width, height): Size, rows: &[f32], columns: &[f32]) -> Vec<f32> {
    let radius = rows.len() / 2;
    let mut across = vec![0.0; plane.len()];
    // Rows with repeated borders need no clamping per pixel, so that the compiler emits SIMD instructions.
    across.par_chunks_mut(width).zip(plane.par_chunks(width)).for_each_init(Vec::new, |padded, (out, row)| {
        padded.clear();
        padded.resize(radius, row[0]);
        padded.extend_from_slice(row);
        padded.resize(width + 2 * radius, row[width - 1]);
        add_weighted(out, rows, |k| &padded[k..k + width]);
    });
    let mut result = vec![0.0; plane.len()];
    result.par_chunks_mut(width).enumerate().for_each(|(y, out)| {
        add_weighted(out, columns, |k| {
            let from = (y + k).saturating_sub(columns.len() / 2).min(height - 1) * width;
            &across[from..from + width]
        });
    });
    result
}

/// Adds `values(k)` times weight `k` of `kernel` to `sums`.
fn add_weighted<'a>(sums: &mut [f32], kernel: &[f32], values: impl Fn(usize) -> &'a [f32]) {
    for (k, weight) in kernel.iter().enumerate() {
        sums.iter_mut().zip(values(k)).for_each(|(sum, value)| *sum += weight * value);
    }
}

/// Reference white in XYZ.
const WHITE: Color = [0.950_428_5, 1.0, 1.088_900_4];

fn decode_srgb(encoded: f32) -> f32 {
    if encoded <= 0.04045 { encoded / 12.92 } else { libm::powf((encoded + 0.055) / 1.055, 2.4) }
}

fn rgb_to_xyz([r, g, b]: Color) -> Color {
    [
        0.412_386_56 * r + 0.357_591_49 * g + 0.180_450_49 * b,
        0.212_636_82 * r + 0.715_182_98 * g + 0.072_180_2 * b,
        0.019_330_62 * r + 0.119_197_16 * g + 0.950_372_6 * b,
    ]
}

fn xyz_to_rgb([x, y, z]: Color) -> Color {
    [
        3.241_003_3 * x - 1.537_399 * y - 0.498_615_86 * z,
        -0.969_224_3 * x + 1.875_93 * y + 0.041_554_22 * z,
        0.055_639_42 * x - 0.204_011_2 * y + 1.057_149 * z,
    ]
}

fn xyz_to_ycxcz(xyz: Color) -> Color {
    let [x, y, z]: Color = std::array::from_fn(|i| xyz[i] / WHITE[i]);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn ycxcz_to_xyz([y, cx, cz]: Color) -> Color {
    let y = (y + 16.0) / 116.0;
    let [x, z] = [y + cx / 500.0, y - cz / 200.0];
    [x * WHITE[0], y * WHITE[1], z * WHITE[2]]
}

/// Hunt-adjusted L*a*b* of linear RGB: chroma scales with lightness.
fn lab_of(rgb: Color) -> Color {
    const DELTA: f32 = 6.0 / 29.0;
    let xyz = rgb_to_xyz(rgb);
    let [x, y, z]: Color = std::array::from_fn(|i| match xyz[i] / WHITE[i] {
        t if t > DELTA * DELTA * DELTA => libm::cbrtf(t),
        t => t / (3.0 * DELTA * DELTA) + 4.0 / 29.0,
    });
    let lightness = 116.0 * y - 16.0;
    [lightness, 0.01 * lightness * 500.0 * (x - y), 0.01 * lightness * 200.0 * (y - z)]
}

/// HyAB color distance, which also holds for large differences.
fn hyab(a: Color, b: Color) -> f32 {
    let [l, u, v]: Color = std::array::from_fn(|i| a[i] - b[i]);
    l.abs() + (u * u + v * v).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_matches_the_reference_implementation() {
        const SIZE: Size = (96, 64);
        let positions = || (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y)));
        let expected: Vec<[u8; 3]> = positions().map(|(x, y)| [(x * 5) as u8, (y * 7) as u8, (x * y) as u8]).collect();
        let is_changed = |x, y| (24..72).contains(&x) && (16..48).contains(&y);
        let swapped = |((x, y), [r, g, b]): ((usize, usize), &[u8; 3])| match is_changed(x, y) {
            true => [*b, *g, *r],
            false => [*r, *g, *b],
        };
        let actual: Vec<[u8; 3]> = positions().zip(&expected).map(swapped).collect();
        let (mean, p99) = mean_and_p99(&expected, &actual, SIZE);
        // Strips change nothing.
        let whole = map_in_strips(&expected, &actual, SIZE, SIZE.1);
        assert!([1, 7, 16, 63].into_iter().all(|rows| map_in_strips(&expected, &actual, SIZE, rows) == whole));
        // Computed with version 1.7 of the reference implementation at 67 pixels per degree.
        assert!((mean - 0.151_208).abs() < 1e-4 && (p99 - 0.804_527).abs() < 1e-3, "{mean} {p99}");
    }
}
