//! Processor time of the turns of an event loop, for developers.

use super::clock::Clock;
use std::cell::RefCell;
use std::fmt::Write;
use std::time::Duration;

/// Environment variable with the shortest turn that is reported, in milliseconds.
const VARIABLE: &str = "RIGVIEW_HOLD_MS";

/// The turn of this thread.
struct Turn {
    /// The shortest turn that is reported; `None` without the variable.
    shortest: Option<Duration>,
    /// Processor time of the thread at the begin of the turn and of the current step.
    begun: Duration,
    step_begun: Duration,
    /// The steps so far.
    steps: Vec<(&'static str, Duration)>,
}

thread_local! {
    static TURN: RefCell<Turn> = RefCell::new(Turn::new());
}

impl Turn {
    fn new() -> Self {
        let millis = std::env::var(VARIABLE).ok().and_then(|text| text.parse().ok());
        let begun = Clock::cpu_time().unwrap_or_default();
        Self { shortest: millis.map(Duration::from_millis), begun, step_begun: begun, steps: Vec::new() }
    }
}

/// Adds the processor time of this thread since the last call to a step of its turn.
pub fn end_step(step: &'static str) {
    TURN.with_borrow_mut(|turn| {
        if turn.shortest.is_none() {
            return;
        }
        let now = Clock::cpu_time().unwrap_or_default();
        let time = now.saturating_sub(std::mem::replace(&mut turn.step_begun, now));
        match turn.steps.iter_mut().find(|(name, _)| *name == step) {
            Some((_, sum)) => *sum += time,
            None => turn.steps.push((step, time)),
        }
    });
}

/// Ends the turn of this thread, before it waits for events. Reports a long one on stderr. The next turn begins with it: waiting takes no
/// processor time.
pub fn end_turn() {
    end_step("rest");
    TURN.with_borrow_mut(|turn| {
        let held = turn.step_begun.saturating_sub(turn.begun);
        if turn.shortest.is_some_and(|shortest| held >= shortest) {
            let mut line = format!("held: {:.1} ms", held.as_secs_f64() * 1e3);
            for (step, time) in &turn.steps {
                let _ = write!(line, ", {step} {:.1}", time.as_secs_f64() * 1e3);
            }
            eprintln!("{line}");
        }
        turn.begun = turn.step_begun;
        turn.steps.clear();
    });
}
