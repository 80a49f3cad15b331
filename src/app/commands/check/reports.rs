//! SARIF 2.1.0 and JUnit reports of `rigview check`.

use super::checked::Checked;
use crate::app::console::json_text::json_pretty;
use crate::app::console::report::Lines;
use crate::cli::remedy;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rigview_check::{Code, Issue, LINTS_PAGE, Severity, severity};
use rigview_suite::report::escape_xml;
use rigview_suite::report::{MAX_ANNOTATIONS, Place, annotation, path_in_repository};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Percent-encodes all but the unreserved characters of a URI path.
const URI_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~');

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// Returns a SARIF log.
pub(crate) fn sarif(files: &[Checked]) -> String {
    let codes: BTreeSet<&str> = files.iter().flat_map(|file| &file.issues).map(|issue| issue.code).collect();
    let rules: Vec<Value> = codes
        .iter()
        .map(|name| {
            let mut rule = json!({"id": name, "defaultConfiguration": {"level": level(severity(name))}});
            if let Some(code) = Code::find(name) {
                rule["shortDescription"] = json!({"text": code.meaning});
                rule["help"] = json!({"text": format!("{} {LINTS_PAGE}#{}", remedy(code), code.anchor())});
            }
            rule
        })
        .collect();
    let results: Vec<Value> = files
        .iter()
        .flat_map(|file| {
            let path = file.file.replace('\\', "/");
            let uri = utf8_percent_encode(&path, URI_PATH).to_string();
            file.issues.iter().map(move |issue| {
                json!({
                    "ruleId": issue.code,
                    "level": level(issue.severity),
                    "message": {"text": issue.message},
                    "locations": [{
                        "physicalLocation": {
                            "artifactLocation": {"uri": uri},
                            "region": {"startLine": issue.line.unwrap_or(1)},
                        },
                        "logicalLocations": [{"fullyQualifiedName": issue.pointer}],
                    }],
                })
            })
        })
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "rigview", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": results,
        }],
    });
    json_pretty(&log)
}

/// Returns the annotations of GitHub Actions for errors, then for warnings: as many of each as GitHub shows per step.
///
/// The first issue of each file precedes the second ones. The last annotation names the number of the others.
pub(crate) fn annotations(files: &[Checked]) -> Lines {
    let mut lines = Lines::default();
    for severity in [Severity::Error, Severity::Warning] {
        let mut found: Vec<(usize, &Checked, &Issue)> = Vec::new();
        for file in files {
            let issues = file.issues.iter().filter(|issue| issue.severity == severity);
            found.extend(issues.enumerate().map(|(number, issue)| (number, file, issue)));
        }
        found.sort_by_key(|(number, ..)| *number);
        let others = found.len().saturating_sub(MAX_ANNOTATIONS);
        for (index, (_, file, issue)) in found.into_iter().take(MAX_ANNOTATIONS).enumerate() {
            let place = Place { file: &path_in_repository(&file.file), line: issue.line.map(|line| line as usize) };
            let is_last = index == MAX_ANNOTATIONS - 1 && others > 0;
            let more = if is_last { format!("; {others} more in the output") } else { String::new() };
            let title = format!("{} {}", issue.code, issue.pointer);
            let message = format!("{}{more}", issue.message);
            lines.push_annotation(&annotation(level(severity), &place, title.trim_end(), &message));
        }
    }
    lines
}

/// Returns a JUnit report with one test case per file.
pub(crate) fn junit(files: &[Checked]) -> String {
    let failed = files.iter().filter(|file| file.failed).count();
    let counts = format!("tests=\"{}\" failures=\"{failed}\" errors=\"0\"", files.len());
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<testsuites {counts}>\n  <testsuite name=\"rigview check\" {counts}>");
    for file in files {
        let _ = writeln!(out, "    <testcase classname=\"rigview.check\" name=\"{}\">", escape_xml(&file.file));
        let lines: Vec<String> =
            file.issues.iter().map(|issue| escape_xml(&format!("{} {issue}", issue.severity))).collect();
        let (tag, end) = if file.failed {
            (format!("failure message=\"{}\"", escape_xml(&Issue::summary(&file.issues))), "failure")
        } else {
            ("system-out".to_owned(), "system-out")
        };
        if !lines.is_empty() {
            let _ = writeln!(out, "      <{tag}>{}</{end}>", lines.join("\n"));
        }
        out += "    </testcase>\n";
    }
    out += "  </testsuite>\n</testsuites>\n";
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked() -> Checked {
        let issue = |severity, code, pointer: &str| Issue {
            severity,
            code,
            pointer: pointer.into(),
            line: Some(7),
            policy_change: None,
            message: "a < b \"&\" \u{1}".into(),
        };
        let issues = vec![issue(Severity::Error, "NODE_LOOP", "/nodes/0"), issue(Severity::Info, "NODE_EMPTY", "")];
        Checked { file: "a b/c.gltf".into(), issues, hash: None, flex: None, failed: true, known_count: 0 }
    }

    #[test]
    fn sarif_has_rule_file_line_and_pointer() {
        let log: Value = serde_json::from_str(&sarif(&[checked()])).unwrap();
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
        let help = run["tool"]["driver"]["rules"][1]["help"]["text"].as_str().unwrap();
        assert!(help.ends_with("lints.md#node_loop"), "{help}");
        let result = &run["results"][0];
        assert_eq!((&result["ruleId"], &result["level"]), (&json!("NODE_LOOP"), &json!("error")));
        let location = &result["locations"][0];
        assert_eq!(location["physicalLocation"]["artifactLocation"]["uri"], "a%20b/c.gltf");
        assert_eq!(location["physicalLocation"]["region"]["startLine"], 7);
        assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], "/nodes/0");
    }

    #[test]
    fn junit_has_one_case_per_file() {
        let valid =
            Checked { file: "d.glb".into(), issues: Vec::new(), hash: None, flex: None, failed: false, known_count: 0 };
        let text = junit(&[checked(), valid]);
        assert!(text.contains("tests=\"2\" failures=\"1\""), "{text}");
        assert!(text.contains("name=\"d.glb\"") && text.contains("a &lt; b &quot;&amp;&quot; \u{fffd}"), "{text}");
        assert_eq!(text.matches("<failure").count(), 1, "{text}");
    }
}
