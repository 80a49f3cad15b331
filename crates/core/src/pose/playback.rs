//! Mapping from clock time to clip time.

use std::ops::Range;

/// Behavior at the ends of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LoopMode {
    /// Plays once. Before the start and after the end, the nearest pose holds.
    Once,
    /// Restarts at the end.
    #[default]
    Loop,
    /// Reverses direction at both ends.
    PingPong,
}

/// Speed, start offset and loop mode of a clip.
///
/// ```
/// use rigview_core::pose::{LoopMode, Playback};
///
/// let playback = Playback { speed: 2.0, start_offset_secs: 0.5, loop_mode: LoopMode::PingPong };
/// // 2.5 s into a clip of 2 s: half a second back from its end.
/// assert_eq!(playback.clip_time(1.0, 2.0), 1.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// Clip seconds per clock second; negative plays backwards.
    pub speed: f32,
    /// Clip time in seconds at clock time 0.
    pub start_offset_secs: f64,
    /// Behavior at the ends.
    pub loop_mode: LoopMode,
}

impl Playback {
    /// Clip time equals clock time, clamped to the clip.
    pub const ONCE: Self = Self { speed: 1.0, start_offset_secs: 0.0, loop_mode: LoopMode::Once };

    /// Loops at speed 1, ahead of the clock by `start_offset_secs`.
    pub fn looping(start_offset_secs: f64) -> Self {
        Self { speed: 1.0, start_offset_secs, loop_mode: LoopMode::Loop }
    }

    /// Returns the clip time at the clock's `clock_secs`, from 0 to `duration_secs`.
    ///
    /// Excludes `duration_secs` for [`LoopMode::Loop`]. NaN and infinite times map to 0.
    #[inline(always)]
    pub fn clip_time(&self, clock_secs: f64, duration_secs: f64) -> f64 {
        let time = clock_secs * f64::from(self.speed) + self.start_offset_secs;
        if !(duration_secs > 0.0 && time.is_finite()) {
            return 0.0;
        }
        match self.loop_mode {
            LoopMode::Once => time.max(0.0).min(duration_secs),
            LoopMode::Loop => wrap(time, duration_secs),
            LoopMode::PingPong => {
                let ping_pong_time = wrap(time, 2.0 * duration_secs);
                if ping_pong_time > duration_secs { 2.0 * duration_secs - ping_pong_time } else { ping_pong_time }
            }
        }
    }

    /// Returns the number of whole clips before the clip time at the clock's `clock_secs`; negative before the start. 0 unless the
    /// loop mode is [`LoopMode::Loop`].
    pub(super) fn completed_loops(&self, clock_secs: f64, duration_secs: f64) -> f64 {
        let time = clock_secs * f64::from(self.speed) + self.start_offset_secs;
        if self.loop_mode != LoopMode::Loop || !(duration_secs > 0.0 && time.is_finite()) {
            return 0.0;
        }
        ((time - self.clip_time(clock_secs, duration_secs)) / duration_secs).round()
    }

