//! Actions: what the viewer can do, and the inputs that trigger it.

pub(crate) mod action;
pub(crate) mod commands;
pub(crate) mod dispatch;
mod dispatch_to_document;
pub(crate) mod edits;
pub(crate) mod effect;
pub(crate) mod issue_location;
pub(crate) mod keymap;
mod keys_page;
pub(crate) mod navigation;
#[cfg(test)]
mod request_tests;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use action::{
    Action, CameraAction, ComparisonAction, ExportAction, FileAction, HistoryAction, LightAction, PlaybackAction,
    PoseAction, SelectionAction, ShadingAction, WindowAction,
};
pub(crate) use commands::{COMMANDS, CommandRank, UiCommand, command_for, command_named, find};
pub(crate) use keymap::{Key, Modifiers};
pub(crate) use keys_page::keys_page;
pub(crate) use navigation::{Buttons, Input, action_of};
