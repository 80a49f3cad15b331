//! Playback of the main clip.

use rigview_core::model::Clip;
use rigview_core::pose::LoopMode;

/// Minimum and maximum speed.
pub(crate) const SPEEDS: std::ops::RangeInclusive<f64> = 0.05..=4.0;

/// Time per frame of the loop blink.
const BLINK_SECS: f64 = 0.5;

/// Speeds for stepping.
const SPEED_STEPS: [f64; 9] = [0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];

/// Loop modes with their labels, in cycling order.
pub(crate) const LOOP_MODES: [(LoopMode, &str); 3] =
    [(LoopMode::Loop, "Loop"), (LoopMode::Once, "Play once"), (LoopMode::PingPong, "Ping-pong")];

/// Returns the next loop mode in cycling order.
pub(crate) fn next_loop_mode(mode: LoopMode) -> LoopMode {
    let index = LOOP_MODES.iter().position(|(other, _)| *other == mode).unwrap_or(0);
    LOOP_MODES[(index + 1) % LOOP_MODES.len()].0
}

/// Playback of a clip, which is given by its duration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlaybackState {
    /// Clip time in seconds, from 0 to the duration.
    pub(crate) time_secs: f64,
    /// Seconds played in total, for crowds and blended clips that loop individually.
    pub(crate) clock_secs: f64,
    /// Clip time after a restart.
    start_secs: f64,
    pub(crate) playing: bool,
    /// The user drags on the timeline, which holds the time.
    pub(crate) scrubbing: bool,
    /// The next drag on the timeline sets the play range.
    pub(crate) choosing_range: bool,
    /// Start and end of the play range in seconds; `None` plays the whole clip.
    pub(crate) play_range: Option<[f64; 2]>,
    /// Elapsed seconds of the loop blink: first and last frame alternate. `None` if it is off.
    pub(crate) blink_secs: Option<f64>,
    /// 1 is the original speed.
    pub(crate) speed: f64,
    /// Plays in reverse.
    pub(crate) backwards: bool,
    pub(crate) loop_mode: LoopMode,
    /// A ping-pong runs in its second half.
    returning: bool,
    /// Frame rate of the timeline.
    pub(crate) frames_per_sec: f64,
    /// Frame rate of the keys; `None` if it is unclear.
    pub(crate) key_rate: Option<f64>,
    /// Lowest and highest rate of the steps between keys, if `key_rate` is only their multiple.
    pub(crate) mixed_rates: Option<[f64; 2]>,
}

impl PlaybackState {
    /// Plays from `time_secs` at the original speed.
    pub(crate) fn new(time_secs: f64, frames_per_sec: f64) -> Self {
        Self {
            time_secs,
            clock_secs: time_secs,
            start_secs: time_secs,
            playing: true,
            scrubbing: false,
            choosing_range: false,
            play_range: None,
            blink_secs: None,
            speed: 1.0,
            backwards: false,
            loop_mode: LoopMode::default(),
            returning: false,
            frames_per_sec,
            key_rate: None,
            mixed_rates: None,
        }
    }

    /// Plays from the start time.
    pub(crate) fn restart(&mut self) {
        (self.time_secs, self.clock_secs, self.playing) = (self.start_secs, self.start_secs, true);
    }

    /// Goes to the start of another clip. One that starts late plays from its first key.
    pub(crate) fn start_clip(&mut self, clip: Option<&Clip>) {
        let late = clip.filter(|clip| clip.starts_late());
        let range = late.map(|clip| [clip.first_key_secs, clip.duration_secs].map(f64::from));
        self.start_secs = range.map_or(0.0, |range| range[0]);
        (self.time_secs, self.clock_secs) = (self.start_secs, self.start_secs);
        self.play_range = range.filter(|[start, end]| start < end);
    }

    /// The rate of frame numbers; `None` if the keys fit none.
    pub(crate) fn shown_rate(&self) -> Option<f64> {
        self.key_rate.map(|_| self.frames_per_sec)
    }

