//! Exposure and tone mapping.

use crate::context::{GlTestContext, Shot, assert_close, byte};
use crate::rigs::square;
use nalgebra::{Matrix3, Vector3};
use rigview::math::Transform;
use rigview::model::Material;
use rigview::scene::{Lighting, ToneMapping};

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
        ToneMapping::Agx => unreachable!("its values are in the test"),
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
    // AgX: black, white without end, middle gray, and a strong blue that must not stay pure.
    assert_close(shown(&mut stage, [0.0; 3], ToneMapping::Agx, 0.0), [0, 0, 0, 255]);
    assert!(shown(&mut stage, [500.0; 3], ToneMapping::Agx, 0.0)[0] > 250);
    let gray = shown(&mut stage, [0.18; 3], ToneMapping::Agx, 0.0);
    assert!((110..=135).contains(&gray[0]) && gray[0].abs_diff(gray[2]) <= 2, "{gray:?}");
    let blue = shown(&mut stage, [0.0, 0.0, 20.0], ToneMapping::Agx, 0.0);
    assert!(blue[2] > 200 && blue[0] > 60, "{blue:?}");
}
