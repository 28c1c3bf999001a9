//! What stands under a figure.

use ringside_core::checked;
use ringside_core::quantity::Unit;

use super::escaped;

/// The first sentence, which is set in bold, and the rest.
pub fn sentences(text: &str) -> (&str, &str) {
    text.find(". ").map_or((text, ""), |end| text.split_at(end + 1))
}

/// What the model of this id was compared with, as the tests that compare wrote it down: what is in a `<details>`. Nothing if
/// there is nothing.
pub fn compared_with(id: &str) -> Option<String> {
    let mut sources: Vec<&str> = checked::of(id).map(|c| c.source).collect();
    sources.dedup();
    let label = match sources.as_slice() {
        [] => return None,
        [_] => "✓ checked against 1 source".to_owned(),
        many => format!("✓ checked against {} sources", many.len()),
    };
    let list: String = checked::of(id)
        .map(|c| {
            let version = c.version.get(..12).unwrap_or(c.version);
            let cases = if c.cases == 1 { "1 case".to_owned() } else { format!("{} cases", c.cases) };
            let agreement = if c.largest > 0.0 {
                format!(
                    "largest difference {}, allowed {}",
                    Unit::Fraction.format(c.largest),
                    Unit::Fraction.format(c.tolerance)
                )
            } else {
                "no difference".to_owned()
            };
            let left_out = if c.excluded.is_empty() { String::new() } else { format!(" Left out: {}.", c.excluded) };
            let text = format!(" {version} {}: {}. {cases}, {agreement}.{left_out}", c.place, c.what);
            format!("<li><b>{}</b>{}</li>", escaped(c.source), escaped(&text))
        })
        .collect();
    Some(format!("<summary>{label}</summary><ul>{list}</ul>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_ends_no_sentence() {
        assert_eq!(sentences("It holds 7.5 GB. The rest is free."), ("It holds 7.5 GB.", " The rest is free."));
        assert_eq!(sentences("One."), ("One.", ""));
    }

    #[test]
    fn only_what_was_compared_says_so() {
        let memory = compared_with("memory-breakdown").expect("it was");
        assert!(memory.starts_with("<summary>✓ checked against ") && memory.contains("<li><b>"), "{memory}");
        assert_eq!(compared_with("no-such-model"), None);
    }
}
