//! Parses and validates JUnit and SARIF reports.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The shots of a report, from its JSON lines.
pub(crate) fn reported_shots(report: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(report.join("report.jsonl")).expect("a report");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    lines.filter(|line| line["kind"] == "shot").collect()
}

/// An XML element with its content.
#[derive(Debug, Default)]
pub(crate) struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    children: Vec<Element>,
    text: String,
}

impl Element {
    fn new(start: &BytesStart) -> Self {
        let name = String::from_utf8(start.name().as_ref().to_vec()).expect("a name");
        let attribute = |attribute: Result<quick_xml::events::attributes::Attribute, _>| {
            let attribute = attribute.expect("an attribute, once");
            let key = String::from_utf8(attribute.key.as_ref().to_vec()).expect("a name");
            let value = std::str::from_utf8(&attribute.value).expect("UTF-8");
            (key, quick_xml::escape::unescape(value).expect("a value").into_owned())
        };
        Self { name, attributes: start.attributes().map(attribute).collect(), ..Self::default() }
    }

    pub(crate) fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).unwrap_or_else(|| panic!("{} has no {name}: {:?}", self.name, self.attributes))
    }

    fn count(&self, name: &str) -> usize {
        self.attribute(name).parse().expect("a number")
    }
}

/// The root element of an XML document.
fn parse(text: &str) -> Element {
    // XML 1.0, section 2.2: allowed characters.
    let allowed =
        |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(allowed), "{text:?}");
    let mut reader = Reader::from_str(text);
    let mut open = vec![Element::default()];
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{error} in {text}")) {
            Event::Start(start) => open.push(Element::new(&start)),
            Event::Empty(start) => open.last_mut().expect("an element").children.push(Element::new(&start)),
            Event::End(_) => {
                let done = open.pop().expect("an element");
                open.last_mut().expect("its parent").children.push(done);
            }
            Event::Text(part) => open.last_mut().expect("an element").text += &part.decode().expect("UTF-8"),
            Event::GeneralRef(name) => {
                let name = name.decode().expect("UTF-8");
                let text = quick_xml::escape::unescape(&format!("&{name};")).expect("an entity").into_owned();
                open.last_mut().expect("an element").text += &text;
            }
            Event::Decl(_) => {}
            Event::Eof => break,
            other => panic!("{other:?} in a report"),
        }
    }
    assert!(open.len() == 1 && open[0].children.len() == 1, "one root: {text}");
    open.remove(0).children.remove(0)
}

/// Result of a JUnit test case: `failure`, `error`, or `None`.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) result: Option<String>,
    /// The text of all descendants.
    pub(crate) text: String,
}

/// The test cases of a JUnit report, which is validated.
pub(crate) fn junit_cases(text: &str) -> Vec<Case> {
    let root = parse(text);
    assert_eq!(root.name, "testsuites");
    let (mut cases, mut totals) = (Vec::new(), [0; 4]);
    for suite in &root.children {
        assert!(suite.name == "testsuite" && !suite.attribute("name").is_empty(), "{suite:?}");
        let mut counts = [0; 4];
        for case in &suite.children {
            if case.name != "testcase" {
                assert!(["properties", "system-out"].contains(&case.name.as_str()), "{case:?}");
                continue;
            }
            assert!(!case.attribute("classname").is_empty());
            let results = ["failure", "error", "skipped"];
            let result = case.children.iter().map(|child| child.name.as_str()).find(|name| results.contains(name));
            for child in &case.children {
                let known = results.contains(&child.name.as_str()) || child.name == "system-out";
                assert!(known && child.children.is_empty(), "{child:?}");
                assert!(!results.contains(&child.name.as_str()) || !child.attribute("message").is_empty());
            }
            counts[0] += 1;
            counts[1] += usize::from(result == Some("failure"));
            counts[2] += usize::from(result == Some("error"));
            counts[3] += usize::from(result == Some("skipped"));
            let text = case.children.iter().map(|child| child.text.as_str()).collect();
            cases.push(Case { name: case.attribute("name").to_owned(), result: result.map(str::to_owned), text });
        }
        assert_counts(suite, counts);
        totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }
    assert_counts(&root, totals);
    cases
}

/// Asserts the numbers of tests, failures, errors and skipped tests in the attributes of an element.
fn assert_counts(element: &Element, counts: [usize; 4]) {
    assert_eq!(["tests", "failures", "errors"].map(|name| element.count(name)), counts[..3]);
    assert_eq!(element.attributes.get("skipped").map_or(0, |_| element.count("skipped")), counts[3]);
}

/// The results of a SARIF log, which is validated by the rules of SARIF 2.1.0.
pub(crate) fn sarif_results(text: &str) -> Vec<Value> {
    let log: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|schema| schema.contains("sarif")));
    let runs = log["runs"].as_array().expect("a list of runs");
    let mut all = Vec::new();
    for run in runs {
        let driver = &run["tool"]["driver"];
        assert!(driver["name"].is_string(), "{driver}");
        let rules = driver["rules"].as_array().expect("a list of rules");
        let ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().expect("an id")).collect();
        let is_level = |level: &Value| ["none", "note", "warning", "error"].iter().any(|known| level == known);
        assert!(rules.iter().all(|rule| is_level(&rule["defaultConfiguration"]["level"])));
        assert!(ids.iter().enumerate().all(|(i, id)| !ids[..i].contains(id)), "rules are unique: {ids:?}");
        for result in run["results"].as_array().expect("a list of results") {
            assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()), "{result}");
            assert!(is_level(&result["level"]), "{result}");
            assert!(ids.contains(&result["ruleId"].as_str().expect("a rule")), "{result}");
            for location in result["locations"].as_array().expect("a list of places") {
                let place = &location["physicalLocation"];
                let uri = place["artifactLocation"]["uri"].as_str().expect("an address");
                let in_uri = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
                assert!(!uri.is_empty() && uri.chars().all(in_uri), "{uri}");
                assert!(place["region"]["startLine"].as_u64().is_some_and(|line| line > 0), "{result}");
            }
            all.push(result.clone());
        }
    }
    all
}
