//! Command-line definition: one file per subcommand, with the requests as groups of options.
#![allow(missing_docs)] // The help texts document the options.

mod advice;
mod bake;
mod bench;
mod check;
mod command_line;
mod compare;
mod completions;
mod diff;
mod explain;
mod help;
mod info;
mod reference;
mod render;
mod retarget;
mod sheet;
mod shot;
mod shot_command_line;
mod store;
mod test;
mod thumbnail;
mod video;

pub use advice::{did_you_mean, issue_advice, limit_option, policy_advice, remedy};
pub use bake::BakeArgs;
pub use bench::{BenchArgs, BenchCommand, CrowdBenchArgs, FrameBenchArgs};
pub use check::{CheckArgs, Deny, SARIF_EXTENSION, flex_limits};
pub use command_line::{Cli, Command, command};
pub use compare::CompareArgs;
pub use completions::{CompletionsArgs, ManArgs, manual};
pub use diff::{DiffArgs, DiffTolerance};
pub use explain::ExplainArgs;
pub use info::InfoArgs;
pub use reference::reference;
pub use render::{BackgroundArgs, RenderArgs};
pub use retarget::{Assumption, DenyRetarget, RetargetArgs, RigMapArgs};
pub use sheet::SheetArgs;
pub use shot::ShotArgs;
pub use shot_command_line::{Shell, parse_shot_options, shot_command_line, shot_option_names, shot_options};
pub use store::{StoreArgs, StoreCommand};
pub use test::{DenyTest, ReportImages, TestArgs, Timeout, UpdateMode};
pub use thumbnail::ThumbnailArgs;
pub use video::VideoArgs;
