//! Moves as text: `tp:8,pp:2;answer:bf16;back:1`.

use super::play::{MOST_MOVES, Move};
use crate::query::{Query, shorten};

const BACK: &str = "back";

/// Writes moves; [`read`] reads them back.
pub fn write(moves: &[Move]) -> String {
    let one = |m: &Move| match m {
        Move::Back(decision) => format!("{BACK}:{decision}"),
        Move::Decide(answer) => {
            answer.iter().map(|(name, value)| format!("{name}:{value}")).collect::<Vec<_>>().join(",")
        }
    };
    moves.iter().map(one).collect::<Vec<_>>().join(";")
}

/// Reads moves.
///
/// # Errors
/// What cannot be read: a sentence.
pub fn read(text: &str) -> Result<Vec<Move>, String> {
    let pieces: Vec<&str> = text.split(';').map(str::trim).filter(|piece| !piece.is_empty()).collect();
    if pieces.len() > MOST_MOVES {
        return Err(format!("A run has at most {MOST_MOVES} moves; this one has {}.", pieces.len()));
    }
    pieces.into_iter().map(one).collect()
}

fn one(piece: &str) -> Result<Move, String> {
    let mut pairs = Vec::new();
    for pair in piece.split(',') {
        let Some((name, value)) = pair.split_once(':') else {
            return Err(format!("“{}” is no move: one is written name:value.", shorten(pair)));
        };
        pairs.push((name.trim(), value.trim()));
    }
    match pairs.as_slice() {
        [(BACK, decision)] => match decision.parse() {
            Ok(decision) => Ok(Move::Back(decision)),
            Err(_) => Err(format!("“{}” is the number of no decision.", shorten(decision))),
        },
        _ => Ok(Move::Decide(Query::new(pairs))),
    }
}

/// Whether a value can be written into a link.
pub(super) fn can_write(value: &str) -> bool {
    !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+'))
}
