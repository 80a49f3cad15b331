//! Panels: the menu bar, the outliner at the left and the tabs at the right.

pub(crate) mod clips;
pub(crate) mod comparison;
mod constraints;
pub(crate) mod crowd;
pub(crate) mod files;
pub(crate) mod flex;
pub(crate) mod frame_stats;
pub(crate) mod issues;
mod joint_properties;
pub(crate) mod light;
pub(crate) mod menu_bar;
pub(crate) mod morph_weights;
pub(crate) mod outliner;
pub(crate) mod properties;
mod property_table;
pub(crate) mod retarget;
pub(crate) mod tabs;
pub(crate) mod textures;
mod vertex_explanation;
pub(crate) mod view_options;
