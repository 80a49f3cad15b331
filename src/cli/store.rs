//! Arguments of `rigview store`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct StoreArgs {
    #[command(subcommand)]
    pub command: StoreCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub enum StoreCommand {
    /// Check that the store has every golden of the suites, undamaged
    Verify {
        /// Suites with goldens = "store:FOLDER"
        #[arg(value_name = "SUITE.toml", required = true)]
        suites: Vec<PathBuf>,
    },
    /// Delete the goldens that no suite of the command line has; name all suites that use the store
    Gc {
        /// Suites with goldens = "store:FOLDER"
        #[arg(value_name = "SUITE.toml", required = true)]
        suites: Vec<PathBuf>,

        /// Keep goldens that were written in the last N days, such as those of other branches
        #[arg(long, value_name = "N", default_value_t = 90)]
        days: u32,

        /// Count the goldens to delete, and delete none
        #[arg(long)]
        dry_run: bool,
    },
}
