//! Text as terminals write it.

use std::borrow::Cow;

/// A line without the escape sequences by which terminals color it.
pub fn plain(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut text = String::with_capacity(line.len());
    let mut parts = line.split('\u{1b}');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let sequence = part.strip_prefix('[').and_then(|rest| rest.split_once(|c: char| c.is_ascii_alphabetic()));
        text.push_str(sequence.map_or(part, |(_, rest)| rest));
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn colors_are_no_text() {
        assert_eq!(plain("\u{1b}[31mstep: 4\u{1b}[0m  loss"), "step: 4  loss");
        assert_eq!(plain("step: 4"), "step: 4");
    }
}
