//! The figures that one picture shows. All that is their own is what they say as a `ringside_drawing::figure::Figure`.

use leptos::prelude::*;
use ringside_core::quantity::Quantity;
use ringside_drawing::figure::{Column, Figure};
use ringside_drawing::picture::Picture;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::outcome::Shown;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// The code of such a figure.
pub(super) fn module<F: Figure>() -> Module {
    Module { view: view::<F>, model: &F::ENTRY }
}

/// What is seen of a state.
#[derive(Clone, PartialEq)]
struct Seen {
    finding: String,
    picture: Picture,
    quantities: Vec<Quantity>,
}

fn seen<F: Figure>(params: &F) -> Result<Seen, String> {
    let result = params.evaluate()?;
    Ok(Seen {
        finding: params.finding(&result),
        picture: params.picture(&result),
        quantities: params.quantities(&result),
    })
}

fn view<F: Figure>(props: Props) -> AnyView {
    let state = State::<F>::of(props.query);
    let params = state.params();
    let shown = Shown::new(params, seen::<F>, |_| F::standard());
    let picture = Memo::new(move |_| shown.with(|seen| seen.picture.clone()));
    let quantities = Memo::new(move |_| shown.with(|seen| seen.quantities.clone()));
    let about = |mut params: F| params.about().map(|about| about.model());
    let input = about(params.get_untracked()).map(|first| {
        let model = Signal::derive(move || about(params.get()).unwrap_or(first));
        let set = move |model| state.update(|p| p.about().into_iter().for_each(|about| about.choose(model)));
        ModelInput::new(model, set)
    });
    let controls = Controls::of(state);
    let controls = match input {
        Some(input) => controls.special("model", input.choose_any()),
        None => controls,
    };
    view! {
        <ModelFigure
            props
            state
            input
            subtitle=Signal::derive(move || params.with(F::subtitle))
            finding=Signal::derive(move || shown.with(|seen| seen.finding.clone()))
            controls=controls.draw()
            below=Some(view! { {readings::view(&F::ENTRY, quantities)} {input.map(ModelInput::panel)} }.into_any())
            table=move || table(params)
        >
            {shown.frame(ui::picture::live("one-picture", picture))}
        </ModelFigure>
    }
    .into_any()
}

/// The numbers behind the picture.
fn table<F: Figure>(params: Memo<F>) -> AnyView {
    let made = Memo::new(move |_| params.with(|p| p.evaluate().map(|result| p.table(&result)).unwrap_or_default()));
    let columns = Memo::new(move |_| made.with(|table| table.columns.clone()));
    let row = move |cells: &Vec<String>| {
        let cell = |(i, text): (usize, &String)| match columns.with_untracked(|columns| columns.get(i).copied()) {
            _ if i == 0 => view! { <th scope="row">{text.clone()}</th> }.into_any(),
            Some(Column::Numbers(_)) => view! { <td class="number">{text.clone()}</td> }.into_any(),
            _ => view! { <td>{text.clone()}</td> }.into_any(),
        };
        view! { <tr>{cells.iter().enumerate().map(cell).collect_view()}</tr> }
    };
    let rows = move || made.with(|table| table.rows.iter().map(row).collect_view());
    let heads = move || {
        let head = |column: &Column| match column {
            Column::Words(head) => words(*head),
            Column::Numbers(head) => numbers(*head),
        };
        columns.with(|columns| columns.iter().map(head).collect::<Vec<_>>())
    };
    (move || view! { <Table scroll="The numbers behind the picture" columns=heads() rows=rows.into_any() /> })
        .into_any()
}
