//! Timeline ruler: conversion of time to position, ticks and labels.

/// A linear time axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ruler {
    duration_secs: f64,
    left: f32,
    right: f32,
}

/// A tick of the ruler.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) time_secs: f64,
    /// Frame number.
    pub(crate) label: String,
}

/// Minimum distance of labels in points.
const LABEL_WIDTH: f64 = 56.0;

impl Ruler {
    /// A clip of `duration_secs` (above 0) between two positions.
    pub(crate) fn new(duration_secs: f64, [left, right]: [f32; 2]) -> Self {
        Self { duration_secs, left, right: right.max(left + 1.0) }
    }

    pub(crate) fn x(&self, time_secs: f64) -> f32 {
        let fraction = (time_secs / self.duration_secs).clamp(0.0, 1.0);
        self.left + fraction as f32 * (self.right - self.left)
    }

    /// The time at a position, clamped to the clip.
    pub(crate) fn time_secs(&self, x: f32) -> f64 {
        let fraction = f64::from(x - self.left) / f64::from(self.right - self.left);
        fraction.clamp(0.0, 1.0) * self.duration_secs
    }

    /// Ticks at round frame numbers, as dense as their labels allow.
    pub(crate) fn ticks(&self, frames_per_sec: f64) -> Vec<Tick> {
        let frames = self.duration_secs * frames_per_sec;
        let width = f64::from(self.right - self.left);
        let min_step = (frames * LABEL_WIDTH / width).max(1.0);
        let power = 10.0_f64.powf(min_step.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= min_step - 1e-9);
        let step = step.unwrap_or(10.0 * power);
        let count = ((frames + 1e-6) / step).floor().min(10_000.0) as usize;
        let tick = |i: usize| {
            let frame = i as f64 * step;
            Tick { time_secs: frame / frames_per_sec, label: format!("{frame:.0}") }
        };
        (0..=count).map(tick).collect()
    }

    /// Positions of sorted times. Omits positions closer than `min_distance` to the previous one.
    pub(crate) fn marks(&self, times_secs: &[f32], min_distance: f32) -> Vec<f32> {
        let mut marks: Vec<f32> = Vec::new();
        for time in times_secs {
            let x = self.x(f64::from(*time));
            if marks.last().is_none_or(|last| x - last >= min_distance) {
                marks.push(x);
            }
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_and_time_are_inverse_and_clamped() {
        let ruler = Ruler::new(2.0, [100.0, 300.0]);
        assert_eq!((ruler.x(0.5), ruler.time_secs(150.0)), (150.0, 0.5));
        assert_eq!((ruler.x(9.0), ruler.time_secs(-5.0), ruler.time_secs(900.0)), (300.0, 0.0, 2.0));
        assert!(Ruler::new(1.0, [5.0, 5.0]).time_secs(5.0).is_finite());
    }

    #[test]
    fn ticks_are_round_and_do_not_overlap() {
        let labels = |duration: f64, width: f32, rate: f64| -> Vec<String> {
            Ruler::new(duration, [0.0, width]).ticks(rate).into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(0.5, 1000.0, 24.0).len(), 13);
        assert_eq!(labels(1.0, 300.0, 24.0), ["0", "5", "10", "15", "20"]);
        assert_eq!(labels(10.0, 300.0, 30.0), ["0", "100", "200", "300"]);
        for width in [20.0, 100.0, 640.0, 4000.0] {
            for duration in [0.01, 0.7, 3.0, 60.0, 4000.0] {
                let ruler = Ruler::new(duration, [0.0, width]);
                let ticks = ruler.ticks(24.0);
                assert!(!ticks.is_empty() && ticks.len() <= 2 + (f64::from(width) / LABEL_WIDTH) as usize);
            }
        }
    }

    #[test]
    fn dense_keys_merge() {
        let ruler = Ruler::new(1.0, [0.0, 100.0]);
        assert_eq!(ruler.marks(&[0.0, 0.01, 0.02, 0.5, 1.0], 4.0), [0.0, 50.0, 100.0]);
    }
}
