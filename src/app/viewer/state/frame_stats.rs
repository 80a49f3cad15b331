//! What the pictures of late have cost, by the clock on the wall; the panels by what this thread has had of the processor, where
//! the system tells, since what other programs do is no cost of theirs.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// As many pictures are remembered.
const HISTORY_LEN: usize = 120;

/// A longer time between two pictures is a pause, not a slow picture.
const PAUSE: Duration = Duration::from_secs(2);

/// Pictures that take as long are told of one by one.
const SLOW: Duration = Duration::from_secs(1);

/// No GPU works on a picture as long as this: systems reset it much sooner.
const MAX_PLAUSIBLE_GPU_TIME: Duration = Duration::from_secs(600);

/// What one picture has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FrameTimings {
    /// From the picture before until this one was handed to the display.
    pub(crate) interval: Duration,
    /// Laying out the panels: from what they tell to triangles.
    pub(crate) panels: Duration,
    /// Painting them: handing their triangles to the driver, which draws them itself where there is no GPU.
    pub(crate) paint: Duration,
    /// Posing: clips to matrices, packed as they are found.
    pub(crate) pose: Duration,
    /// Handing matrices to the driver.
    pub(crate) upload: Duration,
    /// Handing draws to the driver. On a GPU the drawing itself goes on beside.
    pub(crate) draw: Duration,
    /// What the GPU took for a picture some frames before, beside all else; nothing where it does not tell.
    pub(crate) gpu: Duration,
    /// Handing the picture to the display, and waiting for it.
    pub(crate) present: Duration,
}

impl FrameTimings {
    /// All that was done for it, one after the other.
    fn work(&self) -> Duration {
        self.panels + self.paint + self.pose + self.upload + self.draw + self.present
    }
}

/// What the pictures of late have cost.
#[derive(Debug, Default)]
pub(crate) struct FrameStats {
    list: VecDeque<FrameTimings>,
    last: Option<Instant>,
    /// Whether there were no panels around the pictures of late.
    bare: bool,
    /// What pictures of the same cost on average without panels.
    mean_without_ui: Option<FrameTimings>,
}

impl FrameStats {
    /// Notes a picture that was handed to the display at `now`, with panels around it or `bare`. One for which nothing was drawn
    /// is no picture: the display shows what it showed.
    pub(crate) fn push(&mut self, mut cost: FrameTimings, bare: bool, now: Instant) {
        if cost.draw == Duration::ZERO {
            return;
        }
        if bare != self.bare {
            // These are other pictures; of those without panels the graph tells when there are panels again.
            if self.bare {
                self.mean_without_ui = self.mean().or(self.mean_without_ui);
            }
            (self.bare, self.last) = (bare, None);
            self.list.clear();
        }
        let work = cost.work();
        let interval = match self.last.replace(now).map(|last| now - last) {
            Some(interval) if interval < PAUSE + work => Some(interval),
            // After a pause; but no next one could have come sooner.
            _ => (work >= SLOW).then_some(work),
        };
        if let Some(interval) = interval {
            cost.interval = interval;
            // Some drivers answer a question about time with nonsense now and then.
            if cost.gpu > MAX_PLAUSIBLE_GPU_TIME {
                cost.gpu = Duration::ZERO;
            }
            self.list.push_back(cost);
            if self.list.len() > HISTORY_LEN {
                self.list.pop_front();
            }
        }
    }

    /// The pictures of late, the latest last.
    pub(crate) fn list(&self) -> impl DoubleEndedIterator<Item = &FrameTimings> + ExactSizeIterator {
        self.list.iter()
    }

