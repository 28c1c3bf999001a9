//! Where a token is: pairs of a query and a key turned by their positions, or what heads lose with distance; and over all
//! distances what that does to a score.

mod dials;
mod fading;

use leptos::prelude::*;
use ringside_core::attention::position::{MAX_STEP, Params, Scheme};
use ringside_core::declare::Model as _;
use ringside_core::quantity::{grouped, number};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Playback, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How long both tokens stand at a position while they are moved along, in milliseconds.
const PACE: f64 = 220.0;

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let scheme = Memo::new(move |_| params.with(|p| p.scheme));
    let subtitle = Signal::derive(move || {
        params.with(|p| match p.scheme {
            Scheme::Rope => format!("RoPE · {} pairs · base {}", grouped(p.pairs()), number(p.base)),
            Scheme::Alibi => format!("ALiBi · {} heads", grouped(p.heads)),
        })
    });
    let step = Signal::derive(move || params.with(|p| p.step as usize));
    let set = move |step: usize| state.update(|p| p.step = step as u64);
    let place = Signal::derive(move || {
        params.with(|p| match p.scheme {
            Scheme::Rope => {
                let [key, query] = p.positions().map(grouped);
                format!("key at {key}, query at {query}")
            }
            Scheme::Alibi => format!("query at {}", grouped(p.step)),
        })
    });
    let picture = move || match scheme.get() {
        Scheme::Rope => dials::view(params),
        Scheme::Alibi => fading::rows(params),
    };
    let quantities = Memo::new(move |_| params.with(|p| p.quantities(&())));
    let stretched = Memo::new(move |_| params.with(|p| p.scheme == Scheme::Rope && p.scale > 1.0));
    let slowed = move || stretched.get().then(|| fading::slowed(params));
    let controls = Controls::of(state).draw();
    let transport = view! {
        <Transport
            steps=Signal::stored(MAX_STEP as usize)
            step
            set
            playback=Playback::new(Signal::stored(PACE))
            place
            alone=props.alone
        />
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding=Signal::derive(move || params.with(Params::finding))
            controls
            transport=transport.into_any()
            below=Some(view! { {slowed} {readings::view(&Params::ENTRY, quantities)} }.into_any())
            table=move || table(params)
        >
            <div class="positions">
                {picture}
                {fading::curves(params)}
            </div>
        </ModelFigure>
    }
    .into_any()
}

/// At most `most` of so many, evenly spread from the first to the last.
fn spread(of: u64, most: u64) -> impl Iterator<Item = u64> {
    let count = of.min(most);
    (0..count).map(move |k| if count > 1 { k * (of - 1) / (count - 1) } else { 0 })
}

/// Both schemes over distances.
fn table(params: Memo<Params>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let [steepest, flattest] = p.slopes();
            let row = |power: u32| {
                let distance = 1_u64 << power;
                let far = distance as f64;
                view! {
                    <tr>
                        <th scope="row">{grouped(distance)}</th>
                        <td class="number">{number(p.score(far))}</td>
                        <td class="number">{number(steepest * far)}</td>
                        <td class="number">{number(flattest * far)}</td>
                    </tr>
                }
            };
            (0..=16).step_by(2).map(row).collect_view()
        })
    };
    view! {
        <Table
            caption="What distance does to a score"
            columns=[
                words("Tokens apart"),
                numbers("RoPE: score of equal vectors"),
                numbers("ALiBi: lost, steepest head"),
                numbers("ALiBi: lost, flattest head"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
