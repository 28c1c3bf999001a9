//! The components: their parameters and their FLOPs side by side. It is the legend of the drawing too.

use leptos::prelude::*;
use ringside_core::model::anatomy::Group;
use ringside_core::quantity::{Unit, grouped};

use super::{Shown, share};
use crate::ui::output::Output;

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
            <td class="number"><Output quantity=id value unit /></td>
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
    let active = shown.quantity("params-active");
    let experts = shown.quantity("params-experts");
    let per_layer = shown.quantity("params-per-layer");
    let crossover = shown.quantity("crossover-seq");
    let kv = shown.quantity("kv-bytes-per-token");
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label="Components">
            <table class="parts">
                <caption>"Parameters, and forward FLOPs of one token"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Component"</th>
                        <th scope="col" class="number">"Parameters"</th>
                        <th scope="col" class="number share"><span class="visually-hidden">"share of parameters"</span></th>
                        <th scope="col" class="number">"FLOPs"</th>
                        <th scope="col" class="number share"><span class="visually-hidden">"share of FLOPs"</span></th>
                    </tr>
                </thead>
                <tbody>
                    {rows.into_iter().collect_view()}
                    <tr class="sum">
                        <th scope="row">"Together"</th>
                        <td class="number">{move || Unit::Count.format(params.get())}</td>
                        <td class="share"></td>
                        <td class="number"><Output quantity="flops-per-token" value=flops unit=Unit::Flop /></td>
                        <td class="share"></td>
                    </tr>
                </tbody>
            </table>
        </div>
        <dl class="more">
            <div hidden=move || experts.get() <= 0.0>
                <dt>"In routed experts"</dt>
                <dd><Output quantity="params-experts" value=experts unit=Unit::Count /></dd>
            </div>
            <div>
                <dt>"Used by one token"</dt>
                <dd><Output quantity="params-active" value=active unit=Unit::Count /></dd>
            </div>
            <div>
                <dt>"Parameters per layer, mean"</dt>
                <dd><Output quantity="params-per-layer" value=per_layer unit=Unit::Count /></dd>
            </div>
            <div>
                <dt>"KV cache per token, bf16"</dt>
                <dd><Output quantity="kv-bytes-per-token" value=kv unit=Unit::Bytes /></dd>
            </div>
            <div>
                <dt>"Attention matrix costs what the weights do at"</dt>
                <dd><Output quantity="crossover-seq" value=crossover unit=Unit::Count format=tokens /></dd>
            </div>
        </dl>
    }
    .into_any()
}

fn tokens(n: f64) -> String {
    if n > 0.0 { format!("{} tokens", grouped(n as u64)) } else { "no length: windows".to_owned() }
}
