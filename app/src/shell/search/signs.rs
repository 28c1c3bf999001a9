//! What a log means: each sign that was seen in it, with what to do, and the lines that are not known.

use leptos::prelude::*;
use ringside_content::schema::{Place, Sign, Signs};
use ringside_content::search::{At, LogReading, Seen, UNKNOWN, filled_html};

/// The list, with the place to begin in front.
pub(in crate::shell) fn list(reading: &LogReading, signs: &Signs, done: Callback<()>) -> AnyView {
    let known = reading.seen.iter().filter_map(|seen| Some(item(seen, signs.0.get(seen.sign)?, done)));
    let unknown = (!reading.unknown.is_empty()).then(|| unknown(reading));
    let items = if reading.begins_unknown() {
        unknown.into_iter().chain(known).collect_view()
    } else {
        known.chain(unknown).collect_view()
    };
    view! { <ol class="signs">{items}</ol> }.into_any()
}

/// Lines that look like errors and are not known.
fn unknown(reading: &LogReading) -> AnyView {
    let more = reading.unknown_lines.saturating_sub(reading.unknown.len());
    let more = (more > 0).then(|| view! { <p>{format!("{more} more are not shown.")}</p> });
    view! {
        <li>
            <h3>"Not known here"</h3>
            {reading.unknown.iter().map(|at| quoted(at, 1)).collect_view()}
            {more}
            <p>{UNKNOWN}</p>
        </li>
    }
    .into_any()
}

/// A line of the log, with where it stands.
fn quoted(at: &At, times: usize) -> AnyView {
    view! { <p class="sign-line"><code>{at.text.clone()}</code> <small>{at.place(times)}</small></p> }.into_any()
}

fn item(seen: &Seen, sign: &Sign, done: Callback<()>) -> AnyView {
    let place = |name: &'static str, place: &Place| {
        let close = move |_| done.run(());
        view! { <a href=place.href.clone() on:click=close>{format!("{name}: {}", place.title)}</a> }
    };
    let program = (!sign.program.is_empty()).then(|| format!("Printed by {}", sign.program));
    view! {
        <li>
            <h3>{sign.kind.certainty()} {sign.title.clone()}</h3>
            {quoted(&seen.place, seen.times)}
            <p inner_html=filled_html(&sign.means.0, &seen.kept)></p>
            <p inner_html=filled_html(&sign.remedy.0, &seen.kept)></p>
            <p class="ways">
                {place("Taught in", &sign.section)} {place("See it", &sign.figure)} {place("Try it", &sign.exercise)}
                {program.map(|program| view! { <small>{program}</small> })}
            </p>
        </li>
    }
    .into_any()
}
