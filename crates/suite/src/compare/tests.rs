//! Comparison of a scene with deliberately broken versions.

use super::*;

#[test]
fn changed_pixels_have_a_bounding_box() {
    let gray = |changed: &[[usize; 2]]| {
        let mut rgba = vec![128; 8 * 4 * 4];
        changed.iter().for_each(|[x, y]| rgba[(y * 8 + x) * 4] = 0);
        RgbaImage::new(8, 4, rgba)
    };
    let metrics = ImageMetrics::between(&gray(&[]), &gray(&[[5, 1], [2, 3]])).unwrap();
    assert_eq!((metrics.changed_count, metrics.changed_rect), (2, Some([2, 1, 4, 3])));
    assert_eq!(ImageMetrics::between(&gray(&[]), &gray(&[])).unwrap().changed_rect, None);
}

const WIDTH: u32 = 160;
const HEIGHT: u32 = 120;

/// A shaded disc with an anti-aliased edge over a gradient.
fn scene(shift: f32) -> RgbaImage {
    let mut rgba = Vec::new();
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let (dx, dy) = (x as f32 + 0.5 - 80.0 - shift, y as f32 + 0.5 - 60.0);
            let inside = (40.5 - dx.hypot(dy)).clamp(0.0, 1.0);
            let shade = 0.6 + 0.4 * (dx - dy) / 80.0;
            let behind = [60.0, 62.0, 70.0 + y as f32 / 4.0];
            let disc = [200.0 * shade, 120.0 * shade, 40.0 * shade];
            rgba.extend((0..3).map(|i| (behind[i] + (disc[i] - behind[i]) * inside).round() as u8));
            rgba.push(255);
        }
    }
    RgbaImage::new(WIDTH, HEIGHT, rgba)
}

fn broken(change: impl Fn(usize, usize, &mut [u8; 4])) -> RgbaImage {
    let mut rgba = scene(0.0).rgba().to_vec();
    for (at, pixel) in rgba.as_chunks_mut().0.iter_mut().enumerate() {
        change(at % WIDTH as usize, at / WIDTH as usize, pixel);
    }
    RgbaImage::new(WIDTH, HEIGHT, rgba)
}

/// Returns `true` if the image passes as the scene: for the same renderer, and for another.
fn passes(image: &RgbaImage) -> [bool; 2] {
    let metrics = ImageMetrics::between(&scene(0.0), image).unwrap();
    [Baseline::SameRenderer, Baseline::OtherRenderer]
        .map(|baseline| Tolerances::default().violations(&metrics, baseline).is_empty())
}

#[test]
fn image_equals_itself() {
    assert_eq!(ImageMetrics::between(&scene(0.0), &scene(0.0)), Some(ImageMetrics::default()));
    assert_eq!(passes(&scene(0.0)), [true, true]);
    assert_eq!(ImageMetrics::between(&scene(0.0), &RgbaImage::new(1, 1, vec![0; 4])), None);
}

#[test]
fn rounding_of_one_pixel_passes_and_a_changed_pixel_fails() {
    let at = |x: usize, y: usize| (x, y) == (30, 40);
    assert_eq!(
        passes(&broken(|x, y, p| if at(x, y) {
            p[0] += 2
        })),
        [true, true]
    );
    assert_eq!(
        passes(&broken(|x, y, p| if at(x, y) {
            p[0] += 3
        })),
        [false, true]
    );
    assert_eq!(
        passes(&broken(|x, y, p| if at(x, y) {
            p[0] = 255
        })),
        [false, true]
    );
    // Two pixels of 19,200 are more than 0.01 %.
    assert_eq!(
        passes(&broken(|x, y, p| if y == 40 && (30..32).contains(&x) {
            p[0] += 1
        })),
        [false, true]
    );
}

