//! What could be moved off the GPU, and the bandwidth below which it waits.

use leptos::prelude::*;
use ringside_core::memory::offload::{LINKS, Offload};
use ringside_core::quantity::{Unit, bytes_decimal, number};

use super::Live;

/// Folded: three things to move, three links.
pub(super) fn view(live: Live) -> AnyView {
    let rows = std::array::from_fn::<_, 3, _>(|i| {
        let look = move |look: fn(&Offload) -> String| move || live.with(|_, a| look(&a.offload[i]));
        let links = LINKS.map(|link| {
            let times = move || live.with(|_, a| a.offload[i].slowdown(link.bandwidth));
            let text = move || match times() {
                t if t <= 1.0 => "hidden ✓".to_owned(),
                t => format!("{} × as long", number(t)),
            };
            view! { <td class="number" class:good=move || times() <= 1.0>{text}</td> }
        });
        view! {
            <tr>
                <th scope="row">{look(|o| o.label.to_owned())} <small>{look(|o| o.when.to_owned())}</small></th>
                <td class="number">{look(|o| bytes_decimal(o.freed.0))}</td>
                <td class="number">{look(|o| bytes_decimal(o.moved.0))}</td>
                <td class="number">{look(|o| Unit::BytesPerSecond.format(o.bandwidth()))}</td>
                {links.into_iter().collect_view()}
            </tr>
        }
    });
    let names = LINKS.map(|link| {
        view! {
            <th scope="col" class="number">
                {link.name} <small>{Unit::BytesPerSecond.format(link.bandwidth)}</small>
            </th>
        }
    });
    let sources = LINKS.map(|l| format!("{}: {}", l.name, l.source)).join("; ");
    view! {
        <details class="fold offload">
            <summary>"Move it off the GPU " <span>"what goes over the link, and the bandwidth that hides it"</span></summary>
            <div class="scroll" tabindex="0" role="group" aria-label="Offload">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">"Moved"</th>
                            <th scope="col" class="number">"Frees"</th>
                            <th scope="col" class="number">"Each step moves"</th>
                            <th scope="col" class="number">"Hidden from"</th>
                            {names.into_iter().collect_view()}
                        </tr>
                    </thead>
                    <tbody>{rows.into_iter().collect_view()}</tbody>
                </table>
            </div>
            <p class="fine">
                "Each alone, overlapped with all the arithmetic of a step at the GPU’s peak; a GPU that reaches half of its peak needs half the bandwidth. Links at their nominal rate one way. "
                {sources} "."
            </p>
        </details>
    }
    .into_any()
}
