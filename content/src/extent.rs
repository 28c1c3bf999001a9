//! How long the sections of a chapter take: the lengths of its legs, and what progress counts.

use ringside_core::practice::progress::{legs, seconds_of};

use crate::html::escape;
use crate::language::{ASIDE, EXERCISES, Lang, ONE_EXERCISE, attribute};
use crate::markdown::{ASIDE_TIME, Heading, Page};
use crate::schema::{Extent, Indexed};
use crate::words::duration;

/// Whether a heading begins a section: one of level 2, or an aside.
pub(crate) fn is_section(heading: &Heading) -> bool {
    heading.level == 2 || heading.aside
}

/// The sections of a chapter's English page, which takes so many minutes, and the exercises that begin the later parts of its end.
pub(crate) fn measure(page: &mut Page, exercises: &mut [Indexed], minutes: u32) -> (Vec<Extent>, Vec<usize>) {
    let whole = of(page, exercises);
    let parts = parts(page, exercises, &whole, minutes);
    divide(page, &parts, Lang::En);
    let extents = of(page, exercises);
    say_asides(page, &extents, Lang::En);
    (extents, parts)
}

/// Divides the exercises at the end of a page into parts of about a leg each: the places of those that begin a later one.
fn parts(page: &Page, exercises: &[Indexed], extents: &[Extent], minutes: u32) -> Vec<usize> {
    let all: u64 = extents.iter().filter(|e| !e.aside).map(|e| u64::from(e.seconds) + u64::from(e.exercises)).sum();
    let seconds = |id: &String| {
        let own = exercises.iter().find(|e| e.id() == id).map_or(0, Indexed::seconds);
        // In the chapter's time, as a leg is.
        (u64::from(own) * u64::from(minutes) * 60 / all.max(1)).min(u64::from(u32::MAX)) as u32
    };
    let rest: Vec<u32> = page.exercises.iter().skip(page.rest.start).take(page.rest.len()).map(seconds).collect();
    legs(&rest).into_iter().skip(1).map(|first| page.rest.start + first).collect()
}

/// Gives the later parts of the exercises at the end a heading each, so that they are sections: in the outline, to read on from and to come back to.
pub(crate) fn divide(page: &mut Page, parts: &[usize], lang: Lang) {
    let ends = parts.iter().skip(1).copied().chain([page.rest.end]);
    for (k, (first, end)) in parts.iter().zip(ends).enumerate() {
        let Some(slot) = page.exercises.get(*first).map(|id| format!("data-slot-exercise=\"{}\"", escape(id))) else {
            continue;
        };
        let at = page.html.find(&slot).and_then(|at| page.html.get(..at)?.rfind("<div"));
        let (Some(at), Some(id)) = (at, (k + 2..).map(|n| format!("exercises-{n}")).find(|id| !has(page, id))) else {
            continue;
        };
        let phrase = if first + 1 == end { ONE_EXERCISE } else { EXERCISES };
        let text = phrase.with(lang, &[("from", &(first + 1).to_string()), ("to", &end.to_string())]);
        page.html.insert_str(at, &format!("<h2 id=\"{id}\">{}</h2>\n", escape(&text)));
        let behind = page.outline.iter().position(|h| is_section(h) && place_of(&page.html, h) > at);
        let heading = Heading { id, level: 2, aside: false, text, is_english: lang == Lang::En };
        page.outline.insert(behind.unwrap_or(page.outline.len()), heading);
    }
}

fn has(page: &Page, id: &str) -> bool {
    page.html.contains(&format!(" id=\"{id}\""))
}

/// Where a heading stands in a page.
fn place_of(html: &str, heading: &Heading) -> usize {
    html.find(&format!("<h{} id=\"{}\"", heading.level, heading.id)).unwrap_or_default()
}

/// The sections of a page and its asides; marks the exercises that stand in asides. What stands before the first section belongs to it.
fn of(page: &Page, exercises: &mut [Indexed]) -> Vec<Extent> {
    let headings: Vec<&Heading> = page.outline.iter().filter(|h| is_section(h)).collect();
    let mut extents: Vec<Extent> =
        headings.iter().map(|h| Extent { id: h.id.clone(), aside: h.aside, ..Extent::default() }).collect();
    let (mut at, mut words) = (0, vec![0_u32; headings.len()]);
    for section in &page.sections {
        at = headings.iter().position(|h| h.id == section.id).unwrap_or(at);
        if let Some(words) = words.get_mut(at) {
            *words = words.saturating_add(section.text.split_whitespace().count() as u32);
        }
    }
    let starts: Vec<usize> = headings.iter().map(|h| place_of(&page.html, h)).collect();
    for exercise in exercises.iter_mut() {
        let place = page.html.find(&format!("data-slot-exercise=\"{}\"", exercise.id())).unwrap_or_default();
        let at = starts.partition_point(|start| *start <= place).saturating_sub(1);
        if let Some(extent) = extents.get_mut(at) {
            extent.exercises = extent.exercises.saturating_add(exercise.seconds());
            exercise.aside = extent.aside;
        }
    }
    for (extent, words) in extents.iter_mut().zip(words) {
        extent.seconds = seconds_of(words);
    }
    extents
}

