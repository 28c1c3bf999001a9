//! Every way of sharding side by side: what a GPU holds, and how long the wire is busy.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, bytes_decimal, count, grouped, number};
use ringside_core::zero::price::{Params, Price, Scheme, Span};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, outcome, readings};
use crate::ui;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// What is drawn.
#[derive(Clone, PartialEq)]
struct Prices {
    params: Params,
    all: Vec<(Scheme, Price)>,
}

impl Prices {
    fn of(params: &Params) -> Result<Self, String> {
        params.evaluate()?;
        let all = Scheme::ALL.map(|scheme| (scheme, params.price(scheme))).to_vec();
        Ok(Self { params: *params, all })
    }

    /// The most that a GPU holds under any way, bytes.
    fn largest(&self) -> f64 {
        self.all.iter().map(|(_, price)| price.peak()).fold(f64::MIN_POSITIVE, f64::max)
    }

    /// The longest that the wire is busy under those that fit, seconds.
    fn longest(&self) -> f64 {
        let fitting = self.all.iter().map(|(_, price)| price).filter(|price| self.params.runs(price));
        fitting.map(Price::wire).fold(f64::MIN_POSITIVE, f64::max)
    }
}

type Shown = outcome::Shown<Prices>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown::new(params, Prices::of, |p| Params { gpus: 8, node: 8, ..*p });
    let all = Memo::new(move |_| shown.with(|s| s.params.quantities(&s.params.price(s.params.scheme))));
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || {
                params.with(|p| {
                    format!("{} parameters on {} GPUs in nodes of {}", count(p.params), grouped(p.gpus), grouped(p.node))
                })
            })
            finding=Signal::derive(move || {
                shown.error().unwrap_or_else(|| shown.with(|s| s.params.finding(&s.params.price(s.params.scheme))))
            })
            controls=Controls::of(state).draw()
            below=Some(readings::view(&Params::ENTRY, all))
            table=move || table(shown)
        >
            {shown.frame(rows(state, shown))}
        </ModelFigure>
    }
    .into_any()
}

/// A row for each way of sharding; a press chooses it.
fn rows(state: State, shown: Shown) -> AnyView {
    let row = move |i: usize, scheme: Scheme| {
        let chosen = move || state.params().with(|p| p.scheme == scheme);
        let look = move |look: fn(&Prices, &Price) -> String| {
            move || shown.with(|s| s.all.get(i).map(|(_, price)| look(s, price)).unwrap_or_default())
        };
        let share = |part: f64, whole: f64| format!("{:.3}%", 100.0 * part / whole);
        let wide = move |of: fn(&Price) -> f64| {
            move || shown.with(|s| s.all.get(i).map(|(_, p)| share(of(p), s.largest())).unwrap_or_default())
        };
        // What doesn't fit takes no time.
        let busy = move |of: fn(&Price) -> f64| {
            move || {
                shown.with(|s| {
                    let price = s.all.get(i).map(|(_, price)| price).filter(|price| s.params.runs(price));
                    price.map(|price| share(of(price), s.longest())).unwrap_or_default()
                })
            }
        };
        let too_much = move || shown.with(|s| s.all.get(i).is_some_and(|(_, p)| !s.params.runs(p)));
        view! {
            <button
                type="button"
                class="price-row"
                aria-pressed=move || chosen().to_string()
                on:click=move |_| state.update(|p| p.scheme = scheme)
            >
                <span class="price-name">
                    <b>{scheme.label()}</b>
                    <code>{scheme.in_fsdp2()}</code>
                </span>
                <span class="price-bar" class:over=too_much>
                    <i class="price-states" style:width=wide(|p| p.states)></i>
                    <i class="price-copy" style:width=wide(|p| p.peak() - p.states)></i>
                    <em>{look(|_, p| bytes_decimal(p.peak()))} {move || too_much().then_some(" ✗")}</em>
                </span>
                <span class="price-bar">
                    <i class="price-between" style:width=busy(|p| p.between)></i>
                    <i class="price-inside" style:width=busy(|p| p.wire() - p.between)></i>
                    <em>
                        {look(|s, p| {
                            if s.params.runs(p) { Unit::Seconds.format(p.wire()) } else { "doesn’t fit".to_owned() }
                        })}
                    </em>
                </span>
            </button>
        }
    };
    view! {
        <div class="prices" role="group" aria-label="Ways of sharding">
            <p class="price-head" aria-hidden="true">
                <span>"Strategy, and in FSDP2"</span>
                <span>
                    <i class="price-states"></i>
                    "states "
                    <i class="price-copy"></i>
                    "gathered, waiting"
                </span>
                <span>
                    <i class="price-between"></i>
                    "network "
                    <i class="price-inside"></i>
                    "node’s links, longer by"
                </span>
            </p>
            {Scheme::ALL.into_iter().enumerate().map(|(i, scheme)| row(i, scheme)).collect_view()}
        </div>
    }
    .into_any()
}

/// The collectives of the chosen way.
fn table(shown: Shown) -> AnyView {
    let rows = move || {
        shown
            .with(|s| {
                let p = &s.params;
                let price = p.price(p.scheme);
                let row = |c: &ringside_core::zero::price::Collective| {
                    let among = match c.span {
                        Span::World => "all GPUs",
                        Span::Node => "a node",
                        Span::Across => "one GPU of each node",
                    };
                    view! {
                        <tr>
                            <th scope="row">{c.what}</th>
                            <td>{among}</td>
                            <td class="number">{bytes_decimal(c.buffer)}</td>
                            <td class="number">{number(c.times)}</td>
                        </tr>
                    }
                };
                price.collectives.iter().map(row).collect_view()
            })
            .into_any()
    };
    view! {
        <Table
            columns=[words("Collective"), words("Among"), numbers("Buffer"), numbers("In a step")]
            rows=rows.into_any()
        />
    }
    .into_any()
}