    /// Returns the clock times at which playback passes the clip time `marker_secs`, from `clock_secs.start` until before
    /// `clock_secs.end`, in ascending order.
    ///
    /// Ranges that follow each other return each crossing once. Nothing for a marker outside the clip, or if the speed is 0.
    /// The end of a looped clip is the start of the next loop: markers at 0 and at `duration_secs` are passed at the same times.
    ///
    /// ```
    /// use rigview_core::pose::Playback;
    ///
    /// // A clip of 2 s passes its half at 1 s, 3 s and 5 s.
    /// let crossings: Vec<f64> = Playback::looping(0.0).crossings(1.0, 2.0, 0.5..6.0).collect();
    /// assert_eq!(crossings, [1.0, 3.0, 5.0]);
    /// ```
    pub fn crossings(
        &self,
        marker_secs: f64,
        duration_secs: f64,
        clock_secs: Range<f64>,
    ) -> impl Iterator<Item = f64> + use<> {
        let (speed, offset, loop_mode) = (f64::from(self.speed), self.start_offset_secs, self.loop_mode);
        let period_secs = if loop_mode == LoopMode::PingPong { 2.0 * duration_secs } else { duration_secs };
        let time = move |clock_secs: f64| clock_secs * speed + offset;
        let (start, end) = (time(clock_secs.start), time(clock_secs.end));
        let is_valid = duration_secs > 0.0 && (0.0..=duration_secs).contains(&marker_secs);
        let is_valid = is_valid && speed != 0.0 && start.is_finite() && end.is_finite();
        // The end of a loop is the start of the next one.
        let marker_secs = if loop_mode == LoopMode::Loop && marker_secs == duration_secs { 0.0 } else { marker_secs };
        // A ping-pong period passes the marker twice. It passes a marker at an end of the clip once.
        let way_back = 2.0 * duration_secs - marker_secs;
        let has_way_back = loop_mode == LoopMode::PingPong && marker_secs > 0.0 && marker_secs < duration_secs;
        let in_period = [Some(marker_secs), has_way_back.then_some(way_back)];
        let periods = |time: f64| if loop_mode == LoopMode::Once { 0.0 } else { (time / period_secs).floor() };
        let (first, last) = (periods(start), periods(end));
        let count = if is_valid { (last - first).abs() as u64 + 1 } else { 0 };
        (0..count)
            .flat_map(move |i| {
                let period = (first + (i as f64).copysign(speed)) * period_secs;
                let in_order = if speed > 0.0 { in_period } else { [in_period[1], in_period[0]] };
                in_order.into_iter().flatten().map(move |in_period| period + in_period)
            })
            .filter(
                move |&crossing| {
                    if speed > 0.0 { start <= crossing && crossing < end } else { end < crossing && crossing <= start }
                },
            )
            .map(move |crossing| (crossing - offset) / speed)
    }
}

impl Default for Playback {
    fn default() -> Self {
        Self::looping(0.0)
    }
}

