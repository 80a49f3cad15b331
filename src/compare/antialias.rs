//! Pixels of another color, and whether an anti-aliased edge explains them.
//!
//! The distance is that of Kotsarenko and Ramos, "Measuring perceived color difference using YIQ NTSC transmission color
//! space in mobile applications" (2010); the edge is found as in Vyšniauskas, "Anti-aliased pixel and intensity slope
//! detector" (2009). Both as the `pixelmatch` library made them known.

/// A distance from which on a color is another, 0 to 1.
const THRESHOLD: f64 = 0.1;
/// The largest square of a distance.
const FARTHEST: f64 = 35_215.0;

/// Pixels of another color.
pub(super) struct Kinds {
    /// No edge explains them.
    pub(super) different: u64,
    /// They lie on an edge that is drawn with several samples.
    pub(super) edges: u64,
}

type Size = (usize, usize);

/// Counts the pixels of another color.
pub(super) fn count(expected: &[[u8; 3]], actual: &[[u8; 3]], size: Size) -> Kinds {
    let limit = FARTHEST * THRESHOLD * THRESHOLD;
    let mut kinds = Kinds { different: 0, edges: 0 };
    for (at, (a, b)) in expected.iter().zip(actual).enumerate() {
        if distance(*a, *b) > limit {
            let place = (at % size.0, at / size.0);
            let is_edge = on_edge(expected, actual, place, size) || on_edge(actual, expected, place, size);
            *(if is_edge { &mut kinds.edges } else { &mut kinds.different }) += 1;
        }
    }
    kinds
}

fn luma([r, g, b]: [u8; 3]) -> f64 {
    f64::from(r) * 0.298_895_31 + f64::from(g) * 0.586_622_47 + f64::from(b) * 0.114_482_23
}

/// Square of the distance of two colors.
fn distance(a: [u8; 3], b: [u8; 3]) -> f64 {
    if a == b {
        return 0.0;
    }
    let [r, g, b_] = std::array::from_fn(|i| f64::from(a[i]) - f64::from(b[i]));
    let y = r * 0.298_895_31 + g * 0.586_622_47 + b_ * 0.114_482_23;
    let i = r * 0.595_977_99 - g * 0.274_176_10 - b_ * 0.321_801_89;
    let q = r * 0.211_470_17 - g * 0.522_617_11 + b_ * 0.311_146_94;
    0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q
}

/// The pixels around a place, as far as there are any.
fn around((x, y): (usize, usize), (width, height): Size) -> impl Iterator<Item = (usize, usize)> {
    let columns = x.saturating_sub(1)..=(x + 1).min(width - 1);
    let rows = y.saturating_sub(1)..=(y + 1).min(height - 1);
    columns.flat_map(move |i| rows.clone().map(move |j| (i, j))).filter(move |place| *place != (x, y))
}

fn at_border((x, y): (usize, usize), (width, height): Size) -> bool {
    x == 0 || y == 0 || x + 1 == width || y + 1 == height
}

/// Whether a pixel of `picture` lies between a darker and a brighter neighbor, of which one belongs to a surface in
/// both pictures.
fn on_edge(picture: &[[u8; 3]], other: &[[u8; 3]], place: (usize, usize), size: Size) -> bool {
    let pixel = |(x, y): (usize, usize)| picture[y * size.0 + x];
    let here = luma(pixel(place));
    let mut equal = usize::from(at_border(place, size));
    let (mut darkest, mut brightest) = ((0.0, place), (0.0, place));
    for neighbor in around(place, size) {
        let far = luma(pixel(neighbor)) - here;
        if far == 0.0 {
            equal += 1;
            if equal > 2 {
                return false;
            }
        } else if far < darkest.0 {
            darkest = (far, neighbor);
        } else if far > brightest.0 {
            brightest = (far, neighbor);
        }
    }
    if darkest.0 == 0.0 || brightest.0 == 0.0 {
        return false;
    }
    let in_both = |place| in_a_surface(picture, place, size) && in_a_surface(other, place, size);
    in_both(darkest.1) || in_both(brightest.1)
}

/// Whether at least three neighbors have the same color.
fn in_a_surface(picture: &[[u8; 3]], place: (usize, usize), size: Size) -> bool {
    let here = picture[place.1 * size.0 + place.0];
    let same = around(place, size).filter(|(x, y)| picture[y * size.0 + x] == here).count();
    same + usize::from(at_border(place, size)) > 2
}
