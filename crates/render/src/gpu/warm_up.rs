//! Steps in which the programs of a frame are compiled before it is drawn.
//!
//! llvmpipe compiles native code at the first draw of a program, or of other formats of textures and vertices with it, on the thread
//! that draws. A warm-up issues each draw call of a frame once, with three vertices and no pixels, a few milliseconds at a time.

use super::Gpu;
use glow::HasContext;
use std::time::{Duration, Instant};

/// Progress of a warm-up. It survives its steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WarmUp {
    /// Time after which a step begins no other draw call or program.
    max_time: Duration,
    /// Begin of the first draw call or program of the step.
    begun: Option<Instant>,
    is_over: bool,
    /// Draw calls of earlier steps, and of this frame so far.
    finished: u32,
    next: u32,
}

/// What becomes of a draw call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum DrawPermit {
    Drawn,
    /// It compiles, and draws nothing.
    Compiled,
    Skipped,
}

/// Vertices of a draw call that compiles.
const VERTICES: usize = 3;

impl WarmUp {
    pub(crate) fn new(max_time: Duration) -> Self {
        Self { max_time, ..Self::default() }
    }

    /// Returns the state for a step that continues this warm-up.
    pub(crate) fn next_step(self) -> Self {
        Self { begun: None, is_over: false, next: 0, ..self }
    }

    /// Returns `true` if the step has left something to the next one.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Number of draw calls of all steps.
    #[cfg(test)]
    pub(crate) fn finished(&self) -> u32 {
        self.finished
    }

    /// Returns `true` if the step may compile one more program. It may compile at least one.
    fn begin(&mut self) -> bool {
        match self.begun {
            None => self.begun = Some(Instant::now()),
            Some(begun) => self.is_over |= begun.elapsed() >= self.max_time,
        }
        !self.is_over
    }

    fn begin_draw(&mut self) -> DrawPermit {
        let index = self.next;
        self.next += 1;
        if index < self.finished || !self.begin() {
            return DrawPermit::Skipped;
        }
        self.finished = self.next;
        DrawPermit::Compiled
    }
}

impl Gpu {
    /// Sets the warm-up that draw calls are part of. Returns the former one.
    pub(crate) fn set_warm_up(&self, warm_up: Option<WarmUp>) -> Option<WarmUp> {
        self.warm_up.replace(warm_up)
    }

    /// Returns `true` if draw calls draw nothing, so that their targets are not filled.
    pub(crate) fn is_warming_up(&self) -> bool {
        self.warm_up.get().is_some()
    }

    /// Returns `false` if the step of a warm-up is over.
    pub(super) fn continues_step(&self) -> bool {
        self.warm_up.get().is_none_or(|warm_up| !warm_up.is_over)
    }

    /// Returns `false` if the next step of a warm-up compiles the next program.
    pub(super) fn begin_compilation(&self) -> bool {
        let mut warm_up = self.warm_up.get();
        let begins = warm_up.as_mut().is_none_or(WarmUp::begin);
        self.warm_up.set(warm_up);
        begins
    }

    /// Returns the vertices and instances to draw of a draw call: all of them, a few without pixels, or none.
    pub(super) fn begin_draw(&self, count: usize, instances: usize) -> Option<(usize, usize)> {
        let mut warm_up = self.warm_up.get();
        let permit = warm_up.as_mut().map_or(DrawPermit::Drawn, WarmUp::begin_draw);
        self.warm_up.set(warm_up);
        match permit {
            DrawPermit::Drawn => Some((count, instances)),
            DrawPermit::Skipped => None,
            DrawPermit::Compiled => {
                let gl = self.functions();
                // SAFETY: the `Gpu` invariant. `begin_pass` disables the scissor test.
                unsafe {
                    gl.enable(glow::SCISSOR_TEST);
                    gl.scissor(0, 0, 0, 0);
                }
                Some((count.min(VERTICES), instances.min(1)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_compiles_at_least_one_draw_call_and_the_steps_all_of_them() {
        for (max_time, steps) in [(Duration::ZERO, 5), (Duration::MAX, 1)] {
            let mut warm_up = WarmUp::new(max_time);
            let mut compiled = Vec::new();
            for step in 1.. {
                warm_up = warm_up.next_step();
                let permits = [(); 5].map(|()| warm_up.begin_draw());
                compiled.extend((0..5).filter(|index| permits[*index] == DrawPermit::Compiled));
                if !warm_up.is_over() {
                    assert_eq!(step, steps);
                    break;
                }
            }
            assert_eq!(compiled, [0, 1, 2, 3, 4], "each once");
        }
    }
}
