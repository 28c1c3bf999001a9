//! The steps as a map: the parts of the model from left to right, forward above, backward below, so that each exchange stands
//! over its counterpart.

use leptos::prelude::*;
use ringside_core::collective::Op;
use ringside_core::tensor_parallel::Run;
use ringside_core::tensor_parallel::trace::{Part, Phase, Slot, Step};

use super::Shown;

/// One step in the map.
#[derive(Debug, Clone, PartialEq)]
struct Stop {
    /// Its number, from 1.
    number: usize,
    /// What stands there.
    text: &'static str,
    /// What it is, for people who point at it.
    title: String,
    class: &'static str,
}

/// A place with its steps, forward and backward.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    label: &'static str,
    forward: Vec<Stop>,
    backward: Vec<Stop>,
}

fn stop((index, step): (usize, &Step)) -> Stop {
    let (text, class) = match (step.exchange.map(|e| e.op), step.phase) {
        (Some(Op::AllReduce), _) => ("AR", "exchange"),
        (Some(Op::ReduceScatter), _) => ("RS", "exchange"),
        (Some(_), _) => ("AG", "exchange"),
        (None, Phase::Forward) => ("", "forward"),
        (None, Phase::Backward) if step.title == "weight gradient" => ("", "weight-gradient"),
        (None, Phase::Backward) => ("", "backward"),
    };
    let number = index + 1;
    Stop { number, text, class, title: format!("Step {number}: {}, {}", step.part.label(), step.title) }
}

fn places(run: &Run, part: Part) -> Vec<Place> {
    let steps = |slot: Slot, phase: Phase| -> Vec<Stop> {
        let at = run.drawn.ranks.steps.iter().enumerate();
        at.filter(|(_, s)| s.part == part && s.slot == slot && s.phase == phase).map(stop).collect()
    };
    let place = |slot: Slot| {
        let (forward, backward) = (steps(slot, Phase::Forward), steps(slot, Phase::Backward));
        let there = slot.always(part) || !forward.is_empty() || !backward.is_empty();
        there.then_some(Place { label: slot.label(part), forward, backward })
    };
    Slot::ALL.into_iter().filter_map(place).collect()
}

/// The map; a click goes to a step.
pub(super) fn view(shown: Shown, set: impl Fn(usize) + Copy + Send + Sync + 'static) -> impl IntoView {
    let parts =
        Memo::new(move |_| shown.run.with(|run| Part::ALL.map(|part| (part.label(), places(run, part))).to_vec()));
    let stops = move |list: Vec<Stop>| {
        let one = |stop: Stop| {
            let number = stop.number;
            view! {
                <button
                    type="button"
                    tabindex="-1"
                    class=format!("stop {}", stop.class)
                    class:done=move || number <= shown.step.get()
                    class:here=move || number == shown.step.get()
                    title=stop.title
                    on:click=move |_| set(number)
                >
                    {stop.text}
                </button>
            }
        };
        list.into_iter().map(one).collect_view()
    };
    let place = move |place: Place| {
        let nothing = |list: &[Stop]| list.is_empty();
        let [no_forward, no_backward] = [nothing(&place.forward), nothing(&place.backward)];
        view! {
            <div class="place">
                <span class="place-name">{place.label}</span>
                <span class="way" class:nothing=no_forward>{stops(place.forward)}</span>
                <span class="way back" class:nothing=no_backward>{stops(place.backward)}</span>
            </div>
        }
    };
    let part = move |(label, places): (&'static str, Vec<Place>)| {
        view! {
            <div class="part-of-model">
                <p class="fine">{label}</p>
                <div class="places">{places.into_iter().map(place).collect_view()}</div>
            </div>
        }
    };
    view! {
        <div class="tensor-map" aria-hidden="true">
            <div class="ways"><span>"forward →"</span><span>"← backward"</span></div>
            {move || parts.get().into_iter().map(part).collect_view()}
        </div>
        <p class="fine tensor-legend" aria-hidden="true">
            <span><i class="swatch forward"></i>"forward"</span>
            <span><i class="swatch backward"></i>"backward"</span>
            <span><i class="swatch weight-gradient"></i>"weight gradient"</span>
            <span><i class="swatch exchange"></i>"AR all-reduce, RS reduce-scatter, AG all-gather"</span>
        </p>
    }
}
