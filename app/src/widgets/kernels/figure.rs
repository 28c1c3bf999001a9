//! The figure of a family of kernels.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::kernels::measured::Measured;
use ringside_core::kernels::{Params, Work};

use super::{Bench, Guest, kept, reference};
use crate::ui::figure::Deciding;
use crate::ui::state::State;
use crate::widgets::Props;
use crate::widgets::controls::Controls;
use crate::widgets::model_figure::ModelFigure;

/// What the figure of one family has that others have not.
pub(in crate::widgets) struct Differences<W: Work> {
    /// The sizes in a few words.
    pub subtitle: fn(W) -> String,
    /// What is timed beside the ladder, of what was kept.
    pub guest: fn(&Params<W>, &[Measured]) -> Option<Guest>,
    /// The families whose measurements can be kept here.
    pub families: &'static [&'static str],
}

/// Seconds that a run at larger sizes may take which nobody asked for.
const AT_ONCE: f64 = 0.1;

/// All of it.
pub(in crate::widgets) fn figure<W: Work>(props: Props, family: Differences<W>) -> AnyView {
    let state = State::<Params<W>>::of(props.query);
    let params = state.params();
    let sizes = Memo::new(move |_| params.with(|p| (p.sizes().to_string(), p.sizes.list())));
    let ladder = Memo::new(move |_| params.with(Params::ladder));
    let kernel = Signal::derive(move || params.with(|p| p.kernel.0.id));
    let set_kernel = Callback::new(move |id: &'static str| {
        state.update(|p| {
            if let Some(kernel) = W::kernel(id) {
                p.kernel.0 = kernel;
            }
        });
    });
    let guest = Memo::new(move |_| params.with(|p| (family.guest)(p, &kept::all())));
    let bench = Bench::new(W::NAME, kernel, set_kernel, sizes, ladder, guest);
    let is_decision = Deciding::here().is_some();
    // Sizes that nobody chose fill the GPU that they turn out to run on, if it takes them in no time.
    Effect::new(move |filled: Option<bool>| {
        let is_idle = bench.runner.idle();
        let Some((_, seconds)) = bench.too_few() else { return filled.unwrap_or(false) };
        let (at, before) = params.with_untracked(|p| (p.sizes, p.sizes().to_string()));
        let is_chosen = at != Params::<W>::standard().sizes || is_decision;
        let longer = W::full().flop() as f64 / (at.flop() as f64).max(1.0);
        if filled == Some(true) || is_chosen || !is_idle || seconds * longer > AT_ONCE {
            return filled.unwrap_or(false);
        }
        state.update(|p| p.sizes = W::full());
        bench.run_again(&before);
        true
    });
    if params.with_untracked(|p| p.run) {
        bench.run([kernel.get_untracked()]);
    }

    let fill = Callback::new(move |()| state.update(|p| p.sizes = W::full()));
    let quantities = Memo::new(move |_| params.with(|p| p.quantities(&p.sizes.needs(p.kernel.0))));
    let finding = Signal::derive(move || params.with(Params::finding) + &bench.finding());
    let controls = Controls::of(state).draw();
    let below = view! {
        <div class="bench">
            {bench.glass.view()}
            {bench.runner.messages(move || bench.of(bench.kernel.get()))}
            <div role="status">{move || bench.underused(fill)}</div>
            {bench.readings(&Params::<W>::ENTRY, quantities)}
            {(!props.compact).then(|| kept::view(bench.runner, family.families))}
            {(!props.compact).then(|| reference::view(W::NAME))}
        </div>
    };
    view! {
        <ModelFigure
            subtitle=Signal::derive(move || params.with(|p| (family.subtitle)(p.sizes)))
            props
            state
            finding
            controls
            transport=bench.actions()
            below=Some(below.into_any())
            table=move || bench.numbers()
        >
            {bench.ladder()}
        </ModelFigure>
    }
    .into_any()
}
