//! What differs between the metadata of a golden and of the present image, in words.

use rigview_core::util::text::{escaped, excerpt};
use rigview_render::export::PngMetadata;

/// Maximum number of reported differences.
const MAX_DIFFERENCES: usize = 12;
/// Maximum characters of a notice in the message of a shot.
const MAX_NOTICE_CHARS: usize = 200;

/// Returns the notices of an image that its golden does not record.
pub(crate) fn new_notices(golden: &PngMetadata, image: &PngMetadata) -> Vec<String> {
    let lines = |metadata: &PngMetadata| -> Vec<String> {
        metadata.notices.iter().flat_map(|text| text.lines()).map(str::to_owned).collect()
    };
    let recorded = lines(golden);
    lines(image)
        .iter()
        .filter(|notice| !recorded.contains(notice))
        .map(|notice| escaped(notice, MAX_NOTICE_CHARS))
        .collect()
}

/// Returns the differences of model, options, version and samples, if both images record them. One line each.
pub(crate) fn differences(golden: &PngMetadata, image: &PngMetadata) -> Vec<String> {
    let mut found = Vec::new();
    if let (Some(before), Some(now)) = (&golden.command, &image.command) {
        found = command_differences(&words(before), &words(now));
    }
    if let (Some(before), Some(now)) = (&golden.samples, &image.samples)
        && before != now
    {
        found.push(format!("{} samples per pixel are now {}", excerpt(before), excerpt(now)));
    }
    if let (Some(before), Some(now)) = (&golden.software, &image.software)
        && before != now
    {
        found.push(format!("{} is now {}", excerpt(before), excerpt(now)));
    }
    if found.len() > MAX_DIFFERENCES {
        let more = found.len() - (MAX_DIFFERENCES - 1);
        found.truncate(MAX_DIFFERENCES - 1);
        found.push(format!("and {more} more"));
    }
    found
}

/// Differences of two commands `rigview shot MODEL --OPTION=VALUE... -o OUT.png`.
fn command_differences(before: &[String], now: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let model = |words: &[String]| words.get(2).filter(|word| !word.starts_with("--")).map(|word| excerpt(word));
    if let (Some(before), Some(now)) = (model(before), model(now))
        && before != now
    {
        found.push(format!("model {before} is now {now}"));
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

    fn metadata(command: &str, samples: &str, software: &str) -> PngMetadata {
        let text = |text: &str| Some(text.to_owned());
        PngMetadata {
            command: text(command),
            samples: text(samples),
            software: text(software),
            ..PngMetadata::default()
        }
    }

    #[test]
    fn differences_of_the_command_the_version_and_the_samples_are_named() {
        let golden = metadata(
            "rigview shot a.glb --time=0.5 --light=0,1,0,3 --fov=30 '--clip=it'\\''s a walk' -o OUT.png",
            "4",
            "rigview 0.1.0",
        );
        let image = metadata(
            "rigview shot 'b c.glb' --light=0,1,0,3 --light=1,0,0,2 '--clip=it'\\''s a walk' --time=1 --wireframe -o OUT.png",
            "8",
            "rigview 0.2.0",
        );
        let expected = [
            "model a.glb is now b c.glb",
            "option --time=0.5 is now --time=1",
            "option --light=0,1,0,3 is now --light=0,1,0,3 --light=1,0,0,2",
            "option --fov=30 is removed",
            "option --wireframe is new",
            "4 samples per pixel are now 8",
            "rigview 0.1.0 is now rigview 0.2.0",
        ];
        assert_eq!(differences(&golden, &image), expected);
        assert!(differences(&golden, &golden).is_empty());
        assert!(differences(&PngMetadata::default(), &image).is_empty(), "nothing is recorded");
    }

    #[test]
    fn texts_of_a_golden_are_escaped_and_bounded() {
        let many: String = (0..50).map(|i| format!(" --o{i}=\u{202e}{}", "x".repeat(500))).collect();
        let golden = metadata(&format!("rigview shot a.glb{many}"), "\u{1b}[2J", "x");
        let found = differences(&golden, &metadata("rigview shot a.glb", "4", "x"));
        assert_eq!((found.len(), found[11].as_str()), (12, "and 40 more"));
        assert!(found.iter().all(|line| line.chars().count() < 120 && !line.contains(['\u{202e}', '\u{1b}'])));
    }

    #[test]
    fn quotes_of_both_systems_are_removed() {
        assert_eq!(
            words("rigview shot \"a b\\\"c\" 'd'\\''e' '' C:\\x"),
            ["rigview", "shot", "a b\"c", "d'e", "", "C:\\x"]
        );
    }
}
