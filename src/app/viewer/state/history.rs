//! Edit history: the states that undo and redo restore.

use super::view::ViewState;
use crate::request::{BackgroundRequest, PartRequest, SceneRequest};
use std::path::PathBuf;

/// Older steps are dropped above this count. A step is small: a pose has few overrides.
const MAX_STEPS: usize = 200;

/// Everything that undo restores.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UndoSnapshot {
    pub(crate) view: ViewState,
    pub(crate) background: Option<BackgroundRequest>,
    /// `None` without a file.
    pub(crate) file: Option<FileSnapshot>,
}

/// The state of the view that belongs to one file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileSnapshot {
    pub(crate) request: SceneRequest,
    pub(crate) looks_at_pointer: bool,
    /// Hidden parts, and the isolated one.
    pub(crate) parts: (Vec<PartRequest>, Option<PartRequest>),
    /// Start and end in seconds; `None` plays the whole clip.
    pub(crate) play_range: Option<[f64; 2]>,
    /// The files of the roles of model and motion with their content; `None` for no file. Empty without a motion of another rig.
    pub(crate) rig_maps: Vec<RigMapText>,
}

/// A file of roles with its content; `None` for no file.
pub(crate) type RigMapText = (PathBuf, Option<String>);

#[derive(Clone, Debug, PartialEq)]
struct Step {
    label: String,
    before: UndoSnapshot,
    after: UndoSnapshot,
}

/// Steps of editing, oldest first.
#[derive(Debug, Default)]
pub(crate) struct History {
    steps: Vec<Step>,
    /// Number of steps that are not undone.
    position: usize,
    /// The next step of a drag extends the last one.
    in_drag: bool,
}

impl History {
    /// Records a change from `before` to `after`. Consecutive steps of one drag merge if they have the same label.
    pub(crate) fn record(&mut self, label: String, is_drag: bool, before: UndoSnapshot, after: UndoSnapshot) {
        if before == after {
            return;
        }
        self.steps.truncate(self.position);
        let extends = is_drag && self.in_drag && self.steps.last().is_some_and(|step| step.label == label);
        match self.steps.last_mut().filter(|_| extends) {
            Some(step) => step.after = after,
            None => self.steps.push(Step { label, before, after }),
        }
        let surplus = self.steps.len().saturating_sub(MAX_STEPS);
        self.steps.drain(..surplus);
        (self.position, self.in_drag) = (self.steps.len(), is_drag);
    }

    /// Starts a new step with the next change, even if it continues the last drag.
    pub(crate) fn break_merge(&mut self) {
        self.in_drag = false;
    }

    /// Goes back by one step. Returns its label and the state before it.
    pub(crate) fn undo(&mut self) -> Option<(&str, &UndoSnapshot)> {
        self.in_drag = false;
        self.position = self.position.checked_sub(1)?;
        let step = &self.steps[self.position];
        Some((&step.label, &step.before))
    }

    /// Repeats the next undone step. Returns its label and the state after it.
    pub(crate) fn redo(&mut self) -> Option<(&str, &UndoSnapshot)> {
        self.in_drag = false;
        let step = self.steps.get(self.position)?;
        self.position += 1;
        Some((&step.label, &step.after))
    }

    /// Goes to the state after the first `position` steps. Returns it, unless there are no steps.
    pub(crate) fn go_to(&mut self, position: usize) -> Option<&UndoSnapshot> {
        self.in_drag = false;
        self.position = position.min(self.steps.len());
        match self.position.checked_sub(1) {
            Some(last) => Some(&self.steps[last].after),
            None => self.steps.first().map(|step| &step.before),
        }
    }

    /// Labels of all steps, oldest first.
    pub(crate) fn labels(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        self.steps.iter().map(|step| step.label.as_str())
    }

    /// Number of steps that are not undone.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Forgets all steps, for a new file.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::ViewRequest;

    fn state(level: u32) -> UndoSnapshot {
        let background = Some(BackgroundRequest::Color([f64::from(level); 3]));
        UndoSnapshot { view: ViewState::new(&ViewRequest::default()), background, file: None }
    }

    #[test]
    fn undone_steps_are_redone_until_another_change() {
        let mut history = History::default();
        let [a, b, c] = [1, 2, 3].map(state);
        assert!(history.undo().is_none() && history.redo().is_none());
        history.record("b".to_owned(), false, a.clone(), b.clone());
        history.record("none".to_owned(), false, b.clone(), b.clone());
        history.record("c".to_owned(), false, b.clone(), c.clone());
        assert_eq!(history.undo(), Some(("c", &b)));
        assert_eq!(history.undo(), Some(("b", &a)));
        assert_eq!(history.undo(), None);
        assert_eq!(history.redo(), Some(("b", &b)));
        assert_eq!((history.labels().collect::<Vec<_>>(), history.position()), (vec!["b", "c"], 1));
        history.record("other".to_owned(), false, b.clone(), a.clone());
        assert_eq!(history.labels().collect::<Vec<_>>(), ["b", "other"]);
        assert!(history.redo().is_none());
        assert_eq!(history.go_to(0), Some(&a));
        assert_eq!(history.go_to(0), Some(&a));
        assert_eq!(history.go_to(9), Some(&a));
        assert_eq!(history.position(), 2);
    }

    #[test]
    fn changes_of_one_drag_merge() {
        let mut history = History::default();
        let [a, b, c] = [1, 2, 3].map(state);
        history.record("color".to_owned(), true, a.clone(), b.clone());
        history.record("color".to_owned(), true, b.clone(), c.clone());
        assert_eq!(history.undo(), Some(("color", &a)));
        history.record("color".to_owned(), true, a.clone(), b.clone());
        history.break_merge();
        history.record("color".to_owned(), true, b.clone(), c.clone());
        history.record("other color".to_owned(), true, c, a);
        assert_eq!(history.labels().len(), 3);
    }

    #[test]
    fn step_count_is_limited() {
        let mut history = History::default();
        for i in 0..=255 {
            let [before, after] = [i, i ^ 1].map(state);
            history.record(i.to_string(), false, before, after);
        }
        assert_eq!((history.labels().len(), history.position()), (MAX_STEPS, MAX_STEPS));
        assert_eq!(history.labels().next_back(), Some("255"));
    }
}
