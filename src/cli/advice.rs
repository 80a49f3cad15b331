//! What to type after a refusal: the options that the messages of the libraries leave out.

use rigview_check::Code;
use rigview_core::import::{Limit, PolicyChange};

/// Returns the option that permits `needed`. Rounds bytes up to whole MiB or GiB.
pub fn limit_option(limit: Limit, needed: u64) -> String {
    let unit: u64 = match limit.is_bytes() {
        false => 1,
        true if needed > 1 << 30 => 1 << 30,
        true => 1 << 20,
    };
    format!("--limit {limit}={}", limit.format(needed.checked_next_multiple_of(unit).unwrap_or(needed)))
}

/// Returns the end of a message about something that `change` permits.
pub fn policy_advice(change: Option<PolicyChange>) -> String {
    match change {
        Some(PolicyChange::RaiseLimit { limit, needed }) => {
            format!("; if you trust the file, add {}", limit_option(limit, needed))
        }
        Some(PolicyChange::AllowExternalPaths) => {
            "; if you trust the model, --allow-external-files reads it from there".to_owned()
        }
        _ => String::new(),
    }
}

/// Returns the end of the message of an issue, if an option shows the file as intended.
pub fn issue_advice(code: &str) -> &'static str {
    match code {
        "RIGVIEW_LIGHT_TOO_BRIGHT" => ", or view it with --exposure auto",
        "RIGVIEW_UNSUPPORTED_EXTENSION" => "; --ignore-required shows the rest",
        _ => "",
    }
}

/// Returns the remedy of a code with the option that shows the file as intended, as Markdown.
pub fn remedy(code: &Code) -> String {
    let option = match code.name {
        "RIGVIEW_LIGHT_TOO_BRIGHT" => "view it with `--exposure auto`",
        "RIGVIEW_UNSUPPORTED_EXTENSION" => "view the rest with `--ignore-required`",
        _ => return code.remedy.to_owned(),
    };
    format!("{}, or {option}.", code.remedy.trim_end_matches('.'))
}

/// Minimum similarity of a suggested name, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.6;
const MAX_SUGGESTIONS: usize = 3;
/// Maximum characters of names that are compared.
const MAX_COMPARED_CHARS: usize = 64;

/// Returns a question with the names that are most similar to an unknown one; `None` without a similar name.
pub fn did_you_mean<'a>(requested: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let similar = similar_names(requested, names).into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    (!similar.is_empty()).then(|| format!("did you mean {}?", similar.join(" or ")))
}

/// Returns the names that are most similar to an unknown one, best first: equal but for the case, containing it, or few edits away.
fn similar_names<'a>(requested: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let comparable =
        |name: &str| name.chars().take(MAX_COMPARED_CHARS).flat_map(char::to_lowercase).collect::<String>();
    let requested = comparable(requested);
    let similarity = |name: &str| {
        let name = comparable(name);
        let is_part = requested.len().min(name.len()) > 2 && (name.contains(&requested) || requested.contains(&name));
        let edits = strsim::normalized_damerau_levenshtein(&name, &requested);
        if is_part { edits.max(0.9) } else { edits }
    };
    let mut similar: Vec<(f64, &str)> = names.map(|name| (similarity(name), name)).collect();
    similar.retain(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    // Names of equal similarity keep their order.
    similar.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    similar.dedup_by_key(|(_, name)| *name);
    similar.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_options_are_rounded_up() {
        assert_eq!(limit_option(Limit::File, (2 << 30) + 1), "--limit file=3G");
        assert_eq!(limit_option(Limit::Image, (300 << 20) - 5), "--limit image=300M");
        assert_eq!(limit_option(Limit::Elements, 1_048_577), "--limit elements=1048577");
        assert_eq!(limit_option(Limit::File, u64::MAX), format!("--limit file={}", u64::MAX));
    }

    #[test]
    fn similar_names_differ_by_case_parts_or_few_letters() {
        let names = ["Walk", "mixamorig:LeftHand", "Run", "walk_fast", "Run"];
        let similar = |requested| similar_names(requested, names.into_iter());
        assert_eq!(similar("walk"), ["Walk", "walk_fast"]);
        assert_eq!((similar("lefthand"), similar("Rnu")), (vec!["mixamorig:LeftHand"], vec!["Run"]));
        assert!(similar("Idle").is_empty() && similar("").is_empty());
    }

    #[test]
    fn codes_with_advice_exist() {
        for name in ["RIGVIEW_LIGHT_TOO_BRIGHT", "RIGVIEW_UNSUPPORTED_EXTENSION"] {
            assert!(!issue_advice(name).is_empty());
            assert!(remedy(Code::find(name).unwrap()).ends_with("`."));
        }
    }
}
