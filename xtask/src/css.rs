//! A small, safe CSS minifier: comments and white space go, nothing else changes.

use std::fmt;

/// What keeps a style sheet from being one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unclosed;

impl fmt::Display for Unclosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a block, a comment or a string does not end, or a block ends twice")
    }
}

/// Removes comments, and white space where it means nothing. What is in quotes stays as it is.
///
/// # Errors
/// A block that is not closed would swallow all that follows it.
pub(crate) fn minify(css: &str) -> Result<String, Unclosed> {
    let mut out = String::with_capacity(css.len());
    let mut rest = css.chars().peekable();
    let mut space = false;
    let mut comment = false;
    let mut depth = 0_usize;
    while let Some(c) = rest.next() {
        if c == '/' && rest.peek() == Some(&'*') {
            rest.next();
            skip_comment(&mut rest)?;
            comment = true;
            continue;
        }
        if c.is_ascii_whitespace() {
            space = true;
            continue;
        }
        let previous = out.chars().next_back();
        let tight = |c: char| matches!(c, '{' | '}' | ';' | ',');
        if !previous.is_none_or(tight) && !tight(c) {
            if space {
                out.push(' ');
            } else if comment {
                // `a/**/b` is two tokens and `a/**/.b` has no space: only a comment says both.
                out.push_str("/**/");
            }
        }
        if c == '}' && previous == Some(';') {
            out.pop();
        }
        (space, comment) = (false, false);
        out.push(c);
        match c {
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1).ok_or(Unclosed)?,
            '"' | '\'' => copy_string(c, &mut rest, &mut out)?,
            '\\' => out.extend(rest.next()),
            _ => {}
        }
    }
    if depth == 0 { Ok(out) } else { Err(Unclosed) }
}

/// Goes to behind the end of a comment.
fn skip_comment(rest: &mut impl Iterator<Item = char>) -> Result<(), Unclosed> {
    let mut star = false;
    for c in rest {
        if star && c == '/' {
            return Ok(());
        }
        star = c == '*';
    }
    Err(Unclosed)
}

/// Copies a string with the `quote` at its end.
fn copy_string(quote: char, rest: &mut impl Iterator<Item = char>, out: &mut String) -> Result<(), Unclosed> {
    let mut escaped = false;
    for c in rest {
        out.push(c);
        if c == quote && !escaped {
            return Ok(());
        }
        escaped = c == '\\' && !escaped;
    }
    Err(Unclosed)
}

#[cfg(test)]
mod tests {
    use super::{Unclosed, minify};

    #[test]
    fn a_block_that_swallows_the_rest_is_seen() {
        for css in [
            "",
            "a { b: c }",
            "a::after { content: \"{\" }",
            "/* { */ @media x { a { b: '}' } }",
            "a::before { content: \"\\\"{\" }",
        ] {
            assert!(minify(css).is_ok(), "{css}");
        }
        for css in
            ["a { b: c", "@media x { a { b: c }", "a { b: c } }", "} {", "a { content: \"}", "a { b: c; } /* open"]
        {
            assert_eq!(minify(css), Err(Unclosed), "{css}");
        }
    }

    #[test]
    fn white_space_and_comments_go_and_meaning_stays() {
        for (css, expected) in [
            ("a {\n  color : red ;\n}\n", "a{color : red}"),
            ("/* one */ a , b > c { x: y; /* two */ z: w }", "a,b > c{x: y;z: w}"),
            ("a :hover, a:hover { }", "a :hover,a:hover{}"),
            ("a::after { content: \" {  ; /* kept */ \\\" \" ; }", "a::after{content: \" {  ; /* kept */ \\\" \"}"),
            ("a/**/.b { margin: calc(1px + 2px) -3px }", "a/**/.b{margin: calc(1px + 2px) -3px}"),
            ("@media (width > 10em) and (height) { a { b: c } }", "@media (width > 10em) and (height){a{b: c}}"),
            (
                "a { background: url(data:image/png;base64,AA//BB*/) }",
                "a{background: url(data:image/png;base64,AA//BB*/)}",
            ),
            (".w-1\\/2 { x: y }", ".w-1\\/2{x: y}"),
        ] {
            assert_eq!(minify(css).as_deref(), Ok(expected));
            assert_eq!(minify(expected).as_deref(), Ok(expected), "twice is once");
        }
    }
}
