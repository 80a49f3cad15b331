//! Background of the viewport.

use crate::request::BackgroundRequest;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Backdrop {
    /// A radial gradient that matches the theme of the renderer.
    #[default]
    Studio,
    White,
    Gray,
    Black,
    /// The blurred environment light.
    Environment,
    /// A custom sRGB color.
    Color([u8; 3]),
}

impl Backdrop {
    /// The backdrops with a name, in cycling order.
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Self::Studio, "Studio"),
        (Self::White, "White"),
        (Self::Gray, "Gray"),
        (Self::Black, "Black"),
        (Self::Environment, "Environment"),
    ];

    /// Returns the next backdrop in cycling order; the first one after a custom color.
    pub(crate) fn next(self) -> Self {
        let index = Self::ALL.iter().position(|(backdrop, _)| *backdrop == self);
        Self::ALL[index.map_or(0, |index| (index + 1) % Self::ALL.len())].0
    }

    /// The sRGB color from 0 to 1 of a plain backdrop.
    pub(crate) fn color(self) -> Option<[f32; 3]> {
        match self {
            Self::White => Some([1.0; 3]),
            Self::Gray => Some([0.5; 3]),
            Self::Black => Some([0.0; 3]),
            Self::Color(color) => Some(color.map(|level| f32::from(level) / 255.0)),
            Self::Studio | Self::Environment => None,
        }
    }

    /// The background of images, with the blur of the environment.
    pub(crate) fn request(self, blur: f64) -> Option<BackgroundRequest> {
        match self {
            Self::Environment => Some(BackgroundRequest::Environment(blur)),
            color => color.color().map(|color| BackgroundRequest::Color(color.map(f64::from))),
        }
    }
}
