//! Shell completions and manual pages, generated from the command-line definition.

use clap::{Args, Command};
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct CompletionsArgs {
    /// Shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

#[derive(Clone, Debug, Args)]
pub struct ManArgs {
    /// Folder to write the pages to
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,

    /// Write the reference part of the guide instead, as Markdown
    #[arg(long)]
    pub markdown: bool,
}

impl CompletionsArgs {
    /// Returns the completion script for `command`.
    pub fn script(&self, mut command: Command) -> Vec<u8> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "rigview", &mut script);
        script
    }
}

/// File names and contents of the manual: one page for the program and one per subcommand.
pub fn manual(command: Command) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut command = command.disable_help_subcommand(true).propagate_version(true);
    // Sets the full names of the subcommands, such as `rigview shot`.
    command.build();
    let visible = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    std::iter::once(&command)
        .chain(visible)
        .map(|command| {
            let man = clap_mangen::Man::new(command.clone());
            let mut page = Vec::new();
            man.render(&mut page)?;
            Ok((man.get_filename(), page))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn manual_has_a_page_per_command_with_its_options() {
        let pages = manual(Cli::command()).unwrap();
        let page = |name: &str| {
            let (_, page) = pages.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no {name}"));
            String::from_utf8(page.clone()).unwrap().replace('\\', "")
        };
        for (name, words) in [
            ("rigview.1", ["rigview", "shot", "--clip"]),
            ("rigview-shot.1", ["rigview shot", "--view-mode", "--size"]),
            ("rigview-video.1", ["rigview video", "--turntable", "ffmpeg"]),
        ] {
            let page = page(name);
            assert!(page.starts_with(".ie") || page.starts_with(".TH"), "{page}");
            assert!(words.iter().all(|word| page.contains(word)), "{name}: {page}");
        }
        assert!(pages.iter().all(|(name, _)| name != "rigview-man.1"));
    }

    #[test]
    fn completions_contain_commands_and_options_for_every_shell() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
            let script = String::from_utf8(CompletionsArgs { shell }.script(Cli::command())).unwrap();
            assert!(script.contains("turntable") && script.contains("video"), "{shell}");
        }
    }
}
