//! How long the sections of a chapter take: the lengths of its legs, and what progress counts.

use ringside_core::practice::progress::{legs, seconds_of};

use crate::markdown::Page;
use crate::schema::{Extent, Indexed};

/// The sections of a page, by its headings of level 2. What stands before the first belongs to it.
pub(crate) fn of(page: &Page, exercises: &[Indexed]) -> Vec<Extent> {
    let headings: Vec<&str> = page.outline.iter().filter(|h| h.level == 2).map(|h| h.id.as_str()).collect();
    let mut extents: Vec<Extent> =
        headings.iter().map(|id| Extent { id: (*id).to_owned(), ..Extent::default() }).collect();
    let (mut at, mut words) = (0, vec![0_u32; headings.len()]);
    for section in &page.sections {
        at = headings.iter().position(|id| *id == section.id).unwrap_or(at);
        if let Some(words) = words.get_mut(at) {
            *words = words.saturating_add(section.text.split_whitespace().count() as u32);
        }
    }
    let starts: Vec<usize> =
        headings.iter().map(|id| page.html.find(&format!("<h2 id=\"{id}\"")).unwrap_or_default()).collect();
    for exercise in exercises {
        let place = page.html.find(&format!("data-slot-exercise=\"{}\"", exercise.id())).unwrap_or_default();
        let at = starts.partition_point(|start| *start <= place).saturating_sub(1);
        if let Some(extent) = extents.get_mut(at) {
            extent.exercises = extent.exercises.saturating_add(exercise.seconds());
        }
    }
    for (extent, words) in extents.iter_mut().zip(words) {
        extent.seconds = seconds_of(words);
    }
    extents
}

/// The legs of a chapter: the section that each begins with, and its minutes.
pub(crate) fn legs_of(extents: &[Extent]) -> Vec<(usize, u32)> {
    let seconds: Vec<u32> = extents.iter().map(|e| e.seconds.saturating_add(e.exercises)).collect();
    let first = legs(&seconds);
    let ends = first.iter().skip(1).copied().chain([extents.len()]);
    let minutes = |from: usize, to: usize| seconds[from..to].iter().fold(0_u32, |sum, s| sum.saturating_add(*s));
    first.iter().zip(ends).map(|(from, to)| (*from, minutes(*from, to).div_ceil(60).max(1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::{Heading, Section};

    #[test]
    fn a_section_has_its_words_and_the_exercises_that_stand_in_it() {
        let heading = |id: &str, level| Heading { id: id.into(), level, text: id.into() };
        let section = |id: &str, words: usize| Section { id: id.into(), title: id.into(), text: "word ".repeat(words) };
        let page = Page {
            html:
                "<p></p><h2 id=\"a\">A</h2><div data-slot-exercise=\"x\"></div><h3 id=\"a1\"></h3><h2 id=\"b\">B</h2>\
                   <div data-slot-exercise=\"y\"></div>"
                    .into(),
            outline: vec![heading("a", 2), heading("a1", 3), heading("b", 2)],
            sections: vec![section("", 90), section("a", 180), section("a1", 90), section("b", 60)],
            ..Page::default()
        };
        let exercise = |key: &str| Indexed { key: key.into(), kind: "number".into(), level: 1, ..Indexed::default() };
        let extents = of(&page, &[exercise("c/x"), exercise("c/y")]);
        let want = |id: &str, seconds| Extent { id: id.into(), seconds, exercises: 60 };
        assert_eq!(extents, [want("a", 120), want("b", 20)]);
        assert_eq!(legs_of(&extents), [(0, 5)]);
        assert_eq!(legs_of(&[want("a", 540), want("b", 540)]), [(0, 10), (1, 10)]);
        assert!(of(&Page::default(), &[exercise("c/x")]).is_empty() && legs_of(&[]).is_empty());
    }
}
