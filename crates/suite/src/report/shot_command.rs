//! The command that an image records.

use rigview_core::util::text::excerpt;

/// The parts of a command `rigview shot MODEL... --OPTION=VALUE... -o OUT.png`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ShotCommand {
    /// The models; the first one is that of the shot.
    pub models: Vec<String>,
    /// The options with their values, such as `--time=0.5`.
    pub options: Vec<String>,
}

impl ShotCommand {
    /// Parses a command with the quotes of a POSIX shell or of Windows.
    pub fn parse(command: &str) -> Self {
        let words = words(command);
        let arguments = || words.iter().skip(2);
        Self {
            models: arguments().take_while(|word| !word.starts_with('-')).cloned().collect(),
            options: arguments().filter(|word| word.starts_with("--")).cloned().collect(),
        }
    }

    /// The clip that the option `--clip` selects.
    pub fn clip(&self) -> Option<&str> {
        self.options.iter().find_map(|option| option.strip_prefix("--clip="))
    }

    /// Returns the differences from this command to `now`, in words.
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let excerpts = |words: &[String]| words.iter().map(|word| excerpt(word)).collect::<Vec<_>>().join(" ");
        if !self.models.is_empty() && !now.models.is_empty() && self.models != now.models {
            found.push(format!("model {} is now {}", excerpts(&self.models), excerpts(&now.models)));
        }
        let name = |option: &str| option.split('=').next().unwrap_or_default().to_owned();
        let mut names: Vec<String> = Vec::new();
        for option in self.options.iter().chain(&now.options) {
            if !names.contains(&name(option)) {
                names.push(name(option));
            }
        }
        for wanted in names {
            let values = |command: &Self| -> Vec<String> {
                command.options.iter().filter(|option| name(option) == wanted).cloned().collect()
            };
            let (before, now) = (values(self), values(now));
            if before == now {
                continue;
            }
            found.push(match (excerpts(&before), excerpts(&now)) {
                (before, now) if before.is_empty() => format!("option {now} is new"),
                (before, now) if now.is_empty() => format!("option {before} is removed"),
                (before, now) => format!("option {before} is now {now}"),
            });
        }
        found
    }
}

/// Splits a command into words, without the quotes of a POSIX shell or of Windows.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut quote = None;
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, ' ') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            // `'\''` is a quote in a word of a POSIX shell.
            (None, '\\') if chars.peek() == Some(&'\'') => word.get_or_insert_default().extend(chars.next()),
            // Windows: `\"` is a quote, and backslashes before a double quote are doubled.
            (Some('"'), '\\') => {
                let mut count = 1;
                while chars.next_if_eq(&'\\').is_some() {
                    count += 1;
                }
                let is_before_quote = chars.peek() == Some(&'"');
                let word = word.get_or_insert_default();
                word.extend(std::iter::repeat_n('\\', if is_before_quote { count / 2 } else { count }));
                if is_before_quote && count % 2 == 1 {
                    word.extend(chars.next());
                }
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_of_both_systems_are_removed() {
        assert_eq!(
            words("rigview shot \"a b\\\"c\" 'd'\\''e' '' C:\\x \"C:\\a b\\\\\" \"\\\\srv\\a b\""),
            ["rigview", "shot", "a b\"c", "d'e", "", "C:\\x", "C:\\a b\\", "\\\\srv\\a b"]
        );
    }
}
