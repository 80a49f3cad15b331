//! A clock that plays a clip.

/// Where playback stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// Seconds into the clip, from 0 to its duration.
    pub time_secs: f64,
    /// Whether time passes.
    pub playing: bool,
}

impl Playback {
    /// Lets `elapsed_secs` pass in a clip of `duration_secs`; at its end it begins again.
    pub fn advance(&mut self, elapsed_secs: f64, duration_secs: f64) {
        if self.playing && duration_secs > 0.0 {
            self.time_secs = (self.time_secs + elapsed_secs).rem_euclid(duration_secs);
        }
    }

    /// Stops and moves by `frames` frames of `frames_per_sec`, round the ends of the clip.
    ///
    /// It lands on whole frames, and on the clip's end before it goes round.
    pub fn step(&mut self, frames: i32, frames_per_sec: f64, duration_secs: f64) {
        self.playing = false;
        if duration_secs <= 0.0 {
            return;
        }
        // A time within a thousandth of a frame of a whole one counts as that frame.
        let frame = self.time_secs * frames_per_sec;
        let whole = if frames > 0 { (frame + 1e-3).floor() } else { (frame - 1e-3).ceil() };
        let target = (whole + f64::from(frames)) / frames_per_sec;
        self.time_secs = if target > duration_secs {
            if self.time_secs < duration_secs - 1e-6 { duration_secs } else { 0.0 }
        } else if target < 0.0 {
            if self.time_secs > 1e-6 { 0.0 } else { duration_secs }
        } else {
            target
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playing_goes_round_and_pausing_stands_still() {
        let mut playback = Playback { time_secs: 0.75, playing: true };
        playback.advance(0.5, 1.0);
        assert_eq!(playback.time_secs, 0.25);
        playback.playing = false;
        playback.advance(0.5, 1.0);
        assert_eq!(playback.time_secs, 0.25);
    }

    #[test]
    fn a_clip_without_length_stays_at_its_start() {
        let mut playback = Playback { time_secs: 0.0, playing: true };
        playback.advance(0.5, 0.0);
        playback.step(1, 24.0, 0.0);
        assert_eq!(playback.time_secs, 0.0);
    }

    #[test]
    fn steps_land_on_frames_and_meet_the_end_before_going_round() {
        let mut playback = Playback { time_secs: 0.06, playing: true };
        playback.step(1, 10.0, 0.25);
        assert!(!playback.playing);
        let mut times = vec![playback.time_secs];
        for _ in 0..4 {
            playback.step(1, 10.0, 0.25);
            times.push(playback.time_secs);
        }
        assert_eq!(times, [0.1, 0.2, 0.25, 0.0, 0.1]);
        playback.step(-1, 10.0, 0.25);
        playback.step(-1, 10.0, 0.25);
        playback.step(-1, 10.0, 0.25);
        assert_eq!(playback.time_secs, 0.2);
    }
}
