//! Frame pacer: decides when to draw, and measures the time between frames.

use std::time::{Duration, Instant};

/// Playback pauses after two slower frames in a row, because the window would not respond to input.
const MAX_FRAME_TIME: Duration = Duration::from_secs(3);

#[derive(Default)]
pub(crate) struct FramePacer {
    /// The visible frame is out of date.
    stale: bool,
    /// Start of the last frame.
    last_begun: Option<Instant>,
    /// Earliest time of the next frame.
    due: Option<Instant>,
    /// The user interface requested a repaint at this time.
    pub(crate) ui_repaint_at: Option<Instant>,
    /// The window is not visible, so that no frames are due.
    pub(crate) occluded: bool,
    /// The last frame exceeded `MAX_FRAME_TIME`.
    was_slow: bool,
}

impl FramePacer {
    /// Requests a frame.
    pub(crate) fn refresh(&mut self) {
        self.stale = true;
    }

    /// Ignores the time since the last frame.
    pub(crate) fn skip(&mut self) {
        self.last_begun = None;
    }

    /// The time of the next frame; `None` while nothing changes.
    pub(crate) fn next(&mut self, now: Instant, moving: bool) -> Option<Instant> {
        if self.occluded {
            return None;
        }
        if self.ui_repaint_at.is_some_and(|due| due <= now) {
            self.ui_repaint_at = None;
            self.stale = true;
        }
        if moving || self.stale { Some(self.due.unwrap_or(now)) } else { self.ui_repaint_at }
    }

    /// Begins a frame. Returns the playback time step in seconds: real time, except after a stall such as a suspended computer.
    pub(crate) fn begin(&mut self, now: Instant) -> f64 {
        self.stale = false;
        let elapsed = self.last_begun.map_or(Duration::ZERO, |last| now - last);
        self.last_begun = Some(now);
        elapsed.min(MAX_FRAME_TIME).as_secs_f64()
    }

    /// Returns `true` for the second slow frame in a row. A single one may have compiled shaders.
    pub(crate) fn is_too_slow(&mut self, frame_time: Duration) -> bool {
        let is_slow = frame_time > MAX_FRAME_TIME;
        std::mem::replace(&mut self.was_slow, is_slow) && is_slow
    }

    /// Ends a frame on a display with this refresh interval.
    ///
    /// After a wait for the display, or a slow frame, the next one is due at once. Otherwise it is due one interval after this
    /// one was due, so that the pace neither drifts nor catches up on lost frames.
    pub(crate) fn end(&mut self, begun: Instant, now: Instant, interval: Duration) {
        let due = self.due.map_or(begun, |due| due.max(begun.checked_sub(interval).unwrap_or(begun)));
        self.due = Some(if now - begun >= interval.mul_f64(0.8) { now } else { due + interval });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_millis(10);

    /// Number of frames begun in `secs` if each takes `cost` and the timer is late by `lateness`.
    fn frame_count(secs: f64, cost: Duration, lateness: Duration) -> usize {
        let mut pacer = FramePacer::default();
        let start = Instant::now();
        let mut now = start;
        let mut count = 0;
        while (now - start).as_secs_f64() < secs {
            now = now.max(pacer.next(now, true).unwrap_or(now) + lateness);
            pacer.begin(now);
            pacer.end(now, now + cost, INTERVAL);
            now += cost;
            count += 1;
        }
        count
    }

    #[test]
    fn frame_rate_follows_the_display() {
        let ms = Duration::from_millis;
        assert!((99..=102).contains(&frame_count(1.0, ms(1), ms(0))));
        assert!((95..=102).contains(&frame_count(1.0, ms(1), ms(2))), "a late timer does not slow down");
        assert!((99..=101).contains(&frame_count(1.0, ms(10), ms(0))), "presenting waits for the display");
        assert!((39..=41).contains(&frame_count(1.0, ms(25), ms(0))), "slow frames follow each other at once");
    }

    #[test]
    fn unchanged_frame_is_drawn_once() {
        let mut pacer = FramePacer::default();
        let now = Instant::now();
        pacer.refresh();
        assert_eq!(pacer.next(now, false), Some(now));
        pacer.begin(now);
        pacer.end(now, now, INTERVAL);
        assert_eq!(pacer.next(now, false), None);
        pacer.refresh();
        assert_eq!(pacer.next(now, false), Some(now + INTERVAL), "not before the next refresh");
    }

    #[test]
    fn only_the_second_slow_frame_in_a_row_counts() {
        let mut pacer = FramePacer::default();
        let slow = [5, 1, 5, 5, 1, 5].map(|secs| pacer.is_too_slow(Duration::from_secs(secs)));
        assert_eq!(slow, [false, false, false, true, false, false]);
    }

    #[test]
    fn time_step_is_limited_after_a_stall() {
        let mut pacer = FramePacer::default();
        let now = Instant::now();
        assert_eq!(pacer.begin(now), 0.0);
        assert_eq!(pacer.begin(now + Duration::from_millis(16)), 0.016);
        assert_eq!(pacer.begin(now + Duration::from_secs(100)), MAX_FRAME_TIME.as_secs_f64());
        pacer.skip();
        assert_eq!(pacer.begin(now + Duration::from_secs(101)), 0.0);
    }
}
