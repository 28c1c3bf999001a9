//! HTML of exercises as well-formed XHTML that every platform takes.

/// Elements that are kept. Of others the content is.
const KEPT: &[&str] = &[
    "p",
    "br",
    "strong",
    "em",
    "code",
    "pre",
    "ul",
    "ol",
    "li",
    "sub",
    "sup",
    "table",
    "thead",
    "tbody",
    "tr",
    "td",
    "th",
    "math",
    "mrow",
    "mi",
    "mn",
    "mo",
    "mtext",
    "msub",
    "msup",
    "msubsup",
    "mfrac",
    "msqrt",
    "mroot",
    "munder",
    "mover",
    "munderover",
    "mspace",
    "mtable",
    "mtr",
    "mtd",
    "mstyle",
];
/// Elements without content.
const VOID: &[&str] = &["br", "mspace"];
/// Elements whose end is the end of a line in plain text.
const BLOCKS: &[&str] = &["p", "br", "pre", "li", "tr"];
/// Attributes that are kept.
const ATTRIBUTES: &[&str] = &["display", "mathvariant", "stretchy", "colspan", "rowspan", "scope"];
/// What MathML's elements belong to.
const MATHML: &str = "http://www.w3.org/1998/Math/MathML";

/// A piece of HTML.
enum Token<'a> {
    Text(&'a str),
    Open { name: String, attributes: Vec<(String, String)> },
    Close(String),
}

/// `html` as XHTML: known elements alone, every one closed, no classes, no links, MathML in its namespace. Text that is no
/// markup stays text.
pub fn xhtml(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut open: Vec<String> = Vec::new();
    for token in tokens(html) {
        match token {
            Token::Text(text) => out.push_str(&escaped(&decoded(text))),
            Token::Open { name, attributes } if KEPT.contains(&name.as_str()) => {
                out.push_str(&format!("<{name}"));
                if name == "math" {
                    out.push_str(&format!(" xmlns=\"{MATHML}\""));
                }
                for (key, value) in attributes.iter().filter(|(key, _)| ATTRIBUTES.contains(&key.as_str())) {
                    out.push_str(&format!(" {key}=\"{}\"", escaped(value)));
                }
                if VOID.contains(&name.as_str()) {
                    out.push_str("/>");
                } else {
                    out.push('>');
                    open.push(name);
                }
            }
            Token::Close(name) if open.contains(&name) => {
                while let Some(last) = open.pop() {
                    out.push_str(&format!("</{last}>"));
                    if last == name {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    while let Some(last) = open.pop() {
        out.push_str(&format!("</{last}>"));
    }
    out
}

/// The words of `html`, in one line.
pub fn plain_text(html: &str) -> String {
    let mut out = String::new();
    for token in tokens(html) {
        match token {
            Token::Text(text) => out.push_str(&decoded(text)),
            Token::Close(name) | Token::Open { name, .. } if BLOCKS.contains(&name.as_str()) => out.push(' '),
            _ => {}
        }
    }
    out.split([' ', '\n', '\t']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Text for XML: in an element or in an attribute in double quotes. Characters that XML can't hold are left out.
pub(in crate::exercise) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() && !matches!(c, '\n' | '\t') => {}
            c => out.push(c),
        }
    }
    out
}

fn tokens(html: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        let at = rest.find('<').unwrap_or(rest.len());
        let (text, tail) = rest.split_at(at);
        if !text.is_empty() {
            tokens.push(Token::Text(text));
        }
        rest = match tag(tail) {
            Some((token, after)) => {
                tokens.push(token);
                after
            }
            None => {
                // A bare “<”, as in 3 < 4.
                let (bare, after) = tail.split_at(tail.len().min(1));
                if !bare.is_empty() {
                    tokens.push(Token::Text(bare));
                }
                after
            }
        };
    }
    tokens
}

/// The tag at the beginning of `text`, and what comes after it.
fn tag(text: &str) -> Option<(Token<'_>, &str)> {
    let inside = text.strip_prefix('<')?;
    let (closes, inside) = inside.strip_prefix('/').map_or((false, inside), |inside| (true, inside));
    if !inside.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let mut quote = None;
    let end = inside.find(|c| match (quote, c) {
        (None, '"' | '\'') => {
            quote = Some(c);
            false
        }
        (Some(q), c) if q == c => {
            quote = None;
            false
        }
        (None, '>') => true,
        _ => false,
    })?;
    let (inside, after) = (inside.get(..end)?, inside.get(end + 1..)?);
    let name_ends = inside.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(inside.len());
    let (name, rest) = inside.split_at(name_ends);
    let name = name.to_ascii_lowercase();
    let token = if closes { Token::Close(name) } else { Token::Open { name, attributes: attributes(rest) } };
    Some((token, after))
}

fn attributes(mut text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    while let Some((name, rest)) = text.split_once('=') {
        let name = name.split_whitespace().last().unwrap_or_default().to_ascii_lowercase();
        let rest = rest.trim_start();
        let (value, after) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let inside = rest.get(1..).unwrap_or_default();
                inside.split_once(quote).unwrap_or((inside, ""))
            }
            _ => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        all.push((name, decoded(value)));
        text = after;
    }
    all
}

/// `text` with its entities as characters. One that isn't known stays as it is written.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let found = after.split_once(';').and_then(|(name, tail)| Some((entity(name)?, tail)));
        let (c, tail) = found.unwrap_or(('&', after));
        out.push(c);
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let hexadecimal = number.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16));
        return char::from_u32(hexadecimal.unwrap_or_else(|| number.parse()).ok()?);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        _ => return None,
    })
}
