//! `rigview test`.

mod accept;
mod alike_shots;
mod changed_parts;
mod changed_since;
mod child_process;
mod command;
mod compare_golden;
mod golden_camera;
mod golden_differences;
mod init;
mod inputs;
mod isolate;
mod joint_mask;
mod merge;
mod model_changes;
mod monitor;
mod planned_shot;
mod report_files;
mod report_github;
mod reports;
mod runner;
mod stray_goldens;
mod suite_files;
mod summary;
mod text_check;
mod time_limits;
mod update_goldens;

pub(crate) use command::run;
pub(crate) use compare_golden::compare_files;
