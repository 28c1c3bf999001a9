//! Exercises' templates: `{…}` is put aside before Markdown is read and put back after it is rendered, so that no
//! character in it is taken for markup.
//!
//! Inside `$…$` braces are LaTeX's and there are no templates. A template has no brace and no line break in it; `{{` and
//! `}}` are braces.

use crate::html::escape;
use crate::source::Located;

/// Stand-ins: characters of a private plane, to Markdown like a letter.
const FIRST: u32 = 0xF_0000;
const LAST: u32 = 0xF_FFFD;

/// The text with stand-ins, what they stand for, and where there is a brace without its partner.
pub(crate) fn protect<'a>(text: &Located<'a>) -> (Located<'a>, Vec<String>, Vec<usize>) {
    let source = &text.text;
    let mut out = String::with_capacity(source.len());
    let mut shifts = Vec::new();
    let mut pieces = Vec::new();
    let mut lonely = Vec::new();
    let mut at = 0;
    let mut maths: Option<&str> = None;
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        let mut length = c.len_utf8();
        match c {
            '\\' => {
                // Whatever is escaped is passed on with its backslash.
                length += rest[1..].chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..length]);
            }
            '$' => {
                let dollars = if rest.starts_with("$$") { "$$" } else { "$" };
                maths = match maths {
                    Some(open) if open == dollars => None,
                    Some(open) => Some(open),
                    None if rest[dollars.len()..].contains(dollars) => Some(dollars),
                    None => None,
                };
                length = dollars.len();
                out.push_str(dollars);
            }
            '{' | '}' if maths.is_none() && rest[1..].starts_with(c) => {
                length = 2;
                out.push(c);
                shifts.push((out.len(), at + length));
            }
            '}' if maths.is_none() => {
                lonely.push(at);
                out.push(c);
            }
            '{' if maths.is_none() => {
                let inside = rest[1..].find(['{', '}', '\n']).filter(|&i| rest[1 + i..].starts_with('}'));
                let stand_in = char::from_u32(FIRST + pieces.len() as u32).filter(|&c| c as u32 <= LAST);
                match (inside, stand_in) {
                    (Some(inside), Some(stand_in)) => {
                        length = inside + 2;
                        pieces.push(rest[..length].to_owned());
                        out.push(stand_in);
                        shifts.push((out.len(), at + length));
                    }
                    _ => {
                        lonely.push(at);
                        out.push(c);
                    }
                }
            }
            c if is_stand_in(c) => {
                out.push('\u{fffd}');
                shifts.push((out.len(), at + length));
            }
            c => out.push(c),
        }
        at += length;
    }
    (text.replaced(out, shifts), pieces, lonely)
}

/// The rendered HTML with the templates back in it, escaped.
pub(crate) fn restore(html: &str, pieces: &[String]) -> String {
    let mut out = String::with_capacity(html.len());
    for c in html.chars() {
        if !is_stand_in(c) {
            out.push(c);
        } else if let Some(piece) = pieces.get((c as u32 - FIRST) as usize) {
            let inside = piece.trim_start_matches('{').trim_end_matches('}');
            out.push('{');
            out.push_str(&escape(inside));
            out.push('}');
        }
    }
    out
}

/// Whether a character stands for a template.
pub(super) fn is_stand_in(c: char) -> bool {
    (FIRST..=LAST).contains(&(c as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[test]
    fn templates_survive_and_everything_else_is_markdown() {
        let file = SourceFile::missing("x");
        for (source, seen, count) in [
            ("**{a * b}** and {c|GB}", "**\u{f0000}** and \u{f0001}", 2),
            ("$\\frac{1}{2}$ {n}", "$\\frac{1}{2}$ \u{f0000}", 1),
            ("$$x^{2}$$ costs $5 {n}", "$$x^{2}$$ costs $5 \u{f0000}", 1),
        ] {
            let (text, pieces, lonely) = protect(&file.located().replaced(source.to_owned(), Vec::new()));
            assert_eq!((text.text.as_str(), pieces.len(), lonely.len()), (seen, count, 0));
            assert_eq!(restore(&text.text, &pieces), source);
        }
        let (text, pieces, lonely) = protect(&file.located().replaced("{{a}} {b\n} {{{c}}}".to_owned(), Vec::new()));
        assert_eq!((text.text.as_str(), pieces.len(), lonely), ("{a} {b\n} {\u{f0000}}", 1, vec![6, 9]));
        let (text, pieces, _) = protect(&file.located().replaced("{a<b}\u{f0000}".to_owned(), Vec::new()));
        assert_eq!(restore(&text.text, &pieces), "{a&lt;b}\u{fffd}");
    }
}
