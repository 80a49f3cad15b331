//! Shell completions and manual pages, generated from the command-line definition.

use clap::{Arg, Args, Command};
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
        let mut script = String::from_utf8(script).expect("scripts are UTF-8");
        for names in names_besides_files(&command) {
            // In bash, files are completed if no name matches.
            script = match self.shell {
                Shell::Zsh => {
                    let list = names.join(" ");
                    script.replace(&format!(":({list})"), &format!(":{{compadd {list}; _files}}"))
                }
                Shell::Fish => {
                    let list = names.join("\\t''\n");
                    script.replace(&format!("-f -a \"{list}"), &format!("-F -a \"{list}"))
                }
                _ => script,
            };
        }
        script.into_bytes()
    }
}

/// The names of each option that takes a file, too.
fn names_besides_files(command: &Command) -> Vec<Vec<String>> {
    let own = command.get_arguments().filter(|arg| value_name(arg).contains("FILE")).map(names_of);
    own.filter(|names| !names.is_empty()).chain(command.get_subcommands().flat_map(names_besides_files)).collect()
}

/// The names that completions offer for the value of an option.
fn names_of(arg: &Arg) -> Vec<String> {
    arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()
}

fn value_name(arg: &Arg) -> String {
    arg.get_value_names().unwrap_or_default().join(" ")
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
    use crate::cli::command;
    use std::collections::BTreeSet;

    #[test]
    fn manual_has_a_page_per_command_with_its_options() {
        let pages = manual(command()).unwrap();
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

    /// A shell script completes `--environment` and `--layout` with names and files.
    #[test]
    fn names_do_not_hide_files() {
        let script = |shell| String::from_utf8(CompletionsArgs { shell }.script(command())).unwrap();
        let (zsh, fish) = (script(Shell::Zsh), script(Shell::Fish));
        for names in [&["neutral", "overcast", "sunset", "night", "none"][..], &["grid", "scatter"]] {
            assert!(zsh.contains(&format!(":{{compadd {}; _files}}", names.join(" "))), "{zsh}");
            assert!(fish.contains(&format!("-F -a \"{}\\t''", names.join("\\t''\n"))), "{fish}");
        }
    }

    #[test]
    fn completions_offer_every_fixed_value_and_all_of_them_parse() {
        /// Options whose value names have no fixed values in lower case, but that take them.
        const NAMED: [&str; 7] = ["allow", "environment", "explain", "shell", "tone_mapping", "update", "view_mode"];
        fn check(command: &Command, seen: &mut BTreeSet<&'static str>) {
            for arg in command.get_arguments().filter(|arg| arg.get_action().takes_values()) {
                let (offered, value_name) = (names_of(arg), value_name(arg));
                let fixed = value_name.split('|').filter_map(|form| form.split('[').next());
                let is_word = |text: &&str| !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase());
                for word in fixed.filter(is_word) {
                    assert!(offered.iter().any(|name| name == word), "{} {}: {word}", command.get_name(), arg.get_id());
                }
                let named = NAMED.into_iter().find(|id| arg.get_id() == id);
                assert!(named.is_none() || !offered.is_empty(), "{} {}", command.get_name(), arg.get_id());
                seen.extend(named);
                for name in offered {
                    let parsed = arg.get_value_parser().clone();
                    let one = Command::new("one").arg(Arg::new("x").long("x").value_parser(parsed));
                    let parsed = one.try_get_matches_from(["one", "--x", &name]);
                    parsed.unwrap_or_else(|error| panic!("{}: {error}", arg.get_id()));
                }
            }
            command.get_subcommands().for_each(|command| check(command, seen));
        }
        let mut seen = BTreeSet::new();
        check(&command(), &mut seen);
        assert_eq!(seen, NAMED.into(), "each is an option");
    }

    #[test]
    fn completions_contain_commands_and_options_for_every_shell() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
            let script = String::from_utf8(CompletionsArgs { shell }.script(command())).unwrap();
            assert!(script.contains("turntable") && script.contains("video"), "{shell}");
        }
    }
}
