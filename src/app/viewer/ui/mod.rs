//! User interface: panels, timeline and overlays, drawn with egui around and over the model.
//!
//! The UI reads a [`UiContext`] and returns [`Action`](crate::app::viewer::actions::Action)s. It changes nothing but its own
//! [`GuiState`](layout::GuiState): typed text, open dialogs, scroll positions.

mod command_state;
mod context;
mod fonts;
mod gui;
mod icons;
mod input_batches;
mod layout;
mod overlays;
mod panels;
#[cfg(test)]
mod tests;
mod theme;
mod thumbnails;
mod timeline;
mod widgets;

pub(crate) use context::{JobStatus, UiContext};
pub(crate) use gui::Gui;
pub(crate) use icons::Icon;
