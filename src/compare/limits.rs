//! How far apart two pictures may be.

use super::Measures;
use serde::{Deserialize, Serialize};

/// Whether the renderer that drew the golden draws the present picture too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// The same renderer and version: pictures are the same but for the last bit of an arithmetic.
    Same,
    /// Another one: edges fall elsewhere, so that only an eye's measure counts.
    Other,
}

/// How far apart two pictures may be and still count as the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Same driver: the most that a channel may differ by, of 255.
    pub step: u8,
    /// Same driver: the share of pixels that may differ at all.
    pub share: f64,
    /// Other driver: the mean of FLIP.
    pub flip_mean: f64,
    /// Other driver: what 99 of 100 pixels stay below in FLIP.
    pub flip_p99: f64,
    /// Other driver: the share of pixels of another color that no anti-aliased edge explains.
    pub pixels: f64,
    /// Other driver: the mean difference of opacity.
    pub alpha_mean: f64,
    /// Other driver: the share of pixels whose opacity differs clearly.
    pub alpha_pixels: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            step: 2,
            share: 1e-4,
            flip_mean: 0.01,
            flip_p99: 0.2,
            pixels: 0.003,
            alpha_mean: 0.004,
            alpha_pixels: 0.01,
        }
    }
}

/// A measure beyond its limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excess {
    /// The limit's name in a suite file.
    pub name: String,
    /// What was measured.
    pub found: f64,
    /// What is allowed.
    pub limit: f64,
}

impl Limits {
    /// The limits' names in a suite file, each with the number that it names.
    pub fn named(&mut self) -> [(&'static str, Limit<'_>); 7] {
        [
            ("step", Limit::Step(&mut self.step)),
            ("share", Limit::Share(&mut self.share)),
            ("flip-mean", Limit::Share(&mut self.flip_mean)),
            ("flip-p99", Limit::Share(&mut self.flip_p99)),
            ("pixels", Limit::Share(&mut self.pixels)),
            ("alpha-mean", Limit::Share(&mut self.alpha_mean)),
            ("alpha-pixels", Limit::Share(&mut self.alpha_pixels)),
        ]
    }

    /// The measures that go beyond these limits; none when the pictures count as the same.
    pub fn exceeded(&self, measures: &Measures, driver: Driver) -> Vec<Excess> {
        let checks: &[(&'static str, f64, f64)] = match driver {
            Driver::Same => {
                &[("step", f64::from(measures.largest), f64::from(self.step)), ("share", measures.changed, self.share)]
            }
            Driver::Other => &[
                ("flip-mean", measures.flip_mean, self.flip_mean),
                ("flip-p99", measures.flip_p99, self.flip_p99),
                ("pixels", measures.pixels, self.pixels),
                ("alpha-mean", measures.alpha_mean, self.alpha_mean),
                ("alpha-pixels", measures.alpha_pixels, self.alpha_pixels),
            ],
        };
        // Said this way round, a measure that is no number is beyond every limit.
        let beyond =
            checks.iter().filter(|(_, found, limit)| !matches!(found.partial_cmp(limit), Some(o) if o.is_le()));
        beyond.map(|&(name, found, limit)| Excess { name: name.to_owned(), found, limit }).collect()
    }
}

/// A limit that can be set.
#[derive(Debug)]
pub enum Limit<'a> {
    /// A difference of a channel, 0 to 255.
    Step(&'a mut u8),
    /// A share or a perceptual measure, 0 to 1.
    Share(&'a mut f64),
}
