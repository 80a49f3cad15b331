//! How a clock's time becomes a time within a clip.

/// What happens at the ends of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LoopMode {
    /// It plays once; before its start and after its end the nearest pose holds.
    Once,
    /// At its end it begins again.
    #[default]
    Loop,
    /// At its end it goes back, at its start forth again.
    PingPong,
}

/// How fast a clip plays, how far it is ahead, and what happens at its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// Seconds of the clip for each second of the clock; below zero it plays backwards.
    pub speed: f32,
    /// Seconds into the clip when the clock shows 0.
    pub start_offset_secs: f64,
    /// What happens at the ends.
    pub loop_mode: LoopMode,
}

impl Playback {
    /// The clock's own time, as far as the clip lasts.
    pub const ONCE: Self = Self { speed: 1.0, start_offset_secs: 0.0, loop_mode: LoopMode::Once };

    /// The clip again and again, at its own speed, ahead by `start_offset_secs`.
    pub fn looping(start_offset_secs: f64) -> Self {
        Self { speed: 1.0, start_offset_secs, loop_mode: LoopMode::Loop }
    }

    /// The time, from 0 to `duration_secs`, at which a clip of that length is sampled when the clock shows `clock_secs`.
    ///
    /// A clip that loops is never sampled at its end, which is its start. Whatever is no number counts as 0.
    #[inline(always)]
    pub fn local_time(&self, clock_secs: f64, duration_secs: f64) -> f64 {
        let time = clock_secs * f64::from(self.speed) + self.start_offset_secs;
        if !(duration_secs > 0.0 && time.is_finite()) {
            return 0.0;
        }
        match self.loop_mode {
            LoopMode::Once => time.max(0.0).min(duration_secs),
            LoopMode::Loop => wrap(time, duration_secs),
            LoopMode::PingPong => {
                let ping_pong_time = wrap(time, 2.0 * duration_secs);
                if ping_pong_time > duration_secs { 2.0 * duration_secs - ping_pong_time } else { ping_pong_time }
            }
        }
    }
}

impl Default for Playback {
    fn default() -> Self {
        Self::looping(0.0)
    }
}

/// `time` less whole rounds: from 0 to below `round`. As `rem_euclid`, but for a thousand rounds as fast as for one.
#[inline(always)]
fn wrap(time: f64, round: f64) -> f64 {
    if time >= 0.0 && time < round {
        return time;
    }
    let rounds = time / round;
    if rounds.abs() >= (1_u64 << 52) as f64 {
        // A clip that is over before two numbers differ.
        return 0.0;
    }
    let whole = rounds as i64 - i64::from(rounds < 0.0);
    let rest = time - whole as f64 * round;
    // Rounding may have left it a little outside.
    if rest < 0.0 {
        let again = rest + round;
        if again < round { again } else { 0.0 }
    } else if rest >= round {
        rest - round
    } else {
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_at_the_ends() {
        let at =
            |loop_mode, clock: f64| Playback { speed: 1.0, start_offset_secs: 0.0, loop_mode }.local_time(clock, 2.0);
        let times = [-2.5, -0.5, 0.0, 0.5, 2.0, 2.5, 4.0, 6.5];
        assert_eq!(times.map(|t| at(LoopMode::Once, t)), [0.0, 0.0, 0.0, 0.5, 2.0, 2.0, 2.0, 2.0]);
        assert_eq!(times.map(|t| at(LoopMode::Loop, t)), [1.5, 1.5, 0.0, 0.5, 0.0, 0.5, 0.0, 0.5]);
        assert_eq!(times.map(|t| at(LoopMode::PingPong, t)), [1.5, 0.5, 0.0, 0.5, 2.0, 1.5, 0.0, 1.5]);
    }

    #[test]
    fn speed_and_phase_shift_the_clock() {
        let playback = |speed| Playback { speed, start_offset_secs: 0.25, loop_mode: LoopMode::Loop };
        assert_eq!(playback(0.5).local_time(1.0, 10.0), 0.75);
        assert_eq!(playback(-1.0).local_time(1.0, 10.0), 9.25);
        assert_eq!(playback(0.0).local_time(1.0, 10.0), 0.25);
    }

    #[test]
    fn a_loop_stays_within_the_clip_wherever_the_clock_is() {
        for round in [1e-3, 0.7, 1.0 / 3.0, 123.456] {
            for i in -2000..2000 {
                let time = f64::from(i) * 0.731 * round;
                for time in [time, f64::from(i) * round, (f64::from(i) * round).next_down(), time * 1e6] {
                    let got = Playback::looping(0.0).local_time(time, round);
                    assert!((0.0..round).contains(&got), "{time} in {round}: {got}");
                    let off = (got - time.rem_euclid(round)).abs();
                    let tolerance = 4.0 * f64::EPSILON * time.abs().max(round);
                    assert!(off.min(round - off) <= tolerance, "{time} in {round}: {got}");
                }
            }
        }
    }

    #[test]
    fn whatever_is_no_number_is_the_start() {
        for mode in [LoopMode::Once, LoopMode::Loop, LoopMode::PingPong] {
            let playback = Playback { speed: 1.0, start_offset_secs: 0.5, loop_mode: mode };
            for (clock, duration) in [(f64::NAN, 1.0), (f64::INFINITY, 1.0), (0.0, 0.0), (0.0, f64::NAN)] {
                assert_eq!(playback.local_time(clock, duration), 0.0);
            }
            assert!((0.0..=1e-3).contains(&playback.local_time(1e300, 1e-3)));
        }
    }
}
