//! What each operation of a step lost, and the steps of a scaler, each of which can be made to overflow.

mod operations;
mod scaler;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::loss_scaling::{Params, View};

use super::one_picture::{self, Live, Own};
use super::{Module, Props};
use crate::ui;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

fn view(props: Props) -> AnyView {
    one_picture::view::<Params>(props, |live| {
        let show = Memo::new(move |_| live.state.params().with(|p| p.view));
        let scaler = move || (show.get() == View::Scaler).then(|| scaler::view(live.state));
        let over = view! {
            <div class="loss-scaling">
                <div class:nowhere=move || show.get() == View::Scaler>{operations::step(live)}</div>
                <div class:nowhere=move || show.get() != View::Train>{operations::view(live)}</div>
            </div>
        };
        Own {
            below: Some(view! { <div class="loss-scaling">{scaler}</div> }.into_any()),
            over: Some(over.into_any()),
            ..Own::default()
        }
    })
}