/// Says in the summaries of a page's asides how long each takes.
pub(crate) fn say_asides(page: &mut Page, extents: &[Extent], lang: Lang) {
    let time = |extent: &Extent| ASIDE.with(lang, &[("time", &duration(extent.minutes()))]);
    let mut times = extents.iter().filter(|extent| extent.aside).map(time);
    // The aside itself may be English.
    let own = attribute(lang.marked());
    let mut pieces = page.html.split(ASIDE_TIME);
    let mut html = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let time = times.next().unwrap_or_default();
        html.extend([" <span class=\"aside-time sans\"", &own, ">", &time, "</span>", piece]);
    }
    page.html = html;
}

/// The legs of a chapter that takes so many minutes: the section that each begins with, and its minutes. They come to those of the
/// chapter, which has figures beside its text and its exercises; each takes at least one.
pub(crate) fn legs_of(extents: &[Extent], minutes: u32) -> Vec<(usize, u32)> {
    // An aside belongs to no leg: the chapter's minutes are those without it.
    let kept: Vec<(usize, u64)> = extents
        .iter()
        .enumerate()
        .filter(|(_, e)| !e.aside)
        .map(|(at, e)| (at, u64::from(e.seconds) + u64::from(e.exercises)))
        .collect();
    let counted = |n: usize| kept.iter().take(n).map(|(_, seconds)| *seconds).fold(0_u64, u64::saturating_add);
    let all = counted(kept.len()).max(1);
    // The seconds of the first `n` of them, in the chapter's time.
    let until = |n: usize| counted(n) * u64::from(minutes) * 60 / all;
    let sections: Vec<u32> = (0..kept.len()).map(|i| until(i + 1).saturating_sub(until(i)) as u32).collect();
    let first = legs(&sections);
    let ends = first.iter().skip(1).copied().chain([kept.len()]);
    let minutes_until = |n: usize| ((until(n) + 30) / 60) as u32;
    let leg = |(from, to): (&usize, usize)| {
        let (at, _) = kept.get(*from)?;
        Some((*at, minutes_until(to).saturating_sub(minutes_until(*from)).max(1)))
    };
    first.iter().zip(ends).filter_map(leg).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::Section;

    #[test]
    fn a_section_has_its_words_and_the_exercises_that_stand_in_it() {
        let heading =
            |id: &str, level| Heading { id: id.into(), level, aside: false, text: id.into(), is_english: true };
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
        let extents = of(&page, &mut [exercise("c/x"), exercise("c/y")]);
        let want = |id: &str, seconds| Extent { id: id.into(), seconds, exercises: 60, aside: false };
        assert_eq!(extents, [want("a", 120), want("b", 20)]);
        assert_eq!(legs_of(&extents, 5), [(0, 5)]);
        assert_eq!(legs_of(&[want("a", 540), want("b", 540)], 20), [(0, 10), (1, 10)]);
        assert!(of(&Page::default(), &mut [exercise("c/x")]).is_empty() && legs_of(&[], 60).is_empty());
    }

    #[test]
    fn the_legs_take_as_long_as_the_chapter() {
        let want = |seconds| Extent { id: "a".into(), seconds, exercises: 60, aside: false };
        for minutes in [20, 46, 65, 999] {
            for lengths in [&[400, 500, 700, 130, 840, 90][..], &[60], &[0, 0, 1], &[1000, 20, 20, 20]] {
                let legs = legs_of(&lengths.iter().map(|seconds| want(*seconds)).collect::<Vec<_>>(), minutes);
                assert_eq!(legs.iter().map(|(_, minutes)| minutes).sum::<u32>(), minutes, "{lengths:?}: {legs:?}");
            }
        }
        // An aside is in no leg, and takes nothing from any.
        let aside = Extent { aside: true, ..want(4000) };
        assert_eq!(legs_of(&[want(540), aside.clone(), want(540), aside], 20), [(0, 10), (2, 10)]);
        // A leg is about ten minutes of the chapter's time.
        assert_eq!(legs_of(&[want(240), want(240), want(240), want(240)], 40).len(), 4);
    }
}
