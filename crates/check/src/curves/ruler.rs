//! Timeline ruler: conversion of time to position, zoom, ticks and labels.

use super::text::trimmed;

/// A linear time axis over the visible part of a clip.
#[derive(Clone, Copy, Debug)]
pub struct Ruler {
    duration_secs: f64,
    /// Start and end of the visible part, in seconds.
    visible_secs: [f64; 2],
    left: f32,
    right: f32,
}

/// A tick of the ruler.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// In the clip, in seconds.
    pub time_secs: f64,
    /// Frame number, or seconds.
    pub label: String,
}

/// Minimum distance of labels in points.
const LABEL_WIDTH: f64 = 56.0;

/// The shortest visible part in seconds: a few frames.
const MIN_VISIBLE_SECS: f64 = 0.1;

/// Keys beyond the ends of the axis are visible by half a mark, in points.
const KEY_MARGIN: f32 = 10.0;

/// The least 1, 2 or 5 times a power of 10 that is not below `min_step` (above 0).
pub fn round_step(min_step: f64) -> f64 {
    let power = 10.0_f64.powf(min_step.log10().floor());
    let mut steps = [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power);
    steps.find(|step| *step >= min_step * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

impl Ruler {
    /// A clip of `duration_secs` (above 0) between two positions. Shows all of it if `visible_secs` is `None`.
    pub fn new(duration_secs: f64, visible_secs: Option<[f64; 2]>, [left, right]: [f32; 2]) -> Self {
        let mut ruler = Self { duration_secs, visible_secs: [0.0, duration_secs], left, right: right.max(left + 1.0) };
        if let Some([start, end]) = visible_secs {
            ruler.visible_secs = ruler.within_clip(start, end - start);
        }
        ruler
    }

    /// The part of a length in seconds that begins nearest to `start_secs`.
    fn within_clip(&self, start_secs: f64, length_secs: f64) -> [f64; 2] {
        let length_secs = length_secs.max(MIN_VISIBLE_SECS).min(self.duration_secs);
        let start_secs = start_secs.clamp(0.0, self.duration_secs - length_secs);
        [start_secs, start_secs + length_secs]
    }

    fn secs_per_point(&self) -> f64 {
        (self.visible_secs[1] - self.visible_secs[0]) / f64::from(self.right - self.left)
    }

    fn unclamped_time_secs(&self, x: f32) -> f64 {
        self.visible_secs[0] + f64::from(x - self.left) * self.secs_per_point()
    }

    /// The position of a time, clamped to the clip. It lies outside of the axis for invisible times.
    pub fn x(&self, time_secs: f64) -> f32 {
        let time_secs = time_secs.clamp(0.0, self.duration_secs);
        self.left + ((time_secs - self.visible_secs[0]) / self.secs_per_point()) as f32
    }

    /// The time at a position, clamped to the clip.
    pub fn time_secs(&self, x: f32) -> f64 {
        self.unclamped_time_secs(x).clamp(0.0, self.duration_secs)
    }

    /// The visible part after a zoom by `factor` that keeps the time at `x`; above 1 it shows less.
    pub fn zoomed(&self, factor: f64, x: f32) -> Option<[f64; 2]> {
        let [start, end] = self.visible_secs;
        let (anchor, length) = (self.unclamped_time_secs(x), (end - start) / factor);
        let visible = self.within_clip(anchor - (anchor - start) / factor, length);
        (visible[1] - visible[0] < self.duration_secs * (1.0 - 1e-9)).then_some(visible)
    }

    /// The visible part after the content moves to the right by a distance in points.
    pub fn panned(&self, distance: f32) -> Option<[f64; 2]> {
        let [start, end] = self.visible_secs;
        let visible = self.within_clip(start - f64::from(distance) * self.secs_per_point(), end - start);
        (self.visible_secs != [0.0, self.duration_secs]).then_some(visible)
    }

    /// Ticks at round frame numbers, else at round seconds, as dense as their labels allow.
    pub fn ticks(&self, frame_rate: Option<f64>) -> Vec<Tick> {
        let per_sec = frame_rate.unwrap_or(1.0);
        let min_step =
            (self.secs_per_point() * per_sec * LABEL_WIDTH).max(if frame_rate.is_some() { 1.0 } else { 1e-3 });
        let step = round_step(min_step);
        let [first, last] = self.visible_secs.map(|time| time * per_sec / step);
        let first = (first - 1e-6).ceil().max(0.0);
        let count = (last - first + 1e-6).floor().clamp(0.0, 10_000.0) as usize;
        let tick = |i: usize| {
            let x = (first + i as f64) * step;
            let label = if frame_rate.is_some() { format!("{x:.0}") } else { format!("{} s", trimmed(x, 3)) };
            Tick { time_secs: x / per_sec, label }
        };
        (0..=count).map(tick).collect()
    }

    /// Visible times of the clip at a distance in points.
    pub fn evenly_spaced(&self, distance: f32) -> Vec<f64> {
        let first = self.time_secs(self.left - KEY_MARGIN);
        let step = self.secs_per_point() * f64::from(distance);
        let last = self.time_secs(self.right + KEY_MARGIN);
        let count = ((last - first) / step).clamp(0.0, 1e5) as usize;
        (0..=count).map(|i| first + i as f64 * step).chain([last]).collect()
    }

    /// The time of the key nearest to a position, up to a distance in points.
    pub fn nearest(&self, times_secs: &[f32], x: f32, max_distance: f32) -> Option<f64> {
        let after = times_secs.partition_point(|time| self.x(f64::from(*time)) < x);
        let near = times_secs[after.saturating_sub(1)..].iter().take(2).map(|time| f64::from(*time));
        let distance = |time: &f64| (self.x(*time) - x).abs();
        near.filter(|time| distance(time) <= max_distance).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// First and last position of each group of visible times. Neighbors closer than `min_distance` are one group.
    ///
    /// Searches the sorted times, so that the cost depends on the width of the axis and not on their number.
    pub fn key_groups(&self, times_secs: &[f32], min_distance: f32) -> Vec<[f32; 2]> {
        let x = |index: usize| self.x(f64::from(times_secs[index]));
        let count_before =
            |end: f32, from: usize| from + times_secs[from..].partition_point(|time| self.x(f64::from(*time)) < end);
        let mut groups: Vec<[f32; 2]> = Vec::new();
        let mut index = count_before(self.left - KEY_MARGIN, 0);
        while index < times_secs.len() && x(index) <= self.right + KEY_MARGIN {
            let first = x(index);
            let next = count_before(first + min_distance, index).max(index + 1);
            match groups.last_mut().filter(|group| first - group[1] < min_distance) {
                Some(group) => group[1] = x(next - 1),
                None => groups.push([first, x(next - 1)]),
            }
            index = next;
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_and_time_are_inverse_and_clamped() {
        let ruler = Ruler::new(2.0, None, [100.0, 300.0]);
        assert_eq!((ruler.x(0.5), ruler.time_secs(150.0)), (150.0, 0.5));
        assert_eq!((ruler.x(9.0), ruler.time_secs(-5.0), ruler.time_secs(900.0)), (300.0, 0.0, 2.0));
        assert!(Ruler::new(1.0, None, [5.0, 5.0]).time_secs(5.0).is_finite());
    }

    #[test]
    fn ticks_are_round_and_do_not_overlap() {
        let labels = |duration: f64, width: f32, rate: f64| -> Vec<String> {
            Ruler::new(duration, None, [0.0, width]).ticks(Some(rate)).into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(0.5, 1000.0, 24.0).len(), 13);
        assert_eq!(labels(1.0, 300.0, 24.0), ["0", "5", "10", "15", "20"]);
        assert_eq!(labels(10.0, 300.0, 30.0), ["0", "100", "200", "300"]);
        for width in [20.0, 100.0, 640.0, 4000.0] {
            for duration in [0.01, 0.7, 3.0, 60.0, 4000.0] {
                let ruler = Ruler::new(duration, None, [0.0, width]);
                let ticks = ruler.ticks(Some(24.0));
                assert!(!ticks.is_empty() && ticks.len() <= 2 + (f64::from(width) / LABEL_WIDTH) as usize);
            }
        }
    }

    #[test]
    fn zoom_keeps_the_time_at_the_pointer() {
        let ruler = Ruler::new(10.0, None, [0.0, 100.0]);
        let visible = ruler.zoomed(4.0, 50.0).unwrap();
        assert_eq!(visible, [3.75, 6.25]);
        let zoomed = Ruler::new(10.0, Some(visible), [0.0, 100.0]);
        assert_eq!((zoomed.time_secs(50.0), zoomed.x(5.0), zoomed.x(3.75)), (5.0, 50.0, 0.0));
        assert!(zoomed.x(0.0) < 0.0 && zoomed.x(10.0) > 100.0);
        // Zooming out at an end does not leave the clip.
        assert_eq!(zoomed.zoomed(0.5, 0.0), Some([3.75, 8.75]));
        assert_eq!(zoomed.zoomed(0.1, 0.0), None);
        let closest = Ruler::new(10.0, ruler.zoomed(1e9, 100.0), [0.0, 100.0]);
        assert_eq!(closest.visible_secs, [9.9, 10.0]);
        assert_eq!(Ruler::new(0.01, None, [0.0, 100.0]).zoomed(2.0, 0.0), None);
    }

    #[test]
    fn pan_stays_within_the_clip() {
        let ruler = Ruler::new(10.0, Some([4.0, 6.0]), [0.0, 100.0]);
        assert_eq!(ruler.panned(50.0), Some([3.0, 5.0]));
        assert_eq!(ruler.panned(1e6), Some([0.0, 2.0]));
        assert_eq!(ruler.panned(-1e6), Some([8.0, 10.0]));
        assert_eq!(Ruler::new(10.0, None, [0.0, 100.0]).panned(30.0), None);
        // A shorter clip after a reload.
        assert_eq!(Ruler::new(3.0, Some([4.0, 6.0]), [0.0, 100.0]).visible_secs, [1.0, 3.0]);
    }

    #[test]
    fn ticks_of_a_zoomed_clip_are_whole_frames_inside_it() {
        for (visible, labels) in [([1.0, 1.2], ["24", "25", "26"].as_slice()), ([0.99, 5.0], &["40", "60"])] {
            let ticks = Ruler::new(10.0, Some(visible), [0.0, 300.0]).ticks(Some(24.0));
            let found: Vec<&str> = ticks.iter().map(|tick| tick.label.as_str()).collect();
            assert!(found.starts_with(labels), "{found:?}");
            assert!(ticks.iter().all(|tick| (visible[0]..=visible[1] + 1e-9).contains(&tick.time_secs)));
            assert!(ticks.len() <= 2 + (300.0 / LABEL_WIDTH) as usize);
        }
    }

    #[test]
    fn ticks_without_a_frame_rate_are_seconds() {
        let labels = |visible| -> Vec<String> {
            let ticks = Ruler::new(3.0, Some(visible), [0.0, 300.0]).ticks(None);
            ticks.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels([0.0, 3.0]), ["0 s", "1 s", "2 s", "3 s"]);
        assert_eq!(labels([1.0, 1.5])[..2], ["1 s", "1.1 s"]);
    }

    #[test]
    fn dense_keys_are_one_group() {
        let ruler = Ruler::new(1.0, None, [0.0, 100.0]);
        let groups = ruler.key_groups(&[0.0, 0.02, 0.04, 0.06, 0.5, 0.75, 1.0, 1.0], 4.0);
        assert_eq!(
            groups.iter().map(|group| group.map(f32::round)).collect::<Vec<_>>(),
            [[0.0, 6.0], [50.0, 50.0], [75.0, 75.0], [100.0, 100.0]]
        );
        let zoomed = Ruler::new(1.0, Some([0.4, 0.6]), [0.0, 100.0]);
        assert_eq!(zoomed.key_groups(&[0.0, 0.1, 0.5, 0.9], 4.0).len(), 1);
        assert!(ruler.key_groups(&[], 4.0).is_empty());
    }

    #[test]
    fn nearest_key_is_found_within_a_distance() {
        let ruler = Ruler::new(1.0, None, [0.0, 100.0]);
        let nearest = |x| ruler.nearest(&[0.0, 0.5, 0.53125], x, 4.0);
        assert_eq!(
            [nearest(-3.0), nearest(3.0), nearest(51.0), nearest(52.0), nearest(56.0)],
            [Some(0.0), Some(0.0), Some(0.5), Some(0.53125), Some(0.53125)]
        );
        assert_eq!((nearest(30.0), nearest(90.0), ruler.nearest(&[], 0.0, 4.0)), (None, None, None));
    }
}
