//! Work that the window and the command line share.

pub(crate) mod bake;
pub(crate) mod contact_sheet;
pub(crate) mod screenshot;
pub(crate) mod skinned_model;
pub(crate) mod video;
