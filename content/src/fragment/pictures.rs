//! The small pictures of the glossary: what the figures of its terms show.

use ringside_core::query::Query;
use ringside_drawing::chart::Frame;

use crate::drawn::drawn;
use crate::schema::{Glossary, Html, Pictures, Term};

/// The room of a picture, in pixels.
const ROOM: Frame = Frame { width: 420.0, height: 210.0, text: 13.0, pixel: 1.0 };

/// The picture of every term that has one.
pub(crate) fn pictures(glossary: &Glossary) -> Pictures {
    Pictures(glossary.terms.iter().filter_map(|term| Some((term.id.clone(), picture(term)?))).collect())
}

fn picture(term: &Term) -> Option<Html> {
    let figure = term.figure.as_deref()?.strip_prefix("w/")?;
    let (id, query) = figure.split_once("/?").unwrap_or((figure.trim_end_matches('/'), ""));
    drawn(id, &Query::parse(query), ROOM).map(Html)
}
