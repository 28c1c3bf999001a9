//! The link to what comes next, what to do in the next half hour, and what has been done so far.

use leptos::prelude::*;
use ringside_content::words;
use ringside_core::practice::progress::Progress;
use ringside_learner::doc::Doc;
use ringside_learner::next::{self, Next};
use ringside_learner::progress::Extent;
use web_sys::{Element, HtmlElement};

use crate::progress;
use crate::shell::practice;
use crate::shell::prerendered::BEGUN;
use crate::store::store;
use crate::style;
use crate::ui::dom;
use crate::ui::islands::Islands;

/// A chapter that can be read.
struct Written {
    slug: String,
    title: String,
    /// How long it takes, in minutes.
    minutes: u32,
}

impl Written {
    /// The chapter of an item of the list of chapters.
    fn of(item: &HtmlElement) -> Self {
        let text = |selector| dom::find(item, selector).and_then(|e| e.text_content()).unwrap_or_default();
        let minutes = dom::attribute(item, "data-written").parse().unwrap_or_default();
        Self { slug: item.id(), title: text("h4 a"), minutes }
    }
}

/// Keeps the first lines of the page in step with the store.
pub(super) fn follow(root: &Element) {
    let written: Vec<Written> = dom::all(root, ".chapter[data-written]").iter().map(Written::of).collect();
    let (root, store) = (root.clone(), store());
    let islands = Islands::new();
    let is_begun = Memo::new(move |_| store.with(Doc::is_begun));
    let half_hour = dom::find(&root, "[data-island=half-hour]");
    Effect::new(move |_| {
        if let Some(page) = document().document_element() {
            // Without it there is the link to a chapter.
            let _ = if is_begun.get() { page.set_attribute(BEGUN, "") } else { page.remove_attribute(BEGUN) };
        }
        if let Some(place) = half_hour.clone().filter(|place| is_begun.get() && !place.has_child_nodes()) {
            let load = || style::with(&["to-do-now"], practice::load_half_hour());
            islands.put_deferred(place, load, |list| list());
        }
    });
    Effect::new(move |_| store.with(|doc| show(&root, &written, doc)));
}

fn show(root: &Element, written: &[Written], doc: &Doc) -> Option<()> {
    let contents = progress::all_in_contents();
    let own = |chapter: &Written| contents.iter().find(|extent| extent.slug == chapter.slug).cloned();
    let extents: Vec<Extent> = written.iter().map(|chapter| own(chapter).unwrap_or_default()).collect();
    let (what, at, hash) = match next::next(&extents, doc) {
        Next::Start(i) => (words::START, Some(i), None),
        Next::Begin(i) => ("Begin", Some(i), None),
        Next::GoOn(i, at) => ("Continue", Some(i), Some(at)),
        Next::Then(i) => ("Next", Some(i), None),
        Next::AllDone => ("", None, None),
    };
    let chapter = at.and_then(|i| written.get(i));
    let go = dom::find(root, ".start .button")?;
    if let Some(Written { slug, title, .. }) = chapter {
        let hash = hash.map(|at| format!("#{at}")).unwrap_or_default();
        set_link(&go, &format!("{}{hash}", doc.chapter(slug)), &format!("{what}: {title}"));
    }
    go.set_hidden(chapter.is_none());
    let time = at.and_then(|i| Some((written.get(i)?, extents.get(i)?.progress(doc)))).map(|(c, progress)| {
        match progress.done {
            0 => words::duration(c.minutes),
            _ => format!("{} left", words::duration(progress.minutes_left(c.minutes))),
        }
    });
    dom::find(root, ".start .minutes")?.set_text_content(time.as_deref());
    dom::find(root, ".all-done")?.set_hidden(chapter.is_some());

    placed(root, doc.is_placed())?;
    let course = extents.iter().fold(Progress::default(), |sum, extent| sum.and(extent.progress(doc)));
    dom::find(root, ".done-so-far")?.set_text_content(next::so_far(course, doc).as_deref());
    Some(())
}

/// Who has found a starting point isn't offered to look for it: the button goes there, and this line says where that came from.
fn placed(root: &Element, is_placed: bool) -> Option<()> {
    if is_placed {
        let line = dom::find(root, ".placed")?;
        let [before, after] = ["span:first-child", "span:last-child"].map(|selector| dom::find(&line, selector));
        let [lead, link, rest] = words::PLACED;
        before?.set_text_content(Some(lead));
        dom::find(&line, "a")?.set_text_content(Some(link));
        after?.set_text_content(Some(rest));
    }
    Some(())
}

fn set_link(link: &Element, href: &str, text: &str) {
    // A link that cannot be set leads to the list of chapters.
    let _ = link.set_attribute("href", href);
    link.set_text_content(Some(text));
}
