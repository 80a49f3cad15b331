//! `rigview check`.

use super::TrustArgs;
use super::values::code;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// The .glb or .gltf files
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// One JSON object a file instead of text
    #[arg(long)]
    pub json: bool,

    /// Write the issues to this file too, as SARIF 2.1.0
    #[arg(long, value_name = "PATH")]
    pub sarif: Option<PathBuf>,

    /// Write the issues to this file too, as a JUnit report
    #[arg(long, value_name = "PATH")]
    pub junit: Option<PathBuf>,

    /// Fail on warnings as on errors
    #[arg(long, value_name = "warnings")]
    pub deny: Option<Deny>,

    /// Leave out issues of this code. May be repeated
    #[arg(long, value_name = "CODE", value_parser = code)]
    pub allow: Vec<String>,

    /// How far the file is trusted.
    #[command(flatten)]
    pub trust: TrustArgs,
}

/// What `check` fails on besides errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Deny {
    /// Warnings.
    Warnings,
}
