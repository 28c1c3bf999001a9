//! Text into signs.

/// What a sign is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sign {
    /// A whole number.
    Int(i64),
    /// A name or a word of the language.
    Name(String),
    /// Anything else.
    Mark(&'static str),
}

/// A sign, where it begins and ends in the text, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scanned {
    /// What it is.
    pub sign: Sign,
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
}

/// Marks, the longer first.
const MARKS: [&str; 18] =
    ["<=", ">=", "==", "!=", "<", ">", "=", "+", "-", "*", "/", "%", "(", ")", "[", "]", ",", ";"];

/// The signs of a text.
///
/// # Errors
/// What is no sign, and the byte at which it stands.
pub fn scan(text: &str) -> Result<Vec<Scanned>, (usize, String)> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(first) = rest.chars().next() else { break };
        let run = |keep: fn(char) -> bool| rest.find(|c| !keep(c)).unwrap_or(rest.len());
        let from = at;
        let sign = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if first.is_ascii_digit() {
            let length = run(|c| c.is_ascii_digit());
            at += length;
            let digits = rest.get(..length).unwrap_or_default();
            Sign::Int(digits.parse().map_err(|_| (from, format!("{digits} is too large for 64 bits.")))?)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = run(|c| c.is_ascii_alphanumeric() || c == '_');
            at += length;
            Sign::Name(rest.get(..length).unwrap_or_default().to_owned())
        } else if let Some(mark) = MARKS.into_iter().find(|mark| rest.starts_with(mark)) {
            at += mark.len();
            Sign::Mark(mark)
        } else {
            return Err((from, format!("“{first}” means nothing here.")));
        };
        all.push(Scanned { sign, from, to: at });
    }
    Ok(all)
}