    /// Shows the frames of the keys. A rate that the user chose stays while that of the keys is the same.
    pub(crate) fn follow_key_rate(&mut self, clip: Option<&Clip>) {
        let key_rate = clip.and_then(Clip::frame_rate);
        self.mixed_rates = clip.and_then(Clip::mixed_frame_rates);
        if key_rate != self.key_rate {
            (self.key_rate, self.frames_per_sec) = (key_rate, key_rate.unwrap_or(self.frames_per_sec));
        }
    }

    /// Start and end of what plays, in seconds.
    pub(crate) fn range(&self, duration_secs: f64) -> [f64; 2] {
        self.play_range.unwrap_or([0.0, duration_secs])
    }

    /// Sets the play range within the clip. An empty range and the whole clip are no range.
    pub(crate) fn set_play_range(&mut self, range: Option<[f64; 2]>, duration_secs: f64) {
        let range = range.map(|[a, b]| [a.min(b), a.max(b)].map(|time| time.clamp(0.0, duration_secs)));
        self.play_range = range.filter(|range| range[0] < range[1] && *range != [0.0, duration_secs]);
        self.choosing_range = false;
    }

    /// Limits the times to the duration of a shorter clip.
    pub(crate) fn clamp_to(&mut self, duration_secs: f64) {
        self.set_play_range(self.play_range, duration_secs);
        self.time_secs = self.time_secs.min(duration_secs);
        self.start_secs = self.start_secs.min(duration_secs);
    }

    /// Returns `true` while time advances.
    pub(crate) fn is_running(&self) -> bool {
        (self.playing || self.blink_secs.is_some()) && !self.scrubbing
    }

    /// Toggles the loop blink. The clip pauses at the start of the play range afterwards.
    pub(crate) fn toggle_loop_blink(&mut self) {
        self.blink_secs = if self.blink_secs.is_some() { None } else { Some(0.0) };
        self.pause_at(self.range(0.0)[0]);
    }

    /// Plays or pauses. Restarts a clip that stopped at its end.
    pub(crate) fn toggle(&mut self, duration_secs: f64) {
        self.blink_secs = None;
        self.playing = !self.playing;
        if self.playing && self.loop_mode == LoopMode::Once {
            let [start, end] = self.range(duration_secs);
            let (start, end) = if self.backwards { (end, start) } else { (start, end) };
            if (self.time_secs - end).abs() < 1e-9 {
                self.time_secs = start;
            }
        }
    }

    /// Advances by `elapsed_secs` of wall time.
    pub(crate) fn advance(&mut self, elapsed_secs: f64, duration_secs: f64) {
        if !self.is_running() || duration_secs <= 0.0 {
            return;
        }
        let [start, end] = self.range(duration_secs);
        if let Some(blink_secs) = &mut self.blink_secs {
            *blink_secs += elapsed_secs;
            let shows_last = (*blink_secs / BLINK_SECS) as u64 % 2 == 1;
            self.time_secs = if shows_last { end } else { start };
            return;
        }
        let forwards = self.backwards == self.returning;
        let step_secs = elapsed_secs * self.speed * if forwards { 1.0 } else { -1.0 };
        let before = self.time_secs;
        if self.play_range.is_some() && !(start..=end).contains(&before) {
            self.time_secs = if forwards { start } else { end };
        }
        let time = self.time_secs + step_secs;
        let length = end - start;
        self.time_secs = match self.loop_mode {
            LoopMode::Loop => start + (time - start).rem_euclid(length),
            LoopMode::Once => {
                self.playing = if forwards { time < end } else { time > start };
                time.clamp(start, end)
            }
            LoopMode::PingPong => {
                // A ping-pong is a loop of twice the duration, folded.
                let played = self.time_secs - start;
                let unfolded = if forwards { played } else { 2.0 * length - played };
                let unfolded_after = (unfolded + step_secs.abs()).rem_euclid(2.0 * length);
                let returning = unfolded_after > length;
                self.returning = returning != self.backwards;
                start + if returning { 2.0 * length - unfolded_after } else { unfolded_after }
            }
        };
        // Everything repeats with a play range, also clips of another duration.
        self.clock_secs += if self.play_range.is_some() { self.time_secs - before } else { step_secs };
    }

