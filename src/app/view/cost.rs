//! What the pictures of late have cost, by the clock on the wall.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// As many pictures are remembered.
const REMEMBERED: usize = 120;

/// A longer time between two pictures is a pause, not a slow picture.
const PAUSE: Duration = Duration::from_secs(2);

/// What one picture has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cost {
    /// From the picture before until this one was handed to the display.
    pub(super) interval: Duration,
    /// Laying out the panels: from what they tell to triangles.
    pub(super) panels: Duration,
    /// Painting them: handing their triangles to the driver, which draws them itself where there is no GPU.
    pub(super) paint: Duration,
    /// Posing: clips to matrices.
    pub(super) pose: Duration,
    /// Handing matrices and draws to the driver. On a GPU the drawing itself goes on beside.
    pub(super) draw: Duration,
    /// What the GPU took for a picture some frames before, beside all else; nothing where it does not tell.
    pub(super) gpu: Duration,
    /// Handing the picture to the display, and waiting for it.
    pub(super) present: Duration,
}

/// What the pictures of late have cost.
#[derive(Debug, Default)]
pub(super) struct Costs {
    list: VecDeque<Cost>,
    last: Option<Instant>,
}

impl Costs {
    /// Notes a picture that was handed to the display at `now`.
    pub(super) fn note(&mut self, mut cost: Cost, now: Instant) {
        if let Some(last) = self.last.replace(now)
            && now - last < PAUSE
        {
            cost.interval = now - last;
            self.list.push_back(cost);
            if self.list.len() > REMEMBERED {
                self.list.pop_front();
            }
        }
    }

    /// The pictures of late, the latest last.
    pub(super) fn list(&self) -> impl ExactSizeIterator<Item = &Cost> {
        self.list.iter()
    }

    /// What they have cost on average; `None` before there are a few.
    pub(super) fn mean(&self) -> Option<Cost> {
        let count = self.list.len() as u32;
        if count < 5 {
            return None;
        }
        let mean = |part: fn(&Cost) -> Duration| self.list.iter().map(part).sum::<Duration>() / count;
        Some(Cost {
            interval: mean(|cost| cost.interval),
            panels: mean(|cost| cost.panels),
            paint: mean(|cost| cost.paint),
            pose: mean(|cost| cost.pose),
            draw: mean(|cost| cost.draw),
            gpu: mean(|cost| cost.gpu),
            present: mean(|cost| cost.present),
        })
    }

    /// Forgets all: something else is drawn from now on.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_what_the_display_showed_and_pauses_do_not_count() {
        let (mut costs, start, ms) = (Costs::default(), Instant::now(), Duration::from_millis);
        for i in 0..200_u64 {
            costs.note(Cost { pose: ms(i % 2 * 4), ..Cost::default() }, start + ms(10 * i));
        }
        let mean = costs.mean().unwrap();
        assert_eq!((costs.list().len(), mean.interval, mean.pose), (REMEMBERED, ms(10), ms(2)));
        costs.note(Cost::default(), start + ms(60_000));
        assert_eq!(costs.mean().unwrap().interval, ms(10));
        costs.forget();
        assert!(costs.mean().is_none());
    }
}
