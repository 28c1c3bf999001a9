//! What drives a quantity: a bar for each parameter that moves it.

use leptos::prelude::*;
use ringside_core::catalogue::Named;
use ringside_core::explore::{Change, Driver, Drivers, Move, written};

use super::panel::Ask;
use super::run::Run;

pub(super) fn view(ask: Ask) -> AnyView {
    let run = Run::new(move || {
        let quantity = ask.quantity()?;
        Some(ask.base.with(|base| Drivers::new(ask.model(), base, quantity)))
    });
    let shown = move || {
        ask.quantity().zip(run.result(Clone::clone)).map(|(quantity, drivers)| {
            let (now, ranked) = (drivers.now().unwrap_or_default(), drivers.ranked());
            let most = ranked.iter().map(|driver| driver.effect).fold(0.0, f64::max);
            let bars = ranked.into_iter().map(|driver| bar(ask, driver, now, most, quantity)).collect_view();
            view! {
                <p class="explore-answer" role="status">{drivers.said()}</p>
                <ol class="explore-drivers">{bars}</ol>
            }
        })
    };
    view! {
        <div class="explore-fields">{ask.choose_quantity("Number")}</div>
        <p class="fine">
            "Each bar shows how the number changes if one setting moves one step down or up. For a choice, the bars show the options with the smallest and largest results."
        </p>
        {run.bar()}
        {shown}
    }
    .into_any()
}

fn bar(ask: Ask, driver: Driver, now: f64, most: f64, quantity: Named) -> AnyView {
    let Driver { label, from, low, high, .. } = driver;
    let side = move |class: &'static str, moved: Option<Move>| {
        let share = moved.as_ref().map_or(0.0, |m| (m.value - now).abs() / most * 100.0);
        let button = moved.map(|Move { to, value, query }| {
            let text = format!(
                "{to}: {} ({})",
                written(&ask.model(), quantity, value),
                Change::of(now, value).text(quantity.2)
            );
            let label = format!("Set {label} to {text}");
            view! {
                <button type="button" class="quiet" aria-label=label on:click=move |_| ask.open(&query)>
                    {text}
                </button>
            }
        });
        view! {
            <div class=format!("explore-side {class}")>
                <i aria-hidden="true" style:width=format!("{share:.1}%")></i>
                {button}
            </div>
        }
    };
    view! {
        <li>
            <b>{label}</b>
            <small>"now " {from}</small>
            <div class="explore-bar">{side("low", low)} {side("high", high)}</div>
        </li>
    }
    .into_any()
}
