//! Differences of the commands of a golden and of the present image.

use rigview_core::util::text::excerpt;

/// Returns the differences of two commands `rigview shot MODEL --OPTION=VALUE... -o OUT.png`, in words.
pub fn command_differences(before: &str, now: &str) -> Vec<String> {
    let (before, now) = (&words(before), &words(now));
    let mut found = Vec::new();
    let models = |words: &[String]| -> String {
        let models: Vec<String> =
            words.iter().skip(2).take_while(|word| !word.starts_with('-')).map(|word| excerpt(word)).collect();
        models.join(" ")
    };
    let [models_before, models_now] = [before, now].map(|words| models(words));
    if !models_before.is_empty() && !models_now.is_empty() && models_before != models_now {
        found.push(format!("model {models_before} is now {models_now}"));
    }
    let options = |words: &[String]| -> Vec<String> {
        words.iter().skip(2).filter(|word| word.starts_with("--")).cloned().collect()
    };
    let (before, now) = (options(before), options(now));
    let name = |option: &str| option.split('=').next().unwrap_or_default().to_owned();
    let mut names: Vec<String> = Vec::new();
    for option in before.iter().chain(&now) {
        if !names.contains(&name(option)) {
            names.push(name(option));
        }
    }
    for wanted in names {
        let values = |options: &[String]| -> Vec<String> {
            options.iter().filter(|option| name(option) == wanted).map(|option| excerpt(option)).collect()
        };
        let (before, now) = (values(&before), values(&now));
        if before == now {
            continue;
        }
        found.push(match (before.join(" "), now.join(" ")) {
            (before, now) if before.is_empty() => format!("option {now} is new"),
            (before, now) if now.is_empty() => format!("option {before} is removed"),
            (before, now) => format!("option {before} is now {now}"),
        });
    }
    found
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
            // `'\''` is a quote in a word of a POSIX shell, `\"` one of Windows.
            (None, '\\') if chars.peek() == Some(&'\'') => word.get_or_insert_default().extend(chars.next()),
            (Some('"'), '\\') if chars.peek() == Some(&'"') => word.get_or_insert_default().extend(chars.next()),
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
            words("rigview shot \"a b\\\"c\" 'd'\\''e' '' C:\\x"),
            ["rigview", "shot", "a b\"c", "d'e", "", "C:\\x"]
        );
    }
}
