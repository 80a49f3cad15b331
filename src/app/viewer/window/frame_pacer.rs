//! When pictures are due.

use std::time::{Duration, Instant};

/// The most that one picture moves the clip on: after a pause of the whole program the clip goes on where it was.
const MAX_TIME_STEP: Duration = Duration::from_millis(250);

/// Paces the pictures, and measures what time passes between them.
#[derive(Default)]
pub(crate) struct FramePacer {
    /// Whether the picture on screen is out of date.
    stale: bool,
    /// When the last picture of something moving was begun.
    last_begun: Option<Instant>,
    /// No picture is due before this.
    due: Option<Instant>,
}

impl FramePacer {
    /// Asks for a new picture, as soon as one is due.
    pub(crate) fn refresh(&mut self) {
        self.stale = true;
    }

    /// Forgets the time that has passed: it is not played.
    pub(crate) fn skip(&mut self) {
        self.last_begun = None;
    }

    /// When to draw next; `None` while nothing changes.
    pub(crate) fn next(&self, now: Instant, moving: bool) -> Option<Instant> {
        (moving || self.stale).then(|| self.due.unwrap_or(now))
    }

    /// Begins a picture; the seconds by which the clip moves on.
    pub(crate) fn begin(&mut self, now: Instant) -> f64 {
        self.stale = false;
        let elapsed = self.last_begun.map_or(Duration::ZERO, |last| now - last);
        self.last_begun = Some(now);
        elapsed.min(MAX_TIME_STEP).as_secs_f64()
    }

    /// Ends a picture on a display that shows one every `interval`.
    ///
    /// Where showing it has waited for the display, or drawing took as long, the next is due at once; else an interval
    /// after this one was due, so that the pace neither drifts nor makes up for lost pictures.
    pub(crate) fn end(&mut self, begun: Instant, now: Instant, interval: Duration) {
        let due = self.due.map_or(begun, |due| due.max(begun.checked_sub(interval).unwrap_or(begun)));
        self.due = Some(if now - begun >= interval.mul_f64(0.8) { now } else { due + interval });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_millis(10);

    /// Pictures begun in `secs` when each takes `cost` and the timer is late by `lateness`.
    fn pictures(secs: f64, cost: Duration, lateness: Duration) -> usize {
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
    fn the_pace_is_the_displays() {
        let ms = Duration::from_millis;
        assert!((99..=102).contains(&pictures(1.0, ms(1), ms(0))));
        assert!((95..=102).contains(&pictures(1.0, ms(1), ms(2))), "a late timer slows nothing down");
        assert!((99..=101).contains(&pictures(1.0, ms(10), ms(0))), "showing waits for the display");
        assert!((39..=41).contains(&pictures(1.0, ms(25), ms(0))), "a slow machine draws one after another");
    }

    #[test]
    fn a_still_picture_is_drawn_once() {
        let mut pacer = FramePacer::default();
        let now = Instant::now();
        pacer.refresh();
        assert_eq!(pacer.next(now, false), Some(now));
        pacer.begin(now);
        pacer.end(now, now, INTERVAL);
        assert_eq!(pacer.next(now, false), None);
        pacer.refresh();
        assert_eq!(pacer.next(now, false), Some(now + INTERVAL), "not before the display shows it");
    }

    #[test]
    fn a_long_pause_is_not_played() {
        let mut pacer = FramePacer::default();
        let now = Instant::now();
        assert_eq!(pacer.begin(now), 0.0);
        assert_eq!(pacer.begin(now + Duration::from_millis(16)), 0.016);
        assert_eq!(pacer.begin(now + Duration::from_secs(100)), MAX_TIME_STEP.as_secs_f64());
        pacer.skip();
        assert_eq!(pacer.begin(now + Duration::from_secs(101)), 0.0);
    }
}
