//! Files that packages bring along, made from the command line's own definition.

use super::Cli;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::path::PathBuf;

/// Arguments of `completions`.
#[derive(Clone, Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Clone, Debug, Args)]
pub struct ManArgs {
    /// The folder to write the pages to
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

impl CompletionsArgs {
    /// The script that makes the shell complete `rigview`.
    pub fn script(&self) -> Vec<u8> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "rigview", &mut script);
        script
    }
}

/// The manual, a page for the program and one for each command: names of files, and what is in them.
///
/// # Errors
/// When memory cannot be written to, which does not happen.
pub fn manual() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut command = Cli::command().disable_help_subcommand(true).propagate_version(true);
    // Gives commands the names that they have in full.
    command.build();
    let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    std::iter::once(&command)
        .chain(shown)
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

    #[test]
    fn the_manual_has_a_page_for_each_command_and_names_its_options() {
        let pages = manual().unwrap();
        let page = |name: &str| {
            let (_, page) = pages.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no {name}"));
            String::from_utf8(page.clone()).unwrap().replace('\\', "")
        };
        for (name, words) in [
            ("rigview.1", ["rigview", "shot", "--clip"]),
            ("rigview-shot.1", ["rigview shot", "--look", "--size"]),
            ("rigview-film.1", ["rigview film", "--turntable", "ffmpeg"]),
        ] {
            let page = page(name);
            assert!(page.starts_with(".ie") || page.starts_with(".TH"), "{page}");
            assert!(words.iter().all(|word| page.contains(word)), "{name}: {page}");
        }
        assert!(pages.iter().all(|(name, _)| name != "rigview-man.1"));
    }

    #[test]
    fn every_shell_completes_the_commands() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
            let script = String::from_utf8(CompletionsArgs { shell }.script()).unwrap();
            assert!(script.contains("turntable") && script.contains("film"), "{shell}");
        }
    }
}
