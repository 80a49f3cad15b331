//! Dialogs over the viewport.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialog {
    CommandPalette,
    Shortcuts,
    Export,
}
