//! Where playback stands, and how it goes on.

use crate::pose::LoopMode;

/// The slowest and the fastest that a clip plays, in times the recorded speed.
pub(crate) const SPEEDS: std::ops::RangeInclusive<f64> = 0.05..=4.0;

/// How long each side of a loop's seam is shown.
const SEAM_SECS: f64 = 0.5;

/// Where the steps of speed rest.
const SPEED_STEPS: [f64; 9] = [0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];

/// What may happen at the ends of a clip, in the order in which a key goes through it.
pub(crate) const LOOP_MODES: [(LoopMode, &str); 3] =
    [(LoopMode::Loop, "Loop"), (LoopMode::Once, "Play once"), (LoopMode::PingPong, "Ping-pong")];

/// The one after it.
pub(crate) fn next_loop_mode(mode: LoopMode) -> LoopMode {
    let place = LOOP_MODES.iter().position(|(known, _)| *known == mode).unwrap_or(0);
    LOOP_MODES[(place + 1) % LOOP_MODES.len()].0
}

/// Where playback stands, and how it goes on. A clip is given by its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlaybackState {
    /// Seconds into the clip, from 0 to its length.
    pub(crate) time_secs: f64,
    /// Seconds that have passed for what goes on by itself at the clip's ends: a crowd of many speeds.
    pub(crate) clock_secs: f64,
    /// Time of a restart.
    start_secs: f64,
    /// Whether time passes, but for a hand on the timeline.
    pub(crate) playing: bool,
    /// Whether a hand is on the timeline.
    pub(crate) scrubbing: bool,
    /// Whether the first and the last instant take turns, and for how long they have.
    pub(crate) seam_secs: Option<f64>,
    /// In times the recorded speed.
    pub(crate) speed: f64,
    /// Whether the clip plays from its end to its start.
    pub(crate) backwards: bool,
    /// What happens at the end.
    pub(crate) loop_mode: LoopMode,
    /// Whether a ping-pong is on its way back.
    returning: bool,
    /// Frames in a second of the clip.
    pub(crate) frames_per_sec: f64,
}

impl PlaybackState {
    /// Playing from `time_secs`, as it was recorded.
    pub(crate) fn new(time_secs: f64, frames_per_sec: f64) -> Self {
        Self {
            time_secs,
            clock_secs: time_secs,
            start_secs: time_secs,
            playing: true,
            scrubbing: false,
            seam_secs: None,
            speed: 1.0,
            backwards: false,
            loop_mode: LoopMode::default(),
            returning: false,
            frames_per_sec,
        }
    }

    /// Plays from the start time again.
    pub(crate) fn restart(&mut self) {
        (self.time_secs, self.playing) = (self.start_secs, true);
    }

    /// Goes to the start of another clip.
    pub(crate) fn start_clip(&mut self) {
        (self.time_secs, self.clock_secs, self.start_secs) = (0.0, 0.0, 0.0);
    }

    /// Limits the time to the length of a shorter clip.
    pub(crate) fn clamp_to(&mut self, duration_secs: f64) {
        self.time_secs = self.time_secs.min(duration_secs);
        self.start_secs = self.start_secs.min(duration_secs);
    }

    /// Whether time passes now.
    pub(crate) fn is_running(&self) -> bool {
        (self.playing || self.seam_secs.is_some()) && !self.scrubbing
    }

    /// Lets the first and the last instant take turns, or stops that at the start of the clip.
    pub(crate) fn toggle_seam(&mut self) {
        self.seam_secs = if self.seam_secs.is_some() { None } else { Some(0.0) };
        self.hold(0.0);
    }

    /// Plays, or pauses. A clip that has stopped at its end plays once more.
    pub(crate) fn toggle(&mut self, duration_secs: f64) {
        self.seam_secs = None;
        self.playing = !self.playing;
        if self.playing && self.loop_mode == LoopMode::Once {
            let (start, end) = if self.backwards { (duration_secs, 0.0) } else { (0.0, duration_secs) };
            if (self.time_secs - end).abs() < 1e-9 {
                self.time_secs = start;
            }
        }
    }

