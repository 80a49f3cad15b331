//! JUnit XML report of `rigview test`.

use super::result::{ImageKind, Run, ShotName, ShotResult, Status};
use crate::app::util::xml::escape_xml;
use std::fmt::Write;
use std::path::Path;

/// Returns the report, with an element per suite. The shots in `not_run` are errors with this `reason`. `images` is the folder of
/// the images.
///
/// GitLab shows the image that `[[ATTACHMENT|path]]` names, if the job uploads it as an artifact.
pub(crate) fn xml(run: &Run, results: &[ShotResult], not_run: &[ShotName], reason: &str, images: &Path) -> String {
    let mut suites: Vec<&str> = Vec::new();
    for suite in results.iter().map(|result| &result.suite).chain(not_run.iter().map(|shot| &shot.suite)) {
        if !suites.contains(&suite.as_str()) {
            suites.push(suite);
        }
    }
    let all = numbers(results.iter(), not_run.len(), run.wall_secs);
    let mut text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {all}>\n");
    for suite in &suites {
        let results: Vec<&ShotResult> = results.iter().filter(|result| result.suite == *suite).collect();
        let not_run: Vec<&ShotName> = not_run.iter().filter(|shot| shot.suite == *suite).collect();
        let secs = if suites.len() == 1 { run.wall_secs } else { results.iter().map(|result| secs(result)).sum() };
        let numbers = numbers(results.iter().copied(), not_run.len(), secs);
        text += &test_suite(run, suite, &numbers, &results, &not_run, reason, images);
    }
    text + "</testsuites>\n"
}

/// Time of a shot in seconds.
fn secs(result: &ShotResult) -> f64 {
    result.load_secs + result.draw_secs + result.compare_secs
}

/// The attributes of a suite with numbers.
fn numbers<'a>(results: impl Iterator<Item = &'a ShotResult> + Clone, not_run: usize, secs: f64) -> String {
    let count = |wanted: &[Status]| results.clone().filter(|result| wanted.contains(&result.status)).count();
    let (tests, failures) =
        (results.clone().count() + not_run, count(&[Status::Changed, Status::New, Status::Unstable]));
    let (errors, skipped) = (count(&[Status::Error]) + not_run, count(&[Status::Skipped, Status::Expected]));
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{secs:.3}\"")
}

fn test_suite(
    run: &Run,
    suite: &str,
    numbers: &str,
    results: &[&ShotResult],
    not_run: &[&ShotName],
    reason: &str,
    images: &Path,
) -> String {
    let suite = escape_xml(suite);
    let mut text = format!(
        "  <testsuite name=\"{suite}\" file=\"{suite}\" {numbers} timestamp=\"{}\" hostname=\"{}\">\n    \
         <properties>\n      <property name=\"rigview\" value=\"{}\"/>\n      <property name=\"renderer\" value=\"{}\"/>\n    \
         </properties>\n",
        escape_xml(run.started.trim_end_matches('Z')),
        escape_xml(&run.hostname),
        escape_xml(&run.rigview),
        escape_xml(&format!("{}, {}", run.renderer, run.driver)),
    );
    for result in results {
        let secs = secs(result);
        let name = escape_xml(&result.name);
        let line = result.line;
        let place = format!("file=\"{suite}\" line=\"{line}\"");
        write!(text, "    <testcase classname=\"{suite}\" name=\"{name}\" {place} time=\"{secs:.3}\"").expect("text");
        let element = match result.status {
            Status::Passed => {
                text += "/>\n";
                continue;
            }
            Status::Skipped | Status::Expected => {
                let message = escape_xml(&result.message);
                writeln!(text, ">\n      <skipped message=\"{message}\"/>\n    </testcase>").expect("text");
                continue;
            }
            Status::Changed | Status::New | Status::Unstable => "failure",
            Status::Error => "error",
        };
        let (kind, message) = (result.status.label(), escape_xml(&result.message));
        let command = escape_xml(&result.command);
        writeln!(text, ">\n      <{element} type=\"{kind}\" message=\"{message}\">{command}</{element}>")
            .expect("text");
        let image = [ImageKind::SideBySide, ImageKind::Actual].into_iter().find(|kind| result.images.contains(kind));
        if let Some(image) = image {
            let file = images.join(image.file(&result.name));
            let file = escape_xml(&file.to_string_lossy().replace('\\', "/"));
            writeln!(text, "      <system-out>[[ATTACHMENT|{file}]]</system-out>").expect("text");
        }
        text += "    </testcase>\n";
    }
    for shot in not_run {
        writeln!(
            text,
            "    <testcase classname=\"{suite}\" name=\"{}\" time=\"0.000\">\n      \
             <error type=\"not run\" message=\"{}\"/>\n    </testcase>",
            escape_xml(&shot.name),
            escape_xml(reason)
        )
        .expect("text");
    }
    text + "  </testsuite>\n"
}
