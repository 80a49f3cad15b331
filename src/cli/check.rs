//! Arguments of `rigview check`.

use crate::request::{ConversionRequest, ImportRequest, with_names};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser as _};
use rigview_check::flex::FlexLimits;
use rigview_check::profile::Profile;
use rigview_check::{CODES, Code, LINTS_PAGE};
use rigview_core::util::regular_file::read_text;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// Models to check (.glb or .gltf), folders with their subfolders, or patterns in quotes
    #[arg(value_name = "FILE", required_unless_present = "explain")]
    pub files: Vec<PathBuf>,

    /// Explain a code, such as NODE_EMPTY, and its remedy
    #[arg(long, value_name = "CODE", value_parser = with_names(explained_code, code_names()), hide_possible_values = true, conflicts_with = "files")]
    pub explain: Option<&'static Code>,

    /// Also pose each joint through its range, measure the skinned mesh, and list the worst joints. With a file, the limits of
    /// the measures, such as `volume = 0.5`; see the guide for all keys
    #[arg(long, value_name = "LIMITS.toml", num_args = 0..=1, require_equals = true, value_parser = flex_limits,
        value_hint = clap::ValueHint::FilePath)]
    pub flex: Option<Option<FlexLimits>>,

    /// Also check the rules of a project: limits, skeleton, clips, materials, and severities of codes; see the guide for all keys
    #[arg(long, value_name = "PROFILE.toml", value_parser = profile, value_hint = clap::ValueHint::FilePath)]
    pub profile: Option<Arc<Profile>>,

    /// Print a profile that the files keep: their largest values with a tenth of margin, their joints and clips
    #[arg(long, conflicts_with_all = ["profile", "flex", "json", "reports", "baseline"])]
    pub init: bool,

    /// Print one JSON object per file instead of text
    #[arg(long)]
    pub json: bool,

    /// Also write the issues to this file: .sarif for code scanning (SARIF 2.1.0), .xml for build servers (JUnit). Repeatable
    #[arg(long = "report", value_name = "FILE.sarif|.xml", value_parser = OsStringValueParser::new().try_map(report_file))]
    pub reports: Vec<PathBuf>,

    /// Ignore the issues that this file has: the output of an earlier `check --json`
    #[arg(long, value_name = "CHECK.json")]
    pub baseline: Option<PathBuf>,

    /// Fail on warnings, too
    #[arg(long, value_name = "warnings")]
    pub deny: Option<Deny>,

    /// Ignore issues with this code, such as NODE_EMPTY; repeatable
    #[arg(long, value_name = "CODE", value_parser = with_names(code, code_names()), hide_possible_values = true)]
    pub allow: Vec<String>,

    #[command(flatten)]
    pub policy: ImportRequest,

    #[command(flatten)]
    pub conversion: ConversionRequest,
}

/// Severities besides errors that make `check` fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Deny {
    /// Warnings
    Warnings,
}

fn report_file(file: OsString) -> Result<PathBuf, &'static str> {
    let file = PathBuf::from(file);
    let is_known = file.extension().is_some_and(|extension| extension == SARIF_EXTENSION || extension == "xml");
    is_known.then_some(file).ok_or("expected a .sarif or an .xml file")
}

/// Extension of SARIF reports; others are JUnit reports.
pub const SARIF_EXTENSION: &str = "sarif";

/// Maximum size of a file of limits in bytes.
const MAX_LIMITS_BYTES: u64 = 1 << 16;

/// Reads limits from a TOML file.
pub fn flex_limits(file: &str) -> Result<FlexLimits, String> {
    let text = read_text(Path::new(file), MAX_LIMITS_BYTES).map_err(|error| error.to_string())?;
    FlexLimits::from_toml(&text)
}

/// Reads a profile with its bases and its reference skeleton.
fn profile(file: &str) -> Result<Arc<Profile>, String> {
    Profile::open(Path::new(file)).map(Arc::new)
}

/// The codes that completions offer.
fn code_names() -> impl Iterator<Item = &'static str> {
    CODES.iter().map(|code| code.name)
}

fn code(text: &str) -> Result<String, String> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
        Ok(text.to_owned())
    } else {
        Err("expected an issue code such as NODE_EMPTY".to_owned())
    }
}

fn explained_code(text: &str) -> Result<&'static Code, String> {
    Code::find(text).ok_or_else(|| format!("unknown code; {LINTS_PAGE} lists all"))
}
