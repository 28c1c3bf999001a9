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

/// The words of `html`, in one line, with its formulas as they are written in a line: `(2(n−1))/n`, `10⁻³`.
pub fn plain_text(html: &str) -> String {
    let mut out = String::new();
    // The open elements of a formula, each with the texts of what is in it.
    let mut formula: Vec<(String, Vec<String>)> = Vec::new();
    for token in tokens(html) {
        let closes = matches!(&token, Token::Close(name) if formula.iter().any(|(open, _)| open == name));
        match (token, formula.last_mut()) {
            (Token::Open { name, .. }, Some((_, parts))) if EMPTY.contains(&name.as_str()) => {
                parts.push(if name == "mspace" { " ".to_owned() } else { String::new() });
            }
            (Token::Open { name, .. }, Some(_)) => formula.push((name, Vec::new())),
            (Token::Text(text), Some((_, parts))) => parts.push(decoded(text)),
            (Token::Close(name), Some(_)) if closes => close_formula(&mut formula, &name, &mut out),
            (Token::Open { name, .. }, None) if name == "math" => formula.push((name, Vec::new())),
            (Token::Text(text), None) => out.push_str(&decoded(text)),
            (Token::Close(name) | Token::Open { name, .. }, None) if BLOCKS.contains(&name.as_str()) => out.push(' '),
            _ => {}
        }
    }
    close_formula(&mut formula, "math", &mut out);
    out.split([' ', '\n', '\t']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Elements of a formula that have nothing in them.
const EMPTY: &[&str] = &["mspace", "none", "mprescripts"];
/// Signs between the two sides of a formula: with a space on either side.
const RELATIONS: &str = "=≠<>≤≥≈≡∼≪≫∝∈→⇒";
/// Marks above and below a letter, and braces over a term: what they are for is not to be seen in a line.
const MARKS: &str = "^ˆ~˜˙¨¯‾_→⃗⏞⏟︷︸";

/// Closes the open elements of a formula up to the innermost `name`; what is outside all of them goes to `out`.
fn close_formula(formula: &mut Vec<(String, Vec<String>)>, name: &str, out: &mut String) {
    while let Some((open, parts)) = formula.pop() {
        let text = in_a_line(&open, &parts);
        match formula.last_mut() {
            Some((_, around)) => around.push(text),
            None => out.push_str(&text),
        }
        if open == name {
            break;
        }
    }
}

/// An element of a formula, of the texts of what is in it.
fn in_a_line(name: &str, parts: &[String]) -> String {
    let part = |i: usize| parts.get(i).map_or("", |text| text.trim());
    match name {
        "mo" => match parts.concat().trim() {
            sign if !sign.is_empty() && sign.chars().all(|c| RELATIONS.contains(c)) => format!(" {sign} "),
            "," => ", ".to_owned(),
            // Signs that are not to be seen, such as that of a product.
            sign => sign.chars().filter(|c| !('\u{2061}'..='\u{2064}').contains(c)).collect(),
        },
        "mphantom" | "annotation" => String::new(),
        "mfrac" => format!("{}/{}", one_term(part(0)), one_term(part(1))),
        "msqrt" => format!("√{}", one_term(parts.concat().trim())),
        "mroot" => format!("{}√{}", raised(part(1)).trim_start_matches('^'), one_term(part(0))),
        "msup" | "mover" => format!("{}{}", part(0), raised(part(1))),
        "msub" | "munder" => format!("{}{}", part(0), lowered(part(1))),
        "msubsup" | "munderover" => format!("{}{}{}", part(0), lowered(part(1)), raised(part(2))),
        "mtr" => parts.join(" "),
        "mtable" => parts.join("; "),
        _ => parts.concat(),
    }
}

/// In brackets, unless it is one number or one name.
fn one_term(text: &str) -> String {
    let is_one = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '√' | '⁻'));
    if is_one { text.to_owned() } else { format!("({text})") }
}

/// Above the line: with the signs that there are for it.
fn raised(text: &str) -> String {
    beside(text, '^', ["0123456789+-−ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿⁱ"])
}

/// Below the line.
fn lowered(text: &str) -> String {
    beside(text, '_', ["0123456789", "₀₁₂₃₄₅₆₇₈₉"])
}

/// Above or below the line: in `small` signs for the `large` ones, or else after `sign`.
fn beside(text: &str, sign: char, [large, small]: [&str; 2]) -> String {
    if text.chars().all(|c| MARKS.contains(c)) {
        return String::new();
    }
    if text.chars().all(|c| matches!(c, '′' | '*' | '⊤')) {
        return text.to_owned();
    }
    let to_small = |c: char| small.chars().nth(large.chars().position(|own| own == c)?);
    text.chars().map(to_small).collect::<Option<String>>().unwrap_or_else(|| format!("{sign}{}", one_term(text)))
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
