//! JUnit XML report of `rigview test`.

use super::escape_xml;
use super::{ImageKind, Run, ShotResult, Status};
use std::path::Path;

/// Returns the report, with an element per suite. Shots that did not run are errors with this `reason`. `images` is the folder of
/// the images.
///
/// GitLab shows the image that `[[ATTACHMENT|path]]` names, if the job uploads it as an artifact.
pub fn junit(run: &Run, results: &[&ShotResult], reason: &str, images: &Path) -> String {
    let mut suites: Vec<&str> = Vec::new();
    for result in results {
        if !suites.contains(&result.suite.as_str()) {
            suites.push(&result.suite);
        }
    }
    let all = numbers(results, run.wall_secs);
    let mut text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {all}>\n");
    for suite in &suites {
        let results: Vec<&ShotResult> = results.iter().copied().filter(|result| result.suite == *suite).collect();
        let secs = if suites.len() == 1 { run.wall_secs } else { results.iter().map(|result| secs(result)).sum() };
        let suite = escape_xml(suite);
        text += &format!(
            "  <testsuite name=\"{suite}\" file=\"{suite}\" {} timestamp=\"{}\" hostname=\"{}\">\n    \
             <properties>\n      <property name=\"rigview\" value=\"{}\"/>\n      <property name=\"renderer\" value=\"{}\"/>\n    \
             </properties>\n",
            numbers(&results, secs),
            escape_xml(run.started.trim_end_matches('Z')),
            escape_xml(&run.hostname),
            escape_xml(&run.rigview),
            escape_xml(&format!("{}, {}", run.renderer, run.driver)),
        );
        results.iter().for_each(|result| text += &test_case(&suite, result, reason, images));
        text += "  </testsuite>\n";
    }
    text + "</testsuites>\n"
}

/// Time of a shot in seconds.
fn secs(result: &ShotResult) -> f64 {
    result.load_secs + result.draw_secs + result.compare_secs
}

/// The attributes of a suite with numbers.
fn numbers(results: &[&ShotResult], secs: f64) -> String {
    let count = |wanted: &[Status]| results.iter().filter(|result| wanted.contains(&result.status)).count();
    let (tests, failures) = (results.len(), count(&[Status::Changed, Status::New, Status::Gone]));
    let (errors, skipped) = (count(&[Status::Error, Status::NotRun]), count(&[Status::Skipped, Status::Expected]));
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{secs:.3}\"")
}

/// `suite` is escaped.
fn test_case(suite: &str, result: &ShotResult, reason: &str, images: &Path) -> String {
    let ShotResult { line, status, .. } = result;
    let [name, message, command] = [&result.name, &result.message, &result.command].map(|text| escape_xml(text));
    let (place, kind) = (format!(" file=\"{suite}\" line=\"{line}\""), status.label());
    let (place, content) = match status {
        Status::Passed => (place, String::new()),
        Status::NotRun => {
            (String::new(), format!("      <error type=\"{kind}\" message=\"{}\"/>\n", escape_xml(reason)))
        }
        Status::Skipped | Status::Expected => (place, format!("      <skipped message=\"{message}\"/>\n")),
        Status::Changed | Status::New | Status::Gone | Status::Error => {
            let element = if *status == Status::Error { "error" } else { "failure" };
            let mut text = format!("      <{element} type=\"{kind}\" message=\"{message}\">{command}</{element}>\n");
            let shown =
                [ImageKind::SideBySide, ImageKind::Actual].into_iter().find(|kind| result.images.contains(kind));
            if let Some(image) = shown {
                let file = images.join(image.file(&result.name)).to_string_lossy().replace('\\', "/");
                text += &format!("      <system-out>[[ATTACHMENT|{}]]</system-out>\n", escape_xml(&file));
            }
            (place, text)
        }
    };
    let start = format!("    <testcase classname=\"{suite}\" name=\"{name}\"{place} time=\"{:.3}\"", secs(result));
    if content.is_empty() { start + "/>\n" } else { format!("{start}>\n{content}    </testcase>\n") }
}
