//! The figure of a family of kernels.

use leptos::prelude::*;
use ringside_core::kernels::{Params, Work};

use super::Bench;
use crate::ui::figure::Figure;
use crate::ui::presets::{self, Preset};
use crate::ui::state::State;
use crate::widgets::Props;

/// What the figure of one family has that others have not.
pub(in crate::widgets) struct Differences<W: Work> {
    /// Sizes worth running: what each is called, and all of its sizes.
    pub presets: &'static [Preset],
    /// The sizes in a few words.
    pub subtitle: fn(W) -> String,
    /// Controls to stand beside the choice of a kernel, and the sliders below.
    pub controls: fn(State<Params<W>>) -> [AnyView; 2],
}

/// All of it.
pub(in crate::widgets) fn figure<W: Work>(props: Props, family: Differences<W>) -> AnyView {
    let state = State::new(props.query, Params::<W>::read, Params::query);
    let params = state.params();
    let sizes = Memo::new(move |_| params.with(|p| (p.sizes.query().to_string(), p.sizes.list())));
    let ladder = Memo::new(move |_| params.with(Params::ladder));
    let kernel = Signal::derive(move || params.with(|p| p.kernel));
    let set_kernel = Callback::new(move |id: &'static str| state.update(|p| p.kernel = id));
    let bench = Bench::new(W::NAME, kernel, set_kernel, sizes, ladder);
    if params.with_untracked(|p| p.run) {
        bench.run([kernel.get_untracked()]);
    }

    let quantities = Memo::new(move |_| params.with(|p| W::ENTRY.measured(|id| p.quantity(id))));
    let finding = Signal::derive(move || params.with(Params::finding) + &bench.finding());
    let controls = if props.compact {
        view! { <div class="control-row">{bench.choice()}</div> }.into_any()
    } else {
        let [beside, sliders] = (family.controls)(state);
        view! {
            {presets::partial(state, "Examples", family.presets.iter().copied())}
            <div class="control-row">{bench.choice()} {beside}</div>
            <div class="control-grid">{sliders}</div>
        }
        .into_any()
    };
    view! {
        <Figure
            id=W::ENTRY.id
            title=W::ENTRY.title
            subtitle=Signal::derive(move || params.with(|p| (family.subtitle)(p.sizes)))
            query=props.query
            alone=props.alone
            problems=state.problems()
            finding
            notes=String::new()
            controls
            table=move || bench.numbers()
        >
            {bench.view(W::ENTRY, quantities)}
        </Figure>
    }
    .into_any()
}
