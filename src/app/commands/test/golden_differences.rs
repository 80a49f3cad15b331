//! What differs between the metadata of a golden and of the present image, in words.

use rigview_core::util::text::{escaped, excerpt};
use rigview_render::image_file::PngMetadata;
use rigview_suite::report::ShotCommand;

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
        found = ShotCommand::parse(before).differences(&ShotCommand::parse(now));
    }
    for (pair, unit) in
        [((&golden.samples, &image.samples), " samples per pixel are"), ((&golden.software, &image.software), " is")]
    {
        if let (Some(before), Some(now)) = pair
            && before != now
        {
            found.push(format!("{}{unit} now {}", excerpt(before), excerpt(now)));
        }
    }
    if found.len() > MAX_DIFFERENCES {
        let more = found.len() - (MAX_DIFFERENCES - 1);
        found.truncate(MAX_DIFFERENCES - 1);
        found.push(format!("and {more} more"));
    }
    found
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
            "rigview shot 'b c.glb' --light=0,1,0,3 --light=1,0,0,2 '--clip=it'\\''s a walk' --time=1 --overlay=wireframe -o OUT.png",
            "8",
            "rigview 0.2.0",
        );
        let expected = [
            "model a.glb is now b c.glb",
            "option --time=0.5 is now --time=1",
            "option --light=0,1,0,3 is now --light=0,1,0,3 --light=1,0,0,2",
            "option --fov=30 is removed",
            "option --overlay=wireframe is new",
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
}
