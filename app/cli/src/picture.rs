//! A figure's picture as an SVG file, in the site's light colors.

use ringside_core::query::Query;
use ringside_drawing::chart::ink::{Rgb, Theme};
use ringside_drawing::chart::{Frame, Ink};
use ringside_drawing::pictures;

use crate::answer::State;
use crate::{Output, Unread, find};

/// In pixels.
const FRAME: Frame = Frame { width: 960.0, height: 480.0, text: 13.0, pixel: 1.0 };
/// Where the site's colors are declared: `--ink: light-dark(#1c1e22, #e6e4de);`.
const TOKENS: &str = include_str!("../../styles/tokens.css");

/// Draws a figure in a state.
///
/// # Errors
/// There is no such figure, the state couldn't be read whole or is impossible, or it has no picture.
pub fn main(figure: &str, query: &str) -> Result<Output, Unread> {
    let entry = find(figure)?;
    let state = State::read(entry, &Query::parse(query))?;
    if let Some(why) = state.impossible() {
        return Err(Unread(why.to_owned()));
    }
    let picture = pictures::of(entry.id, &state.evaluation.query)
        .ok_or_else(|| Unread(format!("{} has no picture of this state.", entry.title)))?;
    let theme = Theme(Ink::ALL.iter().map(|ink| light(ink.token()).unwrap_or_default()).collect());
    Ok(Output { text: picture.in_colours(FRAME, &theme), holds: true })
}

/// The color that a token has on a light page.
fn light(token: &str) -> Option<Rgb> {
    let (_, rest) = TOKENS.split_once(&format!("{token}: light-dark(#"))?;
    let value = u32::from_str_radix(rest.get(..6)?, 16).ok()?;
    let [_, red, green, blue] = value.to_be_bytes();
    Some((red, green, blue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ink_has_a_color() {
        for ink in Ink::ALL {
            assert!(light(ink.token()).is_some(), "{}", ink.token());
        }
    }
}
