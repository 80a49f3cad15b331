//! Actions: what the viewer can do, and the inputs that trigger it.

pub(crate) mod action;
pub(crate) mod commands;
pub(crate) mod dispatch;
pub(crate) mod navigation;

pub(crate) use action::Action;
pub(crate) use commands::{COMMANDS, find, likeness, of_action};
pub(crate) use navigation::{Buttons, Held, Input, Key, action, better_to_open};
