//! Frame times and camera angles of a looping video.

use crate::app::AppError;
use crate::request::VideoRequest;
use std::f64::consts::TAU;

/// Duration of a turntable: the shortest with a clip, the default without.
const TURNTABLE_SECS: f64 = 4.0;

/// Maximum number of frames: over an hour at 24 FPS. Clips of corrupt files last for years.
const MAX_FRAMES: f64 = 100_000.0;

/// Evenly spaced frames. The first frame follows the last at the same distance, so that the video loops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FrameSchedule {
    pub(crate) frames: usize,
    pub(crate) duration_secs: f64,
    /// Start of the part of the clip that plays, and its duration: 0 for a still pose.
    part_start_secs: f64,
    part_duration_secs: f64,
    /// Clip time of the first frame.
    start_secs: f64,
    turntable: bool,
}

impl FrameSchedule {
    /// # Errors
    /// If there are more than [`MAX_FRAMES`], or the clip ends before the range.
    pub(crate) fn new(request: &VideoRequest, first_key_secs: f64, clip_duration_secs: f64) -> Result<Self, AppError> {
        let has_clip = clip_duration_secs > 0.0;
        let [part_start_secs, part_end_secs] = match request.range_secs.filter(|_| has_clip) {
            Some([start, end]) => [start, end.min(clip_duration_secs)],
            // The pose of the first key holds until then.
            None if first_key_secs < clip_duration_secs => [first_key_secs, clip_duration_secs],
            None => [0.0, clip_duration_secs],
        };
        let start_secs = request.frame.scene.time.secs([first_key_secs, clip_duration_secs]);
        let start_secs =
            if has_clip && request.range_secs.is_none() { start_secs.max(part_start_secs) } else { start_secs };
        let part_duration_secs = part_end_secs - part_start_secs;
        if has_clip && part_duration_secs <= 0.0 {
            let message = format!(
                "the range starts at {part_start_secs} s, but the clip ends at {clip_duration_secs:.3} s: choose an earlier start"
            );
            return Err(AppError::Usage(message));
        }
        let duration_secs = if has_clip {
            let loops = match request.loops {
                Some(loops) => f64::from(loops),
                None if request.turntable => (TURNTABLE_SECS / part_duration_secs - 1e-9).ceil().max(1.0),
                None => 1.0,
            };
            part_duration_secs * loops
        } else {
            request.range_secs.map_or(TURNTABLE_SECS, |[start, end]| end - start)
        };
        // Without a clip or a turntable, all frames are the same.
        let frames = if has_clip || request.turntable { (duration_secs * request.fps).round().max(1.0) } else { 1.0 };
        if frames > MAX_FRAMES {
            let message = format!(
                "the video would last {duration_secs:.0} s and have {frames:.0} frames; at most {MAX_FRAMES} are made: choose \
                 a shorter clip or a lower --fps"
            );
            return Err(AppError::Usage(message));
        }
        Ok(Self {
            frames: frames as usize,
            duration_secs,
            part_start_secs,
            part_duration_secs,
            start_secs,
            turntable: request.turntable,
        })
    }

    /// Seconds from the start of the video.
    pub(crate) fn frame_time_secs(&self, frame: usize) -> f64 {
        self.duration_secs * frame as f64 / self.frames as f64
    }

    pub(crate) fn clip_time_secs(&self, frame: usize) -> f64 {
        if self.part_duration_secs > 0.0 {
            let played = self.start_secs - self.part_start_secs + self.frame_time_secs(frame);
            self.part_start_secs + played.rem_euclid(self.part_duration_secs)
        } else {
            self.start_secs
        }
    }

    /// Camera rotation about the model in radians; `None` without a turntable.
    pub(crate) fn turntable_angle(&self, frame: usize) -> Option<f64> {
        self.turntable.then(|| TAU * frame as f64 / self.frames as f64)
    }

    /// Frames per second as an integer fraction.
    pub(crate) fn frame_rate(&self) -> (u64, u64) {
        ((self.frames as u64).saturating_mul(1_000_000), (self.duration_secs * 1e6).round().max(1.0) as u64)
    }

    /// Indices of at most `count` evenly spaced frames.
    pub(crate) fn evenly_spaced(&self, count: usize) -> impl Iterator<Item = usize> + use<> {
        let (frames, count) = (self.frames, count.min(self.frames));
        (0..count).map(move |i| i * frames / count)
    }

