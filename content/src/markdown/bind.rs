//! What must stay on one line.

use ringside_core::answer::find_unit;

use super::template::is_stand_in;
use crate::html::escape_into;

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

/// Binds a formula to what stands right before it. To be called with what is written so far, before the formula is.
pub(super) fn before_formula(out: &mut String) {
    if out.ends_with(['(', '[', '“', '‘', '–', '-', '/']) {
        out.push(WORD_JOINER);
    }
}

/// Binds a formula to what stands right behind it: browsers break lines around one, even before a full stop and in spite of a
/// word joiner. To be called with what is written so far and the text that comes; what remains of the text.
pub(super) fn after_formula<'t>(out: &mut String, next: &'t str) -> &'t str {
    let (bound, rest) = next.split_at(next.find(char::is_whitespace).unwrap_or(next.len()));
    if let Some(at) = out.rfind("<math").filter(|_| out.ends_with("</math>") && !bound.is_empty()) {
        out.insert_str(at, "<span class=\"nowrap\">");
        escape_into(out, bound);
        out.push_str("</span>");
        return rest;
    }
    next
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
        for (out, bound) in [("(", true), ("of ", false), ("of", false)] {
            let mut written = out.to_owned();
            before_formula(&mut written);
            assert_eq!(written.ends_with(WORD_JOINER), bound, "{out}");
        }
        for (out, next, written, rest) in [
            ("a <math>x</math>", ". Then", "a <span class=\"nowrap\"><math>x</math>.</span>", " Then"),
            ("a <math>p</math>", "-th & last", "a <span class=\"nowrap\"><math>p</math>-th</span>", " & last"),
            ("a <math>x</math>", " and", "a <math>x</math>", " and"),
            ("a <math>x</math> b", "c", "a <math>x</math> b", "c"),
            ("a <math>x</math>", "", "a <math>x</math>", ""),
        ] {
            let mut came = out.to_owned();
            assert_eq!((after_formula(&mut came, next), came.as_str()), (rest, written), "{out}{next}");
        }
    }
}
