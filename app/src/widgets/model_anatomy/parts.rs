//! The components: their parameters and their FLOPs side by side. It is the legend of the drawing too.

use leptos::prelude::*;
use ringside_core::model::anatomy::Group;
use ringside_core::quantity::Unit;

use super::{Shown, share};

/// A row: what it is called (empty: as its group), its group, the ids of its two quantities; empty for none.
type Part = (&'static str, Group, &'static str, &'static str);

const PARTS: [Part; 8] = [
    ("Token embedding", Group::Tables, "params-embedding", ""),
    ("Positions and other", Group::Tables, "params-other", "flops-other"),
    ("", Group::Attention, "params-attention", "flops-projections"),
    ("", Group::Matrix, "", "flops-attention-matrix"),
    ("", Group::Mlp, "params-mlp", "flops-mlp"),
    ("Router", Group::Small, "params-router", "flops-router"),
    ("Norms", Group::Small, "params-norms", ""),
    ("Output head", Group::Tables, "params-head", "flops-head"),
];

/// A row for each component that is there, then the sums.
pub(super) fn view(shown: Shown) -> AnyView {
    let params = shown.quantity("params");
    let flops = shown.quantity("flops-per-token");
    let cells = move |id: &'static str, unit: Unit, whole: Signal<f64>| {
        if id.is_empty() {
            return view! { <td class="number">"–"</td> <td class="share"></td> }.into_any();
        }
        let value = shown.quantity(id);
        view! {
            <td class="number">{move || unit.format(value.get())}</td>
            <td class="number share">{move || share(value.get(), whole.get())}</td>
        }
        .into_any()
    };
    let rows = PARTS.map(|(label, group, of_params, of_flops)| {
        let (p, f) = (shown.quantity(of_params), shown.quantity(of_flops));
        let label = move || match label {
            "" => shown.with(|a| group.label(a.shape.moe.is_some())),
            label => label,
        };
        view! {
            <tr hidden=move || p.get() + f.get() <= 0.0>
                <th scope="row"><i class=format!("swatch {}", group.id()) aria-hidden="true"></i>{label}</th>
                {cells(of_params, Unit::Count, params)}
                {cells(of_flops, Unit::Flop, flops)}
            </tr>
        }
    });
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label="Components">
            <table class="parts">
                <caption>"Parameters, and forward FLOPs per token"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Component"</th>
                        <th scope="col" class="number">"Parameters"</th>
                        <th scope="col" class="number share">"Share" <span class="visually-hidden">" of parameters"</span></th>
                        <th scope="col" class="number">"FLOPs"</th>
                        <th scope="col" class="number share">"Share" <span class="visually-hidden">" of FLOPs"</span></th>
                    </tr>
                </thead>
                <tbody>
                    {rows.into_iter().collect_view()}
                    <tr class="sum">
                        <th scope="row">"Together"</th>
                        <td class="number">{move || Unit::Count.format(params.get())}</td>
                        <td class="share"></td>
                        <td class="number">{move || Unit::Flop.format(flops.get())}</td>
                        <td class="share"></td>
                    </tr>
                </tbody>
            </table>
        </div>
    }
    .into_any()
}