    /// What they have cost on average; `None` before there are a few.
    pub(crate) fn mean(&self) -> Option<FrameTimings> {
        let count = self.list.len() as u32;
        if count == 0 || count < 5 && self.list.iter().map(|cost| cost.interval).sum::<Duration>() < SLOW {
            return None;
        }
        let mean = |part: fn(&FrameTimings) -> Duration| self.list.iter().map(part).sum::<Duration>() / count;
        Some(FrameTimings {
            interval: mean(|cost| cost.interval),
            panels: mean(|cost| cost.panels),
            paint: mean(|cost| cost.paint),
            pose: mean(|cost| cost.pose),
            upload: mean(|cost| cost.upload),
            draw: mean(|cost| cost.draw),
            gpu: mean(|cost| cost.gpu),
            present: mean(|cost| cost.present),
        })
    }

    /// What pictures of the same have cost on average while there were no panels; `None` before there were such.
    pub(crate) fn mean_without_ui(&self) -> Option<FrameTimings> {
        self.mean_without_ui
    }

    /// Forgets all: something else is drawn from now on.
    pub(crate) fn clear(&mut self) {
        *self = Self { bare: self.bare, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_what_the_display_showed_and_pauses_do_not_count() {
        let (mut frame_stats, start, ms) = (FrameStats::default(), Instant::now(), Duration::from_millis);
        for i in 0..200_u64 {
            frame_stats.push(
                FrameTimings { pose: ms(i % 2 * 4), draw: ms(1), ..FrameTimings::default() },
                false,
                start + ms(10 * i),
            );
        }
        let mean = frame_stats.mean().unwrap();
        assert_eq!((frame_stats.list().len(), mean.interval, mean.pose), (HISTORY_LEN, ms(10), ms(2)));
        frame_stats.push(FrameTimings { draw: ms(1), ..FrameTimings::default() }, false, start + ms(60_000));
        assert_eq!(frame_stats.mean().unwrap().interval, ms(10));
        frame_stats.clear();
        assert!(frame_stats.mean().is_none());
    }

    #[test]
    fn a_picture_that_takes_seconds_is_told_of_alone() {
        let (mut frame_stats, start, secs) = (FrameStats::default(), Instant::now(), Duration::from_secs);
        frame_stats.push(FrameTimings { draw: secs(7), ..FrameTimings::default() }, false, start);
        assert_eq!(frame_stats.mean().unwrap().interval, secs(7));
        frame_stats.push(FrameTimings { draw: secs(7), ..FrameTimings::default() }, false, start + secs(8));
        // Shown again as it was: that is no picture, and quick.
        frame_stats.push(FrameTimings::default(), false, start + secs(9));
        assert_eq!(frame_stats.list().len(), 2);
        assert_eq!(frame_stats.list().last().unwrap().interval, secs(8));
    }

    #[test]
    fn pictures_without_panels_are_remembered_for_the_graph() {
        let (mut frame_stats, start, ms) = (FrameStats::default(), Instant::now(), Duration::from_millis);
        let mut now = start;
        let mut pictures = |frame_stats: &mut FrameStats, bare, interval| {
            for _ in 0..10 {
                now += ms(interval);
                frame_stats.push(FrameTimings { draw: ms(1), ..FrameTimings::default() }, bare, now);
            }
        };
        pictures(&mut frame_stats, false, 20);
        assert!(frame_stats.mean_without_ui().is_none());
        pictures(&mut frame_stats, true, 10);
        assert_eq!(frame_stats.mean().unwrap().interval, ms(10));
        pictures(&mut frame_stats, false, 30);
        assert_eq!(frame_stats.mean().unwrap().interval, ms(30));
        assert_eq!(frame_stats.mean_without_ui().unwrap().interval, ms(10));
        frame_stats.clear();
        assert!(frame_stats.mean_without_ui().is_none());
    }

    #[test]
    fn nonsense_of_a_driver_is_not_told() {
        let (mut frame_stats, start, secs) = (FrameStats::default(), Instant::now(), Duration::from_secs);
        for (i, gpu) in [31_225, 2].into_iter().enumerate() {
            let cost = FrameTimings { draw: secs(3), gpu: secs(gpu), ..FrameTimings::default() };
            frame_stats.push(cost, false, start + secs(4 * i as u64));
        }
        assert_eq!(frame_stats.mean().unwrap().gpu, secs(1));
    }
}