#[test]
fn shifted_edge_passes_only_within_a_subpixel() {
    assert_eq!(passes(&scene(0.2)), [false, true]);
    assert_eq!(passes(&scene(3.0)), [false, false]);
    assert_eq!(passes(&scene(8.0)), [false, false]);
}

#[test]
fn swapped_or_tinted_colors_fail() {
    assert_eq!(passes(&broken(|_, _, p| p.swap(0, 2))), [false, false]);
    assert_eq!(passes(&broken(|_, _, p| p[2] = p[2].saturating_add(12))), [false, false]);
    assert_eq!(passes(&broken(|_, _, p| *p = p.map(|c| c.saturating_mul(2)))), [false, false]);
}

#[test]
fn missing_content_fails() {
    assert_eq!(passes(&broken(|_, _, p| *p = [0, 0, 0, 255])), [false, false]);
    assert_eq!(passes(&broken(|_, _, p| *p = [0; 4])), [false, false]);
    assert_eq!(passes(&broken(|_, y, p| *p = [60, 62, 70 + (y / 4) as u8, 255])), [false, false]);
    assert_eq!(
        passes(&broken(|x, y, p| if x > 130 && y > 90 {
            *p = [255, 0, 255, 255]
        })),
        [false, false]
    );
}

#[test]
fn alpha_is_compared_separately() {
    let halved = broken(|x, _, p| p[3] = if x < 80 { 255 } else { 128 });
    assert_eq!(passes(&halved), [false, false]);
    let metrics = ImageMetrics::between(&scene(0.0), &halved).unwrap();
    assert!((metrics.alpha_mean - 0.249).abs() < 1e-3 && metrics.alpha_pixels == 0.5, "{metrics:?}");
    // Transparent pixels are equal, whatever their color.
    let transparent = |byte: u8| RgbaImage::new(8, 8, [byte, byte, byte, 0].repeat(64));
    assert_eq!(ImageMetrics::between(&transparent(0), &transparent(255)), Some(ImageMetrics::default()));
}

#[test]
fn difference_images_have_the_expected_size_and_pixels() {
    let (a, b) = (
        scene(0.0),
        broken(|x, y, p| {
            if (x, y) == (5, 5) {
                p[0] += 1
            }
        }),
    );
    let shown = difference(&a, &b);
    assert_eq!(shown.size(), a.size());
    let lit: Vec<usize> = shown.pixels().enumerate().filter(|(_, [r, _, b, _])| r != b).map(|(at, _)| at).collect();
    assert_eq!(lit, [5 * WIDTH as usize + 5]);
    assert_eq!(side_by_side(&[&a, &shown, &b]).size(), [WIDTH * 3 + 8, HEIGHT]);
    assert_eq!(thumbnail(&a, 80).size(), [80, 60]);
    assert_eq!(thumbnail(&RgbaImage::new(3, 1, vec![9; 12]), 2).size(), [2, 1]);
    let small = RgbaImage::new(2, 2, vec![255; 16]);
    assert_eq!(difference(&a, &small).size(), a.size());
}

#[test]
fn number_of_pixels_replaces_differences_and_fractions() {
    let expected = scene(0.0);
    let actual = broken(|x, y, pixel| {
        if y == 5 && x < 30 {
            *pixel = [255, 0, 255, 255]
        }
    });
    let metrics = ImageMetrics::between(&expected, &actual).unwrap();
    assert_eq!((metrics.changed_count, metrics.different_count), (30, 30));
    for baseline in [Baseline::SameRenderer, Baseline::OtherRenderer] {
        let violations = |count: u64| {
            let limits =
                Tolerances { pixel_count: Some(count), flip_mean: 1.0, flip_p99: 1.0, ..Tolerances::default() };
            limits.violations(&metrics, baseline)
        };
        assert!(violations(30).is_empty(), "{:?}", violations(30));
        assert_eq!(violations(29), [Violation { name: "pixels".to_owned(), found: 30.0, limit: 29.0 }]);
    }
}
