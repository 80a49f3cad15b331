//! The reference part of the guide as Markdown, generated from the command-line definition and the tables of codes and limits.

use super::advice::remedy;
use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};
use rigview_check::{CODES, Code};
use rigview_core::import::{Limit, MAX_JSON_DEPTH};
use std::fmt::Write as _;

/// Returns file names and texts of the pages.
pub fn reference(command: Command) -> Vec<(String, String)> {
    let mut command = command.disable_help_subcommand(true);
    // Sets the full names of the subcommands, such as `rigview shot`.
    command.build();
    let mut pages: Vec<(String, String)> = std::iter::once(&command)
        .chain(command.get_subcommands().filter(|sub| !sub.is_hide_set()))
        .map(|command| {
            let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
            (format!("{}.md", name.replace(' ', "-")), command_page(name, command))
        })
        .collect();
    pages.push(("lints.md".to_owned(), lints_page()));
    pages.push(("limits.md".to_owned(), limits_page()));
    pages
}

/// Text without line breaks and terminal styles, escaped for a table cell.
fn cell(text: Option<&StyledStr>) -> String {
    let text = text.map(ToString::to_string).unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|").replace('<', "\\<").replace('*', "\\*")
}

fn command_page(name: &str, command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut page = format!("# {name}\n\n{}.\n\n", about.trim_end_matches('.'));
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim().trim_start_matches("Usage:");
    let lines: Vec<&str> = usage.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(page, "```text\n{}\n```", lines.join("\n"));
    let mut headings: Vec<&str> = Vec::new();
    let args: Vec<&Arg> = documented_args(command).collect();
    for heading in args.iter().map(|arg| heading(arg)) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for title in headings {
        let _ = writeln!(page, "\n## {title}\n\n| option | meaning |\n| --- | --- |");
        for arg in args.iter().filter(|arg| heading(arg) == title) {
            let _ = writeln!(page, "| {} | {} |", syntax(arg), meaning(arg));
        }
    }
    let subcommands: Vec<&Command> = command.get_subcommands().filter(|sub| !sub.is_hide_set()).collect();
    if !subcommands.is_empty() {
        page += "\n## Commands\n\n| command | meaning |\n| --- | --- |\n";
        for sub in subcommands {
            let name = sub.get_bin_name().unwrap_or_else(|| sub.get_name());
            let page_of_sub = format!("{}.md", name.replace(' ', "-"));
            // Commands of commands are sections of one page.
            let title =
                if name.matches(' ').count() == 1 { format!("[{name}]({page_of_sub})") } else { name.to_owned() };
            let _ = writeln!(page, "| {title} | {} |", cell(sub.get_about()));
        }
    }
    for sub in
        command.get_subcommands().filter(|sub| !sub.is_hide_set() && name.contains(' ') && sub.get_name() != "help")
    {
        let title = sub.get_bin_name().unwrap_or_else(|| sub.get_name());
        let _ = writeln!(page, "\n## {title}\n\n| option | meaning |\n| --- | --- |");
        for arg in documented_args(sub) {
            let _ = writeln!(page, "| {} | {} |", syntax(arg), meaning(arg));
        }
    }
    if let Some(help) = command.get_after_help() {
        let _ = write!(page, "\n## Examples and notes\n\n```text\n{}\n```\n", help.to_string().trim_end());
    }
    page
}

/// All arguments but `--help`.
fn documented_args(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_id() != "help")
}

fn heading(arg: &Arg) -> &str {
    arg.get_help_heading().unwrap_or(if arg.is_positional() { "Arguments" } else { "Options" })
}

/// Names and value of an option, such as `-o`, `--output PATH`.
fn syntax(arg: &Arg) -> String {
    let values = arg.get_value_names().unwrap_or_default().join(" ");
    if arg.is_positional() {
        return format!("`{values}`");
    }
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let is_optional = arg.get_num_args().is_some_and(|range| range.min_values() == 0);
    let value = match (takes_value && !values.is_empty(), is_optional) {
        (false, _) => String::new(),
        (true, false) => format!(" {values}"),
        (true, true) => format!("[={values}]"),
    };
    let mut names: Vec<String> = arg.get_short().map(|short| format!("`-{short}`")).into_iter().collect();
    names.extend(arg.get_long().map(|long| format!("`--{long}{value}`")));
    names.join(", ").replace('|', "\\|")
}

/// Help text, possible values and default of an option.
fn meaning(arg: &Arg) -> String {
    let mut text = cell(arg.get_long_help().or(arg.get_help()));
    text.truncate(text.trim_end_matches('.').len());
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let has_values = takes_value && !arg.is_hide_possible_values_set();
    let values = if has_values { arg.get_possible_values() } else { Vec::new() };
    let values: Vec<String> = values
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| match value.get_help() {
            None => format!("`{}`", value.get_name()),
            Some(help) => format!("`{}` ({})", value.get_name(), cell(Some(help))),
        })
        .collect();
    if !values.is_empty() {
        let _ = write!(text, ". Values: {}", values.join(", "));
    }
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if takes_value && !defaults.is_empty() {
        let _ = write!(text, ". Default: {}", defaults.join(" "));
    }
    text
}

fn lints_page() -> String {
    let mut page = String::from(
        "# Codes of rigview check\n\n\
         `rigview check FILE` prints one line for each issue: severity, code, place in the JSON, message. `rigview check --explain CODE`\n\
         prints the section of a code.\n\n\
         | severity | meaning | exit code |\n| --- | --- | --- |\n\
         | error | the file violates the glTF 2.0 specification, or cannot be shown as intended | 1 |\n\
         | warning | the file works, but not in every viewer or not as intended | 0; 1 with `--deny warnings` |\n\
         | info | a hint, such as possible savings | 0 |\n\n\
         Codes that begin with `RIGVIEW_` are rigview's own. The others have the names and severities of the Khronos validator.\n",
    );
    let (own, others): (Vec<&Code>, Vec<&Code>) = CODES.iter().partition(|code| code.name.starts_with("RIGVIEW_"));
    for (title, codes) in [("Codes of rigview", own), ("Codes of the Khronos validator", others)] {
        let _ = write!(page, "\n## {title}\n");
        for code in codes {
            let (name, severity) = (code.name, code.severity);
            let _ = write!(page, "\n### {name}\n\n*{severity}.* {}\n\nRemedy: {}\n", code.meaning, remedy(code));
        }
    }
    page
}

fn limits_page() -> String {
    let mut page = format!(
        "# Limits\n\n\
         A model file is untrusted input. Each limit bounds one kind of data, and `--limit NAME=VALUE` changes it: `--limit images=4G`,\n\
         `--limit elements=2000000`. A file beyond a limit is refused with the option that permits it. JSON may be nested\n\
         {MAX_JSON_DEPTH} deep; that limit is fixed. `docs/untrusted-files.md` describes the failures.\n\n\
         | name | default | quantity |\n| --- | --- | --- |\n"
    );
    for limit in Limit::ALL {
        let _ = writeln!(page, "| `{limit}` | {} | {} |", limit.format(limit.default_value()), limit.description());
    }
    page
}
