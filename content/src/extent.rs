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

/// The legs of a chapter that takes so many minutes: the section that each begins with, and its minutes. They come to those of the
/// chapter, which has figures beside its text and its exercises; each takes at least one.
pub(crate) fn legs_of(extents: &[Extent], minutes: u32) -> Vec<(usize, u32)> {
    let counted = |extents: &[Extent]| {
        extents.iter().map(|e| u64::from(e.seconds) + u64::from(e.exercises)).fold(0_u64, u64::saturating_add)
    };
    let all = counted(extents).max(1);
    // The seconds of the first `n` sections, in the chapter's time.
    let until = |n: usize| counted(extents.get(..n).unwrap_or_default()) * u64::from(minutes) * 60 / all;
    let sections: Vec<u32> = (0..extents.len()).map(|i| until(i + 1).saturating_sub(until(i)) as u32).collect();
    let first = legs(&sections);
    let ends = first.iter().skip(1).copied().chain([extents.len()]);
    let minutes_until = |n: usize| ((until(n) + 30) / 60) as u32;
    first
        .iter()
        .zip(ends)
        .map(|(from, to)| (*from, minutes_until(to).saturating_sub(minutes_until(*from)).max(1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::{Heading, Section};

    #[test]
    fn a_section_has_its_words_and_the_exercises_that_stand_in_it() {
        let heading = |id: &str, level| Heading { id: id.into(), level, text: id.into(), is_english: true };
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
        assert_eq!(legs_of(&extents, 5), [(0, 5)]);
        assert_eq!(legs_of(&[want("a", 540), want("b", 540)], 20), [(0, 10), (1, 10)]);
        assert!(of(&Page::default(), &[exercise("c/x")]).is_empty() && legs_of(&[], 60).is_empty());
    }

    #[test]
    fn the_legs_take_as_long_as_the_chapter() {
        let want = |seconds| Extent { id: "a".into(), seconds, exercises: 60 };
        for minutes in [20, 46, 65, 999] {
            for lengths in [&[400, 500, 700, 130, 840, 90][..], &[60], &[0, 0, 1], &[1000, 20, 20, 20]] {
                let legs = legs_of(&lengths.iter().map(|seconds| want(*seconds)).collect::<Vec<_>>(), minutes);
                assert_eq!(legs.iter().map(|(_, minutes)| minutes).sum::<u32>(), minutes, "{lengths:?}: {legs:?}");
            }
        }
        // A leg is about ten minutes of the chapter's time.
        assert_eq!(legs_of(&[want(240), want(240), want(240), want(240)], 40).len(), 4);
    }
}
