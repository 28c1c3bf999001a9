//! A model's controls, drawn as it declares its parameters: those beside the drawing, and those behind "More controls".

use leptos::prelude::*;
use ringside_core::declare::{At, Group, Look, Model, Param};
use ringside_core::query::{Kind, ParamSpec};

use crate::ui::figure::{Deciding, Fixed};
use crate::ui::number_field::NumberField;
use crate::ui::segmented::Segmented;
use crate::ui::select::{self, Select};
use crate::ui::slider::Slider;
use crate::ui::state::State;
use crate::ui::unique_id;

/// Options up to which a choice shows all of them, and characters up to which these fit one row.
const SEGMENTS: (usize, usize) = (4, 34);
/// Options up to which a choice that is a decision lists all of them.
const LISTED: usize = 12;

/// The controls of a model, to be drawn. What is special about a widget's is said first.
pub(super) struct Controls<M: Model> {
    state: State<M>,
    special: Vec<(&'static str, AnyView)>,
    /// Headings whose controls stand elsewhere.
    elsewhere: Vec<&'static str>,
}

/// Controls as they are drawn.
pub(super) struct Drawn {
    /// Those that stand beside the drawing.
    pub main: AnyView,
    /// Those that stand over the drawing; none if there are none.
    pub over: Option<AnyView>,
    /// Those behind "More controls"; none if there are none.
    pub more: Option<AnyView>,
    /// Whether one behind "More controls" has another value than its default.
    pub more_is_set: Signal<bool>,
}

impl Drawn {
    /// No controls.
    pub fn none() -> Self {
        Self { main: ().into_any(), over: None, more: None, more_is_set: Signal::stored(false) }
    }
}

impl<M: Model> Controls<M> {
    /// The controls of this state.
    pub fn of(state: State<M>) -> Self {
        Self { state, special: Vec::new(), elsewhere: Vec::new() }
    }

    /// Draws `view` in the place of the control of `name`.
    pub fn special(mut self, name: &'static str, view: impl IntoView + 'static) -> Self {
        self.special.push((name, view.into_any()));
        self
    }

    /// Draws the control of `name` for this value, which the model reads and writes itself.
    pub fn number(self, name: &'static str, value: Signal<f64>, set: impl Fn(f64) + Send + Sync + 'static) -> Self {
        self.special(name, number::<M>(name, value, set))
    }

    /// Those under `heading`, for a place of their own: they are then not behind "More controls".
    pub fn take(&mut self, heading: &'static str) -> AnyView {
        if Deciding::here().is_some() {
            return ().into_any();
        }
        self.elsewhere.push(heading);
        let controls = self.group(|group| group == Group::More(heading));
        view! { <div class="control-grid">{controls}</div> }.into_any()
    }

    /// All of them; those that decide, where a decision is made.
    pub fn draw(mut self) -> Drawn {
        if let Some(deciding) = Deciding::here() {
            let free = M::PARAMS.iter().filter(|param| deciding.decides(param.spec.name));
            let main = free.map(|param| self.control(param)).collect_view().into_any();
            return Drawn { main, ..Drawn::none() };
        }
        let main = self.group(|group| group == Group::Main);
        let has_over = M::PARAMS.iter().any(|param| param.look.group == Group::Over);
        let over = has_over.then(|| self.group(|group| group == Group::Over));
        let mut headings: Vec<&'static str> = Vec::new();
        for param in M::PARAMS {
            if let Group::More(heading) = param.look.group
                && !headings.contains(&heading)
                && !self.elsewhere.contains(&heading)
            {
                headings.push(heading);
            }
        }
        let more = headings.into_iter().map(|heading| {
            let controls = self.group(|group| group == Group::More(heading));
            let state = self.state;
            // A heading stands over something.
            let is_empty = Memo::new(move |_| {
                let mut all = M::PARAMS.iter().filter(|param| param.look.group == Group::More(heading));
                state.params().with(|params| !all.any(|param| params.applies(param.spec.name)))
            });
            view! { <div class="bare" class:nowhere=is_empty>{section(heading, controls)}</div> }.into_any()
        });
        let more: Vec<AnyView> = more.collect();
        // What the drawing sets has a control only where it decides.
        let is_drawn = |name: &str| M::PARAMS.iter().any(|p| p.spec.name == name && p.look.group == Group::Drawn);
        let unknown: Vec<&str> = self.special.iter().map(|(name, _)| *name).filter(|name| !is_drawn(name)).collect();
        debug_assert!(unknown.is_empty(), "{}: no control of {unknown:?}", M::ID);
        let (is_set, standard, elsewhere) = (self.state, M::standard(), self.elsewhere.clone());
        Drawn {
            main,
            over,
            more: (!more.is_empty()).then(|| more.into_any()),
            more_is_set: Memo::new(move |_| is_set.params().with(|params| differs(params, &standard, &elsewhere)))
                .into(),
        }
    }

    fn group(&mut self, is_asked: impl Fn(Group) -> bool) -> AnyView {
        let asked = M::PARAMS.iter().filter(|param| is_asked(param.look.group));
        asked.map(|param| self.control(param)).collect_view().into_any()
    }

