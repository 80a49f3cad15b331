//! Everything that the panels read, and the actions that they return.

use crate::app::viewer::actions::Action;
use crate::app::viewer::state::AppState;
use std::cell::RefCell;
use std::ops::Deref;
use std::path::Path;

/// State of the application and of its jobs during one layout. The fields and methods of [`AppState`] are its own.
pub(crate) struct UiContext<'a> {
    state: &'a AppState,
    pub(crate) jobs: JobStatus<'a>,
    /// Width and height of the viewport, or of each pane, in pixels.
    pub(crate) view_size: [u32; 2],
    /// What the user does.
    pub(crate) actions: RefCell<Vec<Action>>,
}

impl Deref for UiContext<'_> {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        self.state
    }
}

impl<'a> UiContext<'a> {
    pub(crate) fn new(state: &'a AppState, jobs: JobStatus<'a>, view_size: [u32; 2]) -> Self {
        Self { state, jobs, view_size, actions: RefCell::default() }
    }

    /// Adds an action of the user.
    pub(crate) fn push(&self, action: impl Into<Action>) {
        self.actions.borrow_mut().push(action.into());
    }

    /// Adds an action if its control was used.
    pub(crate) fn push_if(&self, is_used: bool, action: impl Into<Action>) {
        self.extend(is_used.then(|| action.into()));
    }

    /// Adds several actions.
    pub(crate) fn extend(&self, actions: impl IntoIterator<Item = Action>) {
        self.actions.borrow_mut().extend(actions);
    }
}

/// State of background jobs and of the window system, which is not part of the application's state.
#[derive(Clone, Copy, Default)]
pub(crate) struct JobStatus<'a> {
    pub(crate) loading: Option<&'a Path>,
    /// Decoded and total images of that file.
    pub(crate) images: (usize, usize),
    /// The uploaded part of a loaded file, from 0 to 1.
    pub(crate) uploaded: Option<f64>,
    pub(crate) environment_loading: bool,
    /// The window system supports dropping files.
    pub(crate) can_drop: bool,
}
