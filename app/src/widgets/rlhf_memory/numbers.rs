//! The numbers behind the drawing: what each model has on a GPU in each phase.

use leptos::prelude::*;
use ringside_core::post_training::memory::{Phase, Role, Step};
use ringside_core::quantity::Unit;

use crate::ui::table::{Table, numbers, words};
use crate::widgets::outcome::Shown;

/// The table.
pub(super) fn view(shown: Shown<Step>) -> AnyView {
    let rows = move || {
        shown.with(|step| {
            // A step that doesn't fit takes no time.
            let time = |phase: &Phase| match step.verdict.possible() {
                true => Unit::Seconds.format(phase.seconds + phase.loading),
                false => "–".to_owned(),
            };
            let row = |phase: &Phase| {
                let of = |role: Role| Unit::Bytes.format(phase.roles[role as usize].total().0);
                view! {
                    <tr>
                        <th scope="row">{phase.work.label()}</th>
                        {Role::ALL.map(|role| view! { <td class="number">{of(role)}</td> }).into_iter().collect_view()}
                        <td class="number">{Unit::Bytes.format(phase.working.0)}</td>
                        <td class="number">{Unit::Bytes.format(phase.total().0)}</td>
                        <td class="number">{time(phase)}</td>
                    </tr>
                }
            };
            Some(step.phases.iter().map(row).collect_view())
        })
    };
    view! {
        <Table
            scroll="What each model has on a GPU in each phase"
            columns=[
                words("Phase"),
                numbers("policy"),
                numbers("reference"),
                numbers("reward model"),
                numbers("critic"),
                numbers("beside them"),
                numbers("a GPU"),
                numbers("time"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
