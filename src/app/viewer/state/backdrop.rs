//! Background of the viewport.

use serde::{Deserialize, Serialize};

/// What is behind the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Backdrop {
    /// A quiet backdrop, lighter towards the middle.
    #[default]
    Studio,
    /// White.
    White,
    /// A middle gray.
    Gray,
    /// Black.
    Black,
    /// What lights it, blurred.
    Environment,
    /// A color that a person has chosen, in sRGB.
    Color([u8; 3]),
}

impl Backdrop {
    /// Those with a name, in the order in which a key goes through them.
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Self::Studio, "Studio"),
        (Self::White, "White"),
        (Self::Gray, "Gray"),
        (Self::Black, "Black"),
        (Self::Environment, "Environment"),
    ];

    /// The one after it.
    pub(crate) fn next(self) -> Self {
        let place = Self::ALL.iter().position(|(backdrop, _)| *backdrop == self);
        Self::ALL[place.map_or(0, |place| (place + 1) % Self::ALL.len())].0
    }

    /// Its color in sRGB, from 0 to 1, where it is one.
    pub(crate) fn color(self) -> Option<[f32; 3]> {
        match self {
            Self::White => Some([1.0; 3]),
            Self::Gray => Some([0.5; 3]),
            Self::Black => Some([0.0; 3]),
            Self::Color(color) => Some(color.map(|level| f32::from(level) / 255.0)),
            Self::Studio | Self::Environment => None,
        }
    }
}