    pub(crate) fn reverse(&mut self) {
        self.backwards = !self.backwards;
        self.returning = false;
    }

    pub(crate) fn set_loop_mode(&mut self, mode: LoopMode) {
        (self.loop_mode, self.returning) = (mode, false);
    }

    /// Sets the speed, clamped to `SPEEDS`.
    pub(crate) fn set_speed(&mut self, speed: f64) {
        self.speed = speed.clamp(*SPEEDS.start(), *SPEEDS.end());
    }

    /// Steps the speed along `SPEED_STEPS`.
    pub(crate) fn change_speed(&mut self, steps: i32) {
        for _ in 0..steps.unsigned_abs() {
            let next = if steps > 0 {
                SPEED_STEPS.iter().find(|&&speed| speed > self.speed + 1e-9)
            } else {
                SPEED_STEPS.iter().rev().find(|&&speed| speed < self.speed - 1e-9)
            };
            self.speed = next.copied().unwrap_or(self.speed);
        }
    }

    /// Pauses at a time.
    pub(crate) fn pause_at(&mut self, time_secs: f64) {
        (self.time_secs, self.playing) = (time_secs, false);
    }

    /// Pauses and steps by `frames`, cyclically.
    ///
    /// Stops at whole frames, and at the end of the clip before it wraps around.
    pub(crate) fn step(&mut self, frames: i32, duration_secs: f64) {
        (self.playing, self.blink_secs) = (false, None);
        if duration_secs <= 0.0 {
            return;
        }
        // Times within 0.001 frames of a whole frame count as that frame.
        let frame = self.time_secs * self.frames_per_sec;
        let whole_frame = if frames > 0 { (frame + 1e-3).floor() } else { (frame - 1e-3).ceil() };
        let target = (whole_frame + f64::from(frames)) / self.frames_per_sec;
        self.time_secs = if target > duration_secs {
            if self.time_secs < duration_secs - 1e-6 { duration_secs } else { 0.0 }
        } else if target < 0.0 {
            if self.time_secs > 1e-6 { 0.0 } else { duration_secs }
        } else {
            target
        };
    }

