//! The layout on show: where its time goes, why it is the best, what it sends, and why others are impossible.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::memory::{Verdict, breakdown};
use ringside_core::planner::found::Barrier;
use ringside_core::planner::{KNOBS, Step, Traffic, words};
use ringside_core::quantity::{Unit, bytes_decimal, grouped, number};
use ringside_core::training_run;
use ringside_drawing::scale::percent;

use super::{Look, Shown};
use crate::ui::link::to_widget;
use crate::ui::table::{Table, numbers, words};

/// The layout in words, what to do with it, and its time by what it is for.
pub(super) fn view(shown: Shown) -> AnyView {
    let is_best = Memo::new(move |_| shown.look.with(|look| look.layout == look.found.best));
    let title = move || shown.with(|_, layout| words::layout(&layout.choice));
    let lead = move || match (is_best.get(), shown.with(|_, layout| layout.verdict)) {
        (true, Verdict::Tight) => "The fastest that fits, tightly",
        (true, _) => "The fastest that fits",
        (false, Verdict::Fits) => "On the front",
        (false, Verdict::Tight) => "On the front, a tight fit",
        (false, Verdict::DoesNotFit) => "On the front, and does not fit",
    };
    let pin = move |_| {
        if let Some(choice) = shown.look.with_untracked(|look| look.layout.map(|l| l.choice)) {
            shown.state.update(|p| *p = p.pinned(&choice));
        }
    };
    let step = Memo::new(move |_| shown.with(|job, layout| job.step(&layout.choice)));
    view! {
        <section class="planner-chosen">
            <div class="planner-head">
                <p>
                    <small>{lead}</small>
                    <b>{title}</b>
                </p>
                <button type="button" class="quiet" class:nowhere=move || is_best.get() on:click=move |_| shown.cursor.set(None)>
                    "Back to the best"
                </button>
                <button type="button" class="secondary" on:click=pin>"Pin this layout"</button>
            </div>
            {times(step)}
            <div class:nowhere=move || !is_best.get()>
                <p class="planner-title">"Why this one"</p>
                <dl class="planner-reasons">{reasons(shown)}</dl>
            </div>
            {onward(shown)}
        </section>
    }
    .into_any()
}

/// The same layout in the figures of a whole run and of memory.
fn onward(shown: Shown) -> AnyView {
    let run = move || {
        shown
            .state
            .params()
            .with(|p| shown.with(|job, layout| to_widget(training_run::Params::ID, &p.run(job, layout))))
    };
    let memory =
        move || shown.with(|job, layout| to_widget(breakdown::Params::ID, &job.memory_params(&layout.choice).query()));
    view! {
        <p class="fine">
            "See " <a href=run>"how long a whole run takes at this MFU"</a> " and "
            <a href=memory>"what each GPU holds, with gradients in fp32"</a> "."
        </p>
    }
    .into_any()
}

/// A line for each axis of the search; what has nothing to say is hidden.
fn reasons(shown: Shown) -> AnyView {
    let reasons = Memo::new(move |_| shown.look.with(|look| look.found.reasons.clone()));
    let line = |i: usize| {
        let text = move |of: fn(&words::Reason) -> &String| reasons.with(|all| all.get(i).map(of).cloned());
        view! {
            <div class:nowhere=move || reasons.with(|all| all.len() <= i)>
                <dt>{move || text(|r| &r.value)}</dt>
                <dd>{move || text(|r| &r.why)}</dd>
            </div>
        }
    };
    (0..KNOBS.len()).map(line).collect_view().into_any()
}

/// A bar to scale, and what its parts are.
fn times(step: Memo<Step>) -> AnyView {
    let parts = Step::default().parts();
    let look =
        move |i: usize| step.with(|s| (s.parts().get(i).map_or(0.0, |part| part.2), s.total().max(f64::MIN_POSITIVE)));
    let bar = (0..parts.len()).map(|i| {
        let share = move || {
            let (seconds, total) = look(i);
            seconds / total * 100.0
        };
        view! { <i class=format!("for-{}", parts[i].0) style:width=move || percent(share())></i> }
    });
    let list = (0..parts.len()).map(|i| {
        let (id, label, _) = parts[i];
        let text = move || {
            let (seconds, total) = look(i);
            format!("{} · {}", Unit::Seconds.format(seconds), Unit::Fraction.format(seconds / total))
        };
        view! {
            <li class:nowhere=move || look(i).0 <= 0.0>
                <i class=format!("swatch for-{id}") aria-hidden="true"></i>
                {label}
                " "
                <b>{text}</b>
            </li>
        }
    });
    view! {
        <div class="step-bar" aria-hidden="true">{bar.collect_view()}</div>
        <ul class="step-parts" aria-label="Where a step’s time goes">{list.collect_view()}</ul>
    }
    .into_any()
}

/// What each axis sends, how often, and over what.
pub(super) fn traffic(look: Memo<Look>) -> AnyView {
    let sent = Memo::new(move |_| {
        look.with(|look| {
            look.at(|job, layout| {
                let row = |t: Traffic| {
                    let axis = format!("{} {}", t.axis.id(), t.group.ranks);
                    [axis, t.what.to_owned(), bytes_decimal(t.bytes), number(t.times), words::place(job, t.group)]
                };
                job.traffic(&layout.choice).into_iter().map(row).collect::<Vec<_>>()
            })
        })
    });
    let row = |[axis, what, bytes, times, place]: [String; 5]| {
        view! {
            <tr>
                <th scope="row">{axis}</th>
                <td>{what}</td>
                <td class="number">{bytes}</td>
                <td class="number">{times}</td>
                <td>{place}</td>
            </tr>
        }
    };
    view! {
        <Table
            scroll="What each axis sends"
            caption="What a GPU sends in a step, by axis"
            class="planner-traffic"
            columns=[words("Axis"), words("Sends"), numbers("Bytes"), numbers("Times"), words("Over")]
            rows=(move || sent.get().into_iter().map(row).collect_view()).into_any()
        />
    }
    .into_any()
}

/// Why the others are impossible.
pub(super) fn barriers(look: Memo<Look>) -> AnyView {
    let barriers = Memo::new(move |_| look.with(|look| look.found.barriers.clone()));
    let row = |barrier: Barrier| {
        view! {
            <tr>
                <td>{barrier.rule}</td>
                <td>{barrier.example}</td>
                <td class="number">{grouped(barrier.count)}</td>
            </tr>
        }
    };
    view! {
        <details class="fold" class:nowhere=move || barriers.with(Vec::is_empty)>
            <summary>"Why others are not possible"</summary>
            <Table
                scroll="Why others are not possible"
                columns=[words("Rule"), words("The first that breaks it"), numbers("How many")]
                rows=(move || barriers.get().into_iter().map(row).collect_view()).into_any()
            />
        </details>
    }
    .into_any()
}
