//! A small, safe CSS minifier: comments and white space go, nothing else changes.

/// Removes comments, and white space where it means nothing. What is in quotes stays as it is.
pub(crate) fn minify(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css.chars().peekable();
    let mut space = false;
    let mut comment = false;
    while let Some(c) = rest.next() {
        if c == '/' && rest.peek() == Some(&'*') {
            rest.next();
            let mut star = false;
            for inner in rest.by_ref() {
                if star && inner == '/' {
                    break;
                }
                star = inner == '*';
            }
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
        if c == '"' || c == '\'' {
            let mut escaped = false;
            for inner in rest.by_ref() {
                out.push(inner);
                if inner == c && !escaped {
                    break;
                }
                escaped = inner == '\\' && !escaped;
            }
        } else if c == '\\' {
            out.extend(rest.next());
        }
    }
    out
}

/// Whether every block of a style sheet is closed, and no more than that. One that is not swallows all that follows it.
pub(crate) fn is_closed(css: &str) -> bool {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    // Comments hold quotes and braces of their own.
    for c in minify(css).chars() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (_, '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return false,
            },
            (None, _) => {}
        }
    }
    depth == 0 && quote.is_none()
}

#[cfg(test)]
mod tests {
    use super::{is_closed, minify};

    #[test]
    fn a_block_that_swallows_the_rest_is_seen() {
        for css in [
            "",
            "a { b: c }",
            "a::after { content: \"{\" }",
            "/* { */ @media x { a { b: '}' } }",
            "a::before { content: \"\\\"{\" }",
        ] {
            assert!(is_closed(css), "{css}");
        }
        for css in ["a { b: c", "@media x { a { b: c }", "a { b: c } }", "} {", "a { content: \"}"] {
            assert!(!is_closed(css), "{css}");
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
            ("a { b: c; } /* open", "a{b: c}"),
        ] {
            assert_eq!(minify(css), expected);
            assert_eq!(minify(expected), expected, "twice is once");
        }
    }
}
