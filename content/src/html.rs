//! HTML as text: the one place that escapes, and takes markup away.

use ringside_core::exercise::export::plain_text;

use crate::schema::Html;

/// Appends `text` with everything escaped that could begin markup, end an attribute, or be taken for a template.
pub(crate) fn escape_into(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Braces are the templates' of exercises: a literal one must not be read as one.
            '{' => out.push_str("&#123;"),
            '}' => out.push_str("&#125;"),
            // Neither HTML nor a reader knows what to do with other control characters.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

/// `text`, escaped.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    escape_into(&mut out, text);
    out
}

/// An anchor from a heading: lower-case letters and digits, joined by hyphens.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if matches!(c, '’' | '\'') {
            // “Amdahl’s law” is amdahls-law.
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    let trimmed = slug.trim_end_matches('-');
    if trimmed.is_empty() { "section".to_owned() } else { trimmed.to_owned() }
}

/// The text of rendered HTML: of our own, in which every `<` begins a tag and every `>` ends one. A formula is written in a line.
pub(crate) fn text_of(html: &Html) -> String {
    let mut out = String::with_capacity(html.0.len());
    let mut rest = html.0.as_str();
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((entity, c)) = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity)) {
            out.push(*c);
            rest = &rest[entity.len()..];
        } else if rest.starts_with("<math") {
            let (formula, after) = rest.split_at(rest.find(MATH_ENDS).map_or(rest.len(), |end| end + MATH_ENDS.len()));
            out.push_str(&plain_text(formula));
            rest = after;
        } else if rest.starts_with('<') {
            rest = rest.find('>').map_or("", |end| &rest[end + 1..]);
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

const MATH_ENDS: &str = "</math>";

const ENTITIES: [(&str, char); 8] = [
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&quot;", '"'),
    ("&#39;", '\''),
    ("&#123;", '{'),
    ("&#125;", '}'),
    ("&nbsp;", '\u{a0}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_is_what_is_read() {
        let text = "a < b && \"c\" > {d} &lt; \u{1}";
        assert_eq!(text_of(&Html(format!("<p>{}</p>", escape(text)))), text.replace('\u{1}', "\u{fffd}"));
        assert_eq!(text_of(&Html("x <em>y</em> & <".to_owned())), "x y & ");
        let formula = "at <math><mi>f</mi><mo>&gt;</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math>, <b>so</b>";
        assert_eq!(text_of(&Html(formula.to_owned())), "at f > 1/2, so");
        assert_eq!(text_of(&Html("<math><mi>x".to_owned())), "x");
    }

    #[test]
    fn anchors_are_made_of_words() {
        for (text, anchor) in
            [("Amdahl’s law", "amdahls-law"), ("GB and  GiB?", "gb-and-gib"), ("—", "section"), ("Ψ: 2", "ψ-2")]
        {
            assert_eq!(slug(text), anchor);
        }
    }
}
