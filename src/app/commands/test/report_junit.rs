//! A report for build servers, as JUnit's XML.

use super::result::{Run, ShotResult, Status};
use std::fmt::Write;

/// The report's text.
pub(crate) fn xml(run: &Run, results: &[ShotResult]) -> String {
    let count = |wanted: &[Status]| results.iter().filter(|result| wanted.contains(&result.status)).count();
    let suite = escaped(&run.suite);
    let (tests, failures) = (results.len(), count(&[Status::Changed, Status::New]));
    let (errors, secs) = (count(&[Status::Error]), run.wall_secs);
    let numbers = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{secs:.3}\"");
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {numbers}>\n  <testsuite name=\"{suite}\" {numbers}>\n    \
         <properties>\n      <property name=\"rigview\" value=\"{}\"/>\n      <property name=\"renderer\" value=\"{}\"/>\n    \
         </properties>\n",
        escaped(&run.rigview),
        escaped(&format!("{}, {}", run.renderer, run.driver)),
    );
    for result in results {
        let secs = result.load_secs + result.draw_secs + result.compare_secs;
        let name = escaped(&result.name);
        write!(text, "    <testcase classname=\"{suite}\" name=\"{name}\" time=\"{secs:.3}\"").expect("text");
        let element = match result.status {
            Status::Passed => {
                text += "/>\n";
                continue;
            }
            Status::Changed | Status::New => "failure",
            Status::Error => "error",
        };
        let (kind, message) = (result.status.label(), escaped(&result.message));
        let command = escaped(&result.command);
        writeln!(
            text,
            ">\n      <{element} type=\"{kind}\" message=\"{message}\">{command}</{element}>\n    </testcase>"
        )
        .expect("text");
    }
    text + "  </testsuite>\n</testsuites>\n"
}

/// Text as XML has it; what XML cannot hold becomes `?`.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\u{fffe}' | '\u{ffff}' => escaped.push('?'),
            c if c.is_control() => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_xml_cannot_hold_is_left_out() {
        assert_eq!(super::escaped("a<b> & \"c\"\u{1}\u{ffff}"), "a&lt;b&gt; &amp; &quot;c&quot;??");
    }
}