/// Wraps `time` to `0..period`. Like `rem_euclid`, but its cost does not depend on the quotient.
#[inline(always)]
fn wrap(time: f64, period: f64) -> f64 {
    if time >= 0.0 && time < period {
        return time;
    }
    let periods = time / period;
    if periods.abs() >= (1_u64 << 52) as f64 {
        // The period is below the precision of `time`.
        return 0.0;
    }
    let whole = periods as i64 - i64::from(periods < 0.0);
    let rest = time - whole as f64 * period;
    // Rounding may leave a result slightly outside.
    if rest < 0.0 {
        let again = rest + period;
        if again < period { again } else { 0.0 }
    } else if rest >= period {
        rest - period
    } else {
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loop_modes_at_clip_ends() {
        let at =
            |loop_mode, clock: f64| Playback { speed: 1.0, start_offset_secs: 0.0, loop_mode }.clip_time(clock, 2.0);
        let times = [-2.5, -0.5, 0.0, 0.5, 2.0, 2.5, 4.0, 6.5];
        assert_eq!(times.map(|t| at(LoopMode::Once, t)), [0.0, 0.0, 0.0, 0.5, 2.0, 2.0, 2.0, 2.0]);
        assert_eq!(times.map(|t| at(LoopMode::Loop, t)), [1.5, 1.5, 0.0, 0.5, 0.0, 0.5, 0.0, 0.5]);
        assert_eq!(times.map(|t| at(LoopMode::PingPong, t)), [1.5, 0.5, 0.0, 0.5, 2.0, 1.5, 0.0, 1.5]);
    }

    #[test]
    fn speed_and_start_offset_map_clock_to_clip_time() {
        let playback = |speed| Playback { speed, start_offset_secs: 0.25, loop_mode: LoopMode::Loop };
        assert_eq!(playback(0.5).clip_time(1.0, 10.0), 0.75);
        assert_eq!(playback(-1.0).clip_time(1.0, 10.0), 9.25);
        assert_eq!(playback(0.0).clip_time(1.0, 10.0), 0.25);
    }

    #[test]
    fn loop_time_stays_within_clip() {
        for round in [1e-3, 0.7, 1.0 / 3.0, 123.456] {
            for i in -2000..2000 {
                let time = f64::from(i) * 0.731 * round;
                for time in [time, f64::from(i) * round, (f64::from(i) * round).next_down(), time * 1e6] {
                    let got = Playback::looping(0.0).clip_time(time, round);
                    assert!((0.0..round).contains(&got), "{time} in {round}: {got}");
                    let off = (got - time.rem_euclid(round)).abs();
                    let tolerance = 4.0 * f64::EPSILON * time.abs().max(round);
                    assert!(off.min(round - off) <= tolerance, "{time} in {round}: {got}");
                }
            }
        }
    }

    #[test]
    fn passages_follow_loop_mode_and_direction() {
        let crossings = |speed, loop_mode, marker_secs, clock_secs| {
            let playback = Playback { speed, start_offset_secs: 0.5, loop_mode };
            playback.crossings(marker_secs, 2.0, clock_secs).collect::<Vec<_>>()
        };
        assert_eq!(crossings(1.0, LoopMode::Loop, 0.5, 0.0..4.5), [0.0, 2.0, 4.0]);
        assert_eq!(crossings(-1.0, LoopMode::Loop, 0.5, 0.0..4.0), [0.0, 2.0]);
        assert_eq!(crossings(-1.0, LoopMode::Loop, 1.5, 0.0..4.0), [1.0, 3.0]);
        assert_eq!(crossings(1.0, LoopMode::PingPong, 1.0, 0.0..6.0), [0.5, 2.5, 4.5]);
        assert_eq!(crossings(-1.0, LoopMode::PingPong, 1.0, 0.0..4.0), [1.5, 3.5]);
        assert_eq!(crossings(1.0, LoopMode::PingPong, 2.0, 0.0..6.0), [1.5, 5.5]);
        assert_eq!(crossings(2.0, LoopMode::Once, 1.5, 0.0..9.0), [0.5]);
        for (speed, loop_mode, marker_secs) in
            [(0.0, LoopMode::Loop, 0.5), (1.0, LoopMode::Loop, 2.1), (1.0, LoopMode::Once, f64::NAN)]
        {
            assert!(crossings(speed, loop_mode, marker_secs, 0.0..9.0).is_empty());
        }
        assert!(crossings(1.0, LoopMode::Once, 1.0, 0.0..f64::NAN).is_empty());
        for (speed, expected) in [(1.0, [1.5, 3.5]), (-1.0, [0.5, 2.5])] {
            assert_eq!(crossings(speed, LoopMode::Loop, 2.0, 0.0..4.0), expected, "the end of a loop at speed {speed}");
            assert_eq!(
                crossings(speed, LoopMode::Loop, 0.0, 0.0..4.0),
                expected,
                "the start of a loop at speed {speed}"
            );
        }
    }

    #[test]
    fn consecutive_ranges_report_each_passage_once() {
        for (speed, loop_mode) in [(1.0, LoopMode::Loop), (-0.7, LoopMode::Loop), (1.3, LoopMode::PingPong)] {
            let playback = Playback { speed, start_offset_secs: 0.1, loop_mode };
            let clock = |frame: i32| f64::from(frame) / 60.0;
            let all: Vec<f64> = playback.crossings(0.3, 0.7, clock(0)..clock(6000)).collect();
            let by_frame = (0..6000).flat_map(|frame| playback.crossings(0.3, 0.7, clock(frame)..clock(frame + 1)));
            assert!(all.len() > 90 && all.is_sorted());
            assert_eq!(by_frame.collect::<Vec<_>>(), all);
        }
    }

    #[test]
    fn nan_and_infinite_times_map_to_start() {
        for mode in [LoopMode::Once, LoopMode::Loop, LoopMode::PingPong] {
            let playback = Playback { speed: 1.0, start_offset_secs: 0.5, loop_mode: mode };
            for (clock, duration) in [(f64::NAN, 1.0), (f64::INFINITY, 1.0), (0.0, 0.0), (0.0, f64::NAN)] {
                assert_eq!(playback.clip_time(clock, duration), 0.0);
            }
            assert!((0.0..=1e-3).contains(&playback.clip_time(1e300, 1e-3)));
        }
    }
}
