//! A YAML text as a tree in which each value knows its line. The parser is saphyr's.

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::parse::DEEPEST;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text, a number or nothing: as it is written, without its quotes.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Keys, their lines and their values, in the order of the text.
    Map(Vec<(String, usize, Node)>),
}

/// A value and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The line, from 1.
    pub line: usize,
    /// The value.
    pub value: Value,
}

impl Node {
    fn nothing(line: usize) -> Self {
        Self { line, value: Value::Text(String::new()) }
    }

    /// What a key has.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|(name, ..)| name == key).map(|(.., node)| node),
            _ => None,
        }
    }

    /// What is at the end of a path of keys.
    pub fn at(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |node, key| node.get(key))
    }

    /// The text that it is.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list; none for anything else.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }
}

/// The documents of a text.
///
/// # Errors
/// The line of what is no YAML, and why, or of what is not read here.
pub fn read(text: &str) -> Result<Vec<Node>, (usize, String)> {
    let mut parser = Parser::new_from_str(text);
    let mut documents = Vec::new();
    // What is open: a list or a map, with the key whose value comes next.
    let mut open: Vec<(Node, Option<(String, usize)>)> = Vec::new();
    loop {
        let (event, span) = match parser.next_event() {
            None => return Ok(documents),
            Some(Ok(event)) => event,
            Some(Err(error)) => {
                return Err((error.marker().line().max(1), format!("This is no YAML: {}.", error.info())));
            }
        };
        let line = span.start.line().max(1);
        let done = match event {
            Event::StreamEnd => return Ok(documents),
            Event::Alias(_) => {
                return Err((
                    line,
                    "Aliases of YAML are not followed here: write out what this one stands for.".to_owned(),
                ));
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() >= DEEPEST => {
                return Err((line, "This is nested more than 40 levels deep.".to_owned()));
            }
            Event::SequenceStart(..) => {
                open.push((Node { line, value: Value::List(Vec::new()) }, None));
                continue;
            }
            Event::MappingStart(..) => {
                open.push((Node { line, value: Value::Map(Vec::new()) }, None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some((node, _)) => node,
                None => continue,
            },
            Event::Scalar(text, style, ..) => {
                let is_null = style == ScalarStyle::Plain && matches!(text.as_ref(), "~" | "null");
                Node { line, value: Value::Text(if is_null { String::new() } else { text.into_owned() }) }
            }
            _ => continue,
        };
        match open.last_mut() {
            None => documents.push(done),
            Some((Node { value: Value::List(items), .. }, _)) => items.push(done),
            Some((Node { value: Value::Map(entries), .. }, key)) => match key.take() {
                Some((name, at)) => {
                    if entries.iter().any(|(other, ..)| *other == name) {
                        return Err((at, format!("“{}” is here twice.", crate::query::shorten(&name))));
                    }
                    entries.push((name, at, done));
                }
                None => match done {
                    Node { line, value: Value::Text(name) } => *key = Some((name, line)),
                    Node { line, .. } => return Err((line, "A key must be a text.".to_owned())),
                },
            },
            Some((node, _)) => *node = Node::nothing(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_values_are_kept() {
        let all = read("a: 1 # x\nb:\n- c: \"2\"\n  d: [e, f]\n---\ng: |\n  h\n  i\n").unwrap_or_default();
        let [first, second] = all.as_slice() else { panic!("{all:?}") };
        let item = first.get("b").and_then(|b| b.items().first());
        assert_eq!(item.and_then(|i| i.get("c")).and_then(Node::text), Some("2"));
        assert_eq!(item.and_then(|i| i.get("d")).map(|d| (d.line, d.items().len())), Some((4, 2)));
        assert_eq!(second.get("g").and_then(Node::text), Some("h\ni\n"));
    }

    #[test]
    fn what_is_no_yaml_is_refused_at_its_line() {
        for (text, line) in [
            ("a: 1\n\tb: 2", 2),
            ("a: [1", 1),
            ("a: &x 1\nb: *x", 2),
            ("a: 1\na: 2", 2),
            (&format!("a:\n  {}", "[".repeat(60)), 2),
        ] {
            let found = read(text).err().map(|(line, _)| line);
            assert!(found.is_some_and(|found| found >= line.min(found) && found <= line + 1), "{text}: {found:?}");
        }
        assert!(read(&"- ".repeat(5000)).is_err());
    }
}
