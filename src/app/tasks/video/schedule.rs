//! Which moments a film shows, and from where.

use crate::request::VideoRequest;
use std::f64::consts::TAU;

/// A turntable takes this long at least, in seconds.
const SHORTEST_TURN_SECS: f64 = 4.0;

/// The moments of a film. After the last frame comes the first again, as far from it as any two neighbors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plan {
    /// How many there are.
    pub(crate) frames: usize,
    /// How long all of them are shown.
    pub(crate) film_secs: f64,
    /// Length of the clip; 0 for a film that stands still.
    clip_secs: f64,
    /// Where in the clip it begins, or stands.
    start_secs: f64,
    turntable: bool,
}

impl Plan {
    /// The film that `args` ask for, of a clip of this length.
    pub(crate) fn new(args: &VideoRequest, duration_secs: f64) -> Self {
        let film_secs = if duration_secs > 0.0 {
            let rounds = match args.loops {
                Some(loops) => f64::from(loops),
                None if args.turntable => (SHORTEST_TURN_SECS / duration_secs - 1e-9).ceil().max(1.0),
                None => 1.0,
            };
            duration_secs * rounds
        } else {
            args.duration_secs
        };
        // Without clip or turn all frames are alike.
        let frames = if duration_secs > 0.0 || args.turntable { (film_secs * args.fps).round().max(1.0) } else { 1.0 };
        Self {
            frames: frames as usize,
            film_secs,
            clip_secs: duration_secs,
            start_secs: args.frame.scene.time_secs,
            turntable: args.turntable,
        }
    }

    /// When a frame is shown, in seconds from the film's start.
    pub(crate) fn shown_at(&self, frame: usize) -> f64 {
        self.film_secs * frame as f64 / self.frames as f64
    }

    /// The moment of the clip that a frame shows.
    pub(crate) fn clip_secs(&self, frame: usize) -> f64 {
        if self.clip_secs > 0.0 {
            (self.start_secs + self.shown_at(frame)).rem_euclid(self.clip_secs)
        } else {
            self.start_secs
        }
    }

    /// How far around the model the camera has gone, in radians; `None` where it stands still.
    pub(crate) fn turn(&self, frame: usize) -> Option<f64> {
        self.turntable.then(|| TAU * frame as f64 / self.frames as f64)
    }

    /// Frames in a second as a fraction of whole numbers.
    pub(crate) fn rate(&self) -> (u64, u64) {
        ((self.frames as u64).saturating_mul(1_000_000), (self.film_secs * 1e6).round().max(1.0) as u64)
    }

    /// At most `count` evenly spread frames.
    pub(crate) fn spread(&self, count: usize) -> impl Iterator<Item = usize> + use<> {
        let (frames, count) = (self.frames, count.min(self.frames));
        (0..count).map(move |i| i * frames / count)
    }

    /// Units of time from a frame to the next, where `per_sec` of them are a second: rounded so that the sum stays true.
    pub(crate) fn delay(&self, frame: usize, per_sec: f64) -> u16 {
        let at = |frame| (self.shown_at(frame) * per_sec).round();
        (at(frame + 1) - at(frame)).clamp(1.0, f64::from(u16::MAX)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn plan(words: &str, duration_secs: f64) -> Plan {
        let words = ["rigview", "video", "a.glb", "-o", "a.gif"].into_iter().chain(words.split_whitespace());
        let Some(Command::Video(args)) = Cli::try_parse_from(words).unwrap().command else { panic!("not a film") };
        Plan::new(&VideoRequest::from(&*args), duration_secs)
    }

    #[test]
    fn a_clip_goes_round_without_its_first_moment_twice() {
        let plan = plan("--fps 10", 0.5);
        assert_eq!((plan.frames, plan.turn(3)), (5, None));
        let times: Vec<f64> = (0..5).map(|frame| plan.clip_secs(frame)).collect();
        assert!(times.iter().zip([0.0, 0.1, 0.2, 0.3, 0.4]).all(|(a, b)| (a - b).abs() < 1e-12), "{times:?}");
        // A start in the middle goes round the end.
        let later = self::plan("--fps 10 --time 0.3", 0.5);
        assert!((later.clip_secs(3) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_rate_that_does_not_divide_the_clip_is_bent_a_little() {
        let plan = plan("--fps 30", 0.7083);
        assert_eq!(plan.frames, 21);
        assert!((plan.clip_secs(20) - 0.7083 * 20.0 / 21.0).abs() < 1e-12);
        let (frames, secs) = plan.rate();
        assert!((frames as f64 / secs as f64 - 21.0 / 0.7083).abs() < 1e-4);
        let centiseconds: u32 = (0..21).map(|frame| u32::from(plan.delay(frame, 100.0))).sum();
        assert_eq!(centiseconds, 71);
    }

    #[test]
    fn a_turntable_takes_whole_rounds_of_the_clip_and_goes_once_around() {
        let plan = plan("--turntable --fps 10", 1.5);
        assert_eq!((plan.frames, plan.film_secs), (45, 4.5));
        assert_eq!(plan.turn(0), Some(0.0));
        assert!((plan.turn(44).unwrap() + TAU / 45.0 - TAU).abs() < 1e-12);
        assert_eq!(self::plan("--turntable --fps 10 --loops 1", 1.5).frames, 15);
        assert_eq!(self::plan("--turntable --fps 10", 0.0).frames, 40);
        assert_eq!(self::plan("--fps 10", 0.0).frames, 1);
        assert_eq!(self::plan("--turntable --fps 10 --seconds 2", 0.0).frames, 20);
        assert_eq!(plan.spread(4).collect::<Vec<_>>(), [0, 11, 22, 33]);
    }
}
