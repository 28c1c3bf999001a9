//! A policy of six answers in training: the answers with their ratios and advantages, and the course of it; the clip; a group.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::post_training::policy::answers::{ANSWERS, QUESTION};
use ringside_core::post_training::policy::{Algorithm, Params, Shown, Update, View};
use ringside_core::quantity::{Unit, grouped, number};
use ringside_drawing::charts::policy_update;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui::chart;
use crate::ui::markup::renewed;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How fast it is played.
const PACE: Pace = Pace { whole: 16_000.0, longest: 600.0, shortest: 60.0 };

/// What is shown of it does not change the training.
fn trained(p: &Params) -> Params {
    Params { view: View::Policy, step: 0, old: 0.2, new: 0.3, advantage: 1.0, group: 8, right: 2, ..*p }
}

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let training = Memo::new(move |_| params.with(trained));
    let updates = Memo::new(move |_| training.with(Params::run));
    let still = Memo::new(move |_| params.with(|p| Params { step: 0, right: p.right.min(p.group), ..*p }));
    let shown = Memo::new(move |_| still.with(|p| Shown { updates: updates.get(), ..p.beside() }));
    let show = Memo::new(move |_| params.with(|p| p.view));
    let is_trained = move || matches!(show.get(), View::Policy | View::Course);

    let steps = Signal::derive(move || updates.with(Vec::len));
    // All of it is on show until somebody steps.
    let step = Signal::derive(move || match params.with(|p| p.step) as usize {
        0 => steps.get(),
        step => step.min(steps.get()),
    });
    let set = move |to: usize| state.update(|p| p.step = to.max(1) as u64);
    let place =
        Signal::derive(move || format!("Update {} of {}", grouped(step.get() as u64), grouped(steps.get() as u64)));
    let playback = PACE.of(steps);
    let controls = Controls::of(state).draw();
    let quantities = Memo::new(move |_| params.with(|p| shown.with(|s| p.quantities(s))));
    let of = move |draw: fn(&Params, &Shown) -> ringside_drawing::chart::Chart, class: &'static str| {
        chart::view(class, Memo::new(move |_| params.with(|p| shown.with(|s| draw(p, s)))))
    };
    let answers = move || updates.with(|all| answers(all.get(step.get().saturating_sub(1))));
    let drawing = move || match show.get() {
        View::Policy => view! {
            <div class="policy-answers" use:renewed=answers></div>
            {of(policy_update::chart, "policy-course small")}
        }
        .into_any(),
        View::Course => of(policy_update::chart, "policy-course").into_any(),
        View::Objective => of(policy_update::objective, "policy-course").into_any(),
        View::Group => of(policy_update::group, "policy-course").into_any(),
    };
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || params.with(subtitle))
            finding=Signal::derive(move || still.with(|p| shown.with(|s| p.finding(s))))
            controls
            transport=view! {
                <div class="bare" class:nowhere=move || !is_trained()>
                    <Transport steps step set playback place alone=props.alone />
                </div>
            }
                .into_any()
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || table(updates)
        >
            <div class="policy">{drawing}</div>
        </ModelFigure>
    }
    .into_any()
}

fn subtitle(p: &Params) -> String {
    let name = p.algorithm.label();
    match p.view {
        View::Objective => "One token".to_owned(),
        View::Group => format!("{name}, {} answers to one prompt", grouped(p.group)),
        View::Policy | View::Course => {
            let clip = if p.clip == 0.0 { "no clip".to_owned() } else { format!("ε {}", number(p.clip)) };
            let critic = if p.algorithm == Algorithm::Ppo { "a critic" } else { "no critic" };
            format!("“{QUESTION}” {name}, {critic}, β {}, {clip}", number(p.beta))
        }
    }
}

/// The answers: how likely each is under the reference, when sampled, and now; its ratio and its advantage.
fn answers(update: Option<&Update>) -> String {
    let mut html = String::from(
        "<table class=\"answers\"><thead><tr><th scope=\"col\">Answer</th><th scope=\"col\"><i class=\"swatch now\"></i>probability now \
         <i class=\"swatch was\"></i>reference</th><th scope=\"col\" class=\"number\">score</th><th scope=\"col\" class=\"number\">worth</th>\
         <th scope=\"col\" class=\"number\">sampled</th><th scope=\"col\" class=\"number\">advantage</th>\
         <th scope=\"col\" class=\"number\">ratio</th></tr></thead><tbody>",
    );
    for (i, answer) in ANSWERS.iter().enumerate() {
        let now = update.map_or(answer.reference, |u| u.new[i]);
        let sampled = update.map_or(0, |u| u.sampled[i]);
        let of = |text: String| if sampled > 0 { text } else { "–".to_owned() };
        // Writing to a string does not fail.
        let _ = write!(
            html,
            "<tr><th scope=\"row\">{}</th><td><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" \
             aria-label=\"{} now, {} under the reference\"><rect class=\"now\" x=\"0\" y=\"0\" width=\"{:.2}\" height=\"10\"/>\
             <path class=\"was\" d=\"M{:.2} -1V11\"/></svg><span>{}</span></td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
            answer.text,
            Unit::Fraction.format(now),
            Unit::Fraction.format(answer.reference),
            100.0 * now,
            100.0 * answer.reference,
            Unit::Fraction.format(now),
            number(answer.score),
            number(answer.worth),
            sampled,
            of(number(update.map_or(0.0, |u| u.advantage[i]))),
            of(number(update.map_or(1.0, |u| u.ratio(i)))),
        );
    }
    html.push_str("</tbody></table>");
    html
}

/// Every update.
fn table(updates: Memo<Vec<Update>>) -> AnyView {
    let rows = move || {
        updates.with(|all| {
            let row = |(i, u): (usize, &Update)| {
                view! {
                    <tr>
                        <th scope="row">{i + 1}</th>
                        <td class="number">{number(u.score())}</td>
                        <td class="number">{number(u.worth())}</td>
                        <td class="number">{number(u.divergence())}</td>
                        <td class="number">{number(u.entropy())}</td>
                        <td class="number">{Unit::Fraction.format(u.clipped)}</td>
                        <td class="number">{number(u.baseline)}</td>
                    </tr>
                }
            };
            all.iter().enumerate().map(row).collect_view()
        })
    };
    view! {
        <Table
            scroll="Every update"
            columns=[
                numbers("Update"),
                numbers("score"),
                numbers("worth"),
                numbers("KL"),
                numbers("entropy"),
                numbers("clipped"),
                numbers("critic expects"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