    fn control(&mut self, param: &'static Param<M>) -> AnyView {
        let name = param.spec.name;
        let special = self.special.iter().position(|(other, _)| *other == name);
        let control = match (special, param.at) {
            (Some(i), _) => self.special.swap_remove(i).1,
            (None, Some(at)) => drawn(&param.spec, &param.look, self.value(param, at)),
            (None, None) => return ().into_any(),
        };
        let control = if Fixed::has(name) {
            let why = "Fixed by this task";
            view! { <fieldset class="bare" disabled title=why><legend class="visually-hidden">{why}</legend>{control}</fieldset> }.into_any()
        } else {
            control
        };
        if !M::APPLIES.iter().any(|one| one.names.contains(&name)) {
            return control;
        }
        let params = self.state.params();
        let applies = Memo::new(move |_| params.with(|params| params.applies(name)));
        view! { <div class="bare" class:nowhere=move || !applies.get()>{control}</div> }.into_any()
    }

    fn value(&self, param: &'static Param<M>, at: At<M>) -> Value {
        let (state, kind) = (self.state, param.spec.kind);
        let params = move || state.params().get();
        match kind {
            Kind::Choice(_) => Value::Choice(
                Signal::derive(move || at(&mut params()).chosen(kind)),
                Callback::new(move |id: &'static str| {
                    change(state, |p| at(p).choose(id));
                }),
            ),
            Kind::Integer { .. } | Kind::Real { .. } => Value::Number(
                Signal::derive(move || at(&mut params()).number().unwrap_or_default()),
                Callback::new(move |number: f64| {
                    change(state, |p| at(p).set_number(kind, number));
                }),
            ),
        }
    }
}

/// The control of a number, as `M` declares it, for another value than that of a field.
pub(super) fn number<M: Model>(
    name: &'static str,
    value: Signal<f64>,
    set: impl Fn(f64) + Send + Sync + 'static,
) -> AnyView {
    let param = M::PARAMS.iter().find(|param| param.spec.name == name);
    param.map_or_else(
        || ().into_any(),
        |param| drawn(&param.spec, &param.look, Value::Number(value, Callback::new(set))),
    )
}

/// The control of one parameter, as it is declared: for what stands around it.
pub(super) fn declared<M: Model>(state: State<M>, name: &str) -> AnyView {
    let mut controls = Controls::of(state);
    let param = M::PARAMS.iter().filter(|param| param.spec.name == name);
    param.map(|param| controls.control(param)).collect_view().into_any()
}

/// Changes a parameter, and with it what follows.
fn change<M: Model>(state: State<M>, set: impl FnOnce(&mut M)) {
    state.update(|params| {
        let before = params.clone();
        set(params);
        params.follow(&before);
    });
}

/// Whether a parameter that stands behind "More controls" has another value than its default.
fn differs<M: Model>(params: &M, standard: &M, elsewhere: &[&str]) -> bool {
    let (mut params, mut standard) = (params.clone(), standard.clone());
    M::PARAMS
        .iter()
        .filter(|param| matches!(param.look.group, Group::More(heading) if !elsewhere.contains(&heading)))
        .any(|param| param.at.is_some_and(|at| at(&mut params).write() != at(&mut standard).write()))
}

/// A parameter's value, and how it is set.
enum Value {
    Number(Signal<f64>, Callback<f64>),
    Choice(Signal<&'static str>, Callback<&'static str>),
}

/// The control that a declaration asks for.
fn drawn(&spec: &'static ParamSpec, look: &'static Look, value: Value) -> AnyView {
    let (label, format, asked) = (look.label, look.format, look.asked);
    match (value, spec.kind) {
        (Value::Number(value, set), _) => match look.scale {
            Some(scale) => view! { <Slider spec label value set scale format asked /> }.into_any(),
            None => {
                let id = unique_id(spec.name);
                view! {
                    <div class="field">
                        <label for=id.clone()>{label}</label>
                        <NumberField spec label value set format asked id />
                    </div>
                }
                .into_any()
            }
        },
        (Value::Choice(value, set), Kind::Choice(ids)) => {
            let label_of = |(i, id): (usize, &&'static str)| (*id, look.labels.get(i).copied().unwrap_or(id));
            let options: Vec<(&'static str, &'static str)> = ids.iter().enumerate().map(label_of).collect();
            let letters: usize = options.iter().map(|(_, label)| label.chars().count()).sum();
            if options.len() <= SEGMENTS.0 && letters <= SEGMENTS.1 {
                view! { <Segmented name=spec.name label options value set /> }.into_any()
            } else if Deciding::here().is_some() && options.len() <= LISTED {
                view! { <div class="listed"><Segmented name=spec.name label options value set /></div> }.into_any()
            } else {
                let groups = vec![select::Group { label: "", options }];
                view! { <Select name=spec.name label groups value set /> }.into_any()
            }
        }
        (Value::Choice(..), _) => ().into_any(),
    }
}

/// Controls under their heading.
fn section(heading: &'static str, controls: AnyView) -> AnyView {
    if heading.is_empty() {
        return view! { <div class="control-grid">{controls}</div> }.into_any();
    }
    view! {
        <fieldset class="control-section">
            <legend>{heading}</legend>
            <div class="control-grid">{controls}</div>
        </fieldset>
    }
    .into_any()
}
