//! The figures that one picture shows. All that is their own is what they say as a `ringside_drawing::figure::Figure`; a few have something
//! to type or to press besides, under the drawing.

use std::ops::Deref;
use std::sync::Arc;

use leptos::prelude::*;
use ringside_drawing::figure::{Column, Figure, Played, Table as Data};
use ringside_figures::Examples;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::outcome::Shown;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};

/// The code of such a figure.
pub(super) fn module<F: Figure>() -> Module {
    Module { view: |props| view::<F>(props, |_| Own::default()), model: &F::ENTRY }
}

/// A result. It is another one only if it was computed anew.
pub(super) struct Made<F: Figure>(Arc<F::Result>);

impl<F: Figure> Made<F> {
    fn of(params: &F) -> Result<Self, String> {
        params.evaluate().map(|result| Self(Arc::new(result)))
    }
}
impl<F: Figure> Clone for Made<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}
impl<F: Figure> PartialEq for Made<F> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl<F: Figure> Deref for Made<F> {
    type Target = F::Result;

    fn deref(&self) -> &F::Result {
        &self.0
    }
}

/// A figure that is alive.
pub(super) struct Live<F: Figure> {
    /// Its parameters.
    pub state: State<F>,
    /// What comes of them.
    pub shown: Shown<Made<F>>,
    /// Whether it has only what matters most.
    pub compact: bool,
}

impl<F: Figure> Clone for Live<F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<F: Figure> Copy for Live<F> {}

impl<F: Figure> Live<F> {
    /// Looks at the state and its result. Tracks.
    pub fn with<T: Default>(self, look: impl FnOnce(&F, &F::Result) -> T) -> T {
        self.state.params().with(|params| self.shown.with(|result| look(params, result)))
    }
}

/// What a figure has besides, by hand.
#[derive(Default)]
pub(super) struct Own {
    /// In the drawing, over the picture.
    pub above: Option<AnyView>,
    /// In the drawing, under it.
    pub below: Option<AnyView>,
    /// Over the readings.
    pub over: Option<AnyView>,
    /// Under them.
    pub under: Option<AnyView>,
    /// A control in the place of the declared one.
    pub special: Option<(&'static str, AnyView)>,
    /// States worth looking at, where the model knows them.
    pub examples: Option<&'static Examples>,
}

/// Such a figure, with what else it has.
pub(super) fn view<F: Figure>(props: Props, own: impl FnOnce(Live<F>) -> Own) -> AnyView {
    let state = State::<F>::of(props.query);
    let params = state.params();
    let computed = Memo::new(move |_| params.with(F::computed));
    let shown = Shown::new(computed, Made::of, |_| F::standard());
    let live = Live { state, shown, compact: props.compact };
    let picture = Memo::new(move |_| live.with(|p, result| p.picture(result)));
    let quantities = Memo::new(move |_| live.with(|p, result| p.quantities(result)));
    let about = |mut params: F| params.about().map(|about| about.model());
    let input = about(params.get_untracked()).map(|first| {
        let model = Signal::derive(move || about(params.get()).unwrap_or(first));
        let set = move |model| state.update(|p| p.about().into_iter().for_each(|about| about.choose(model)));
        ModelInput::new(model, set)
    });
    let Own { above, below, over, under, special, examples } = own(live);
    let others = params.with_untracked(|p| p.clone().about().map_or(&[][..], |about| about.others()));
    let other = Signal::derive(move || params.get().about().and_then(|about| about.other()));
    let choose = move |id| state.update(|p| p.about().into_iter().for_each(|about| about.choose_other(id)));
    let choose = Callback::new(choose);
    let special = special.into_iter().chain(input.map(|input| ("model", input.select_or(others, other, choose))));
    let mut controls = special.fold(Controls::of(state), |all, (name, view)| all.special(name, view)).draw();
    let notes = params.with_untracked(F::notes).is_some();
    let notes = notes.then(|| Signal::derive(move || params.with(F::notes).unwrap_or_default()));
    let views = controls.over.take().map(|views| view! { <div class="views">{views}</div> });
    let press = move |sets| state.update(|p| *p = state.with(p, &sets));
    let drawing = view! {
        {views}
        {above}
        {ui::picture::live("one-picture", picture, Callback::new(press))}
        {below}
    };
    view! {
        <ModelFigure
            props
            state
            input
            subtitle=Signal::derive(move || params.with(F::subtitle))
            finding=Signal::derive(move || live.with(F::finding))
            notes
            examples
            controls
            transport=transport(live, props.alone)
            below=Some(
                view! { {over} {readings::view(&F::ENTRY, quantities)} {input.map(ModelInput::panel)} {under} }.into_any(),
            )
            table=move || tables(live)
        >
            {shown.frame(drawing.into_any())}
        </ModelFigure>
    }
    .into_any()
}

/// How it is played.
const PACE: Pace = Pace { whole: 12_000.0, longest: 500.0, shortest: 30.0 };

/// What plays it.
fn transport<F: Figure>(live: Live<F>, alone: bool) -> Option<AnyView> {
    F::PLAYS.then(|| {
        let played = Memo::new(move |_| live.with(F::played));
        let of = move |look: fn(&Played) -> usize| Signal::derive(move || played.with(|p| p.as_ref().map_or(0, look)));
        let (step, steps) = (of(|p| p.step), of(|p| p.steps));
        let place = Signal::derive(move || played.with(|p| p.as_ref().map(Played::in_words).unwrap_or_default()));
        let set = move |step: usize| live.state.update(|p| p.play(step));
        view! {
            <div class="bare" class:nowhere=move || played.with(Option::is_none)>
                <Transport steps step set playback=PACE.of(steps) place alone />
            </div>
        }
        .into_any()
    })
}

/// The numbers behind the picture.
fn tables<F: Figure>(live: Live<F>) -> AnyView {
    let all = Memo::new(move |_| {
        live.with(|p, result| std::iter::once(p.table(result)).chain(p.more_tables(result)).collect::<Vec<_>>())
    });
    (move || all.with(|all| all.iter().map(table).collect_view())).into_any()
}

fn table(data: &Data) -> AnyView {
    let row = |cells: &Vec<String>| {
        let cell = |(i, text): (usize, &String)| match data.columns.get(i) {
            _ if i == 0 => view! { <th scope="row">{text.clone()}</th> }.into_any(),
            Some(Column::Numbers(_)) => view! { <td class="number">{text.clone()}</td> }.into_any(),
            _ => view! { <td>{text.clone()}</td> }.into_any(),
        };
        view! { <tr>{cells.iter().enumerate().map(cell).collect_view()}</tr> }
    };
    let head = |column: &Column| match column {
        Column::Words(head) => words(*head),
        Column::Numbers(head) => numbers(*head),
    };
    let columns: Vec<_> = data.columns.iter().map(head).collect();
    let rows = data.rows.iter().map(row).collect_view().into_any();
    let caption = (!data.caption.is_empty()).then(|| data.caption.clone());
    view! { <Table scroll="The numbers behind the picture" caption columns rows /> }.into_any()
}
