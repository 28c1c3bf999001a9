//! A figure's picture as an SVG file, in the site's light colors.

use ringside_core::query::Query;
use ringside_drawing::chart::Frame;
use ringside_drawing::chart::ink::Theme;
use ringside_drawing::pictures;

use crate::answer::State;
use crate::{Output, Unread, find};

/// In pixels.
const FRAME: Frame = Frame { width: 960.0, height: 480.0, text: 13.0, pixel: 1.0 };
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
    Ok(Output { text: picture.in_colours(FRAME, &Theme::light()), holds: true })
}