    /// Pauses and steps by `steps` along the sorted `keys`, cyclically.
    pub(crate) fn step_key(&mut self, steps: i32, keys: &[f32]) {
        (self.playing, self.blink_secs) = (false, None);
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return };
        for _ in 0..steps.unsigned_abs() {
            let time = self.time_secs;
            let next = if steps > 0 {
                keys.iter().find(|&&key| f64::from(key) > time + 1e-6).unwrap_or(first)
            } else {
                keys.iter().rev().find(|&&key| f64::from(key) < time - 1e-6).unwrap_or(last)
            };
            self.time_secs = f64::from(*next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::model::Timeline;

    fn at(time_secs: f64) -> PlaybackState {
        PlaybackState::new(time_secs, 10.0)
    }

    /// Does a step of `playback.txt`.
    fn step(playback: &mut PlaybackState, words: &[&str], duration_secs: f64) {
        let number = |i: usize| words[i].parse::<f64>().unwrap();
        match words[0] {
            "advance" => playback.advance(number(1), duration_secs),
            "hold" => (playback.scrubbing, playback.time_secs) = (true, number(1)),
            "release" => playback.scrubbing = false,
            "toggle" => playback.toggle(duration_secs),
            "blink" => playback.toggle_loop_blink(),
            "reverse" => playback.reverse(),
            "mode" => playback.set_loop_mode(LOOP_MODES[number(1) as usize].0),
            "speed" => playback.set_speed(number(1)),
            "speeds" => playback.change_speed(number(1) as i32),
            "range" => playback.set_play_range(Some([number(1), number(2)]), duration_secs),
            "clamp" => playback.clamp_to(number(1)),
            "frames" => playback.step(number(1) as i32, duration_secs),
            "keys" => playback.step_key(number(1) as i32, &[0.25, 0.5, 1.0]),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn steps_go_to_the_written_times() {
        let (mut playback, mut duration_secs, mut faults) = (at(0.0), 0.0, Vec::new());
        for line in include_str!("playback.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let Some((words, expected)) = line.split_once(": ") else {
                let numbers: Vec<f64> = line.split(" of ").map(|number| number.parse().unwrap()).collect();
                (playback, duration_secs) = (at(numbers[0]), numbers[1]);
                continue;
            };
            step(&mut playback, &words.split(' ').collect::<Vec<_>>(), duration_secs);
            let PlaybackState { time_secs, speed, playing, play_range, .. } = playback;
            let mut found = format!("{}", (time_secs * 1e6).round() / 1e6);
            found += if playing { "" } else { " paused" };
            found += &if speed == 1.0 { String::new() } else { format!(" at {speed}") };
            found += &play_range.map(|[start, end]| format!(" in {start} to {end}")).unwrap_or_default();
            if found != expected {
                faults.push(format!("{line}\nfound {found}"));
            }
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn one_large_step_of_a_ping_pong_equals_many_small_ones() {
        let [mut far, mut near] = [at(0.1); 2];
        for playback in [&mut far, &mut near] {
            playback.reverse();
            playback.set_loop_mode(LoopMode::PingPong);
        }
        far.advance(3.3, 1.0);
        (0..33).for_each(|_| near.advance(0.1, 1.0));
        assert!((far.time_secs - near.time_secs).abs() < 1e-9, "{} {}", far.time_secs, near.time_secs);
    }

    #[test]
    fn play_range_limits_every_loop_mode() {
        for mode in [LoopMode::Loop, LoopMode::Once, LoopMode::PingPong] {
            for backwards in [false, true] {
                let mut playback = at(0.5);
                playback.backwards = backwards;
                playback.set_loop_mode(mode);
                playback.set_play_range(Some([0.75, 0.25]), 2.0);
                for _ in 0..40 {
                    playback.advance(0.05, 2.0);
                    assert!((0.25..=0.75).contains(&playback.time_secs), "{mode:?}: {}", playback.time_secs);
                    assert!((playback.clock_secs - playback.time_secs).abs() < 1e-9);
                }
                assert_eq!(playback.playing, mode != LoopMode::Once);
            }
        }
    }

    #[test]
    fn another_clip_starts_at_its_first_key() {
        let mut playback = at(0.0);
        playback.set_play_range(Some([f64::NAN, 1.0]), 2.0);
        assert_eq!(playback.play_range, None);
        playback.set_play_range(Some([0.5, 1.5]), 2.0);
        playback.start_clip(None);
        assert_eq!(playback.range(3.0), [0.0, 3.0]);
        let late = Clip { first_key_secs: 3600.0, duration_secs: 3601.0, ..Clip::default() };
        playback.start_clip(Some(&late));
        assert_eq!((playback.time_secs, playback.range(3601.0)), (3600.0, [3600.0, 3601.0]));
    }

    #[test]
    fn frame_rate_follows_the_keys_until_it_is_chosen() {
        let clip = |times_secs: [f32; 3]| Clip { timelines: vec![Timeline::new(times_secs)], ..Clip::default() };
        let [at_30, at_25, unclear] = [[0.0, 1.0 / 30.0, 0.1], [0.0, 0.04, 0.08], [0.0, 1.0, 2.0]].map(clip);
        let mut playback = at(0.0);
        let mut rate = |clip: &Clip, chosen: Option<f64>| {
            playback.follow_key_rate(Some(clip));
            playback.frames_per_sec = chosen.unwrap_or(playback.frames_per_sec);
            (playback.frames_per_sec, playback.key_rate)
        };
        assert_eq!(rate(&unclear, None), (10.0, None));
        assert_eq!(rate(&at_30, Some(15.0)), (15.0, Some(30.0)));
        assert_eq!(rate(&at_30, None), (15.0, Some(30.0)));
        assert_eq!(rate(&at_25, None), (25.0, Some(25.0)));
        assert_eq!(rate(&unclear, None), (25.0, None));
    }
}