    /// Display time of a frame in units of 1/`per_sec` seconds. Rounding errors do not accumulate.
    pub(crate) fn frame_delay(&self, frame: usize, per_sec: f64) -> u16 {
        let at = |frame| (self.frame_time_secs(frame) * per_sec).round();
        (at(frame + 1) - at(frame)).clamp(1.0, f64::from(u16::MAX)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn try_schedule(words: &str, duration_secs: f64) -> Result<FrameSchedule, AppError> {
        let words = ["rigview", "video", "a.glb", "-o", "a.gif"].into_iter().chain(words.split_whitespace());
        let Some(Command::Video(args)) = Cli::try_parse_from(words).unwrap().command else { panic!("not a video") };
        FrameSchedule::new(&VideoRequest::from(&*args), 0.0, duration_secs)
    }

    fn schedule(words: &str, duration_secs: f64) -> FrameSchedule {
        try_schedule(words, duration_secs).unwrap()
    }

    #[test]
    fn clips_of_absurd_length_are_refused() {
        assert_eq!(schedule("--fps 10", 10_000.0).frames, 100_000);
        for (words, duration_secs) in [("--fps 10", 10_000.2), ("--fps 10", 1e300), ("--fps 240 --loops 1000", 10.0)] {
            let error = try_schedule(words, duration_secs).unwrap_err().to_string();
            assert!(error.contains("at most 100000 are made"), "{error}");
        }
    }

    #[test]
    fn clip_video_does_not_repeat_its_first_frame() {
        let schedule = schedule("--fps 10", 0.5);
        assert_eq!((schedule.frames, schedule.turntable_angle(3)), (5, None));
        let times: Vec<f64> = (0..5).map(|frame| schedule.clip_time_secs(frame)).collect();
        assert!(times.iter().zip([0.0, 0.1, 0.2, 0.3, 0.4]).all(|(a, b)| (a - b).abs() < 1e-12), "{times:?}");
        // A later start time wraps around at the end of the clip.
        let later = self::schedule("--fps 10 --time 0.3", 0.5);
        assert!((later.clip_time_secs(3) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn range_repeats_a_part_of_the_clip() {
        let schedule = schedule("--fps 10 --range 0.2,0.5 --loops 2", 2.0);
        assert_eq!((schedule.frames, schedule.duration_secs), (6, 0.6));
        let times: Vec<f64> = (0..6).map(|frame| schedule.clip_time_secs(frame)).collect();
        assert!(times.iter().zip([0.2, 0.3, 0.4, 0.2, 0.3, 0.4]).all(|(a, b)| (a - b).abs() < 1e-9), "{times:?}");
        assert_eq!(self::schedule("--fps 10 --range 1,9", 2.0).frames, 10, "the range ends with the clip");
        let error = try_schedule("--range 3,4", 2.0).unwrap_err().to_string();
        assert!(error.contains("the clip ends at 2.000 s"), "{error}");
        assert_eq!(self::schedule("--fps 10 --range 3,4", 0.0).frames, 1, "a still pose has no range");
    }

    #[test]
    fn frame_rate_is_adjusted_to_the_clip_duration() {
        let schedule = schedule("--fps 30", 0.7083);
        assert_eq!(schedule.frames, 21);
        assert!((schedule.clip_time_secs(20) - 0.7083 * 20.0 / 21.0).abs() < 1e-12);
        let (frames, secs) = schedule.frame_rate();
        assert!((frames as f64 / secs as f64 - 21.0 / 0.7083).abs() < 1e-4);
        let centiseconds: u32 = (0..21).map(|frame| u32::from(schedule.frame_delay(frame, 100.0))).sum();
        assert_eq!(centiseconds, 71);
    }

    #[test]
    fn turntable_lasts_whole_loops_and_turns_once() {
        let schedule = schedule("--turntable --fps 10", 1.5);
        assert_eq!((schedule.frames, schedule.duration_secs), (45, 4.5));
        assert_eq!(schedule.turntable_angle(0), Some(0.0));
        assert!((schedule.turntable_angle(44).unwrap() + TAU / 45.0 - TAU).abs() < 1e-12);
        assert_eq!(self::schedule("--turntable --fps 10 --loops 1", 1.5).frames, 15);
        assert_eq!(self::schedule("--turntable --fps 10", 0.0).frames, 40);
        assert_eq!(self::schedule("--fps 10", 0.0).frames, 1);
        assert_eq!(self::schedule("--turntable --fps 10 --range 1,3", 0.0).frames, 20);
        assert_eq!(schedule.evenly_spaced(4).collect::<Vec<_>>(), [0, 11, 22, 33]);
    }
}
