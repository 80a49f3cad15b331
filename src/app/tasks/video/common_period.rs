//! The time after which clips of different lengths repeat together.

use crate::app::scene::LoadedScene;
use crate::app::scene::lookup::name_or_index;
use std::collections::BTreeMap;

/// Longest common period of a video, in seconds, and in loops of the longest clip.
const MAX_SECS: f64 = 120.0;
const MAX_LOOPS: usize = 64;

/// Part of a loop by which the end of a video may miss a start: key times are in single precision.
const TOLERANCE: f64 = 1e-4;

/// The time after which all clips of a scene repeat, as far as there is one.
#[derive(Debug, PartialEq)]
pub(crate) struct CommonPeriod {
    /// Length of a video in seconds; that of the longest clip if not all repeat.
    pub(crate) secs: f64,
    /// Notice for a clip that jumps at the seam.
    pub(crate) notice: Option<String>,
}

impl CommonPeriod {
    /// Returns that of the clips of all instances; `None` if all repeat after the main clip.
    pub(crate) fn of(scene: &LoadedScene) -> Option<Self> {
        // In microseconds, the first clip with it.
        let mut periods: BTreeMap<u64, String> = BTreeMap::new();
        for scene in scene.models() {
            let clips = &scene.model().clips;
            for layer in scene.crowd.indices().flat_map(|instance| scene.crowd.layers(instance)) {
                let Some(clip) = layer.clip else { continue };
                let secs = f64::from(clips[clip.get()].duration_secs) / f64::from(layer.playback.speed.abs());
                if secs > 0.0 && secs.is_finite() {
                    let name = || name_or_index(clips.iter().map(|clip| clip.name.as_deref()), clip.get());
                    periods.entry((secs * 1e6).round() as u64).or_insert_with(name);
                }
            }
        }
        let periods: Vec<(f64, String)> =
            periods.into_iter().map(|(micros, name)| (micros.max(1) as f64 * 1e-6, name)).collect();
        let is_main = |secs: f64| (secs - scene.duration_secs()).abs() <= TOLERANCE * secs;
        match periods[..] {
            [] => None,
            [(secs, _)] if is_main(secs) => None,
            _ => Some(Self::of_periods(&periods)),
        }
    }

    /// Returns that of periods in seconds, shortest first, each with the name of its clip.
    fn of_periods(periods: &[(f64, String)]) -> Self {
        let longest = periods.last().map_or(0.0, |(secs, _)| *secs);
        // Part of a loop that is left or missing after `secs`.
        let rest = |secs: f64, period: f64| (secs / period - (secs / period).round()).abs();
        let repeats =
            |secs: &f64| periods.iter().all(|(period, _)| rest(*secs, *period) * period <= TOLERANCE * longest);
        let candidates = (1..=MAX_LOOPS).map(|loops| loops as f64 * longest);
        if let Some(secs) = candidates.take_while(|secs| *secs <= MAX_SECS).find(repeats) {
            return Self { secs, notice: None };
        }
        let worst = periods.iter().max_by(|(a, _), (b, _)| rest(longest, *a).total_cmp(&rest(longest, *b)));
        let notice = worst.map(|(period, name)| {
            let percent = 100.0 * (longest / period).fract();
            format!(
                "the video does not loop: clip `{name}` repeats after {period:.3} s, and is at {percent:.0} % of its loop \
                 when the video restarts after {longest:.3} s; no whole number of loops up to {MAX_SECS} s fits all clips"
            )
        });
        Self { secs: longest, notice }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_have_a_common_multiple_or_a_notice() {
        let of = |periods: &[f64]| {
            let named: Vec<(f64, String)> = periods.iter().map(|secs| (*secs, format!("{secs}"))).collect();
            CommonPeriod::of_periods(&named)
        };
        assert_eq!(of(&[8.0, 12.0]), CommonPeriod { secs: 24.0, notice: None });
        assert_eq!(of(&[2.0, 4.0]), CommonPeriod { secs: 4.0, notice: None });
        // Lengths of 25 and 30 frames per second in single precision.
        let common = of(&[f64::from(1.0_f32 / 25.0) * 30.0, f64::from(1.0_f32 / 30.0) * 45.0]);
        assert!((common.secs - 6.0).abs() < 1e-3 && common.notice.is_none(), "{common:?}");
        let common = of(&[0.777, 1.234, 31.0]);
        assert_eq!(common.secs, 31.0);
        assert!(common.notice.unwrap().starts_with("the video does not loop: clip `"));
    }
}
