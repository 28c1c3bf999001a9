//! What of the run is recorded: a checklist that the launch fills.

use leptos::prelude::*;
use ringside_core::launch::record::{Item, Kept};
use ringside_core::launch::{Launch, Params};

/// The checklist.
pub(super) fn view(params: Memo<Params>, launch: Memo<Launch>) -> AnyView {
    let item = |item: Item| {
        let (class, sign) = match item.kept {
            Kept::Recorded => ("recorded", "✓"),
            Kept::Partly => ("partly", "◐"),
            Kept::Missing => ("missing", "✗"),
        };
        let place = (item.line > 0).then(|| format!("line {}", item.line));
        view! {
            <li class=class>
                <p class="launch-item">
                    <span aria-hidden="true">{sign}</span>
                    <b>{item.name}</b>
                    <span>{item.kept.label()}</span>
                    <span class="launch-line">{place}</span>
                </p>
                {(!item.found.is_empty()).then(|| view! { <code>{item.found}</code> })}
                {(!item.advice.is_empty()).then(|| view! { <p>{item.advice}</p> })}
            </li>
        }
    };
    let items = move || params.with(|p| launch.with(|l| p.record(l).into_iter().map(item).collect_view()));
    view! {
        <ul class="launch-record" data-answer="" tabindex="0" aria-label="What of this run is recorded">
            {items}
        </ul>
    }
    .into_any()
}
