//! `chapters/<slug>.exercises.json`: the exercises of a chapter.

use ringside_core::exercise::Exercise;
use serde::{Deserialize, Serialize};

/// The exercises of a written chapter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Exercises {
    /// In the order of the file. Their Markdown fields (`prompt`, `hints`, `solution`, `say`, `reveal`, an option's `text`)
    /// are HTML here, with the templates' `{…}` as the author wrote them: fill them with [`ringside_core`]'s template
    /// function and put the result into the page as it is.
    pub exercises: Vec<Exercise>,
}
