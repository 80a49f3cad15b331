//! A report for build servers, as JUnit's XML.

use super::result::{Outcome, Run, Status};
use std::fmt::Write;

/// The report's text.
pub(crate) fn xml(run: &Run, outcomes: &[Outcome]) -> String {
    let count = |wanted: &[Status]| outcomes.iter().filter(|outcome| wanted.contains(&outcome.status)).count();
    let suite = escaped(&run.suite);
    let (tests, failures) = (outcomes.len(), count(&[Status::Differs, Status::Missing]));
    let (errors, secs) = (count(&[Status::Failed]), run.wall_secs);
    let numbers = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{secs:.3}\"");
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {numbers}>\n  <testsuite name=\"{suite}\" {numbers}>\n    \
         <properties>\n      <property name=\"rigview\" value=\"{}\"/>\n      <property name=\"renderer\" value=\"{}\"/>\n    \
         </properties>\n",
        escaped(&run.rigview),
        escaped(&format!("{}, {}", run.renderer, run.driver)),
    );
    for outcome in outcomes {
        let secs = outcome.load_secs + outcome.draw_secs + outcome.compare_secs;
        let name = escaped(&outcome.name);
        write!(text, "    <testcase classname=\"{suite}\" name=\"{name}\" time=\"{secs:.3}\"").expect("text");
        let element = match outcome.status {
            Status::Same => {
                text += "/>\n";
                continue;
            }
            Status::Differs | Status::Missing => "failure",
            Status::Failed => "error",
        };
        let (kind, message) = (outcome.status.word(), escaped(&outcome.message));
        let command = escaped(&outcome.command);
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
