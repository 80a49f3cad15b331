//! Overlays: dialogs, notifications and markers that are drawn over the model.

pub(crate) mod chips;
pub(crate) mod command_palette;
pub(crate) mod comparison_divider;
pub(crate) mod export_dialog;
pub(crate) mod hints;
pub(crate) mod joint_marker;
pub(crate) mod key_light;
pub(crate) mod legend;
pub(crate) mod notifications;
pub(crate) mod rotate_gizmo;
pub(crate) mod shortcuts;
pub(crate) mod toolbar;
pub(crate) mod view_gizmo;
pub(crate) mod welcome;
