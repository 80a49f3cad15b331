//! Issues of one file, and their text form.

use crate::app::console::progress::StepCounter;
use crate::app::console::report::Lines;
use crate::app::files::model_file::check_model;
use crate::cli::CheckArgs;
use rigview_check::flex::{Flex, FlexCheck};
use rigview_check::{self, Baseline, Code, Issue, LINTS_PAGE, Severity};
use rigview_core::import::file_on_disk;
use rigview_core::util::panic_guard::catch;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

#[derive(Serialize)]
pub(crate) struct Checked {
    /// File name as given on the command line.
    pub(crate) file: String,
    /// In file order.
    pub(crate) issues: Vec<Issue>,
    /// Hash of the file's bytes, by which a baseline knows a file that was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<String>,
    /// Measures of the joints in poses, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) flex: Option<Flex>,
    /// An issue is severe enough for a failing exit code.
    #[serde(skip)]
    pub(crate) failed: bool,
    /// Number of issues that the baseline has.
    #[serde(skip)]
    pub(crate) known_count: usize,
}

impl Checked {
    pub(crate) fn new(file: &Path, args: &CheckArgs, baseline: &Baseline) -> Self {
        let (policy, counter) = (args.policy.policy(), StepCounter::start("posing joint"));
        let on_joint = |done, total| counter.at(done, total);
        let mut flex = FlexCheck::new(args.flex.flatten().unwrap_or_default(), &on_joint);
        let mut issues = catch(|| {
            check_model(
                file,
                &args.conversion,
                &policy,
                args.flex.is_some().then_some(&mut flex),
                args.profile.as_deref(),
            )
        })
        .unwrap_or_else(|| {
            let message = "rigview crashed on this file; please report the bug and attach the file".to_owned();
            vec![Issue {
                severity: Severity::Error,
                code: "RIGVIEW_CRASHED",
                pointer: String::new(),
                line: None,
                message,
                policy_change: None,
            }]
        });
        issues.retain(|issue| !args.allow.iter().any(|code| code == issue.code));
        let (name, count) = (file.display().to_string(), issues.len());
        let hash = if args.json || args.baseline.is_some() { Baseline::hash_of(file_on_disk(file)).ok() } else { None };
        issues.retain(|issue| !baseline.has(&name, hash.as_deref(), issue));
        let known_count = count - issues.len();
        let min_severity = if args.deny.is_some() { Severity::Warning } else { Severity::Error };
        let failed = issues.iter().any(|issue| issue.severity >= min_severity);
        Self { file: name, issues, hash, flex: flex.flex, failed, known_count }
    }

    /// Returns one line per issue. If `named`, the file name precedes them. With `colors`, which only terminals have, severities
    /// are colored, and a last line names the sections of the codes in the guide.
    pub(crate) fn lines(&self, named: bool, colors: bool) -> Lines {
        let mut out = Lines::default();
        if named || colors && self.issues.is_empty() {
            let verdict = if self.issues.is_empty() { ": no issues" } else { "" };
            out.push(format_args!("{}{verdict}", self.file));
        }
        for issue in &self.issues {
            let severity = issue.severity.to_string();
            let color = match issue.severity {
                Severity::Error => "1;31",
                Severity::Warning => "1;33",
                Severity::Info => "36",
            };
            match colors {
                true => out.push_colored(color, &severity, issue),
                false => out.push(format_args!("{severity} {issue}")),
            }
        }
        self.flex.iter().flat_map(Flex::lines).for_each(|line| out.push(line));
        if colors {
            let codes: BTreeSet<&str> = self.issues.iter().map(|issue| issue.code).collect();
            let anchors: Vec<String> =
                codes.iter().filter_map(|code| Code::find(code)).map(|code| format!("#{}", code.anchor())).collect();
            if !anchors.is_empty() {
                out.push(format_args!("help: rigview check --explain CODE; {LINTS_PAGE}{}", anchors.join(" ")));
            }
        }
        out
    }
}
