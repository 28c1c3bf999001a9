//! Two weights in a bowl: SGD, momentum and Adam step by step, in matrix form.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::optimizer_step::{Params, Path, Rule};
use ringside_core::quantity::{Unit, number};
use ringside_drawing::charts::optimizer_step::{bowl, loss};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::outcome::Shown;
use super::{Module, Props, played};
use crate::ui;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, silent, words};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How fast it is played.
const PACE: Pace = Pace { whole: 9_000.0, longest: 400.0, shortest: 30.0 };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let still = played::whole(params);
    let shown = Shown::new(still, Params::evaluate, Clone::clone);
    let steps = Signal::derive(move || shown.with(|path: &Path| path.changes.len()));
    // The whole way is on show until somebody steps.
    let step = Signal::derive(move || match params.with(|p| p.step) as usize {
        0 => steps.get(),
        step => step.min(steps.get()),
    });
    let set = move |to: usize| state.update(|p| p.step = to.max(1) as u64);
    let playback = PACE.of(steps);
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            format!("{}, rate {}, κ {}, batch {} of 8", p.rule.label(), number(p.lr), number(p.kappa), p.batch)
        })
    });
    let controls = Controls::of(state).draw();
    let from_above = Memo::new(move |_| params.with(|p| shown.with(|path| bowl(p, path))));
    let over_steps = Memo::new(move |_| still.with(|p| shown.with(|path| loss(p, path))));
    let below = view! {
        {ui::chart::view("losses", over_steps)}
        {matrices(still, shown, step)}
        {shown.readings(still)}
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding=Signal::derive(move || still.with(|p| shown.with(|path| p.finding(path))))
            controls
            transport=view! { <Transport steps step set playback alone=props.alone /> }.into_any()
            below=Some(below.into_any())
            table=move || table(still)
        >
            {ui::chart::view("bowl", from_above)}
        </ModelFigure>
    }
    .into_any()
}

/// The step on show as it is written: the rule, and its matrices with their numbers.
fn matrices(params: Memo<Params>, shown: Shown<Path>, step: Signal<usize>) -> AnyView {
    let formula = move || {
        params.with(|p| p.rule.formula().iter().map(|line| view! { <li><code>{*line}</code></li> }).collect_view())
    };
    let numbers_of = move || {
        shown.with(|path| {
            let step = step.get();
            let before = path.after(step.saturating_sub(1));
            let pair = |name: &'static str, shape: &'static str, [a, b]: [f64; 2]| {
                view! {
                    <tr>
                        <th scope="row">{name}</th>
                        <td>{shape}</td>
                        <td class="number">{number(a)}</td>
                        <td class="number">{number(b)}</td>
                    </tr>
                }
            };
            let at = |list: &[[f64; 2]]| step.checked_sub(1).and_then(|i| list.get(i)).copied().unwrap_or_default();
            vec![
                pair("W before", "2 × 1", before),
                pair("G, of the batch", "2 × 1", at(&path.gradients)),
                pair("change", "2 × 1", at(&path.changes)),
                pair("W after", "2 × 1", path.after(step)),
            ]
            .collect_view()
        })
    };
    view! {
        <div class="step-in-matrices">
            <ol class="formulas">{formula}</ol>
            <Table
                caption=Signal::derive(move || format!("Step {}: X is 8 × 2, Xw − y is 8 × 1, G = Xᵀ(Xw − y)/b", step.get()))
                columns=[silent("Matrix"), words("shape"), numbers("first"), numbers("second")]
                rows=numbers_of.into_any()
            />
        </div>
    }
    .into_any()
}

/// What an update of the layer takes, by rule.
fn table(params: Memo<Params>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let row = |rule: Rule| {
                let [flop, bytes, state, intensity] = p.update(rule);
                view! {
                    <tr>
                        <th scope="row">{rule.label()}</th>
                        <td class="number">{Unit::Flop.format(flop)}</td>
                        <td class="number">{Unit::Bytes.format(bytes)}</td>
                        <td class="number">{Unit::Bytes.format(state)}</td>
                        <td class="number">{number(intensity)}</td>
                    </tr>
                }
            };
            Rule::ALL.map(row).collect_view()
        })
    };
    view! {
        <Table
            caption="An update of a layer of m × n, in fp32"
            columns=[words("Rule"), numbers("computes"), numbers("moves"), numbers("state"), numbers("FLOPs a byte")]
            rows=rows.into_any()
        />
    }
    .into_any()
}
