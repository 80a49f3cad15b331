//! Recent frame timings. Frames use wall time; the UI uses thread CPU time where available, so that other processes do not
//! distort it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Frames in the history.
const HISTORY_LEN: usize = 120;

/// A longer interval counts as a pause, not as a slow frame.
const MIN_PAUSE: Duration = Duration::from_secs(2);

/// Frames slower than this are reported without averaging over several.
const MIN_SLOW_FRAME: Duration = Duration::from_secs(1);

/// Longer GPU times are driver errors: systems reset the GPU much sooner.
const MAX_PLAUSIBLE_GPU_TIME: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FrameTimings {
    /// Time between the presents of the previous frame and this one.
    pub(crate) interval: Duration,
    /// Layout and tessellation of the panels.
    pub(crate) panels: Duration,
    /// Submission of the panels to the driver; includes the drawing for a software renderer.
    pub(crate) paint: Duration,
    /// Animation of the palette.
    pub(crate) pose: Duration,
    /// Upload of the palette.
    pub(crate) upload: Duration,
    /// Submission of draw calls; a GPU executes them asynchronously.
    pub(crate) draw: Duration,
    /// GPU time of an earlier frame; zero if unknown.
    pub(crate) gpu: Duration,
    /// Present, with the wait for the display.
    pub(crate) present: Duration,
}

impl FrameTimings {
    /// Sum of the CPU stages.
    fn work(&self) -> Duration {
        self.panels + self.paint + self.pose + self.upload + self.draw + self.present
    }
}

/// Timings of recent frames.
#[derive(Debug, Default)]
pub(crate) struct FrameStats {
    history: VecDeque<FrameTimings>,
    last: Option<Instant>,
    /// The history was recorded without panels.
    without_panels: bool,
    /// Mean of comparable frames without panels.
    mean_without_ui: Option<FrameTimings>,
}

impl FrameStats {
    /// Adds a frame that was presented at `now`, without panels if `without_panels`. Ignores frames without drawing.
    pub(crate) fn push(&mut self, mut timings: FrameTimings, without_panels: bool, now: Instant) {
        if timings.draw == Duration::ZERO {
            return;
        }
        if without_panels != self.without_panels {
            // The mean without panels stays for the graph.
            if self.without_panels {
                self.mean_without_ui = self.mean().or(self.mean_without_ui);
            }
            (self.without_panels, self.last) = (without_panels, None);
            self.history.clear();
        }
        let work = timings.work();
        let interval = match self.last.replace(now).map(|last| now - last) {
            Some(interval) if interval < MIN_PAUSE + work => Some(interval),
            // The first frame after a pause counts if it is slow by itself.
            _ => (work >= MIN_SLOW_FRAME).then_some(work),
        };
        if let Some(interval) = interval {
            timings.interval = interval;
            // Some drivers return invalid timer queries.
            if timings.gpu > MAX_PLAUSIBLE_GPU_TIME {
                timings.gpu = Duration::ZERO;
            }
            self.history.push_back(timings);
            if self.history.len() > HISTORY_LEN {
                self.history.pop_front();
            }
        }
    }

    /// Recent frames, the latest last.
    pub(crate) fn history(&self) -> impl DoubleEndedIterator<Item = &FrameTimings> + ExactSizeIterator {
        self.history.iter()
    }

    /// The mean; `None` for too few frames.
    pub(crate) fn mean(&self) -> Option<FrameTimings> {
        let count = self.history.len() as u32;
        if count == 0
            || count < 5 && self.history.iter().map(|timings| timings.interval).sum::<Duration>() < MIN_SLOW_FRAME
        {
            return None;
        }
        let mean = |part: fn(&FrameTimings) -> Duration| self.history.iter().map(part).sum::<Duration>() / count;
        Some(FrameTimings {
            interval: mean(|timings| timings.interval),
            panels: mean(|timings| timings.panels),
            paint: mean(|timings| timings.paint),
            pose: mean(|timings| timings.pose),
            upload: mean(|timings| timings.upload),
            draw: mean(|timings| timings.draw),
            gpu: mean(|timings| timings.gpu),
            present: mean(|timings| timings.present),
        })
    }

    /// The mean of comparable frames without panels.
    pub(crate) fn mean_without_ui(&self) -> Option<FrameTimings> {
        self.mean_without_ui
    }

    /// Clears the history after a change of the workload.
    pub(crate) fn clear(&mut self) {
        *self = Self { without_panels: self.without_panels, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_excludes_pauses() {
        let (mut frame_stats, start, ms) = (FrameStats::default(), Instant::now(), Duration::from_millis);
        for i in 0..200_u64 {
            frame_stats.push(
                FrameTimings { pose: ms(i % 2 * 4), draw: ms(1), ..FrameTimings::default() },
                false,
                start + ms(10 * i),
            );
        }
        let mean = frame_stats.mean().unwrap();
        assert_eq!((frame_stats.history().len(), mean.interval, mean.pose), (HISTORY_LEN, ms(10), ms(2)));
        frame_stats.push(FrameTimings { draw: ms(1), ..FrameTimings::default() }, false, start + ms(60_000));
        assert_eq!(frame_stats.mean().unwrap().interval, ms(10));
        frame_stats.clear();
        assert!(frame_stats.mean().is_none());
    }

    #[test]
    fn slow_frame_is_reported_alone() {
        let (mut frame_stats, start, secs) = (FrameStats::default(), Instant::now(), Duration::from_secs);
        frame_stats.push(FrameTimings { draw: secs(7), ..FrameTimings::default() }, false, start);
        assert_eq!(frame_stats.mean().unwrap().interval, secs(7));
        frame_stats.push(FrameTimings { draw: secs(7), ..FrameTimings::default() }, false, start + secs(8));
        // Presented without drawing.
        frame_stats.push(FrameTimings::default(), false, start + secs(9));
        assert_eq!(frame_stats.history().len(), 2);
        assert_eq!(frame_stats.history().last().unwrap().interval, secs(8));
    }

    #[test]
    fn mean_without_panels_is_kept() {
        let (mut frame_stats, start, ms) = (FrameStats::default(), Instant::now(), Duration::from_millis);
        let mut now = start;
        let mut frames = |frame_stats: &mut FrameStats, without_panels, interval| {
            for _ in 0..10 {
                now += ms(interval);
                frame_stats.push(FrameTimings { draw: ms(1), ..FrameTimings::default() }, without_panels, now);
            }
        };
        frames(&mut frame_stats, false, 20);
        assert!(frame_stats.mean_without_ui().is_none());
        frames(&mut frame_stats, true, 10);
        assert_eq!(frame_stats.mean().unwrap().interval, ms(10));
        frames(&mut frame_stats, false, 30);
        assert_eq!(frame_stats.mean().unwrap().interval, ms(30));
        assert_eq!(frame_stats.mean_without_ui().unwrap().interval, ms(10));
        frame_stats.clear();
        assert!(frame_stats.mean_without_ui().is_none());
    }

    #[test]
    fn implausible_gpu_time_is_ignored() {
        let (mut frame_stats, start, secs) = (FrameStats::default(), Instant::now(), Duration::from_secs);
        for (i, gpu) in [31_225, 2].into_iter().enumerate() {
            let timings = FrameTimings { draw: secs(3), gpu: secs(gpu), ..FrameTimings::default() };
            frame_stats.push(timings, false, start + secs(4 * i as u64));
        }
        assert_eq!(frame_stats.mean().unwrap().gpu, secs(1));
    }
}