    /// Lets `elapsed_secs` pass on the clock on the wall.
    pub(crate) fn advance(&mut self, elapsed_secs: f64, duration_secs: f64) {
        if !self.is_running() || duration_secs <= 0.0 {
            return;
        }
        if let Some(seam_secs) = &mut self.seam_secs {
            *seam_secs += elapsed_secs;
            let shows_last = (*seam_secs / SEAM_SECS) as u64 % 2 == 1;
            self.time_secs = if shows_last { duration_secs } else { 0.0 };
            return;
        }
        let forwards = self.backwards == self.returning;
        let way = elapsed_secs * self.speed * if forwards { 1.0 } else { -1.0 };
        let time = self.time_secs + way;
        self.clock_secs += way;
        self.time_secs = match self.loop_mode {
            LoopMode::Loop => time.rem_euclid(duration_secs),
            LoopMode::Once => {
                self.playing = if forwards { time < duration_secs } else { time > 0.0 };
                time.clamp(0.0, duration_secs)
            }
            LoopMode::PingPong => {
                // A ping-pong is a way there and back of twice the length, folded.
                let unfolded = if forwards { self.time_secs } else { 2.0 * duration_secs - self.time_secs };
                let there = (unfolded + way.abs()).rem_euclid(2.0 * duration_secs);
                let returning = there > duration_secs;
                self.returning = returning != self.backwards;
                if returning { 2.0 * duration_secs - there } else { there }
            }
        };
    }

    /// Plays the other way from here on.
    pub(crate) fn reverse(&mut self) {
        self.backwards = !self.backwards;
        self.returning = false;
    }

    /// Sets what happens at the end.
    pub(crate) fn set_loop_mode(&mut self, mode: LoopMode) {
        (self.loop_mode, self.returning) = (mode, false);
    }

    /// Sets the speed, within what is offered.
    pub(crate) fn set_speed(&mut self, speed: f64) {
        self.speed = speed.clamp(*SPEEDS.start(), *SPEEDS.end());
    }

    /// Goes `steps` up the ladder of speeds.
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

    /// Stops at a moment.
    pub(crate) fn hold(&mut self, time_secs: f64) {
        (self.time_secs, self.playing) = (time_secs, false);
    }

    /// Stops and moves by `frames`, round the ends of the clip.
    ///
    /// It lands on whole frames, and on the clip's end before it goes round.
    pub(crate) fn step(&mut self, frames: i32, duration_secs: f64) {
        (self.playing, self.seam_secs) = (false, None);
        if duration_secs <= 0.0 {
            return;
        }
        // A time within a thousandth of a frame of a whole one counts as that frame.
        let frame = self.time_secs * self.frames_per_sec;
        let whole = if frames > 0 { (frame + 1e-3).floor() } else { (frame - 1e-3).ceil() };
        let target = (whole + f64::from(frames)) / self.frames_per_sec;
        self.time_secs = if target > duration_secs {
            if self.time_secs < duration_secs - 1e-6 { duration_secs } else { 0.0 }
        } else if target < 0.0 {
            if self.time_secs > 1e-6 { 0.0 } else { duration_secs }
        } else {
            target
        };
    }

