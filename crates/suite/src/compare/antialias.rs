//! Counts pixels of another color, with and without anti-aliased edges.
//!
//! Color distance: Kotsarenko and Ramos, "Measuring perceived color difference using YIQ NTSC transmission color space in
//! mobile applications" (2010). Edge detection: Vyšniauskas, "Anti-aliased pixel and intensity slope detector" (2009).
//! Both as in the `pixelmatch` library.

/// Color distance, 0 to 1, above which colors are different.
const THRESHOLD: f64 = 0.1;
/// Squared distance of black and white.
const MAX_SQUARED_DISTANCE: f64 = 35_215.0;

/// Numbers of pixels of another color.
pub(super) struct PixelCounts {
    /// Not on an edge.
    pub(super) different: u64,
    /// On an anti-aliased edge.
    pub(super) edges: u64,
}

type Size = (usize, usize);
type Position = (usize, usize);

pub(super) fn count(expected: &[[u8; 3]], actual: &[[u8; 3]], size: Size) -> PixelCounts {
    let limit = MAX_SQUARED_DISTANCE * THRESHOLD * THRESHOLD;
    let mut counts = PixelCounts { different: 0, edges: 0 };
    for (i, (a, b)) in expected.iter().zip(actual).enumerate() {
        if squared_distance(*a, *b) > limit {
            let position = (i % size.0, i / size.0);
            let is_edge = is_on_edge(expected, actual, position, size) || is_on_edge(actual, expected, position, size);
            *(if is_edge { &mut counts.edges } else { &mut counts.different }) += 1;
        }
    }
    counts
}

fn luma([r, g, b]: [u8; 3]) -> f64 {
    f64::from(r) * 0.298_895_31 + f64::from(g) * 0.586_622_47 + f64::from(b) * 0.114_482_23
}

fn squared_distance(a: [u8; 3], b: [u8; 3]) -> f64 {
    if a == b {
        return 0.0;
    }
    let [r, g, b_] = std::array::from_fn(|i| f64::from(a[i]) - f64::from(b[i]));
    let y = r * 0.298_895_31 + g * 0.586_622_47 + b_ * 0.114_482_23;
    let i = r * 0.595_977_99 - g * 0.274_176_10 - b_ * 0.321_801_89;
    let q = r * 0.211_470_17 - g * 0.522_617_11 + b_ * 0.311_146_94;
    0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q
}

/// The up to eight neighbors of a pixel.
fn neighbors((x, y): Position, (width, height): Size) -> impl Iterator<Item = Position> {
    let columns = x.saturating_sub(1)..=(x + 1).min(width - 1);
    let rows = y.saturating_sub(1)..=(y + 1).min(height - 1);
    columns.flat_map(move |i| rows.clone().map(move |j| (i, j))).filter(move |position| *position != (x, y))
}

fn is_at_border((x, y): Position, (width, height): Size) -> bool {
    x == 0 || y == 0 || x + 1 == width || y + 1 == height
}

/// Returns `true` if the pixel has a darker and a brighter neighbor, one of which is on a flat surface in both images.
fn is_on_edge(image: &[[u8; 3]], other: &[[u8; 3]], position: Position, size: Size) -> bool {
    let pixel = |(x, y): Position| image[y * size.0 + x];
    let center = luma(pixel(position));
    let mut equal = usize::from(is_at_border(position, size));
    let (mut darkest, mut brightest) = ((0.0, position), (0.0, position));
    for neighbor in neighbors(position, size) {
        let difference = luma(pixel(neighbor)) - center;
        if difference == 0.0 {
            equal += 1;
            if equal > 2 {
                return false;
            }
        } else if difference < darkest.0 {
            darkest = (difference, neighbor);
        } else if difference > brightest.0 {
            brightest = (difference, neighbor);
        }
    }
    if darkest.0 == 0.0 || brightest.0 == 0.0 {
        return false;
    }
    let is_flat_in_both = |position| is_flat(image, position, size) && is_flat(other, position, size);
    is_flat_in_both(darkest.1) || is_flat_in_both(brightest.1)
}

/// Returns `true` if at least three neighbors have the same color.
fn is_flat(image: &[[u8; 3]], position: Position, size: Size) -> bool {
    let center = image[position.1 * size.0 + position.0];
    let equal = neighbors(position, size).filter(|(x, y)| image[y * size.0 + x] == center).count();
    equal + usize::from(is_at_border(position, size)) > 2
}
