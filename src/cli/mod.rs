//! Command-line definition: one file per subcommand, and the option groups that they share.
#![allow(missing_docs)] // The help texts document the options.

mod bake;
mod bench;
mod camera;
mod check;
mod command_line;
mod compare;
mod completions;
mod crowd;
mod debug_view;
mod diff;
mod import_policy;
mod info;
mod light;
mod pose;
mod reference;
mod render;
mod sheet;
mod shot;
mod shot_command_line;
mod test;
mod values;
mod video;
mod viewer;

pub use bake::BakeArgs;
pub use bench::{
    AnimationBenchArgs, BenchArgs, BenchComparison, ComparisonArgs, FrameBenchArgs, SceneBenchArgs, SimdLevelArg,
};
pub use camera::{BackgroundArgs, CameraArgs};
pub use check::{CheckArgs, Deny};
pub use command_line::{Cli, Command};
pub use compare::CompareArgs;
pub use completions::{CompletionsArgs, ManArgs, manual};
pub use crowd::CrowdArgs;
pub use debug_view::DebugViewArgs;
pub use diff::DiffArgs;
pub use import_policy::ImportPolicyArgs;
pub use info::InfoArgs;
pub use light::{LightArgs, ToneMappingArg};
pub use pose::PoseArgs;
pub use reference::reference;
pub use render::{LodArg, QualityArg, RenderArgs};
pub use sheet::SheetArgs;
pub use shot::ShotArgs;
pub use shot_command_line::{Shell, parse_shot_options, shot_command_line, shot_option_names, shot_options};
pub use test::{DenyTest, TestArgs, UpdateMode};
pub use video::VideoArgs;
pub use viewer::ViewerArgs;
