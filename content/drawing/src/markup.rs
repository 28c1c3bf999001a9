//! What leads from one piece of our markup to the next, where both have the same structure.

/// What is to be set: an attribute of an element or, without a name, a text.
#[derive(Debug, PartialEq)]
pub struct Change<'a> {
    /// Which of the elements and texts.
    pub node: usize,
    /// The name of the attribute.
    pub attribute: Option<&'a str>,
    /// What it becomes.
    pub value: &'a str,
}

/// What leads from one markup to another of the same structure, and how many elements and texts that has. `None` if the
/// structures differ, or if a value is written with an entity, which is for a parser to read.
pub fn changes<'a>(before: &str, now: &'a str) -> Option<(Vec<Change<'a>>, usize)> {
    let (mut before, mut now) = (Tokens::of(before), Tokens::of(now));
    let (mut changes, mut count) = (Vec::new(), 0);
    loop {
        let (attribute, was, value) = match (before.next(), now.next()) {
            (None, None) => return Some((changes, count)),
            (Some(Token::Open(was)), Some(Token::Open(name))) if was == name => {
                count += 1;
                continue;
            }
            (Some(Token::Close(was)), Some(Token::Close(name))) if was == name => continue,
            (Some(Token::Attribute(of, was)), Some(Token::Attribute(name, value))) if of == name => {
                (Some(name), was, value)
            }
            (Some(Token::Text(was)), Some(Token::Text(value))) => {
                count += 1;
                (None, was, value)
            }
            _ => return None,
        };
        if was != value {
            if value.contains('&') {
                return None;
            }
            changes.push(Change { node: count.checked_sub(1)?, attribute, value });
        }
    }
}

/// A piece of markup.
#[derive(Debug, PartialEq)]
enum Token<'a> {
    /// An element begins.
    Open(&'a str),
    /// The latest element has this attribute.
    Attribute(&'a str, &'a str),
    /// An element ends, by a tag of its own (its name) or at once (nothing).
    Close(&'a str),
    Text(&'a str),
}

struct Tokens<'a> {
    rest: &'a str,
    /// Whether `rest` begins within a tag.
    in_tag: bool,
}

impl<'a> Tokens<'a> {
    fn of(markup: &'a str) -> Self {
        Self { rest: markup, in_tag: false }
    }

    /// What comes before the first of these signs.
    fn until(&mut self, end: impl Fn(char) -> bool) -> &'a str {
        let (before, rest) = self.rest.split_at(self.rest.find(end).unwrap_or(self.rest.len()));
        self.rest = rest;
        before
    }

    /// Leaves out what `rest` begins with, if it is this.
    fn skip(&mut self, what: &str) -> bool {
        let rest = self.rest.strip_prefix(what);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if self.in_tag {
            self.rest = self.rest.trim_start();
            if self.skip("/>") {
                self.in_tag = false;
                return Some(Token::Close(""));
            }
            if self.skip(">") {
                self.in_tag = false;
            }
        }
        if self.rest.is_empty() {
            return None;
        }
        if self.in_tag {
            let name = self.until(|c| c == '=' || c == '>' || c == '/' || c.is_whitespace());
            let value = if self.skip("=\"") { self.until(|c| c == '"') } else { "" };
            self.skip("\"");
            if name.is_empty() {
                // No markup of ours; nothing more is read of it.
                self.rest = "";
            }
            return Some(Token::Attribute(name, value));
        }
        if self.skip("</") {
            let name = self.until(|c| c == '>');
            self.skip(">");
            return Some(Token::Close(name));
        }
        if self.skip("<") {
            self.in_tag = true;
            return Some(Token::Open(self.until(|c| c == '>' || c == '/' || c.is_whitespace())));
        }
        Some(Token::Text(self.until(|c| c == '<')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(node: usize, attribute: Option<&'static str>, value: &'static str) -> Change<'static> {
        Change { node, attribute, value }
    }

    #[test]
    fn what_differs_is_set_and_nothing_else() {
        let before = "<g class=\"odd\"><line x1=\"1%\" y2=\"5\"/><text x=\"1%\">1 <b>GB</b></text></g><i hidden>x</i>";
        let now = "<g class=\"odd\"><line x1=\"2%\" y2=\"5\"/><text x=\"2%\">3 <b>GB</b></text></g><i hidden>y > z</i>";
        let expected =
            vec![set(1, Some("x1"), "2%"), set(2, Some("x"), "2%"), set(3, None, "3 "), set(7, None, "y > z")];
        assert_eq!(changes(before, now), Some((expected, 8)));
        assert_eq!(changes(before, before), Some((vec![], 8)));
        assert_eq!(changes("", ""), Some((vec![], 0)));
    }

    #[test]
    fn another_structure_is_read_anew() {
        let before = "<g><rect x=\"1\"/></g>";
        for now in [
            "",
            "<g></g>",
            "<g/><rect x=\"1\"/>",
            "<g></g><rect x=\"1\"/>",
            "<g><line x=\"1\"/></g>",
            "<g><rect y=\"1\"/></g>",
            "<g><rect x=\"1\" y=\"1\"/></g>",
            "<g><rect x=\"1\"/></g><g/>",
            "<g>1<rect x=\"1\"/></g>",
            "<g><rect x=\"1\"></rect></g>",
            "<g><rect x=\"a&amp;b\"/></g>",
        ] {
            assert_eq!(changes(before, now), None, "{now}");
        }
        assert_eq!(changes("a", "a &lt; b"), None);
    }

    #[test]
    fn an_attribute_may_hold_what_ends_a_tag_outside_of_it() {
        let (changes, count) = changes("<b a=\"x > y\" c=\"1\">t</b>", "<b a=\"x / y\" c=\"2\">t</b>").expect("alike");
        assert_eq!((changes, count), (vec![set(0, Some("a"), "x / y"), set(0, Some("c"), "2")], 2));
    }

    #[test]
    fn what_is_no_markup_ends_too() {
        for broken in
            ["<", "</", "<a", "<a b", "<a b=", "<a b=\"", "<a b=\"c", "<a =", "<a //", "<a / b>", "<a \"\">", "a>b"]
        {
            assert!(Tokens::of(broken).take(20).count() < 20, "{broken}");
        }
    }
}
