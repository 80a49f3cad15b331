//! The page of keys in the guide, generated from the command table.

use super::commands::COMMANDS;
use crate::app::viewer::state::Navigation;
use crate::app::viewer::state::modifier_key::modifier_key;
use std::fmt::Write as _;

/// Returns the page of the guide with all commands and their keys, as Markdown.
pub(crate) fn keys_page() -> String {
    let mut page = String::new();
    for group in COMMANDS.chunk_by(|a, b| a.group == b.group) {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "\n## {}\n\n| action | keys | meaning |\n| --- | --- | --- |", group[0].group);
        for command in group {
            let keys: Vec<String> =
                command.all_keys.iter().filter(|keys| !keys.macos_only).map(|keys| format!("`{keys}`")).collect();
            let _ = writeln!(page, "| {} | {} | {} |", command.name, keys.join(", "), command.help);
        }
    }
    let mut macos = String::from("\n## macOS\n\nFurther keys on macOS.\n\n| action | keys |\n| --- | --- |\n");
    for command in COMMANDS {
        for keys in command.all_keys.iter().filter(|keys| keys.macos_only) {
            let _ = writeln!(macos, "| {} | `{keys}` |", command.name);
        }
    }
    page += "\n## Pointer\n\nWindow > Navigation selects the preset.\n\n| preset | orbit | pan | zoom |\n| --- | --- | --- | --- |\n";
    for (navigation, name) in Navigation::ALL {
        let [(orbit, _), (pan, _), (zoom, _)] = navigation.bindings_help();
        let _ = writeln!(page, "| {name} | {orbit} | {pan} | {zoom} |");
    }
    let introduction =
        "# Keys\n\nThe actions of the window, by menu. Ctrl+K runs each of them by its name. On macOS, Ctrl is Cmd.\n";
    // The page is equal on all systems.
    introduction.to_owned() + &page.replace(modifier_key!(), "Ctrl") + &macos
}
