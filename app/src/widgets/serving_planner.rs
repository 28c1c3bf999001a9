//! What a serving plan is written as: the server's command, and a manifest with separate pools.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::serving::dynamo;
use ringside_core::serving::sizing::Params;

use super::export::listing;
use super::one_picture::{self, Live, Own};
use super::{Module, Props, serving_command};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    one_picture::view::<Params>(props, |live| Own {
        under: (!live.compact).then(|| view! { {command(live)} {manifest(live)} }.into_any()),
        ..Own::default()
    })
}

fn command(live: Live<Params>) -> AnyView {
    serving_command::view(
        move |server| live.with(|p, plan| Some(p.command(plan, server))).unwrap_or_else(|| Ok(String::new())),
        move |read| {
            let mut left = Vec::new();
            live.state.update(|p| {
                left = p.take(read);
                left.extend(p.taken(read));
            });
            left
        },
        Signal::derive(move || live.state.params().with(|p| p.machine.quant)),
    )
    .into_any()
}

fn manifest(live: Live<Params>) -> AnyView {
    let written =
        Memo::new(move |_| live.with(|p, plan| Some(dynamo::manifest(p, plan))).unwrap_or_else(|| Ok(String::new())));
    view! {
        <details class="export">
            <summary>"Kubernetes manifest with separate pools (Dynamo)"</summary>
            {listing(().into_any(), written, "The manifest as text")}
            <p>{move || live.with(|p, plan| p.pools(plan).ok().map(|pools| p.pooled(plan, &pools)))}</p>
            <p class="fine">
                "One pool computes prompts, the other decodes, and the router sends a request to both. Pool sizes follow from the same model "
                "as the plan, without queues. The time to send a cache from one pool to the other isn’t counted."
            </p>
        </details>
    }
    .into_any()
}
