//! A trace's file cut into its events while it arrives, so that no more than one of them is held as text.
//!
//! Both forms of Chrome's format are known: an object with `traceEvents` among its members, and a bare array ("Trace Event Format",
//! Google, 2016).

use std::mem;

/// An event or a member longer than this is passed over: what a profiler writes of one kernel is under 4 KB.
pub const LONGEST: usize = 1 << 20;

/// What was cut out of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut<'a> {
    /// An event: an object as text.
    Event(&'a [u8]),
    /// A member beside the events: its name and its value, as text.
    Member(&'a [u8], &'a [u8]),
    /// What stands among the events and is none, or is too long.
    Strange,
}

/// Where the file ends, or what it is instead of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Everything was closed.
    Whole,
    /// It stops in the middle.
    Cut,
    /// There is nothing in it.
    Empty,
    /// It is not JSON of this form.
    NotJson,
    /// It is JSON without `traceEvents`.
    NoEvents,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Members,
    Key,
    Colon,
    Value,
    Events,
    Event,
    Over,
    Refused,
}

/// Cuts a file, which is given in pieces of any size.
#[derive(Debug, Clone)]
pub struct Cutter {
    place: Place,
    /// Brackets open within what is being cut.
    depth: u32,
    text: bool,
    escaped: bool,
    held: Vec<u8>,
    too_long: bool,
    key: Vec<u8>,
    /// Whether the file is a bare array.
    bare: bool,
    events_seen: bool,
}

impl Default for Cutter {
    fn default() -> Self {
        Self {
            place: Place::Start,
            depth: 0,
            text: false,
            escaped: false,
            held: Vec::new(),
            too_long: false,
            key: Vec::new(),
            bare: false,
            events_seen: false,
        }
    }
}

