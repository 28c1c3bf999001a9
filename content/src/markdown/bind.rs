//! What must stay on one line.

use ringside_core::answer::find_unit;

use super::template::is_stand_in;

/// Forbids a line break where it stands.
const WORD_JOINER: char = '\u{2060}';

/// Prose in which every number stays on one line with the unit behind it: `80 GB`, `7 %`, `{mib|5} MiB`.
pub(super) fn units(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(' ') {
        let number = before.ends_with(|c: char| c.is_ascii_digit() || is_stand_in(c));
        let end = after.find(|c: char| !(c.is_alphabetic() || matches!(c, '%' | '×' | '/'))).unwrap_or(after.len());
        out.push_str(before);
        out.push(if number && find_unit(&after[..end]).is_some() { '\u{a0}' } else { ' ' });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Binds a formula to what stands right beside it: browsers break lines around one, even before a full stop. To be called
/// between the two, with what is written so far and what comes.
pub(super) fn formula(out: &mut String, next: &str) {
    let after = out.ends_with("</math>") && !next.starts_with(char::is_whitespace);
    let before = next.starts_with("<math") && out.ends_with(['(', '[', '“', '‘', '–', '-', '/']);
    if after || before {
        out.push(WORD_JOINER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stays_with_its_unit() {
        for (text, bound) in [
            ("on 80 GB GPUs, 7 %.", "on 80~GB GPUs, 7~%."),
            ("2 TB/s for 30 B", "2~TB/s for 30~B"),
            ("64 ranks hold \u{f0000} MiB", "64 ranks hold \u{f0000}~MiB"),
            ("  12  s of GB ", "  12  s of GB "),
            ("", ""),
        ] {
            assert_eq!(units(text), bound.replace('~', "\u{a0}"));
        }
    }

    #[test]
    fn a_formula_stays_with_its_punctuation() {
        for (out, next, bound) in [
            ("<math></math>", ".", true),
            ("<math></math>", " and", false),
            ("(", "<math>", true),
            ("of ", "<math>", false),
            ("of", " it", false),
        ] {
            let mut written = out.to_owned();
            formula(&mut written, next);
            assert_eq!(written.ends_with(WORD_JOINER), bound, "{out}{next}");
        }
    }
}
