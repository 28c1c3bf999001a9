//! Stacked columns side by side, one of them marked.

use leptos::prelude::*;
use ringside_core::quantity::grouped;
use ringside_drawing::columns::Columns;

/// Draws them; `classes` colour the parts, `label` says what is to be seen.
pub fn view<const N: usize>(columns: Signal<Columns<N>>, classes: [&'static str; N], label: Signal<String>) -> AnyView {
    let parts = std::array::from_fn::<_, N, _>(|part| {
        let path = move || columns.with(|c| c.path(part));
        view! { <path class=format!("part {}", classes[part]) d=path /> }
    });
    let mark = move || columns.with(|c| format!("M{} 0h1v100h-1z", c.place()));
    let size = move || columns.with(|c| format!("0 0 {} 100", c.drawn().max(1)));
    let at = move || columns.with(|c| format!("{:.2}%", (c.place() as f64 + 0.5) / c.drawn().max(1) as f64 * 100.0));
    let marked = move || columns.with(|c| format!("▲ {}", grouped(c.marked as u64 + 1)));
    // The mark names its column; at an end it would lie over the name that stands there.
    let first = move || columns.with(|c| if c.marked == 0 { String::new() } else { "1".to_owned() });
    let last = move || columns.with(|c| if c.marked + 1 == c.all { String::new() } else { grouped(c.all as u64) });
    view! {
        <svg class="columns" viewBox=size preserveAspectRatio="none" role="img" aria-label=move || label.get()>
            {parts.into_iter().collect_view()}
            <path class="mark" d=mark />
        </svg>
        <div class="column-names" aria-hidden="true">
            <span>{first}</span>
            <b style:left=at>{marked}</b>
            <span>{last}</span>
        </div>
    }
    .into_any()
}