impl Cutter {
    /// Takes the next piece, and gives whatever is complete to `take`.
    pub fn push(&mut self, piece: &[u8], mut take: impl FnMut(Cut<'_>)) {
        let mut rest = piece;
        while let [byte, after @ ..] = rest {
            match self.place {
                Place::Event | Place::Value if self.is_begun() => rest = self.go_on(rest, &mut take),
                Place::Key => rest = self.name(rest),
                // Objects one after another, one a line: the events may come in a later one.
                Place::Over if !self.events_seen && !self.bare && byte.is_ascii_whitespace() => rest = after,
                Place::Over if !self.events_seen && !self.bare && *byte == b'{' => {
                    self.place = Place::Members;
                    rest = after;
                }
                Place::Over | Place::Refused => return,
                _ => {
                    self.between(*byte, &mut take);
                    rest = after;
                }
            }
        }
    }

    /// Says how the file ended.
    pub fn end(&self) -> End {
        match self.place {
            Place::Start => End::Empty,
            Place::Refused => End::NotJson,
            Place::Over if !self.events_seen => End::NoEvents,
            Place::Over => End::Whole,
            // Chrome's own writer may leave a bare array open.
            Place::Events if self.bare => End::Whole,
            _ => End::Cut,
        }
    }

    fn is_begun(&self) -> bool {
        !self.held.is_empty()
    }

    fn begin(&mut self, byte: u8) {
        self.held.clear();
        self.held.push(byte);
        self.too_long = false;
        self.escaped = false;
        self.text = byte == b'"';
        self.depth = u32::from(matches!(byte, b'{' | b'['));
    }

    /// A byte that stands between what is cut.
    fn between(&mut self, byte: u8, take: &mut impl FnMut(Cut<'_>)) {
        if byte.is_ascii_whitespace() || (self.place == Place::Start && matches!(byte, 0xef | 0xbb | 0xbf)) {
            return;
        }
        self.place = match (self.place, byte) {
            (Place::Start, b'{') => Place::Members,
            (Place::Start, b'[') => {
                (self.bare, self.events_seen) = (true, true);
                Place::Events
            }
            (Place::Members | Place::Events, b',') => self.place,
            (Place::Members, b'"') => {
                self.key.clear();
                Place::Key
            }
            (Place::Members, b'}') => Place::Over,
            (Place::Colon, b':') => Place::Value,
            (Place::Value, b'[') if self.key == b"traceEvents" => {
                self.events_seen = true;
                Place::Events
            }
            (Place::Value, b'}' | b']' | b',' | b':') | (Place::Events, b'}' | b':') => Place::Refused,
            (Place::Value, _) => {
                self.begin(byte);
                Place::Value
            }
            (Place::Events, b']') if self.bare => Place::Over,
            (Place::Events, b']') => Place::Members,
            (Place::Events, _) => {
                if byte != b'{' {
                    take(Cut::Strange);
                }
                self.begin(byte);
                Place::Event
            }
            _ => Place::Refused,
        };
    }

    /// The name of a member, to its end.
    fn name<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        for (i, byte) in piece.iter().enumerate() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => {
                    self.place = Place::Colon;
                    return piece.get(i + 1..).unwrap_or_default();
                }
                _ if self.key.len() < 256 => self.key.push(*byte),
                _ => {}
            }
        }
        &[]
    }

    /// What is being cut, to its end or to that of the piece. Yields what comes after it.
    fn go_on<'a>(&mut self, piece: &'a [u8], take: &mut impl FnMut(Cut<'_>)) -> &'a [u8] {
        for (i, &byte) in piece.iter().enumerate() {
            if self.text {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.text = false,
                    _ => {}
                }
            } else {
                match byte {
                    b'"' => self.text = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' if self.depth > 0 => self.depth -= 1,
                    // What has no brackets ends before whatever follows it.
                    b',' | b'}' | b']' if self.depth == 0 => {
                        self.hold(piece.get(..i).unwrap_or_default());
                        self.give(take);
                        return piece.get(i..).unwrap_or_default();
                    }
                    _ => continue,
                }
                let closed = matches!(byte, b'}' | b']') && self.depth == 0;
                if closed {
                    self.hold(piece.get(..=i).unwrap_or_default());
                    self.give(take);
                    return piece.get(i + 1..).unwrap_or_default();
                }
            }
        }
        self.hold(piece);
        &[]
    }

    fn hold(&mut self, more: &[u8]) {
        if self.held.len() + more.len() > LONGEST {
            self.too_long = true;
            self.held.truncate(1);
        } else if !self.too_long {
            self.held.extend_from_slice(more);
        }
    }

    fn give(&mut self, take: &mut impl FnMut(Cut<'_>)) {
        let held = mem::take(&mut self.held);
        if self.place == Place::Event {
            self.place = Place::Events;
            match held.first() {
                Some(b'{') if !self.too_long => take(Cut::Event(&held)),
                Some(b'{') => take(Cut::Strange),
                // Said when it began.
                _ => {}
            }
        } else {
            self.place = Place::Members;
            if !self.too_long {
                take(Cut::Member(&self.key, &held));
            }
        }
        self.held = held;
        self.held.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, size: usize) -> (Vec<String>, End) {
        let mut cutter = Cutter::default();
        let mut cuts = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            cutter.push(piece, |cut| {
                cuts.push(match cut {
                    Cut::Event(text) => String::from_utf8_lossy(text).into_owned(),
                    Cut::Member(name, value) => {
                        format!("{}={}", String::from_utf8_lossy(name), String::from_utf8_lossy(value))
                    }
                    Cut::Strange => "?".to_owned(),
                });
            });
        }
        (cuts, cutter.end())
    }

    #[test]
    fn however_a_file_is_cut_into_pieces_its_events_are_the_same() {
        let text =
            r#"{ "a" : 1, "b": {"x": [1, "]"]}, "traceEvents": [ {"n": "}\"{"}, 7, {"m": {"k": 1}} ], "last": "z" }"#;
        let expected = ["a=1", r#"b={"x": [1, "]"]}"#, r#"{"n": "}\"{"}"#, "?", r#"{"m": {"k": 1}}"#, r#"last="z""#];
        for size in 1..=text.len() {
            let (cuts, end) = cut(text, size);
            let cuts: Vec<&str> = cuts.iter().map(|c| c.trim()).collect();
            assert_eq!((cuts.as_slice(), end), (expected.as_slice(), End::Whole), "pieces of {size}");
        }
    }

    #[test]
    fn a_bare_array_may_be_left_open() {
        assert_eq!(
            cut("[{\"a\":1},\n{\"b\":2},\n", 3),
            (vec!["{\"a\":1}".to_owned(), "{\"b\":2}".to_owned()], End::Whole)
        );
    }

    #[test]
    fn how_a_file_ends_is_told() {
        assert_eq!(cut("", 1).1, End::Empty);
        assert_eq!(cut("PK\u{3}\u{4}", 9).1, End::NotJson);
        assert_eq!(cut("{\"model\": \"x\"}", 4).1, End::NoEvents);
        assert_eq!(cut("{\"traceEvents\": [{\"a\":1},{\"b\"", 4).1, End::Cut);
        assert_eq!(cut("{\"traceEvents\": [{\"a\":1}]", 4).1, End::Cut);
        assert_eq!(cut("{\"traceEvents\": ]", 4).1, End::NotJson);
    }

    #[test]
    fn what_is_too_long_is_passed_over() {
        let text = format!("{{\"traceEvents\":[{{\"n\":\"{}\"}},{{\"a\":1}}]}}", "x".repeat(LONGEST));
        assert_eq!(cut(&text, 4096), (vec!["?".to_owned(), "{\"a\":1}".to_owned()], End::Whole));
    }
}
