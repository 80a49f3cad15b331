//! Exposure and tone mapping.

use crate::context::{GlTestContext, RenderedImage, Shot, assert_close, byte};
use crate::progressive::progressive;
use crate::rigs::{square, squares};
use nalgebra::{Matrix3, Vector3};
use rigview::math::{Aabb, Transform};
use rigview::model::{Material, Model};
use rigview::scene::{Background, Lighting, ToneMapping};

/// Tone mapping curves in double precision.
fn mapped(curve: ToneMapping, color: [f64; 3]) -> [f64; 3] {
    let c = Vector3::from(color);
    let rows = |m: [[f64; 3]; 3]| Matrix3::from(m).transpose();
    match curve {
        ToneMapping::None => color,
        ToneMapping::Neutral => {
            let least = c.min();
            let c = c.add_scalar(if least < 0.08 { 6.25 * least * least - least } else { -0.04 });
            let peak = c.max();
            if peak < 0.76 {
                return c.into();
            }
            let bent = 1.0 - 0.24 * 0.24 / (peak + 0.24 - 0.76);
            let gray = 1.0 - 1.0 / (0.15 * (peak - bent) + 1.0);
            (c * (bent / peak)).map(|x| x * (1.0 - gray) + bent * gray).into()
        }
        ToneMapping::Aces => {
            let into = rows([[0.59719, 0.35458, 0.04823], [0.07600, 0.90834, 0.01566], [0.02840, 0.13383, 0.83777]]);
            let out =
                rows([[1.60475, -0.53108, -0.07367], [-0.10208, 1.10813, -0.00605], [-0.00327, -0.07276, 1.07602]]);
            let v = into * c / 0.6;
            let fit = |v: f64| (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081);
            (out * v.map(fit)).into()
        }
        ToneMapping::Agx | ToneMapping::Filmic => unreachable!("compared with Blender"),
    }
}

#[test]
fn exposure_and_tone_mapping_match_formulas() {
    let mut stage = GlTestContext::new();
    let shown = |stage: &mut GlTestContext, color: [f64; 3], tone_mapping, exposure_ev: f64| {
        let emissive = color.map(|x| (x / exposure_ev.exp2()) as f32);
        let model = square(Material { emissive, ..Default::default() }, Transform::identity());
        let lighting = Lighting { tone_mapping, exposure_ev, ..Lighting::default() };
        stage.image(&Shot { lighting, ..Shot::flat(&model) }).middle()
    };
    let colors =
        [[0.0; 3], [0.02, 0.05, 0.01], [0.18; 3], [0.5, 0.3, 0.1], [0.9, 0.9, 0.2], [3.0, 1.0, 0.5], [40.0; 3]];
    for color in colors {
        for curve in [ToneMapping::None, ToneMapping::Neutral, ToneMapping::Aces] {
            for exposure_ev in [0.0, 2.0, -3.0] {
                let [r, g, b] = mapped(curve, color).map(byte);
                assert_close(shown(&mut stage, color, curve, exposure_ev), [r, g, b, 255]);
            }
        }
    }
}

/// Colors, and what the view transforms "AgX" and "Filmic" of Blender 5.0.1 make of them with the look "None".
/// `tests/against-cycles/view_transforms.py` writes it.
const VIEW_TRANSFORMS: &str = include_str!("../fixtures/view-transforms.txt");

/// Squares in a row of the chart.
const COLUMNS: u32 = 32;
/// Pixels along a side of a square.
const SIDE: u32 = 5;

struct ChartColor {
    color: [f32; 3],
    agx: [u8; 3],
    filmic: [u8; 3],
}

fn chart() -> Vec<ChartColor> {
    let line = |line: &str| {
        let numbers: Vec<f32> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        let three = |start: usize| [numbers[start], numbers[start + 1], numbers[start + 2]];
        ChartColor { color: three(0), agx: three(3).map(|x| x as u8), filmic: three(6).map(|x| x as u8) }
    };
    VIEW_TRANSFORMS.lines().map(line).collect()
}

/// A square that emits light per color, row by row from the upper left corner. The chart spans -1 to 1.
fn chart_model(chart: &[ChartColor]) -> Model {
    let half_size = 1.0 / f64::from(COLUMNS);
    let square = |(number, entry): (usize, &ChartColor)| {
        let (column, row) = (number as u32 % COLUMNS, number as u32 / COLUMNS);
        let x = (2.0 * f64::from(column) + 1.0) * half_size - 1.0;
        let y = 1.0 - (2.0 * f64::from(row) + 1.0) * half_size;
        let rest = Transform {
            translation: Vector3::new(x, y, 0.0),
            scale: Vector3::repeat(half_size),
            ..Transform::identity()
        };
        (Material { emissive: entry.color, ..Material::default() }, rest)
    };
    squares(chart.iter().enumerate().map(square).collect())
}

fn assert_matches_chart(image: &RenderedImage, chart: &[ChartColor], expected: impl Fn(&ChartColor) -> [u8; 3]) {
    for (number, entry) in chart.iter().enumerate() {
        let (column, row) = (number as u32 % COLUMNS, number as u32 / COLUMNS);
        let [r, g, b, _] = image.at(column * SIDE + SIDE / 2, row * SIDE + SIDE / 2);
        let expected = expected(entry);
        let is_close = [r, g, b].iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 1);
        assert!(is_close, "{:?} is {:?}, not {expected:?}", entry.color, [r, g, b]);
    }
}

#[test]
fn agx_and_filmic_match_blender() {
    let mut context = GlTestContext::new();
    let chart = chart();
    assert!(chart.len() > 700);
    let model = chart_model(&chart);
    for tone_mapping in [ToneMapping::Agx, ToneMapping::Filmic] {
        let expected = |entry: &ChartColor| if tone_mapping == ToneMapping::Agx { entry.agx } else { entry.filmic };
        let lighting = Lighting { tone_mapping, ..Lighting::default() };
        let size = (COLUMNS * SIDE, COLUMNS * SIDE);
        let shot = Shot { lighting, size, ..Shot::flat(&model) }.before(Background::Color([0.0; 3]));
        assert_matches_chart(&context.image(&shot), &chart, expected);
        // The mean of samples is tone-mapped by another shader.
        let bounds = Aabb { min: Vector3::new(-1.0, -1.0, 0.0), max: Vector3::new(1.0, 1.0, 0.0) };
        assert_matches_chart(&progressive(&mut context, &shot, &bounds, 4), &chart, expected);
    }
}
