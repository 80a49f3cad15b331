//! Three levels of help: `-h` has the usual options, `--help` all groups but the rare ones, `--help-all` everything.

use crate::request::{FILE_ACCESS_HEADING, LIGHT_DETAILS_HEADING, POSE_HEADING, RENDERING_DETAILS_HEADING};
use clap::{Arg, ArgAction, Command};
use std::ffi::OsString;

/// Options that `-h` shows.
const USUAL: [&str; 20] = [
    "output",
    "size",
    "quality",
    "clip",
    "clips",
    "time",
    "instances",
    "eye",
    "target",
    "background",
    "environment",
    "view_mode",
    "overlays",
    "turntable",
    "fps",
    "frames_per_clip",
    "compare",
    "help",
    "help-all",
    "version",
];

/// Headings of options that only `--help-all` shows.
const RARE_HEADINGS: [&str; 5] =
    [POSE_HEADING, "Crowd", LIGHT_DETAILS_HEADING, RENDERING_DETAILS_HEADING, FILE_ACCESS_HEADING];

/// How much of the help of a command with rare options is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HelpLevel {
    /// `-h`: one line for each usual option.
    Usual,
    /// `--help`
    Groups,
    /// `--help-all`, and everything that is no help.
    All,
}

impl HelpLevel {
    fn of(arguments: &[OsString]) -> Self {
        let has =
            |word: &str| arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == word);
        match (has("--help-all"), has("--help"), has("-h")) {
            (true, ..) | (false, false, false) => Self::All,
            (false, true, _) => Self::Groups,
            (false, false, true) => Self::Usual,
        }
    }
}

/// Returns the command with the help that these arguments request; without such an argument, with all options.
pub(super) fn with_help_for(command: Command, arguments: &[OsString]) -> Command {
    with_help(command, HelpLevel::of(arguments))
}

/// Replaces the help option of a command and of its subcommands.
fn with_help(command: Command, level: HelpLevel) -> Command {
    let command = command.mut_subcommands(|sub| with_help(sub, level));
    // Frames are measured with standard quality.
    let command =
        if command.get_name() == "frame" { command.mut_arg("quality", |arg| arg.hide(true)) } else { command };
    let is_rare = |arg: &Arg| arg.get_help_heading().is_some_and(|heading| RARE_HEADINGS.contains(&heading));
    let has_levels = command.get_arguments().filter(|arg| is_rare(arg)).count() > 3;
    let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort).help_heading(None);
    if !has_levels {
        return command.disable_help_flag(true).arg(help.help("Print help"));
    }
    let is_shown = |arg: &Arg| match level {
        HelpLevel::Usual => arg.is_positional() || !is_rare(arg) && USUAL.contains(&arg.get_id().as_str()),
        HelpLevel::Groups => !is_rare(arg),
        HelpLevel::All => true,
    };
    let help_all = Arg::new("help-all").long("help-all").action(ArgAction::HelpLong).help_heading(None);
    let command = command
        .disable_help_flag(true)
        .arg(help.help("Print help; -h prints the usual options only"))
        .arg(help_all.help("Print help for all options, with details"));
    let examples = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
    let command = command.mut_args(|arg| if is_shown(&arg) { arg } else { arg.hide(true) });
    match level {
        HelpLevel::Usual => command.after_help("--help describes more options, --help-all all of them."),
        HelpLevel::Groups => command.after_help(format!(
            "{examples}--help-all describes all options, such as those of poses and crowds, with details."
        )),
        HelpLevel::All => command,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, command};
    use clap::CommandFactory as _;

    /// The help that these words print.
    fn help(words: &[&str]) -> String {
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        with_help_for(Cli::command(), &words).try_get_matches_from(&words).unwrap_err().to_string()
    }

    fn commands(command: &Command) -> Vec<&Command> {
        std::iter::once(command).chain(command.get_subcommands().flat_map(commands)).collect()
    }

    #[test]
    fn options_and_headings_of_the_levels_exist() {
        let all = command();
        let arguments: Vec<&Arg> = commands(&all).into_iter().flat_map(Command::get_arguments).collect();
        for id in USUAL.iter().filter(|id| **id != "version") {
            assert!(arguments.iter().any(|arg| arg.get_id() == id), "{id}");
        }
        for heading in RARE_HEADINGS {
            assert!(arguments.iter().any(|arg| arg.get_help_heading() == Some(heading)), "{heading}");
        }
        all.debug_assert();
    }

    #[test]
    fn each_level_shows_more() {
        for words in [
            &["rigview"][..],
            &["rigview", "shot"],
            &["rigview", "sheet"],
            &["rigview", "video"],
            &["rigview", "bench", "frame"],
        ] {
            let [usual, groups, all] = ["-h", "--help", "--help-all"].map(|level| help(&[words, &[level]].concat()));
            assert!(usual.contains("--overlay <NAME") && usual.contains("--help-all"), "{usual}");
            assert!(!usual.contains("--tone-mapping") && (words.len() == 1 || usual.lines().count() < 50), "{usual}");
            assert!(usual.lines().all(|line| line.len() <= 120), "{usual}");
            assert!(groups.contains("--tone-mapping") && !groups.contains("--limit"), "{groups}");
            assert!(groups.lines().last().is_some_and(|line| line.contains("--help-all")), "{groups}");
            assert!(all.contains("--limit <NAME=VALUE>") && all.contains("The bones in front of the model"), "{all}");
        }
        assert!(help(&["rigview", "check", "-h"]).contains("--limit"), "a command with few options has one level");
    }

    #[test]
    fn words_after_two_dashes_are_files() {
        let level = |words: &[&str]| HelpLevel::of(&words.iter().map(Into::into).collect::<Vec<_>>());
        assert_eq!(level(&["rigview", "--", "-h"]), HelpLevel::All);
        assert_eq!(
            [level(&["-h"]), level(&["--help"]), level(&["-h", "--help-all"])],
            [HelpLevel::Usual, HelpLevel::Groups, HelpLevel::All]
        );
    }
}
