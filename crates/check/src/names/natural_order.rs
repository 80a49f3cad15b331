//! Natural order of names.

use std::cmp::Ordering;

/// Compares texts with runs of digits as numbers: `a2` is before `a10`.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let (run_a, run_b) = (digits(a), digits(b));
        if !run_a.is_empty() && !run_b.is_empty() {
            // Without leading zeros, the longer number is larger.
            let [number_a, number_b] = [run_a, run_b].map(|run| run.trim_start_matches('0'));
            let order = number_a.len().cmp(&number_b.len()).then(number_a.cmp(number_b));
            if order != Ordering::Equal {
                return order;
            }
            (a, b) = (&a[run_a.len()..], &b[run_b.len()..]);
            continue;
        }
        let (mut chars_a, mut chars_b) = (a.chars(), b.chars());
        match (chars_a.next(), chars_b.next()) {
            (Some(x), Some(y)) if x == y => (a, b) = (chars_a.as_str(), chars_b.as_str()),
            (x, y) => return x.cmp(&y),
        }
    }
}

/// The ASCII digits at the start of `text`.
fn digits(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_compare_as_numbers() {
        let sorted = ["", "a", "a1", "a01b", "a2", "a10", "a10b2", "a10b11", "a99999999999999999999", "b", "ä"];
        for (i, a) in sorted.iter().enumerate() {
            assert_eq!(natural_order(a, a), Ordering::Equal);
            for b in &sorted[i + 1..] {
                assert_eq!((natural_order(a, b), natural_order(b, a)), (Ordering::Less, Ordering::Greater), "{a} {b}");
            }
        }
    }
}
