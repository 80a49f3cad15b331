//! Defines of `shaders/tone.glsl`.

use crate::scene::ToneMapping;

/// Returns the defines that select a tone mapping operator.
pub(crate) fn tone_mapping_defines(tone_mapping: ToneMapping) -> impl Iterator<Item = &'static str> {
    let name = match tone_mapping {
        ToneMapping::None => None,
        ToneMapping::Neutral => Some("TONE_NEUTRAL"),
        ToneMapping::Aces => Some("TONE_ACES"),
        ToneMapping::Agx => Some("TONE_AGX"),
        ToneMapping::Filmic => Some("TONE_FILMIC"),
    };
    name.into_iter().flat_map(|name| ["TONE_MAPPING", name])
}
