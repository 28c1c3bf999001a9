//! HTML as text: the one place that escapes.

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

/// A number and its unit, kept on one line.
pub(crate) fn unbroken(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}