    /// Stops and goes `places` along the sorted `keys`, round the ends.
    pub(crate) fn step_key(&mut self, places: i32, keys: &[f32]) {
        (self.playing, self.seam_secs) = (false, None);
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return };
        for _ in 0..places.unsigned_abs() {
            let time = self.time_secs;
            let next = if places > 0 {
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

    fn at(time_secs: f64) -> PlaybackState {
        PlaybackState::new(time_secs, 10.0)
    }

    #[test]
    fn playing_goes_round_and_pausing_stands_still() {
        let mut playback = at(0.75);
        playback.advance(0.5, 1.0);
        assert_eq!(playback.time_secs, 0.25);
        playback.playing = false;
        playback.advance(0.5, 1.0);
        assert_eq!(playback.time_secs, 0.25);
    }

    #[test]
    fn a_hand_on_the_timeline_holds_the_clip_and_lets_it_go_on() {
        let mut playback = at(0.5);
        (playback.scrubbing, playback.time_secs) = (true, 0.25);
        playback.advance(0.5, 1.0);
        assert_eq!((playback.time_secs, playback.playing), (0.25, true));
        playback.scrubbing = false;
        playback.advance(0.5, 1.0);
        assert_eq!(playback.time_secs, 0.75);
    }

    #[test]
    fn both_sides_of_a_seam_take_turns() {
        let mut playback = at(0.3);
        playback.toggle_seam();
        assert!(playback.is_running() && !playback.playing);
        let mut times = Vec::new();
        for _ in 0..4 {
            playback.advance(0.3, 2.0);
            times.push(playback.time_secs);
        }
        assert_eq!(times, [0.0, 2.0, 2.0, 0.0]);
        playback.step(1, 2.0);
        assert!(!playback.is_running());
    }

    #[test]
    fn speed_and_direction_count() {
        let mut playback = at(0.5);
        playback.set_speed(0.5);
        playback.advance(0.5, 1.0);
        assert_eq!(playback.time_secs, 0.75);
        playback.reverse();
        playback.advance(2.0, 1.0);
        assert_eq!(playback.time_secs, 0.75);
        playback.advance(0.5, 1.0);
        assert_eq!(playback.time_secs, 0.5);
    }

    #[test]
    fn the_ladder_of_speeds_ends_at_both_ends() {
        let mut playback = at(0.0);
        playback.change_speed(1);
        assert_eq!(playback.speed, 1.5);
        playback.change_speed(9);
        assert_eq!(playback.speed, 4.0);
        playback.change_speed(-20);
        assert_eq!(playback.speed, 0.05);
        playback.set_speed(0.3);
        playback.change_speed(-1);
        assert_eq!(playback.speed, 0.25);
    }

    #[test]
    fn once_stops_at_the_end_and_plays_again_from_the_start() {
        for backwards in [false, true] {
            let mut playback = at(0.5);
            playback.backwards = backwards;
            playback.set_loop_mode(LoopMode::Once);
            playback.advance(3.0, 1.0);
            let (start, end) = if backwards { (1.0, 0.0) } else { (0.0, 1.0) };
            assert_eq!((playback.time_secs, playback.playing), (end, false));
            playback.toggle(1.0);
            assert_eq!((playback.time_secs, playback.playing), (start, true));
        }
    }

    #[test]
    fn ping_pong_goes_there_and_back() {
        let mut playback = at(0.75);
        playback.set_loop_mode(LoopMode::PingPong);
        let mut times = Vec::new();
        for _ in 0..6 {
            playback.advance(0.5, 1.0);
            times.push(playback.time_secs);
        }
        assert_eq!(times, [0.75, 0.25, 0.25, 0.75, 0.75, 0.25]);
        // A step over several turns lands where many small ones do.
        let (mut far, mut near) = (at(0.1), at(0.1));
        (far.backwards, near.backwards) = (true, true);
        far.set_loop_mode(LoopMode::PingPong);
        near.set_loop_mode(LoopMode::PingPong);
        far.advance(3.3, 1.0);
        (0..33).for_each(|_| near.advance(0.1, 1.0));
        assert!((far.time_secs - near.time_secs).abs() < 1e-9, "{} {}", far.time_secs, near.time_secs);
    }

    #[test]
    fn a_clip_without_length_stays_at_its_start() {
        for mode in [LoopMode::Loop, LoopMode::Once, LoopMode::PingPong] {
            let mut playback = at(0.0);
            playback.set_loop_mode(mode);
            playback.advance(0.5, 0.0);
            playback.step(1, 0.0);
            assert_eq!(playback.time_secs, 0.0);
        }
    }

    #[test]
    fn steps_land_on_frames_and_meet_the_end_before_going_round() {
        let mut playback = at(0.06);
        playback.step(1, 0.25);
        assert!(!playback.playing);
        let mut times = vec![playback.time_secs];
        for _ in 0..4 {
            playback.step(1, 0.25);
            times.push(playback.time_secs);
        }
        assert_eq!(times, [0.1, 0.2, 0.25, 0.0, 0.1]);
        playback.step(-1, 0.25);
        playback.step(-1, 0.25);
        playback.step(-1, 0.25);
        assert_eq!(playback.time_secs, 0.2);
    }

    #[test]
    fn steps_by_key_go_round() {
        let mut playback = at(0.3);
        let keys = [0.25, 0.5, 1.0];
        playback.step_key(1, &keys);
        assert_eq!(playback.time_secs, 0.5);
        playback.step_key(2, &keys);
        assert_eq!(playback.time_secs, 0.25);
        playback.step_key(-1, &keys);
        assert_eq!(playback.time_secs, 1.0);
        playback.step_key(1, &[]);
        assert_eq!(playback.time_secs, 1.0);
    }
}
